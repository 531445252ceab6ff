//! Messages as HTTP requests.

use async_trait::async_trait;
use reqwest::{
    Client, Response, Url,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
    redirect::Policy,
};
use waypost_api::shown_url;
use waypost_engine::{Transport, limits::SEND_TIMEOUT};
use waypost_kernel::Posted;

use super::{OutboxError, own_headers, standard_headers};

/// Bytes of an answer that are read so that the connection can be used again.
const ANSWER_MAX: usize = 16 << 10;

/// Characters of an answer kept to explain a failure.
const EXCERPT_MAX: usize = 200;

/// Headers a message must not set: they belong to the connection, or would lie about the body.
const RESERVED: [&str; 10] = [
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Sends each message as a POST with its payload as the body. An answer of 2xx means delivered.
pub struct Webhook {
    client: Client,
    url: Url,
    headers: HeaderMap,
}

impl Webhook {
    /// A way to `url`, with headers that go with every request.
    ///
    /// # Errors
    /// When the address or a header makes no sense.
    pub fn new(
        url: &str,
        headers: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, OutboxError> {
        let parsed: Url = url.parse().map_err(|error| bad_url(url, error))?;
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err(bad_url(url, "it must begin with http:// or https://"));
        }
        let mut fixed = HeaderMap::new();
        for (name, value) in headers {
            let pair = header(&name, &value);
            let (name, value) =
                pair.ok_or_else(|| OutboxError(format!("{name:?} cannot be a webhook header")))?;
            fixed.insert(name, value);
        }
        let client = Client::builder()
            // Whoever is behind a redirect was not chosen by the operator.
            .redirect(Policy::none())
            .timeout(SEND_TIMEOUT)
            .connect_timeout(SEND_TIMEOUT)
            .user_agent(concat!("waypost/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| OutboxError(format!("no webhook can be sent: {error}")))?;
        Ok(Self { client, url: parsed, headers: fixed })
    }

    fn headers(&self, posted: &Posted) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let is_free = |name: &str| !RESERVED.iter().any(|it| it.eq_ignore_ascii_case(name));
        let own = own_headers(posted).filter(|(name, _)| is_free(name));
        headers.extend(own.filter_map(|(name, value)| header(name, value)));
        headers.extend(self.headers.iter().map(|(name, value)| (name.clone(), value.clone())));
        let standard = standard_headers(posted);
        headers.extend(standard.iter().filter_map(|(name, value)| header(name, value)));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers
    }
}

fn bad_url(url: &str, reason: impl std::fmt::Display) -> OutboxError {
    OutboxError(format!("{:?} is not an address for a webhook: {reason}", shown_url(url)))
}

fn header(name: &str, value: &str) -> Option<(HeaderName, HeaderValue)> {
    let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
    Some((name, HeaderValue::from_bytes(value.as_bytes()).ok()?))
}

#[async_trait]
impl Transport for Webhook {
    async fn send(&self, posted: &Posted) -> Result<(), String> {
        let request = self
            .client
            .post(self.url.clone())
            .headers(self.headers(posted))
            .body(posted.message.payload.as_str().to_owned());
        let response = request.send().await.map_err(|error| failure(&error))?;
        let status = response.status();
        let answer = answer(response).await;
        if status.is_success() {
            return Ok(());
        }
        Err(format!("HTTP: {status} {answer}").trim_end().to_owned())
    }
}

/// The beginning of an answer, with the rest read up to a limit.
async fn answer(mut response: Response) -> String {
    let mut text = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        text.extend_from_slice(&chunk);
        if text.len() > ANSWER_MAX {
            break;
        }
    }
    let text = String::from_utf8_lossy(&text);
    text.chars().map(|it| if it.is_control() { ' ' } else { it }).take(EXCERPT_MAX).collect()
}

/// The innermost reason says most: the outer ones repeat the address, which may hold a secret.
fn failure(error: &reqwest::Error) -> String {
    let mut innermost: &dyn std::error::Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    let kind = match (error.is_timeout(), error.is_connect()) {
        (true, _) => "TIMEOUT",
        (false, true) => "CONNECT",
        (false, false) => "HTTP",
    };
    format!("{kind}: {innermost}")
}
