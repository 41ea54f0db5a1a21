//! Where a repository comes from: a folder on this machine, or a URL that git may be given.
//! A URL can make git run commands, read local files or print a password, so only plain ones pass.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use url::Url;

use crate::{Error, RepositoryName, Result};

/// What a person gives to add a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A folder with files, as an absolute path.
    Folder(PathBuf),
    /// Something that git fetches.
    Remote(Remote),
}

/// A URL that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Remote {
    url: String,
    protocol: Protocol,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    Https,
    Http,
    Ssh,
    File,
}

impl Source {
    /// Tells a URL from a folder; a bare git directory holds no files to serve, so it becomes a URL.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let text = text.trim();
        if text.contains("://") || is_ssh_short_form(text) {
            return text.parse().map(Self::Remote);
        }
        let neither = "it is neither a folder on this machine nor a URL that starts with https://, http://, ssh:// or file://";
        if text.starts_with('-') || !Path::new(text).is_dir() {
            return Err(refusal(text, neither));
        }
        let folder = fs_err::canonicalize(text).map_err(|_| refusal(text, neither))?;
        if !is_bare(&folder) {
            return Ok(Self::Folder(folder));
        }
        let url = Url::from_file_path(&folder).map_err(|()| refusal(text, neither))?;
        Ok(Self::Remote(Remote { url: url.into(), protocol: Protocol::File }))
    }

    /// The name that the last part of the source suggests.
    pub(crate) fn suggested_name(&self) -> Result<RepositoryName> {
        let whole = match self {
            Self::Folder(folder) => folder.to_string_lossy().into_owned(),
            Self::Remote(remote) => remote.url.clone(),
        };
        let whole = whole.trim_end_matches('/');
        let last = whole.rsplit(['/', ':']).next().unwrap_or_default();
        last.strip_suffix(".git").unwrap_or(last).parse()
    }
}

impl Remote {
    /// The URL as git is given it.
    pub(crate) fn as_str(&self) -> &str {
        &self.url
    }

    /// The transports that git may use for it, as `GIT_ALLOW_PROTOCOL` lists them; redirects obey it too.
    pub(crate) fn allowed_protocols(&self) -> &'static str {
        match self.protocol {
            Protocol::Https => "https",
            Protocol::Http => "http:https",
            Protocol::Ssh => "ssh",
            Protocol::File => "file",
        }
    }
}

impl FromStr for Remote {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if is_ssh_short_form(text) {
            return Ok(Self { url: text.to_owned(), protocol: Protocol::Ssh });
        }
        let url = Url::parse(text).map_err(|_| refusal(text, "it is not a URL"))?;
        let protocol = match url.scheme() {
            "https" => Protocol::Https,
            "http" => Protocol::Http,
            "ssh" => Protocol::Ssh,
            "file" => Protocol::File,
            _ => return Err(refusal(text, "only https, http, ssh and file are used")),
        };
        if url.password().is_some() {
            // The text is not repeated: it holds the password.
            return Err(refusal(
                url.host_str().unwrap_or_default(),
                "a URL with a password would be stored and shown",
            ));
        }
        let host = url.host_str().unwrap_or_default();
        if host.starts_with('-')
            || url.username().starts_with('-')
            || (host.is_empty() != (protocol == Protocol::File))
        {
            return Err(refusal(text, "its host is not one"));
        }
        Ok(Self { url: url.into(), protocol })
    }
}

impl fmt::Display for Remote {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.url)
    }
}

fn refusal(text: &str, reason: &'static str) -> Error {
    Error::InvalidSource { text: text.to_owned(), reason }
}

/// `user@host:path`, which ssh understands and `Url` does not; nothing in it may look like an option or a helper.
fn is_ssh_short_form(text: &str) -> bool {
    let plain = |text: &str, more: &str| {
        !text.is_empty()
            && !text.starts_with('-')
            && text
                .chars()
                .all(|one| one.is_ascii_alphanumeric() || "._-".contains(one) || more.contains(one))
    };
    text.split_once('@').is_some_and(|(user, rest)| {
        rest.split_once(':')
            .is_some_and(|(host, path)| plain(user, "") && plain(host, "") && plain(path, "/~+"))
    })
}

/// Whether the folder is a git directory without a work tree.
fn is_bare(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allows_each_url_its_own_transport_only() {
        for (text, protocols) in [
            ("https://github.com/dmlc/dgl", "https"),
            ("http://localhost:8080/x", "http:https"),
            ("ssh://git@example.org/x", "ssh"),
            ("git@github.com:owner/name.git", "ssh"),
            ("file:///srv/x.git", "file"),
        ] {
            assert_eq!(text.parse::<Remote>().unwrap().allowed_protocols(), protocols, "{text}");
        }
    }

    #[test]
    fn refuses_what_could_make_git_do_more_than_fetch() {
        for text in [
            "ext::sh -c touch% /tmp/pwned",
            "ext::http://x",
            "--upload-pack=touch /tmp/pwned",
            "-x",
            "-oProxyCommand=x@host:path",
            "ssh://-oProxyCommand=x/path",
            "ssh://-o@host/path",
            "git://example.org/x",
            "ftp://example.org/x",
            "file://host/x",
            "https://",
            "user@-host:path",
            "user@ext::sh",
            "",
            "/nonexistent/folder",
        ] {
            assert!(Source::parse(text).is_err(), "{text:?} was accepted");
        }
    }

    #[test]
    fn keeps_a_password_out_of_its_error() {
        let error = Source::parse("https://me:hunter2@example.org/x").unwrap_err();
        assert!(error.to_string().contains("password") && !error.to_string().contains("hunter2"), "{error}");
    }

    #[test]
    fn tells_folders_from_bare_repositories() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("My-Model");
        fs_err::create_dir_all(folder.join("objects")).unwrap();
        let source = Source::parse(folder.to_str().unwrap()).unwrap();
        assert!(matches!(source, Source::Folder(_)));
        assert_eq!(source.suggested_name().unwrap().as_str(), "my-model");

        fs_err::create_dir_all(folder.join("refs")).unwrap();
        fs_err::write(folder.join("HEAD"), "ref: refs/heads/main").unwrap();
        let source = Source::parse(folder.to_str().unwrap()).unwrap();
        assert!(matches!(&source, Source::Remote(remote) if remote.as_str().starts_with("file:///")));
    }

    #[test]
    fn derives_the_name_from_the_last_part() {
        for (text, name) in [
            ("https://github.com/owner/Name.git", "name"),
            ("https://github.com/owner/name/", "name"),
            ("git@github.com:name.git", "name"),
        ] {
            assert_eq!(Source::parse(text).unwrap().suggested_name().unwrap().as_str(), name);
        }
    }
}
