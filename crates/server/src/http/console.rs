//! The console: one page for people, with what it needs, built into the program.

use std::{collections::BTreeMap, io};

use async_compression::tokio::bufread::GzipEncoder;
use axum::{
    body::Body,
    extract::Path,
    http::{HeaderMap, HeaderName, HeaderValue, Uri, header},
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use tokio::{io::AsyncReadExt as _, sync::OnceCell};
use waypost_api::problem::EdgeCode;

use super::{problem::Refusal, routes::Routes};

/// Names and contents of the files that were built, by name. Empty if nobody has built them.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/console_files.rs"));

/// The files that never change, packed once somebody has asked for one.
static PACKED: OnceCell<BTreeMap<&str, Bytes>> = OnceCell::const_new();

/// What all places of the console show.
const PAGE: &str = "index.html";

/// Files below this have their content in their name, and never change.
const HASHED: &str = "assets/";

/// Nothing but our own files, and no frame around them.
const POLICY: &str = "default-src 'self'; img-src 'self' data:; object-src 'none'; \
    base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// The longest time that means something to caches.
const FOR_EVER: &str = "public, max-age=31536000, immutable";

pub(super) fn routes(routes: Routes) -> Routes {
    routes.get("/", page).get("/console", page).get("/console/{*rest}", file)
}

async fn page() -> Response {
    let plain: &[u8] = include_bytes!("../../assets/home.html");
    answer(PAGE, Bytes::from_static(find(PAGE).unwrap_or(plain)))
}

/// A file; or the page, for the places it knows how to show. A file that is not there is no place:
/// a page of an older version must not get a page where it asks for a script.
async fn file(Path(rest): Path<String>, headers: HeaderMap, uri: Uri) -> Result<Response, Refusal> {
    if let Some(content) = find(&rest) {
        return match packed(&rest, &headers).await {
            Some(packed) => Ok(as_packed(answer(&rest, packed))),
            None => Ok(answer(&rest, Bytes::from_static(content))),
        };
    }
    if rest.starts_with(HASHED) {
        let detail = format!("there is no file {}; load the page again", uri.path());
        return Err(Refusal::new(EdgeCode::RouteNotFound, detail));
    }
    Ok(page().await)
}

fn find(name: &str) -> Option<&'static [u8]> {
    FILES.iter().find(|(known, _)| *known == name).map(|(_, content)| *content)
}

/// The file as it travels to those who can unpack it.
async fn packed(name: &str, headers: &HeaderMap) -> Option<Bytes> {
    let accepted = headers.get(header::ACCEPT_ENCODING)?.to_str().ok()?;
    accepted.split(',').find(|it| it.split(';').next().is_some_and(|it| it.trim() == "gzip"))?;
    let files = PACKED.get_or_try_init(pack_all).await.ok()?;
    files.get(name).cloned()
}

async fn pack_all() -> io::Result<BTreeMap<&'static str, Bytes>> {
    let mut files = BTreeMap::new();
    for (name, content) in FILES.iter().filter(|(name, _)| name.starts_with(HASHED)) {
        files.insert(*name, pack(content).await?);
    }
    Ok(files)
}

async fn pack(content: &[u8]) -> io::Result<Bytes> {
    let mut packed = Vec::new();
    GzipEncoder::new(content).read_to_end(&mut packed).await?;
    Ok(packed.into())
}

fn as_packed(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    response
}

fn answer(name: &str, content: Bytes) -> Response {
    let caching = if name.starts_with(HASHED) { FOR_EVER } else { "no-cache" };
    let set = [
        (header::CONTENT_TYPE, kind(name)),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, caching),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    let mut response = Body::from(content).into_response();
    let headers = response.headers_mut();
    headers.extend(set.map(|(name, value)| (name, HeaderValue::from_static(value))));
    response
}

fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the console may weigh.
    const SCRIPT_MAX: usize = 60 << 10;
    const STYLE_MAX: usize = 15 << 10;
    const ALL_MAX: usize = 400 << 10;

    fn files(ending: &str) -> impl Iterator<Item = &'static (&'static str, &'static [u8])> {
        FILES.iter().filter(move |(name, _)| name.ends_with(ending))
    }

    async fn packed(ending: &str) -> usize {
        let mut size = 0;
        for (_, content) in files(ending) {
            size += pack(content).await.unwrap().len();
        }
        size
    }

    #[tokio::test]
    async fn the_console_is_built_in_and_light() {
        assert!(find(PAGE).is_some(), "console/dist is missing: npm run build in console");
        let (script, style) = (packed(".js").await, packed(".css").await);
        assert!(script <= SCRIPT_MAX, "scripts have {script} bytes, packed");
        assert!(style <= STYLE_MAX, "styles have {style} bytes, packed");
        let all: usize = FILES.iter().map(|(_, content)| content.len()).sum();
        assert!(all <= ALL_MAX, "everything has {all} bytes");
    }

    /// Names of formats, and what a message for developers mentions: nobody goes there.
    const ONLY_NAMED: [&str; 4] = [
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xhtml",
        "http://www.w3.org/1998/Math/MathML",
        "https://github.com/preactjs/preact-iso#locationprovider",
    ];

    #[test]
    fn the_console_needs_nothing_from_elsewhere() {
        for (name, content) in FILES {
            let text = std::str::from_utf8(content).unwrap().to_owned();
            let text = ONLY_NAMED.iter().fold(text, |text, it| text.replace(it, ""));
            for scheme in ["http://", "https://"] {
                let found = text.split(scheme).nth(1);
                let found = found.map(|it| it.chars().take(40).collect::<String>());
                assert_eq!(found, None, "{name} names a place elsewhere");
            }
        }
    }

    #[test]
    fn the_page_has_no_script_and_no_style_inside() {
        let page = std::str::from_utf8(find(PAGE).unwrap()).unwrap();
        assert!(!page.contains("<script>") && !page.contains("<style") && !page.contains("style="));
    }
}
