//! Pages in browsers: whose may change things here, whose may read, and under which names of this
//! machine they may come. Programs send none of the headers that are looked at.

use std::net::IpAddr;

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header, uri::Authority},
    response::{IntoResponse as _, Response},
};
use waypost_api::problem::EdgeCode;

use super::problem::Refusal;
use crate::options::PageOptions;

/// Where anybody's modeller keeps its definitions.
const DEFINITIONS: &str = "/v1/definitions";
/// Below a definition, but no matter of the modeller.
const STARTS: &str = "/instances";

/// Stands for pages of every site.
const ANY: &str = "*";

/// What the server thinks of pages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pages {
    options: PageOptions,
    /// Whether only names of this machine are believed.
    is_local: bool,
}

impl Pages {
    /// `is_local` is for servers that trust whoever is on this machine: a page of another site can
    /// have its own name stand for this machine, and would then count as one of ours.
    pub(crate) const fn new(options: PageOptions, is_local: bool) -> Self {
        Self { options, is_local }
    }

    /// Refuses requests that were sent to another name.
    pub(super) fn believe(&self, request: &Request) -> Result<(), Refusal> {
        let Some(host) = host(request).filter(|_| self.is_local) else { return Ok(()) };
        let named = self.options.hosts.iter().any(|it| it == ANY || it.eq_ignore_ascii_case(host));
        if named || is_here(host) {
            return Ok(());
        }
        let detail = format!("this server is not called {host:?}; allowed_hosts names others");
        Err(Refusal::new(EdgeCode::HostUnknown, detail))
    }

    /// Refuses what a page of another site wants to change.
    pub(super) fn refuse_others(&self, request: &Request) -> Result<(), Refusal> {
        let is_safe = request.method().is_safe();
        if is_safe || !is_elsewhere(request) || self.may(request.uri().path(), origin(request)) {
            return Ok(());
        }
        let detail = "pages of other sites may not change anything here";
        Err(Refusal::new(EdgeCode::CrossSite, detail))
    }

    /// The answer to a browser that asks before it sends, if this is one.
    pub(super) fn preflight(&self, request: &Request) -> Option<Response> {
        let (headers, path) = (request.headers(), request.uri().path());
        let asks = headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
        if *request.method() != Method::OPTIONS || !asks || !path.starts_with("/v1/") {
            return None;
        }
        if !self.may(path, origin(request)) {
            let detail = "pages of this site may not ask for anything here";
            return Some(Refusal::new(EdgeCode::CrossSite, detail).into_response());
        }
        let allowed = [
            (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, OPTIONS"),
            (header::ACCESS_CONTROL_ALLOW_HEADERS, "Accept, Authorization, Content-Type"),
            (header::ACCESS_CONTROL_MAX_AGE, "300"),
        ];
        Some((StatusCode::OK, allowed).into_response())
    }

    /// Lets a page read the answer, if it may. No credentials are involved.
    pub(super) fn allow(&self, path: &str, origin: Option<&HeaderValue>, answer: &mut HeaderMap) {
        let Some(value) = origin.filter(|_| path.starts_with("/v1/")) else { return };
        let name = value.to_str().ok();
        if !self.may(path, name) {
            return;
        }
        let is_anybody = is_definition(path) || self.options.origins.iter().any(|it| it == ANY);
        let value = if is_anybody { HeaderValue::from_static(ANY) } else { value.clone() };
        answer.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, value);
        answer.insert(header::VARY, HeaderValue::from_static("Origin"));
    }

    fn may(&self, path: &str, origin: Option<&str>) -> bool {
        let is_named = |it: &String| it == ANY || Some(it.as_str()) == origin;
        let is_ours = path.starts_with("/v1/");
        is_ours && (is_definition(path) || self.options.origins.iter().any(is_named))
    }
}

/// Whether a path is about definitions and nothing else.
fn is_definition(path: &str) -> bool {
    let below = path.strip_prefix(DEFINITIONS);
    below.is_some_and(|it| it.is_empty() || it.starts_with('/')) && !path.ends_with(STARTS)
}

fn origin(request: &Request) -> Option<&str> {
    request.headers().get(header::ORIGIN)?.to_str().ok()
}

/// Whether a page of another site is behind a request. Browsers say so, where the connection is
/// secure; elsewhere they say which site it is.
fn is_elsewhere(request: &Request) -> bool {
    match request.headers().get("sec-fetch-site").map(HeaderValue::as_bytes) {
        Some(b"cross-site" | b"same-site") => true,
        Some(_) => false,
        None => request.headers().contains_key(header::ORIGIN) && !is_own(request),
    }
}

/// Whether the page came from where the request goes.
fn is_own(request: &Request) -> bool {
    let page = origin(request).and_then(|it| it.split_once("://")).map(|it| it.1);
    page.is_some_and(|it| authority(request).is_some_and(|here| here.eq_ignore_ascii_case(it)))
}

/// Where the request was sent to, with the port.
fn authority(request: &Request) -> Option<&str> {
    let named = request.headers().get(header::HOST).and_then(|it| it.to_str().ok());
    named.or_else(|| request.uri().authority().map(Authority::as_str))
}

fn host(request: &Request) -> Option<&str> {
    let authority = authority(request)?;
    let name = match authority.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|it| it.is_ascii_digit()) => name,
        Some(_) | None => authority,
    };
    Some(name)
}

/// Whether nobody else can have a name stand for this machine: an address, or `localhost`.
fn is_here(host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let inner = host.strip_prefix('[').and_then(|it| it.strip_suffix(']')).unwrap_or(&host);
    inner.parse::<IpAddr>().is_ok() || host == "localhost" || host.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn request(method: &str, path: &str, headers: &[(&str, &str)]) -> Request {
        let builder = Request::builder().method(method).uri(path);
        let builder = headers.iter().fold(builder, |it, (name, value)| it.header(*name, *value));
        builder.body(Body::empty()).unwrap()
    }

    #[test]
    fn only_names_of_this_machine_are_believed() {
        let options = PageOptions { hosts: vec!["flow.example".into()], ..PageOptions::default() };
        let pages = Pages::new(options, true);
        let believes =
            |it: &str| pages.believe(&request("GET", "/v1/instances", &[("host", it)])).is_ok();
        for host in [
            "127.0.0.1:8080",
            "[::1]:8080",
            "10.0.0.5",
            "localhost",
            "LOCALHOST:1",
            "waypost.localhost:8080",
            "localhost.",
            "flow.example:443",
            "Flow.Example",
        ] {
            assert!(believes(host), "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:8080",
            "localhost.evil.example",
            "127.0.0.1.x",
            "notlocalhost",
        ] {
            assert!(!believes(host), "{host}");
        }
        assert!(pages.believe(&request("GET", "/", &[])).is_ok());
        let open = Pages::default();
        assert!(open.believe(&request("GET", "/", &[("host", "evil.example")])).is_ok());
    }

    #[test]
    fn a_page_that_came_from_here_may_change_things() {
        let here = [("host", "h:1"), ("origin", "http://h:1")];
        let there = [("host", "h:1"), ("origin", "http://x:1")];
        let hidden = [("host", "h:1"), ("origin", "null")];
        let pages = Pages::default();
        let may = |headers: &[(&str, &str)]| {
            pages.refuse_others(&request("POST", "/v1/jobs/poll", headers)).is_ok()
        };
        assert!(may(&here) && may(&[]));
        assert!(!may(&there) && !may(&hidden));
        assert!(!may(&[("sec-fetch-site", "cross-site")]));
    }
}
