//! What goes in and comes out.

use sandbox::{Ending, Limits};

use crate::support::{engine, printed, program, run, shell};

#[tokio::test]
async fn engine_keeps_the_streams_apart() {
    let Some(engine) = engine().await else { return };
    let outcome = run(&engine, &shell("echo out; echo err >&2")).await;
    assert_eq!((outcome.stdout.text(), outcome.stderr.text()), ("out\n".to_owned(), "err\n".to_owned()));
}

#[tokio::test]
async fn engine_counts_200_megabytes_and_keeps_both_ends() {
    let Some(engine) = engine().await else { return };
    let mut job = shell("echo first; yes 0123456789abcde | head -c 200000000; echo last");
    job.limits.kept_output_bytes = 100;
    let outcome = run(&engine, &job).await;
    let text = printed(&outcome);
    assert_eq!(outcome.stdout.total_bytes(), 200_000_000 + 6 + 5);
    assert!(text.starts_with("first\n") && text.ends_with("last\n") && text.len() < 200, "{text}");
}

#[tokio::test]
async fn engine_ends_a_flood_of_output() {
    let Some(engine) = engine().await else { return };
    let mut job = program(&["yes"]);
    job.limits = Limits { output_ceiling_bytes: 10 << 20, ..job.limits };
    let outcome = run(&engine, &job).await;
    assert_eq!(outcome.ending, Ending::OutputCapped);
    assert!(outcome.stdout.total_bytes() > 10 << 20);
}

#[tokio::test]
async fn engine_passes_bytes_that_are_not_text() {
    let Some(engine) = engine().await else { return };
    let outcome = run(&engine, &shell(r"printf '\000\001\002\377caf\303\251'")).await;
    assert_eq!(printed(&outcome), "\0\u{1}\u{2}\u{fffd}café");
}

#[tokio::test]
async fn engine_feeds_standard_input_and_ends_it() {
    let Some(engine) = engine().await else { return };
    let mut job = program(&["wc", "-c"]);
    assert_eq!(printed(&run(&engine, &job).await).trim(), "0");
    job.stdin = vec![b'x'; 1 << 20];
    assert_eq!(printed(&run(&engine, &job).await).trim(), "1048576");
}

#[tokio::test]
async fn engine_is_not_held_up_by_input_that_nobody_reads() {
    let Some(engine) = engine().await else { return };
    let mut job = shell("echo done");
    job.stdin = vec![b'x'; 8 << 20];
    assert_eq!(printed(&run(&engine, &job).await), "done\n");
}
