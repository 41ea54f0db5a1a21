//! The check of `Host` and `Origin`, which keeps web pages from talking to a server on the reader's own machine: by
//! DNS rebinding a page's own name leads to 127.0.0.1, but the browser still sends that name in both headers.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, Request, Response, StatusCode, Uri};
use axum::middleware::Next;

use super::body::discard;
use super::error::HttpError;
use super::options::HttpOptions;
use super::refusal::refuse;

const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Whom the server answers to, and which pages may ask.
#[derive(Clone, Debug)]
pub(super) struct Names {
    hosts: Vec<Name>,
    origins: Vec<(String, Name)>,
}

/// A host in lower case; without a port, any port will do.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Name {
    host: String,
    port: Option<u16>,
}

impl Names {
    /// The loopback names, the bound address, and what the options add.
    pub(super) fn new(options: &HttpOptions, bound: SocketAddr) -> Result<Self, HttpError> {
        let own = if bound.is_ipv6() { format!("[{}]", bound.ip()) } else { bound.ip().to_string() };
        let mut hosts: Vec<Name> = LOOPBACK
            .into_iter()
            .chain([own.as_str()])
            .map(|host| Name { host: host.to_owned(), port: None })
            .collect();
        for host in &options.allowed_hosts {
            hosts.push(Name::of(host).ok_or_else(|| HttpError::Host { host: host.clone() })?);
        }
        let mut origins = Vec::new();
        for origin in &options.allowed_origins {
            origins.push(parse_origin(origin).ok_or_else(|| HttpError::Origin { origin: origin.clone() })?);
        }
        Ok(Self { hosts, origins })
    }

    fn serves(&self, host: &str) -> bool {
        Name::of(host).is_some_and(|name| {
            self.hosts
                .iter()
                .any(|own| own.host == name.host && (own.port.is_none() || own.port == name.port))
        })
    }

    fn trusts(&self, origin: &str) -> bool {
        parse_origin(origin).is_some_and(|(scheme, name)| {
            // Pages of this machine are its user's own: the Inspector's, a development server's.
            LOOPBACK.contains(&name.host.as_str()) || self.origins.contains(&(scheme, name))
        })
    }
}

impl Name {
    fn of(text: &str) -> Option<Self> {
        let authority: Authority = text.parse().ok()?;
        let plain = !text.contains('@') && !authority.host().is_empty();
        plain.then(|| Self { host: authority.host().to_ascii_lowercase(), port: authority.port_u16() })
    }
}

/// Scheme and host of an origin, with the port that the scheme implies.
fn parse_origin(text: &str) -> Option<(String, Name)> {
    let uri: Uri = text.parse().ok()?;
    let scheme = uri.scheme_str()?.to_ascii_lowercase();
    let default = match scheme.as_str() {
        "http" => 80,
        "https" => 443,
        _ => return None,
    };
    let name = Name::of(uri.authority()?.as_str())?;
    let bare = uri.path() == "/" && uri.query().is_none();
    bare.then(|| (scheme, Name { port: name.port.or(Some(default)), ..name }))
}

/// Lets through what names this server, from a page that may ask or from no page at all.
pub(super) async fn check(
    State(names): State<Arc<Names>>,
    request: Request<Body>,
    next: Next,
) -> Response<Body> {
    let target = request.uri().authority().map(Authority::as_str);
    if !the_one(request.headers(), &HOST).is_some_and(|host| names.serves(host))
        || target.is_some_and(|target| !names.serves(target))
    {
        discard(request).await;
        return forbidden("host", "Host", "--allow-host NAME");
    }
    if request.headers().contains_key(ORIGIN)
        && !the_one(request.headers(), &ORIGIN).is_some_and(|origin| names.trusts(origin))
    {
        discard(request).await;
        return forbidden("origin", "Origin", "--allow-origin ORIGIN");
    }
    next.run(request).await
}

/// The value of a header that must not be there twice.
fn the_one<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

fn forbidden(what: &str, header: &str, flag: &str) -> Response<Body> {
    tracing::warn!("refused a request for its `{header}`");
    refuse(
        StatusCode::FORBIDDEN,
        format!(
            "This {what} is not served: start `repolab serve` with `{flag}` if the header `{header}` is right."
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        let mut options = HttpOptions::new("192.168.1.5:8765");
        options.allowed_hosts = vec!["Lab.example.com".to_owned(), "proxy.example.com:8443".to_owned()];
        options.allowed_origins =
            vec!["https://App.example.com".to_owned(), "http://tool.example.com:3000".to_owned()];
        Names::new(&options, "192.168.1.5:8765".parse().unwrap()).unwrap()
    }

    #[test]
    fn serves_its_own_names_at_any_port_and_no_other() {
        let names = names();
        for host in [
            "localhost",
            "LOCALHOST:1",
            "127.0.0.1:8765",
            "[::1]:8765",
            "192.168.1.5",
            "lab.example.com:99",
            "proxy.example.com:8443",
        ] {
            assert!(names.serves(host), "{host}");
        }
        for host in [
            "",
            "evil.example.com",
            "localhost.evil.example.com",
            "evil.example.com:8765",
            "127.0.0.1.evil.example.com",
            "user@localhost",
            "localhost@evil.example.com",
            "localhost/",
            "proxy.example.com",
            "proxy.example.com:8444",
            "127.0.0.2",
            "0.0.0.0",
        ] {
            assert!(!names.serves(host), "{host}");
        }
    }

    #[test]
    fn trusts_pages_of_this_machine_and_those_it_was_told() {
        let names = names();
        for origin in [
            "http://localhost:6274",
            "https://127.0.0.1",
            "http://[::1]:3000",
            "https://app.example.com",
            "https://app.example.com:443",
            "http://tool.example.com:3000",
        ] {
            assert!(names.trusts(origin), "{origin}");
        }
        for origin in [
            "null",
            "",
            "localhost",
            "http://evil.example.com",
            "http://localhost.evil.example.com",
            "http://app.example.com",
            "https://app.example.com:8443",
            "http://tool.example.com",
            "file://localhost",
            "http://user@localhost",
            "http://localhost/path",
            "http://192.168.1.5:8765",
        ] {
            assert!(!names.trusts(origin), "{origin}");
        }
    }

    #[test]
    fn names_that_are_none_are_refused_at_the_start() {
        let bound = "127.0.0.1:1".parse().unwrap();
        for host in ["", "a b", "https://a.example.com", "a@b"] {
            let options = HttpOptions { allowed_hosts: vec![host.to_owned()], ..HttpOptions::new("") };
            assert!(matches!(Names::new(&options, bound), Err(HttpError::Host { .. })), "{host:?}");
        }
        for origin in ["*", "app.example.com", "https://app.example.com/path", "ftp://app.example.com"] {
            let options = HttpOptions { allowed_origins: vec![origin.to_owned()], ..HttpOptions::new("") };
            assert!(matches!(Names::new(&options, bound), Err(HttpError::Origin { .. })), "{origin:?}");
        }
    }
}
