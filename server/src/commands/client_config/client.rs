//! The clients as a table: where each keeps its servers, in which format, below which keys, and in what shape.
//! A new client is a row here; nothing else knows one client from another except `shortcut.rs`.

use clap::ValueEnum;

/// A program that starts or reaches MCP servers.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum Client {
    /// Claude Code
    ClaudeCode,
    /// Claude Desktop
    ClaudeDesktop,
    /// Cursor
    Cursor,
    /// Visual Studio Code
    Vscode,
    /// Codex
    Codex,
    /// Gemini CLI
    Gemini,
    /// opencode 1
    Opencode,
    /// opencode 2
    Opencode2,
    /// Cline
    Cline,
    /// Zed
    Zed,
    /// Windsurf
    Windsurf,
}

/// What there is to know about a client.
#[derive(Debug)]
pub(super) struct Profile {
    /// The name people know it by.
    pub(super) title: &'static str,
    /// The file for every project of a user.
    pub(super) user: UserFile,
    /// The file of one project, relative to it, where the client has one.
    pub(super) project: Option<&'static str>,
    /// How the file is written.
    pub(super) format: Format,
    /// What else is in the file.
    pub(super) holds: Holds,
    /// The keys below which the servers are, by name.
    pub(super) keys: &'static [&'static str],
    /// How a server that the client starts is written.
    pub(super) command: CommandShape,
    /// How a server that is reached over HTTP is written, where the client can.
    pub(super) http: Option<HttpShape>,
    /// How long the client waits, where its default is shorter than our calls.
    pub(super) waits: &'static [Wait],
}

/// The file for every project of a user.
#[derive(Debug)]
pub(super) struct UserFile {
    pub(super) base: Base,
    /// Relative to the base.
    pub(super) path: &'static str,
    /// Used instead when it is there, relative to the base.
    pub(super) rival: Option<&'static str>,
    /// A variable of the client's own that moves the file.
    pub(super) moved: Option<Moved>,
}

/// The folder a client keeps its files in.
#[derive(Clone, Copy, Debug)]
pub(super) enum Base {
    /// The home folder.
    Home,
    /// `XDG_CONFIG_HOME`, else `~/.config`, on every system.
    Configuration,
    /// `~/Library/Application Support` on macOS, elsewhere the same as `Configuration`.
    Application,
}

/// What a variable of the client's own says.
#[derive(Clone, Copy, Debug)]
pub(super) enum Moved {
    /// The folder in which a file of this name is.
    Folder(&'static str, &'static str),
    /// The file.
    File(&'static str),
}

/// How a file is written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Format {
    /// JSON; comments and trailing commas are kept where there are some.
    Json,
    /// TOML.
    Toml,
}

/// What is in the file beside servers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Holds {
    /// Nothing: the client complains when the list of servers is missing, so it stays even when it is empty.
    ServersOnly,
    /// Other settings: a list of servers that became empty goes.
    Settings,
}

/// How a server that the client starts is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum CommandShape {
    /// `command` and `args`, after a `type` where it is usual.
    Split(Option<&'static str>),
    /// A `type`, and one list with the program first.
    List(&'static str),
}

/// How a server that is reached over HTTP is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct HttpShape {
    pub(super) kind: Option<&'static str>,
    pub(super) url: &'static str,
    pub(super) token: Token,
}

/// How a client is told which environment variable holds the token.
#[derive(Clone, Copy, Debug)]
pub(super) enum Token {
    /// An `Authorization` header in which the client replaces the name between these by the value.
    Header(&'static str, &'static str),
    /// A key with the variable's name.
    Variable(&'static str),
    /// The client replaces nothing: a person must write the token itself.
    Verbatim,
}

/// A number that says how long the client waits.
#[derive(Debug)]
pub(super) struct Wait {
    pub(super) keys: &'static [&'static str],
    pub(super) value: u64,
}

// The server ends every call itself, a sandbox run of an hour included; a client that gives up earlier loses answers.
const LONGEST_CALL_SECONDS: u64 = 3_780;
// The server answers in milliseconds; a loaded machine needs longer to load the program.
const STARTUP_SECONDS: u64 = 30;

const SERVERS: &[&str] = &["mcpServers"];
const BRACES: Token = Token::Header("${", "}");
const BRACES_WITH_ENV: Token = Token::Header("${env:", "}");
const OPENCODE_TOKEN: Token = Token::Header("{env:", "}");

impl Client {
    /// How a person lets it call the tools without being asked, where it asks about tools that only read, too.
    pub(super) fn permission(self) -> Option<&'static str> {
        match self {
            Self::ClaudeCode => Some("To be asked less, allow the tools: claude --allowedTools mcp__repolab"),
            Self::Gemini => Some(
                "It offers the tools once the server has \"trust\": true; for write_file, start it with --approval-mode auto_edit",
            ),
            _ => None,
        }
    }

    /// Its row of the table.
    pub(super) fn profile(self) -> &'static Profile {
        match self {
            Self::ClaudeCode => &CLAUDE_CODE,
            Self::ClaudeDesktop => &CLAUDE_DESKTOP,
            Self::Cursor => &CURSOR,
            Self::Vscode => &VSCODE,
            Self::Codex => &CODEX,
            Self::Gemini => &GEMINI,
            Self::Opencode => &OPENCODE,
            Self::Opencode2 => &OPENCODE_2,
            Self::Cline => &CLINE,
            Self::Zed => &ZED,
            Self::Windsurf => &WINDSURF,
        }
    }
}

static CLAUDE_CODE: Profile = Profile {
    title: "Claude Code",
    user: UserFile {
        moved: Some(Moved::Folder("CLAUDE_CONFIG_DIR", ".claude.json")),
        ..file(Base::Home, ".claude.json")
    },
    project: Some(".mcp.json"),
    format: Format::Json,
    holds: Holds::ServersOnly,
    keys: SERVERS,
    command: CommandShape::Split(Some("stdio")),
    http: Some(HttpShape { kind: Some("http"), url: "url", token: BRACES }),
    waits: &[],
};

static CLAUDE_DESKTOP: Profile = Profile {
    title: "Claude Desktop",
    user: file(Base::Application, "Claude/claude_desktop_config.json"),
    project: None,
    format: Format::Json,
    holds: Holds::Settings,
    keys: SERVERS,
    command: CommandShape::Split(None),
    http: None,
    waits: &[],
};

static CURSOR: Profile = Profile {
    title: "Cursor",
    user: file(Base::Home, ".cursor/mcp.json"),
    project: Some(".cursor/mcp.json"),
    format: Format::Json,
    holds: Holds::ServersOnly,
    keys: SERVERS,
    command: CommandShape::Split(None),
    http: Some(HttpShape { kind: None, url: "url", token: BRACES_WITH_ENV }),
    waits: &[],
};

static VSCODE: Profile = Profile {
    title: "VS Code",
    user: file(Base::Application, "Code/User/mcp.json"),
    project: Some(".vscode/mcp.json"),
    format: Format::Json,
    holds: Holds::ServersOnly,
    keys: &["servers"],
    command: CommandShape::Split(Some("stdio")),
    http: Some(HttpShape { kind: Some("http"), url: "url", token: BRACES_WITH_ENV }),
    waits: &[],
};

static CODEX: Profile = Profile {
    title: "Codex",
    user: UserFile {
        moved: Some(Moved::Folder("CODEX_HOME", "config.toml")),
        ..file(Base::Home, ".codex/config.toml")
    },
    project: Some(".codex/config.toml"),
    format: Format::Toml,
    holds: Holds::Settings,
    keys: &["mcp_servers"],
    command: CommandShape::Split(None),
    http: Some(HttpShape { kind: None, url: "url", token: Token::Variable("bearer_token_env_var") }),
    waits: &[
        Wait { keys: &["startup_timeout_sec"], value: STARTUP_SECONDS },
        Wait { keys: &["tool_timeout_sec"], value: LONGEST_CALL_SECONDS },
    ],
};

static GEMINI: Profile = Profile {
    title: "Gemini CLI",
    user: file(Base::Home, ".gemini/settings.json"),
    project: Some(".gemini/settings.json"),
    format: Format::Json,
    holds: Holds::Settings,
    keys: SERVERS,
    command: CommandShape::Split(None),
    http: Some(HttpShape { kind: None, url: "httpUrl", token: BRACES }),
    waits: &[Wait { keys: &["timeout"], value: LONGEST_CALL_SECONDS * 1_000 }],
};

static OPENCODE: Profile = Profile {
    title: "opencode 1",
    user: UserFile {
        rival: Some("opencode/opencode.jsonc"),
        ..file(Base::Configuration, "opencode/opencode.json")
    },
    project: Some("opencode.json"),
    format: Format::Json,
    holds: Holds::Settings,
    keys: &["mcp"],
    command: CommandShape::List("local"),
    http: Some(HttpShape { kind: Some("remote"), url: "url", token: OPENCODE_TOKEN }),
    waits: &[Wait { keys: &["timeout"], value: LONGEST_CALL_SECONDS * 1_000 }],
};

static OPENCODE_2: Profile = Profile {
    title: "opencode 2",
    user: UserFile {
        rival: Some("opencode/opencode.json"),
        ..file(Base::Configuration, "opencode/opencode.jsonc")
    },
    project: Some("opencode.jsonc"),
    format: Format::Json,
    holds: Holds::Settings,
    keys: &["mcp", "servers"],
    command: CommandShape::List("local"),
    http: Some(HttpShape { kind: Some("remote"), url: "url", token: OPENCODE_TOKEN }),
    waits: &[
        Wait { keys: &["timeout", "startup"], value: STARTUP_SECONDS * 1_000 },
        Wait { keys: &["timeout", "request"], value: LONGEST_CALL_SECONDS * 1_000 },
    ],
};

static CLINE: Profile = Profile {
    title: "Cline",
    user: UserFile {
        moved: Some(Moved::File("CLINE_MCP_SETTINGS_PATH")),
        ..file(Base::Home, ".cline/data/settings/cline_mcp_settings.json")
    },
    project: None,
    format: Format::Json,
    holds: Holds::ServersOnly,
    keys: SERVERS,
    command: CommandShape::Split(Some("stdio")),
    http: Some(HttpShape { kind: Some("streamableHttp"), url: "url", token: Token::Verbatim }),
    // An hour is the most that Cline accepts.
    waits: &[Wait { keys: &["timeout"], value: 3_600 }],
};

static ZED: Profile = Profile {
    title: "Zed",
    user: file(Base::Configuration, "zed/settings.json"),
    project: Some(".zed/settings.json"),
    format: Format::Json,
    holds: Holds::Settings,
    keys: &["context_servers"],
    command: CommandShape::Split(None),
    http: Some(HttpShape { kind: None, url: "url", token: Token::Verbatim }),
    // Zed has a key too, but its unit changed between versions.
    waits: &[],
};

static WINDSURF: Profile = Profile {
    title: "Windsurf",
    user: file(Base::Home, ".codeium/windsurf/mcp_config.json"),
    project: None,
    format: Format::Json,
    holds: Holds::ServersOnly,
    keys: SERVERS,
    command: CommandShape::Split(None),
    http: Some(HttpShape { kind: None, url: "serverUrl", token: BRACES_WITH_ENV }),
    waits: &[],
};

const fn file(base: Base, path: &'static str) -> UserFile {
    UserFile { base, path, rival: None, moved: None }
}
