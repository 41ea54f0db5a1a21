//! `repolab client-config`: the snippet of every client starts a server, and nobody's file loses a byte of its own.

use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use expect_test::expect_file;
use serde_json::{Value, json};

use crate::support::{Place, Session};

const CLIENTS: [&str; 11] = [
    "claude-code",
    "claude-desktop",
    "cursor",
    "vscode",
    "codex",
    "gemini",
    "opencode",
    "opencode2",
    "cline",
    "zed",
    "windsurf",
];

#[test]
fn what_each_client_is_told_is_what_was_last_agreed() {
    let place = Place::new();
    let mut told = String::new();
    for client in CLIENTS {
        for more in [
            &["--image", "my image:1", "--allow-network"][..],
            &["--scope", "project"],
            &["--http", "http://127.0.0.1:8000/mcp"],
            &["--http", "https://example.org/mcp", "--token-env", "MY_TOKEN"],
        ] {
            let ran = place.run(["client-config", client].iter().chain(more));
            told.push_str(&format!("$ repolab client-config {client} {}\n", more.join(" ")));
            told.push_str(&format!("{}--- standard error\n{}\n", ran.stdout(), ran.stderr()));
        }
    }
    let told = told
        .replace(env!("CARGO_BIN_EXE_repolab"), "/usr/bin/repolab")
        .replace(place.folder().to_str().unwrap(), "/home/me")
        .replace("/home/me/Library/Application Support/", "/home/me/.config/");
    expect_file!["snapshots/client_config.txt"].assert_eq(&told);
}

#[test]
fn the_command_of_every_snippet_answers() {
    let place = Place::new();
    for client in CLIENTS {
        let snippet = place.run(["client-config", client]).success().stdout();
        let file: Value = if client == "codex" {
            toml::from_str(&snippet).unwrap()
        } else {
            serde_json::from_str(&snippet).unwrap()
        };
        let mut session = Session::of_command(&place, &command(&file));
        let answer = session.initialize();
        assert_eq!(answer["result"]["serverInfo"]["name"], "repolab", "{client}: {answer}");
    }
}

/// Files as people have them: format, name, and what is in them.
const FILES: [(&str, &str, &str); 14] = [
    (
        "cursor",
        "two spaces",
        "{\n  \"mcpServers\": {\n    \"a\": {\n      \"command\": \"x\"\n    }\n  }\n}\n",
    ),
    ("cursor", "an empty list", "{\n  \"mcpServers\": {}\n}\n"),
    ("cursor", "tabs, no last line end", "{\n\t\"mcpServers\": {\n\t\t\"a\": {\"command\": \"x\"}\n\t}\n}"),
    ("zed", "an empty object", "{}\n"),
    ("zed", "comments everywhere", "// top\n{\n  /* a */ \"theme\": \"One\", // b\n  // last\n}\n// end\n"),
    (
        "zed",
        "a trailing comma",
        "{\n  \"context_servers\": {\n    \"a\": { \"command\": \"x\", }, // mine\n  },\n}\n",
    ),
    (
        "vscode",
        "CRLF",
        "{\r\n  // mine\r\n  \"servers\": {\r\n    \"a\": {\"command\": \"x\"}\r\n  },\r\n  \"inputs\": []\r\n}\r\n",
    ),
    ("gemini", "a byte order mark", "\u{feff}{\n  \"ui\": {\"theme\": \"x\"}\n}\n"),
    (
        "opencode",
        "a schema",
        "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"model\": \"a/b\"\n}\n",
    ),
    (
        "codex",
        "comments and tables",
        "# top\nmodel = 'x' # why\n\n[mcp_servers.a] # mine\ncommand = \"x\"\n\n[tui]\ntheme   =  'y'\n# end\n",
    ),
    ("codex", "no table", "model = \"x\"\n"),
    ("codex", "CRLF", "# top\r\nmodel = \"x\"\r\n\r\n[a]\r\nb = 1\r\n"),
    ("codex", "an inline list", "mcp_servers = { a = { command = \"x\" } }\n"),
    ("codex", "a byte order mark", "\u{feff}model = \"x\"\n"),
];

#[test]
fn a_merge_keeps_every_line_and_its_removal_restores_the_bytes() {
    for (client, what, before) in FILES {
        let place = Place::new();
        let file = place.write("settings", before);
        let change = |flag: &str| {
            place.json(["client-config", client, "--file", "settings", flag])["change"]
                .as_str()
                .unwrap()
                .to_owned()
        };
        assert_eq!(change("--write"), "added", "{client}, {what}");
        let merged = fs_err::read_to_string(&file).unwrap();
        assert!(merged.contains(env!("CARGO_BIN_EXE_repolab")), "{client}, {what}: {merged}");
        for word in before.split_whitespace().filter(|word| word.len() > 3) {
            let word = word.trim_end_matches(['}', ',', '{']);
            assert!(merged.contains(word), "{client}, {what}: {word} is gone from\n{merged}");
        }
        assert_eq!(merged.contains("\r\n"), before.contains("\r\n"), "{client}, {what}: {merged:?}");
        assert_eq!(
            merged.matches('\n').count() - merged.matches("\r\n").count(),
            if before.contains('\r') { 0 } else { merged.matches('\n').count() }
        );
        assert_eq!(change("--write"), "unchanged", "{client}, {what}");
        assert_eq!(fs_err::read_to_string(&file).unwrap(), merged, "{client}, {what}");
        assert_eq!(
            backups(&place),
            [("settings.bak".to_owned(), before.to_owned())].into(),
            "{client}, {what}"
        );
        assert_eq!(change("--remove"), "removed", "{client}, {what}");
        let after = fs_err::read_to_string(&file).unwrap();
        assert_eq!(after, before, "{client}, {what}");
        assert_eq!(change("--remove"), "absent", "{client}, {what}");
    }
}

#[test]
fn a_missing_or_blank_file_becomes_one_that_the_client_reads() {
    for client in CLIENTS {
        for before in [None, Some(""), Some("\n")] {
            let place = Place::new();
            if let Some(before) = before {
                place.write("deep/settings", before);
            }
            place.run(["client-config", client, "--file", "deep/settings", "--write"]).success();
            let snippet = place.run(["client-config", client]).success().stdout();
            let written = fs_err::read_to_string(place.folder().join("deep/settings")).unwrap();
            assert_eq!(written.trim(), snippet.trim(), "{client}");
            assert!(written.ends_with('\n'), "{client}: {written:?}");
        }
    }
}

#[test]
fn an_older_entry_is_brought_up_to_date_and_keeps_what_a_person_added() {
    let place = Place::new();
    let file = place.write(
        "mcp.json",
        "{\"mcpServers\": {\"repolab\": {\"url\": \"http://x\", \"command\": \"/old\", \"env\": {\"A\": \"1\"}}}}",
    );
    let said = place.run(["client-config", "cursor", "--file", "mcp.json", "--write"]).success().stdout();
    assert!(said.contains("replaced an older `repolab`") && said.contains("mcp.json.bak"), "{said}");
    let entry = &parsed(&file)["mcpServers"]["repolab"];
    assert_eq!(entry["command"], env!("CARGO_BIN_EXE_repolab"));
    assert_eq!((&entry["env"]["A"], &entry["url"]), (&json!("1"), &Value::Null), "{entry}");

    let file = place.write(
        "config.toml",
        "[mcp_servers.repolab] # mine\ncommand = \"/old\" # why\nenabled_tools = [\"search\"]\n\n[mcp_servers.repolab.env]\nA = \"1\"\n",
    );
    place.run(["client-config", "codex", "--file", "config.toml", "--write"]).success();
    let text = fs_err::read_to_string(&file).unwrap();
    for kept in ["# mine", "# why", "enabled_tools = [\"search\"]", "[mcp_servers.repolab.env]\nA = \"1\""] {
        assert!(text.contains(kept), "{kept} is gone from\n{text}");
    }
    assert!(text.contains(env!("CARGO_BIN_EXE_repolab")) && !text.contains("/old"), "{text}");
}

#[test]
fn a_file_that_cannot_be_understood_is_left_alone() {
    for (client, text, expected) in [
        ("cursor", "{ \"mcpServers\": ", "JSON"),
        ("cursor", "{ 'a': 1 }", "JSON"),
        ("cursor", "[1]", "not a list of named servers"),
        ("cursor", "{ \"mcpServers\": [] }", "`mcpServers`"),
        ("codex", "a = ", "TOML"),
        ("codex", "mcp_servers = 1\n", "`mcp_servers`"),
    ] {
        let place = Place::new();
        let file = place.write("settings", text);
        let ran = place.run(["client-config", client, "--file", "settings", "--write"]).code(1);
        assert!(ran.stderr().contains(expected) && ran.stderr().contains("Hint: "), "{}", ran.transcript());
        assert_eq!(fs_err::read_to_string(&file).unwrap(), text);
        assert!(backups(&place).is_empty());
    }
    let place = Place::new();
    place.write("settings", b"{\"a\": \"\xff\"}");
    let ran = place.run(["client-config", "cursor", "--file", "settings", "--write"]).code(1);
    assert!(ran.stderr().contains("UTF-8"), "{}", ran.transcript());
}

#[test]
fn a_link_stays_a_link_and_rights_stay_what_they_were() {
    let place = Place::new();
    let real = place.write("dotfiles/mcp.json", "{}\n");
    fs_err::set_permissions(&real, PermissionsExt::from_mode(0o640)).unwrap();
    let link = place.folder().join("mcp.json");
    symlink("dotfiles/mcp.json", &link).unwrap();
    place.run(["client-config", "cursor", "--file", "mcp.json", "--write"]).success();
    assert!(fs_err::symlink_metadata(&link).unwrap().is_symlink());
    assert!(parsed(&real)["mcpServers"]["repolab"].is_object());
    assert_eq!(fs_err::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);

    symlink("nowhere", place.folder().join("dangling")).unwrap();
    let ran = place.run(["client-config", "cursor", "--file", "dangling", "--write"]).code(1);
    assert!(ran.stderr().contains("does not exist"), "{}", ran.transcript());
}

#[test]
fn an_older_copy_is_never_overwritten() {
    let place = Place::new();
    place.write("mcp.json", "{}\n");
    place.write("mcp.json.bak", "precious");
    place.run(["client-config", "cursor", "--file", "mcp.json", "--write"]).success();
    let kept = backups(&place);
    assert_eq!((kept["mcp.json.bak"].as_str(), kept["mcp.json.bak.2"].as_str()), ("precious", "{}\n"));
}

#[test]
fn where_nothing_can_be_written_nothing_is_lost() {
    let place = Place::new();
    place.write("not-a-folder", "text");
    let ran = place.run(["client-config", "cursor", "--file", "not-a-folder/mcp.json", "--write"]).code(1);
    assert!(ran.stderr().contains("Hint: "), "{}", ran.transcript());

    let file = place.write("locked/mcp.json", "{}\n");
    let folder = file.parent().unwrap();
    fs_err::set_permissions(folder, PermissionsExt::from_mode(0o555)).unwrap();
    let ran = place.run(["client-config", "cursor", "--file", "locked/mcp.json", "--write"]);
    fs_err::set_permissions(folder, PermissionsExt::from_mode(0o755)).unwrap();
    // The superuser may write everywhere, and then nothing is to be seen here.
    if !rustix::process::geteuid().is_root() {
        assert_eq!(fs_err::read_to_string(&file).unwrap(), "{}\n", "{}", ran.transcript());
        ran.code(1);
    }
}

#[test]
fn a_dry_run_shows_the_change_and_makes_none() {
    let place = Place::new();
    let file = place.write("mcp.json", "{\n  \"mcpServers\": {}\n}\n");
    let arguments = ["client-config", "cursor", "--file", "mcp.json", "--write", "--dry-run"];
    let shown = place.run(arguments).success().stdout();
    assert!(shown.contains("+    \"repolab\": {") && shown.contains("--- "), "{shown}");
    assert_eq!(fs_err::read_to_string(&file).unwrap(), "{\n  \"mcpServers\": {}\n}\n");
    assert!(backups(&place).is_empty());
}

#[test]
fn a_wrong_name_or_address_or_scope_says_what_is_right() {
    let place = Place::new();
    for (arguments, expected) in [
        (vec!["cursor", "--name", "my server"], "letters, digits"),
        (vec!["cursor", "--name", "9lives"], "a letter first"),
        (vec!["cursor", "--http", "127.0.0.1:8000"], "http://127.0.0.1:8000/mcp"),
        (vec!["windsurf", "--scope", "project"], "--file"),
        (vec!["claude-desktop", "--http", "http://localhost:1/mcp"], "Connectors"),
    ] {
        let ran = place.run(["client-config"].into_iter().chain(arguments)).code(1);
        assert!(ran.stderr().contains(expected) && ran.stdout().is_empty(), "{}", ran.transcript());
    }
    place.run(["client-config", "cursor", "--dry-run"]).code(2);
    place.run(["client-config", "emacs"]).code(2);
}

#[test]
fn a_clients_own_variable_moves_its_file() {
    let place = Place::new();
    for (client, variable, value, expected) in [
        ("codex", "CODEX_HOME", "/c", "/c/config.toml"),
        ("claude-code", "CLAUDE_CONFIG_DIR", "/c", "/c/.claude.json"),
        ("cline", "CLINE_MCP_SETTINGS_PATH", "/c/x.json", "/c/x.json"),
        ("zed", "XDG_CONFIG_HOME", "/c", "/c/zed/settings.json"),
    ] {
        let output =
            place.command(["--json", "client-config", client]).env(variable, value).output().unwrap();
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(told["file"], expected, "{told}");
    }
}

/// The command of the only server in a client's file, whatever the client's shape.
fn command(file: &Value) -> Vec<String> {
    let Value::Object(keys) = file else { panic!("no object: {file}") };
    match (&file["command"], &file["args"]) {
        (Value::String(program), arguments) => {
            let arguments = arguments.as_array().unwrap().iter();
            [program.clone()]
                .into_iter()
                .chain(arguments.map(|one| one.as_str().unwrap().to_owned()))
                .collect()
        }
        (Value::Array(words), _) => words.iter().map(|one| one.as_str().unwrap().to_owned()).collect(),
        _ => command(keys.values().next().unwrap()),
    }
}

fn backups(place: &Place) -> BTreeMap<String, String> {
    fs_err::read_dir(place.folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().contains(".bak"))
        .map(|path: PathBuf| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs_err::read_to_string(&path).unwrap())
        })
        .collect()
}

fn parsed(path: &Path) -> Value {
    serde_json::from_str(&fs_err::read_to_string(path).unwrap()).unwrap()
}
