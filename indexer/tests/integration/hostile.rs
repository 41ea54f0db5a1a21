//! Files that are made to break a build: each is handled, counted or skipped, and the others are found.

use std::os::unix::fs::symlink;

use indexer::{Mode, outline};

use crate::fixture::Fixture;

#[test]
fn survives_every_odd_file_and_finds_the_good_one() {
    let fixture = Fixture::new(&[
        ("good.py", "def survivor(): pass\n"),
        ("empty.py", ""),
        ("bom.py", "\u{feff}def bom(): pass\n"),
    ]);
    fixture.write("latin.py", b"# caf\xe9\ndef latin(): pass\n");
    fixture.write("cr.py", "def lone(): pass\rx = 1\r");
    fixture.write("crlf.py", "def crlf():\r\n    pass\r\n");
    fixture.write("python2.py", "print 'x'\nexec 'y'\n");
    fixture.write("nested.py", "(".repeat(20_000));
    fixture.write("deep.json", "[".repeat(50_000));
    fixture.write("line.js", "x".repeat(1 << 20));
    fixture.write("sentence.py", "x = '".to_owned() + &"é😀 ".repeat(200_000) + "'\n");
    fixture.write("broken.ipynb", "{\"cells\": 3}");
    fixture.write("half.ipynb", "{\"cells\": [{\"cell_type\": \"code\", \"source\": [1, null]}]}");
    fixture.write("utf16.txt", b"\xff\xfea\0b\0");
    fixture.write("nul.py", "def f(): pass\n\0");
    fixture.write("big.txt", "word ".repeat(1 << 20));
    fixture.write("a b ü 图.md", "# Überschrift\n");
    symlink("/etc", fixture.checkout.folder.join("etc")).unwrap();
    symlink("good.py", fixture.checkout.folder.join("alias.py")).unwrap();
    symlink("loop", fixture.checkout.folder.join("loop")).unwrap();

    let report = fixture.index().report().clone();
    let skipped = |reason: &str| report.skipped.get(reason).copied().unwrap_or_default();
    assert_eq!(skipped("symlink"), 3);
    assert_eq!(skipped("binary"), 2);
    assert_eq!(skipped("too_large"), 1);
    for note in [
        "non_utf8",
        "byte_order_mark",
        "lone_cr",
        "crlf",
        "python2",
        "long_lines",
        "parse_errors",
        "broken_notebook",
    ] {
        assert!(report.notes.contains_key(note), "{note} in {:?}", report.notes);
    }
    assert_eq!(fixture.places(Mode::Symbol, "survivor"), ["good.py:1-1 function survivor"]);
    assert_eq!(fixture.places(Mode::Symbol, "bom"), ["bom.py:1-1 function bom"]);
    assert_eq!(fixture.places(Mode::Symbol, "crlf"), ["crlf.py:1-2 function crlf"]);
    assert_eq!(fixture.places(Mode::Text, "Überschrift"), ["a b ü 图.md:1-1 section Überschrift"]);
}

#[test]
fn shows_snippets_of_wide_characters_and_giant_lines() {
    let text = "x = '".to_owned() + &"é😀图".repeat(50_000) + " needle " + &"図".repeat(50_000) + "'\n";
    let fixture = Fixture::new(&[("wide.py", &text)]);
    let index = fixture.index();
    let query = crate::fixture::query(Mode::Literal, "needle");
    let hits = index.search(&query).unwrap();
    for room in [1, 2, 10, 77, 500] {
        let snippet = index.snippet(&hits[0], &query, 5, room);
        assert!(snippet.chars().count() <= room, "{} of {room}", snippet.chars().count());
        assert!(room < 77 || snippet.contains("needle"), "{snippet}");
    }
}

#[test]
fn never_reads_beyond_the_repository() {
    let fixture = Fixture::new(&[("a.py", "x = 1\n")]);
    let outside = tempfile::tempdir().unwrap();
    fs_err::write(outside.path().join("secret.py"), "def secret_function(): pass\n").unwrap();
    symlink(outside.path(), fixture.checkout.folder.join("folder")).unwrap();
    symlink(outside.path().join("secret.py"), fixture.checkout.folder.join("file.py")).unwrap();
    for mode in [Mode::Text, Mode::Symbol, Mode::Literal, Mode::Regex] {
        assert!(fixture.places(mode, "secret_function").is_empty(), "{mode:?}");
    }
    let root = fixture.checkout.root().unwrap();
    let error = outline(&root, &"file.py".parse().unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "`file.py` leads out of the repository");
}

#[test]
fn outlines_what_it_can_and_nothing_else() {
    let fixture =
        Fixture::new(&[("a.py", "class A:\n    def f(self): pass\n"), ("b.txt", "words\n"), ("c.bin", "\0")]);
    let root = fixture.checkout.root().unwrap();
    let names = |path: &str| {
        let symbols = outline(&root, &path.parse().unwrap()).unwrap();
        symbols.into_iter().map(|symbol| (symbol.name, symbol.parent)).collect::<Vec<_>>()
    };
    assert_eq!(names("a.py"), [("A".to_owned(), None), ("f".to_owned(), Some("A".to_owned()))]);
    assert!(names("b.txt").is_empty());
    assert!(names("c.bin").is_empty());
}
