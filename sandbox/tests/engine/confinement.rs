//! What a job can see and reach.

use sandbox::Access;

use crate::support::{engine, printed, run, shell, with_work};

#[tokio::test]
async fn engine_takes_every_privilege_away() {
    let Some(engine) = engine().await else { return };
    let script = "grep -E '^(Uid|CapInh|CapPrm|CapEff|CapBnd|CapAmb|NoNewPrivs|Seccomp):' /proc/self/status";
    let status = printed(&run(&engine, &shell(script)).await);
    let uid = sandbox::payload_user().uid;
    assert_ne!(uid, 0);
    let none = "0000000000000000";
    let expected = format!(
        "Uid:\t{uid}\t{uid}\t{uid}\t{uid}\nCapInh:\t{none}\nCapPrm:\t{none}\nCapEff:\t{none}\nCapBnd:\t{none}\nCapAmb:\t{none}\nNoNewPrivs:\t1\nSeccomp:\t2\n"
    );
    assert_eq!(status, expected);
}

#[tokio::test]
async fn engine_gives_no_network() {
    let Some(engine) = engine().await else { return };
    let interfaces = printed(&run(&engine, &shell("ls /sys/class/net")).await);
    assert_eq!(interfaces.trim(), "lo");
    let script = r#"
import errno, socket, time
started = time.monotonic()
for address in [("1.1.1.1", 443), ("172.17.0.1", 80), ("169.254.169.254", 80)]:
    try:
        socket.create_connection(address, timeout=30)
    except OSError as error:
        assert error.errno == errno.ENETUNREACH, error
    else:
        raise SystemExit("connected")
assert time.monotonic() - started < 5
"#;
    let mut job = shell("python3 -");
    job.stdin = script.as_bytes().to_vec();
    let outcome = run(&engine, &job).await;
    if outcome.ending.exit_code() == Some(127) {
        return eprintln!("SKIPPED: the image has no Python to try a connection with");
    }
    assert_eq!(outcome.ending.exit_code(), Some(0), "{outcome:#?}");
}

#[tokio::test]
async fn engine_shows_nothing_of_this_process_environment() {
    let Some(engine) = engine().await else { return };
    let mut job = shell("env | sort");
    job.environment.insert("TZ".to_owned(), "Europe/Berlin".to_owned());
    let seen = printed(&run(&engine, &job).await);
    assert!(!seen.contains("CARGO"), "{seen}");
    // The image, the shell and the engine add these.
    let ours: Vec<_> = seen
        .lines()
        .filter(|line| {
            !["PATH=", "PWD=", "SHLVL=", "_=", "HOSTNAME=", "OLDPWD="]
                .iter()
                .any(|name| line.starts_with(name))
        })
        .collect();
    let expected = "HOME=/tmp LANG=C.UTF-8 LOGNAME=sandbox MPLCONFIGDIR=/tmp/matplotlib OMP_NUM_THREADS=1 PIP_NO_INDEX=1 TZ=Europe/Berlin USER=sandbox XDG_CACHE_HOME=/tmp/cache";
    assert_eq!(ours.join(" "), expected);
}

#[tokio::test]
async fn engine_lets_a_job_write_only_where_it_may() {
    let Some(engine) = engine().await else { return };
    let folder = tempfile::tempdir().unwrap();
    let script = "for place in / /etc /usr /proc /sys /dev /work /tmp /dev/shm; do
        if (: > $place/probe) 2>/dev/null; then echo $place; fi; done";
    let mut job = with_work(shell(script), folder.path());
    assert_eq!(printed(&run(&engine, &job).await), "/work\n/tmp\n/dev/shm\n");
    job.mounts.last_mut().unwrap().access = Access::ReadOnly;
    assert_eq!(printed(&run(&engine, &job).await), "/tmp\n/dev/shm\n");
}

#[tokio::test]
async fn engine_starts_each_job_afresh() {
    let Some(engine) = engine().await else { return };
    printed(&run(&engine, &shell("echo secret > /tmp/left; echo secret > /dev/shm/left")).await);
    assert_eq!(printed(&run(&engine, &shell("ls -A /tmp /dev/shm")).await), "/dev/shm:\n\n/tmp:\n");
}

#[tokio::test]
async fn engine_denies_what_leads_into_the_kernel() {
    let Some(engine) = engine().await else { return };
    let script = "unshare -U true; mount -t tmpfs none /tmp; dmesg; mknod /tmp/zero c 1 5; ls /var/run/docker.sock; kill -9 1; echo end";
    let outcome = run(&engine, &shell(script)).await;
    assert_eq!(printed(&outcome), "end\n", "{outcome:#?}");
}
