//! A repository to fetch from, made with real git.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use repos::Commit;

/// A repository with a work tree that tests write to.
pub(crate) struct Origin {
    folder: PathBuf,
}

impl Origin {
    /// An empty one.
    pub(crate) fn new(folder: PathBuf) -> Self {
        fs_err::create_dir_all(&folder).unwrap();
        let origin = Self { folder };
        origin.git(&["init", "--quiet", "-b", "main"]);
        origin
    }

    /// One with a commit that holds `a.py` and `inner/b.py`.
    pub(crate) fn with_files(folder: PathBuf) -> Self {
        let origin = Self::new(folder);
        origin.write("a.py", "x = 1\n");
        origin.write("inner/b.py", "y = 2\n");
        origin.commit();
        origin
    }

    /// Its folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its address.
    pub(crate) fn url(&self) -> String {
        format!("file://{}", self.folder.display())
    }

    /// Writes a file.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.folder.join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }

    /// Commits everything.
    pub(crate) fn commit(&self) -> Commit {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--no-verify", "-m", "change"]);
        self.git(&["rev-parse", "HEAD"]).parse().unwrap()
    }

    /// Runs git in it.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let output = git().arg("-C").arg(&self.folder).args(arguments).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }
}

/// Git as tests use it: no configuration of this machine, a fixed author.
#[expect(clippy::disallowed_methods, reason = "tests make the repositories that the crate fetches")]
pub(crate) fn git() -> Command {
    let mut command = Command::new("git");
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .args([
            "-c",
            "user.name=Test",
            "-c",
            "user.email=test@example.org",
            "-c",
            "protocol.file.allow=always",
        ])
        .stdin(Stdio::null());
    command
}
