//! What is found, in which order, and why.

use indexer::{Mode, Query, search_all};

use crate::fixture::{Fixture, checkout, place, query};

const GAT: &str = "\"\"\"Graph attention networks.\"\"\"\nimport argparse\n\nclass GATConv(nn.Module):\n    \
    \"\"\"Attention layer over neighbours.\"\"\"\n    def forward(self, graph, feat):\n        return softmax(graph, feat)\n\n\
    def main():\n    parser = argparse.ArgumentParser()\n    parser.add_argument('--num-heads', type=int, help='attention heads')\n";
const README: &str = "# Library\n\nWords.\n\n## Citeseer\n\nTo train on citeseer:\n\n```\npython examples/train.py --num-heads 8\n```\n";

fn library() -> Fixture {
    Fixture::new(&[
        ("README.md", README),
        ("nn/gat.py", GAT),
        ("nn/pool.py", "def gat_pool(x):\n    return GATConv(x)\n"),
        ("examples/train.py", "from nn.gat import GATConv\nrun(GATConv())\n"),
        ("examples/infer.py", "print('inference')\n"),
        ("tests/test_gat.py", "def test_gat_conv():\n    assert GATConv\n"),
    ])
}

#[test]
fn puts_the_definition_of_a_name_before_its_uses() {
    let library = library();
    let places = library.places(Mode::Auto, "GATConv");
    assert_eq!(places[0], "nn/gat.py:4-7 class GATConv");
    assert!(places.iter().any(|place| place.starts_with("nn/pool.py")), "{places:?}");
    assert!(!places[1..].iter().any(|place| place.starts_with("nn/gat.py:4-")), "{places:?}");
}

#[test]
fn finds_symbols_by_every_degree_of_likeness() {
    let library = library();
    for (name, expected) in [
        ("GATConv", &["nn/gat.py:4-7 class GATConv"][..]),
        ("gatconv", &["nn/gat.py:4-7 class GATConv"]),
        ("GATConv.forward", &["nn/gat.py:6-7 method GATConv.forward"]),
        ("GATConv::forward()", &["nn/gat.py:6-7 method GATConv.forward"]),
        ("gat_p", &["nn/pool.py:1-2 function gat_pool"]),
        ("heads num", &["nn/gat.py:11-11 flag --num-heads"]),
        ("pool", &["nn/pool.py:1-2 function gat_pool"]),
        ("--num-heads", &["nn/gat.py:11-11 flag --num-heads"]),
        ("num_heads", &["nn/gat.py:11-11 flag --num-heads"]),
        ("nowhere", &[]),
    ] {
        let places = library.places(Mode::Symbol, name);
        assert_eq!(places.iter().take(1).collect::<Vec<_>>(), expected, "{name}");
    }
}

#[test]
fn finds_a_script_by_what_the_readme_says_of_it() {
    let library = library();
    let hits = library.search(Mode::Text, "train on citeseer");
    let paths: Vec<_> = hits.iter().map(|hit| hit.path.as_str()).take(2).collect();
    assert!(paths.contains(&"examples/train.py") && paths.contains(&"README.md"), "{paths:?}");
    let script = hits.iter().find(|hit| hit.path.as_str() == "examples/train.py").unwrap();
    assert!(
        script.reasons.iter().any(|reason| reason.starts_with("mentioned with: ")),
        "{:?}",
        script.reasons
    );
}

#[test]
fn says_which_fields_matched_which_words() {
    let library = library();
    let hits = library.search(Mode::Text, "attention heads layer");
    let class = hits.iter().find(|hit| hit.symbol.as_deref() == Some("GATConv")).unwrap();
    assert!(class.reasons.contains(&"text: attention, layer".to_owned()), "{:?}", class.reasons);
    assert!(class.reasons.contains(&"flags: attention, heads".to_owned()), "{:?}", class.reasons);
}

#[test]
fn finds_files_by_path_and_quoted_text_by_line() {
    let library = library();
    assert_eq!(library.places(Mode::Auto, "nn/pool.py")[0], "nn/pool.py:1-2 file -");
    assert_eq!(library.places(Mode::Auto, "gat.py")[0], "nn/gat.py:1-11 file -");
    assert_eq!(library.places(Mode::Auto, "\"run(GATConv())\""), ["examples/train.py:2-2 line -"]);
    // No line holds it, so its words are ranked.
    let places = library.places(Mode::Auto, "'inference heads'");
    assert!(places.contains(&"examples/infer.py:1-1 top_level -".to_owned()), "{places:?}");
}

#[test]
fn keeps_to_the_glob_and_the_language() {
    let library = library();
    let index = library.index();
    let search = |glob: Option<&str>, language: Option<&str>, mode| {
        let query = Query {
            path_glob: glob.map(str::to_owned),
            language: language.map(|language| language.parse().unwrap()),
            ..query(mode, "gat")
        };
        let hits = index.search(&query).unwrap();
        let mut paths: Vec<_> = hits.iter().map(|hit| hit.path.to_string()).collect();
        paths.sort();
        paths.dedup();
        paths
    };
    assert_eq!(search(Some("tests/**"), None, Mode::Text), ["tests/test_gat.py"]);
    assert_eq!(search(Some("*_gat.py"), None, Mode::Symbol), ["tests/test_gat.py"]);
    assert_eq!(search(Some("nn/*"), None, Mode::Literal), ["nn/pool.py"]);
    assert!(search(None, Some("shell"), Mode::Text).is_empty());
    assert!(search(None, Some("markdown"), Mode::Regex).is_empty());
    assert!(!search(None, Some("python"), Mode::Text).is_empty());
}

#[test]
fn shows_copies_once() {
    let body = "def unusual_name():\n    return 'the only one'\n";
    let fixture = Fixture::new(&[("a/x.py", body), ("b/x.py", body), ("tests/x.py", body)]);
    for mode in [Mode::Text, Mode::Symbol] {
        let hits = fixture.search(mode, "unusual_name");
        assert_eq!(hits.len(), 1, "{mode:?}: {hits:?}");
        assert_eq!(hits[0].path.as_str(), "a/x.py");
        let also: Vec<_> = hits[0].also_at.iter().map(repos::RepositoryPath::as_str).collect();
        assert_eq!(also, ["b/x.py", "tests/x.py"]);
    }
    // Every line is a line, as ripgrep has it.
    assert_eq!(fixture.search(Mode::Literal, "the only one").len(), 3);
}

#[test]
fn pages_join_to_the_whole_list_over_repositories() {
    let files: Vec<(String, String)> = (0..40)
        .map(|number| (format!("f{number}.py"), format!("def shared_{number}():\n    shared = {number}\n")))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let (one, two) = (Fixture::new(&files), Fixture::new(&files[..20]));
    let mut second = two.checkout.clone();
    second.name = "zweites".parse().unwrap();
    let indexes = [one.index(), std::sync::Arc::new(two.store.open_or_build(&second, &()).unwrap())];
    for mode in [Mode::Text, Mode::Symbol, Mode::Literal, Mode::Regex, Mode::Auto] {
        let whole = search_all(&indexes, &Query { limit: 1_000, ..query(mode, "shared") }).unwrap();
        assert!(!whole.has_more);
        let mut joined = Vec::new();
        for offset in (0..).step_by(7) {
            let page = search_all(&indexes, &Query { limit: 7, offset, ..query(mode, "shared") }).unwrap();
            joined.extend(page.hits);
            if !page.has_more {
                break;
            }
        }
        assert_eq!(joined, whole.hits, "{mode:?}");
        assert!(whole.hits.len() >= 60, "{mode:?}: {}", whole.hits.len());
        assert!(whole.hits.is_sorted_by(|a, b| a.score >= b.score), "{mode:?}");
    }
}

#[test]
fn two_builds_give_the_same_answers() {
    let (first, second) = (library(), library());
    for mode in [Mode::Text, Mode::Symbol, Mode::Auto] {
        for text in ["gat", "GATConv", "train citeseer heads", "nn/gat.py"] {
            assert_eq!(first.search(mode, text), second.search(mode, text), "{mode:?} {text}");
        }
    }
}

#[test]
fn a_snippet_shows_the_lines_that_matched() {
    let text = "filler\n".repeat(50) + "the needle is here\n" + &"filler\n".repeat(20);
    let fixture = Fixture::new(&[("notes.txt", &text)]);
    let index = fixture.index();
    let query = query(Mode::Text, "needle");
    let hits = index.search(&query).unwrap();
    let snippet = index.snippet(&hits[0], &query, 3, 500);
    assert!(snippet.contains("51\tthe needle is here\n"), "{snippet}");
    assert_eq!(snippet.lines().count(), 3);
    // The file may be gone or shorter by the time it is shown.
    fixture.write("notes.txt", "short\n");
    assert_eq!(index.snippet(&hits[0], &query, 3, 500), "1\tshort\n");
    fs_err::remove_file(fixture.checkout.folder.join("notes.txt")).unwrap();
    assert_eq!(index.snippet(&hits[0], &query, 3, 500), "");
}

#[test]
fn notebooks_are_found_by_their_cells_and_shown_by_stored_lines() {
    let notebook = "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"outputs\": [\"zebra\"],\n   \"source\": [\n    \
                    \"model.fit(penguin)\\n\",\n    \"done()\"\n   ]\n  }\n ]\n}\n";
    let fixture = Fixture::new(&[("demo.ipynb", notebook)]);
    assert_eq!(fixture.places(Mode::Text, "penguin"), ["demo.ipynb:7-8 cell cell 1"]);
    assert!(fixture.places(Mode::Text, "zebra").is_empty());
    assert_eq!(fixture.places(Mode::Literal, "zebra"), ["demo.ipynb:5-5 line -"]);
}

#[test]
fn an_empty_repository_answers_every_mode_with_nothing() {
    let fixture = Fixture::new(&[]);
    for mode in [Mode::Text, Mode::Symbol, Mode::Auto, Mode::Literal, Mode::Regex] {
        assert!(fixture.search(mode, "anything").is_empty());
    }
    assert_eq!(fixture.index().report().files, 0);
    assert_eq!(search_all(&[], &query(Mode::Text, "x")).unwrap().hits.len(), 0);
}

#[test]
fn a_query_without_any_word_finds_nothing_and_breaks_nothing() {
    let library = library();
    for text in ["", "   ", "???", "()", "\"\"", "the of", "😀", "\u{0}", "`", "'"] {
        for mode in [Mode::Auto, Mode::Text, Mode::Symbol] {
            let _ = library.search(mode, text);
        }
    }
}

#[test]
fn names_differ_where_repositories_do() {
    let fixture = library();
    let other = checkout("other", &fixture.checkout.folder);
    let indexes = [fixture.index(), std::sync::Arc::new(fixture.store.open_or_build(&other, &()).unwrap())];
    let hits = search_all(&indexes, &query(Mode::Symbol, "GATConv")).unwrap().hits;
    let names: Vec<_> = hits.iter().map(|hit| (hit.repository.as_str(), place(hit))).collect();
    let class = "nn/gat.py:4-7 class GATConv".to_owned();
    assert_eq!(names[..2], [("other", class.clone()), ("sample", class)]);
}

#[test]
fn a_name_among_words_leads_to_its_definition_and_a_path_to_its_file() {
    let library = library();
    for (text, expected) in [
        ("how are the attention heads of GATConv used while training on citeseer", "nn/gat.py:4-"),
        ("what does examples/infer.py do with attention while training on citeseer", "examples/infer.py:1-1"),
    ] {
        let places = library.places(Mode::Auto, text);
        let rank = places.iter().position(|place| place.starts_with(expected));
        assert!(rank.is_some_and(|rank| rank < 2), "{text}: {places:?}");
    }
}

#[test]
fn the_words_of_a_path_that_is_nowhere_lead_nobody_astray() {
    let fixture = Fixture::new(&[
        ("caption.py", "def describe(image):\n    return caption(image)\n"),
        ("grumpy_cat.py", "def cat():\n    return 'grumpy cat'\n"),
    ]);
    let first = |text: &str| fixture.search(Mode::Auto, text)[0].path.to_string();
    assert_eq!(first("describe the image pictures/grumpy_cat.jpg"), "caption.py");
    assert_eq!(first("describe the image of grumpy_cat.py"), "grumpy_cat.py");
}

#[test]
fn neighbours_in_the_query_are_neighbours_in_the_answer() {
    let apart =
        "def size(batch):\n    note('the size is what the caller chose, and no batch is ever split')\n";
    let together =
        "def fill(items):\n    note('the batch size is what the caller chose, no item is ever split')\n";
    let fixture = Fixture::new(&[("a.py", apart), ("b.py", together)]);
    let first = |text: &str| fixture.search(Mode::Text, text)[0].path.to_string();
    assert_eq!(first("\"the batch size is\""), "b.py");
}

#[test]
fn an_explanation_adds_up_to_the_score() {
    let library = library();
    for text in [
        "train on citeseer",
        "GATConv",
        "attention heads of GATConv in examples/train.py",
        "how to train on citeseer",
        "examples/infer.py",
        "forward",
    ] {
        let query = Query { explain: true, ..query(Mode::Auto, text) };
        let hits = search_all(&[library.index()], &query).unwrap().hits;
        assert!(!hits.is_empty(), "{text}");
        for hit in hits {
            let explanation = hit.explanation.as_ref().expect("every ranked hit is explained");
            let difference = (explanation.score() - hit.score).abs() / hit.score;
            assert!(difference < 1e-4, "{text}: {} is explained as {explanation:?}", hit.score);
        }
    }
}
