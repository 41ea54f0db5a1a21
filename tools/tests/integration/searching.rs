//! What `search`, `outline` and `find_references` answer over a small repository.

use serde_json::{Value, json};
use tools::{Call, Error, FindReferences, Outline, Search, Tool};

use crate::place::Place;

const MODEL: &str = "\"\"\"Attention.\"\"\"\nimport torch\n\n\nclass GraphConv(torch.nn.Module):\n    \"\"\"GraphConv.\"\"\"\n\n    \
                     @property\n    def size(self):\n        return 1\n\n    def forward(self, x):\n        return x\n";
const TRAIN: &str = "from model import GraphConv\n\n# GraphConv is the model\nnet = GraphConv(3)\nprint(\"GraphConv\")\n\n\n\
                     def train():\n    return net.forward(GraphConv(4))\n";

fn place() -> Place {
    let files = [
        ("model.py", MODEL),
        ("train.py", TRAIN),
        ("tests/test_model.py", "from model import GraphConv\nGraphConv(1)\n"),
        ("docs/guide.md", "# Guide\n\nUse GraphConv.\n\n## Install\n\npip\n"),
        ("data.bin", "\0\0"),
        ("notes.txt", "nothing defined\n"),
    ];
    Place::new().holding(&files)
}

async fn call<T: Tool>(place: &Place, mut input: Value) -> Result<(Value, String), Error> {
    if input.get("repo").is_none() {
        input["repo"] = "r".into();
    }
    let input = serde_json::from_value(input).unwrap_or_else(|error| panic!("{error}"));
    let output = T::run(&place.toolbox, input, &Call::default()).await?;
    Ok((serde_json::to_value(&output).unwrap(), T::render(&output)))
}

fn explain(error: &Error) -> String {
    format!("{error} | {}", error.hint().unwrap_or_default())
}

#[tokio::test]
async fn outlines_classes_with_what_is_in_them() {
    let (output, text) = call::<Outline>(&place(), json!({"path": "model.py"})).await.unwrap();
    let symbols: Vec<String> = output["symbols"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            format!(
                "{} {} {}-{} {}",
                one["kind"], one["name"], one["start_line"], one["end_line"], one["depth"]
            )
        })
        .collect();
    assert_eq!(
        symbols,
        ["\"class\" \"GraphConv\" 5-13 0", "\"method\" \"size\" 8-10 1", "\"method\" \"forward\" 12-13 1",]
    );
    assert_eq!(
        (&output["language"], &output["total_lines"], &output["total_symbols"]),
        (&json!("python"), &json!(13), &json!(3))
    );
    assert!(text.contains("  12-13 method: def forward(self, x):"), "{text}");
}

#[tokio::test]
async fn outlines_headings_and_says_what_has_no_symbols() {
    let place = place();
    let (output, _) = call::<Outline>(&place, json!({"path": "docs/guide.md"})).await.unwrap();
    assert_eq!(output["symbols"][1]["name"], "Install");
    assert_eq!(output["symbols"][1]["depth"], 1);
    for (path, note) in [("notes.txt", "use `read_file`"), ("data.bin", "no text")] {
        let (output, text) = call::<Outline>(&place, json!({"path": path})).await.unwrap();
        assert!(output["notes"][0].as_str().unwrap().contains(note), "{output}");
        assert!(text.contains(note), "{text}");
    }
}

#[tokio::test]
async fn outlines_settings_notebooks_and_what_a_module_exports() {
    let notebook = "{\"cells\": [{\"cell_type\": \"markdown\", \"source\": [\"# Try it\"]},\n\
                    {\"cell_type\": \"code\", \"source\": [\n\"def run():\\n\",\n\"  pass\"]}]}\n";
    let place = Place::new().holding(&[
        ("config.yaml", "model:\n  arch: blip\nrun:\n  lr: 1e-5\n"),
        ("demo.ipynb", notebook),
        ("nets.py", "__all__ = ['Blip']\n@register_model('blip')\nclass Blip:\n    depth = 1\n"),
    ]);
    for (path, expected) in [
        ("config.yaml", &["1-2 key: model:", "  2-2 key: arch: blip", "  4-4 key: lr: 1e-5"][..]),
        ("demo.ipynb", &["1-1 heading in cell 1: # Try it", "3-4 function in cell 2: def run():"]),
        ("nets.py", &["2-4 exported class: @register_model('blip') class Blip:", "  4-4 field: depth = 1"]),
    ] {
        let (_, text) = call::<Outline>(&place, json!({"path": path})).await.unwrap();
        for line in expected {
            assert!(text.lines().any(|found| found == *line), "{line} in\n{text}");
        }
    }
    let (output, _) = call::<FindReferences>(&place, json!({"symbol": "blip"})).await.unwrap();
    assert_eq!(output["definitions"][0]["symbol"], "Blip");
    let (output, text) = call::<Search>(&place, json!({"query": "run", "mode": "symbol"})).await.unwrap();
    assert!(text.contains("cell 2: run"), "{output}\n{text}");
}

#[tokio::test]
async fn an_outline_of_what_is_no_file_says_what_to_do() {
    let place = place();
    for (path, expected) in
        [("docs", "list_files"), ("modle.py", "`model.py`"), ("src/model.py", "`model.py`")]
    {
        let error = call::<Outline>(&place, json!({"path": path})).await.unwrap_err();
        assert!(explain(&error).contains(expected), "{}", explain(&error));
    }
}

#[tokio::test]
async fn a_long_outline_goes_on_with_its_cursor() {
    let text: String = (0..3_000)
        .fold(String::new(), |text, number| text + &format!("def function_number_{number}(): pass\n"));
    let place = Place::new().holding(&[("a.py", text.as_str())]);
    let (mut found, mut pages, mut cursor) = (0, 0, None::<String>);
    loop {
        let (output, text) =
            call::<Outline>(&place, json!({"path": "a.py", "cursor": cursor})).await.unwrap();
        assert!(tools::estimate_tokens(&text) < 10_000 && output.to_string().len() < 60_000);
        found += output["symbols"].as_array().unwrap().len();
        pages += 1;
        match output["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    assert!(found == 3_000 && pages > 3, "{found} in {pages}");
}

#[tokio::test]
async fn finds_definitions_and_uses_but_no_words_in_comments_or_strings() {
    let (output, text) = call::<FindReferences>(&place(), json!({"symbol": "GraphConv"})).await.unwrap();
    assert_eq!(output["definitions"][0]["path"], "model.py");
    assert_eq!(output["definitions"][0]["start_line"], 5);
    let uses: Vec<String> = output["uses"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let within = one["enclosing"].as_str().unwrap_or("-");
            format!(
                "{}:{} {} {within}",
                one["path"].as_str().unwrap(),
                one["line"],
                one["kind"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(
        uses,
        [
            "train.py:1 import -",
            "train.py:4 call -",
            "train.py:9 call train",
            "tests/test_model.py:1 import -",
            "tests/test_model.py:2 call -",
        ]
    );
    assert_eq!(
        (&output["total_uses"], &output["total_calls"], &output["total_files"]),
        (&json!(5), &json!(3), &json!(2))
    );
    assert_eq!(output["stale"], false);
    assert!(text.contains("train.py:9 [call in train] return net.forward(GraphConv(4))"), "{text}");
}

#[tokio::test]
async fn finds_methods_by_their_class_and_continues_with_a_cursor() {
    let place = place();
    let (output, _) = call::<FindReferences>(&place, json!({"symbol": "GraphConv.forward"})).await.unwrap();
    assert_eq!(output["definitions"][0]["symbol"], "GraphConv.forward");
    assert_eq!(output["uses"][0]["line"], 9);
    let (first, _) =
        call::<FindReferences>(&place, json!({"symbol": "GraphConv", "limit": 3})).await.unwrap();
    let rest = json!({"symbol": "GraphConv", "limit": 3, "cursor": first["next_cursor"]});
    let (rest, _) = call::<FindReferences>(&place, rest).await.unwrap();
    assert_eq!((rest["uses"].as_array().unwrap().len(), rest.get("next_cursor")), (2, None));
}

#[tokio::test]
async fn an_unknown_symbol_comes_with_the_nearest() {
    let place = place();
    for (input, expected) in [
        (json!({"symbol": "GrahpConv"}), "`GraphConv`"),
        (json!({"symbol": "Other.forward"}), "`forward`"),
        (json!({"symbol": "GraphConv", "path": "train.py"}), "GraphConv in model.py"),
    ] {
        let error = call::<FindReferences>(&place, input).await.unwrap_err();
        assert!(explain(&error).contains(expected), "{}", explain(&error));
    }
}

#[tokio::test]
async fn counts_the_lines_that_match() {
    let place = place();
    for (mode, query) in [("literal", "GraphConv"), ("regex", "Graph\\w+"), ("auto", "\"GraphConv\"")] {
        let input = json!({"query": query, "mode": mode, "show": "counts"});
        let (output, text) = call::<Search>(&place, input).await.unwrap();
        let mut files: Vec<String> = output["files"]
            .as_array()
            .unwrap()
            .iter()
            .map(|file| format!("{}: {}", file["path"].as_str().unwrap(), file["count"]))
            .collect();
        files.sort();
        assert_eq!(files, ["docs/guide.md: 1", "model.py: 2", "tests/test_model.py: 2", "train.py: 5"]);
        assert_eq!((&output["total_files"], &output["total_count"]), (&json!(4), &json!(10)));
        assert!(text.contains("4 files, 10 in all"), "{text}");
    }
}

#[tokio::test]
async fn shows_files_alone_and_continues() {
    let place = place();
    let input = json!({"query": "GraphConv", "mode": "literal", "show": "files", "limit": 3});
    let (output, _) = call::<Search>(&place, input.clone()).await.unwrap();
    assert_eq!(output["files"].as_array().unwrap().len(), 3);
    assert!(output["files"][0].get("count").is_none() && output["hits"] == json!([]));
    let mut next = input;
    next["cursor"] = output["next_cursor"].clone();
    let (output, _) = call::<Search>(&place, next).await.unwrap();
    assert_eq!(output["files"].as_array().unwrap().len(), 1);
    let (ranked, _) =
        call::<Search>(&place, json!({"query": "graph conv model", "show": "files"})).await.unwrap();
    assert!(ranked["note"].as_str().unwrap().starts_with("Ranked by words"), "{ranked}");
}

#[tokio::test]
async fn nothing_found_comes_with_similar_names() {
    let place = place();
    for (query, mode, expected) in
        [("GrahpConv", "symbol", "`GraphConv`"), ("mdoel.py", "literal", "`model.py`")]
    {
        let (output, _) = call::<Search>(&place, json!({"query": query, "mode": mode})).await.unwrap();
        let note = output["note"].as_str().unwrap();
        assert!(note.starts_with("Nothing found") && note.contains(expected), "{note}");
    }
}

#[tokio::test]
async fn a_wrong_filter_says_what_would_be_right() {
    let place = place();
    for (input, expected) in [
        (json!({"query": "x", "language": "klingon"}), "python"),
        (json!({"query": "x", "path_glob": "a["}), "is not a path pattern"),
        (json!({"query": "x", "limit": 51}), "use 1 to 50"),
        (json!({"query": "x", "show": "files", "limit": 501}), "use 1 to 500"),
        (json!({"query": "(", "mode": "regex"}), "not a regular expression"),
    ] {
        let error = call::<Search>(&place, input).await.unwrap_err();
        assert!(explain(&error).contains(expected), "{}", explain(&error));
    }
}

#[tokio::test]
async fn a_glob_without_folders_matches_names_anywhere() {
    let place = place();
    for (glob, files) in [("test_*.py", 1), ("*.py", 3), ("tests/*.py", 1), ("model/*.py", 0)] {
        let input = json!({"query": "GraphConv", "mode": "literal", "show": "files", "path_glob": glob});
        let (output, _) = call::<Search>(&place, input).await.unwrap();
        assert_eq!(output["total_files"], files, "{glob}");
    }
}

#[tokio::test]
async fn a_giant_line_is_read_to_its_end() {
    let line = "0.125,".repeat(50_000);
    let place = Place::new().holding(&[("a.csv", line.as_str()), ("b.txt", "\nb")]);
    let (mut read, mut next) = (String::new(), json!({"path": "a.csv"}));
    loop {
        let (output, text) = call::<tools::ReadFile>(&place, next).await.unwrap();
        assert!(tools::estimate_tokens(&text) < 8_200, "{}", tools::estimate_tokens(&text));
        read.push_str(output["text"].as_str().unwrap().trim_start_matches("1\t").trim_end());
        let Some(column) = output["next_column"].as_u64() else { break };
        assert!(text.contains(&format!("start_line=1 and start_column={column}")));
        next = json!({"path": "a.csv", "start_line": 1, "start_column": column});
    }
    assert_eq!(read, line);
    for (input, expected) in [
        (json!({"path": "b.txt", "start_line": 2, "start_column": 5}), "line 2 has 1 characters"),
        (json!({"path": "b.txt", "start_column": 2}), "give `start_line`, too"),
    ] {
        let error = call::<tools::ReadFile>(&place, input).await.unwrap_err();
        assert!(explain(&error).contains(expected), "{}", explain(&error));
    }
}

#[tokio::test]
async fn answers_carry_the_commit_that_a_linked_folder_is_at_now() {
    let place = place();
    for commit in ["1111111111111111111111111111111111111111", "2222222222222222222222222222222222222222"] {
        let git = place.path("r/.git");
        fs_err::create_dir_all(&git).unwrap();
        fs_err::write(git.join("HEAD"), commit).unwrap();
        let (read, _) = call::<tools::ReadFile>(&place, json!({"path": "model.py"})).await.unwrap();
        let (outline, _) = call::<Outline>(&place, json!({"path": "model.py"})).await.unwrap();
        let (references, _) = call::<FindReferences>(&place, json!({"symbol": "GraphConv"})).await.unwrap();
        let (search, _) = call::<Search>(&place, json!({"query": "GraphConv"})).await.unwrap();
        for found in [&read["commit"], &outline["commit"], &references["commit"], &search["commits"]["r"]] {
            assert_eq!(found, commit);
        }
    }
}
