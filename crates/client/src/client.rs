//! Sending requests and understanding answers. Everything that knows HTTP is here and in `watch`.

use std::{fmt, net::IpAddr, time::Duration};

use percent_encoding::NON_ALPHANUMERIC;
use reqwest::{
    Method, RequestBuilder, Response, StatusCode, Url,
    header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use waypost_api::{
    Problem, forecast::Forecast, lifecycle::Denied, problem::EntityProblem, process::Failure,
    shown_url, what_if::Tried,
};

use crate::{
    chain::Chains, entity::Entities, error::Error, lifecycle::Lifecycles, process::Processes,
};

/// How long a connection may take to come about.
const CONNECT_MAX: Duration = Duration::from_secs(5);
/// How long an answer may take that is not waited for on purpose.
pub(crate) const ANSWER_MAX: Duration = Duration::from_secs(30);
/// Says how many warnings there are, and what the first of them is.
const WARNINGS: &str = "waypost-warnings";
/// Says why something is asked for.
const REASON: HeaderName = HeaderName::from_static("waypost-reason");
/// How much of an answer that is not understood is repeated.
const EXCERPT_MAX: usize = 200;

/// A connection to a server. Cheap to clone; clones share connections.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    base: Url,
    /// What it shows on every request: who it is, and why it asks.
    headers: HeaderMap,
    /// Is told what a server has to say about what it did.
    listener: Option<fn(&str)>,
}

impl Client {
    /// A client of the server at `url`, such as `http://127.0.0.1:8080`. Connects when it is used.
    ///
    /// # Errors
    /// When `url` is not an address.
    pub fn new(url: &str) -> Result<Self, Error> {
        let refused = |reason: String| Error::Address { url: shown_url(url), reason };
        let base: Url = url.parse().map_err(|error| refused(format!("{error}")))?;
        if !matches!(base.scheme(), "http" | "https") || base.host_str().is_none() {
            return Err(refused("it must begin with http:// or https://".to_owned()));
        }
        let builder = match is_local(&base) {
            // No proxy knows better where this machine is.
            true => reqwest::Client::builder().no_proxy(),
            false => reqwest::Client::builder(),
        };
        let http = builder
            .connect_timeout(CONNECT_MAX)
            .user_agent(concat!("waypost-client/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| refused(reason(&error)))?;
        Ok(Self { http, base, headers: HeaderMap::new(), listener: None })
    }

    /// The same; `listener` is told of warnings, such as that entities are written without a
    /// workflow of their own: how many there are, and the first of them.
    #[must_use]
    pub fn on_warning(self, listener: fn(&str)) -> Self {
        Self { listener: Some(listener), ..self }
    }

    /// The same, which shows `token` as `Authorization: Bearer …`, for servers that ask who comes.
    ///
    /// # Errors
    /// When it has characters that cannot be sent.
    pub fn signed_in(mut self, token: &str) -> Result<Self, Error> {
        let value = HeaderValue::try_from(format!("Bearer {token}"));
        let mut value = value.map_err(|it| Error::Authorization { reason: it.to_string() })?;
        value.set_sensitive(true);
        self.headers.insert(AUTHORIZATION, value);
        Ok(self)
    }

    /// The same, which says why it asks: that is kept in histories and audits.
    #[must_use]
    pub fn because(mut self, reason: &str) -> Self {
        let encoded = percent_encoding::utf8_percent_encode(reason, NON_ALPHANUMERIC).to_string();
        self.headers.extend(HeaderValue::try_from(encoded).map(|it| (REASON, it)));
        self
    }

    /// The chains.
    #[must_use]
    pub fn chain(&self) -> Chains {
        Chains::new(self.clone())
    }

    /// The processes.
    #[must_use]
    pub fn process(&self) -> Processes {
        Processes::new(self.clone())
    }

    /// The models and entities.
    #[must_use]
    pub fn entity(&self) -> Entities {
        Entities::new(self.clone())
    }

    /// Tries a command without consequences: `path` and `body` are those of the command.
    ///
    /// # Errors
    /// Those of the command, as if it had been meant.
    pub async fn foresee<B: Serialize>(&self, path: &[&str], body: &B) -> Result<Forecast, Error> {
        let mut url = self.path(path);
        url.query_pairs_mut().append_pair("dryRun", "true");
        self.answer(self.post(url, body)).await
    }

    /// What would become of the instance at `path` if others did what `what` says, as in a scenario.
    ///
    /// # Errors
    /// When there is no such instance, or `what` cannot be tried with it.
    pub async fn what_if(&self, path: &[&str], what: &Value) -> Result<Tried, Error> {
        let url = self.path(&[path, &["what-if"]].concat());
        self.answer(self.post(url, what)).await
    }

    /// The lifecycles that operators see.
    #[must_use]
    pub fn lifecycle(&self) -> Lifecycles {
        Lifecycles::new(self.clone())
    }

    /// The address it was made with.
    #[must_use]
    pub fn url(&self) -> &str {
        self.base.as_str().trim_end_matches('/')
    }

    /// The address as it may be shown: it may contain a password.
    pub(crate) fn shown(&self) -> String {
        shown_url(self.url())
    }

    /// The address of the path made of `segments`.
    pub(crate) fn path(&self, segments: &[&str]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        url
    }

    /// A request that may take its time.
    pub(crate) fn request(&self, method: Method, url: Url) -> RequestBuilder {
        self.http.request(method, url).headers(self.headers.clone())
    }

    pub(crate) fn get(&self, url: Url) -> RequestBuilder {
        self.request(Method::GET, url).timeout(ANSWER_MAX)
    }

    pub(crate) fn post<B: Serialize>(&self, url: Url, body: &B) -> RequestBuilder {
        self.request(Method::POST, url).timeout(ANSWER_MAX).json(body)
    }

    /// Sends a request; an answer that is a refusal is an error.
    pub(crate) async fn send(&self, request: RequestBuilder) -> Result<Response, Error> {
        let response = request.send().await.map_err(|error| self.failure(&error))?;
        if response.status().is_success() {
            let warnings = response.headers().get(WARNINGS).and_then(|it| it.to_str().ok());
            if let (Some(listener), Some(text)) = (self.listener, warnings) {
                listener(text);
            }
            return Ok(response);
        }
        let (status, path) = (response.status(), response.url().path().to_owned());
        let text = response.text().await.map_err(|error| self.failure(&error))?;
        let problem = serde_json::from_str::<Problem>(&text).ok();
        let of_entity = || Some(problem_of_entity(serde_json::from_str(&text).ok()?));
        let read = || serde_json::from_str(&text).ok();
        let of_process = || Some(problem_of(read()?, status, path.clone()));
        let of_lifecycle = || {
            let denied = serde_json::from_str(&text).ok()?;
            Some(problem_of_lifecycle(denied, status, path.clone()))
        };
        Err(match problem.or_else(of_entity).or_else(of_process).or_else(of_lifecycle) {
            Some(problem) => Error::Refused(Box::new(problem)),
            None => self.unexpected(status, &text),
        })
    }

    /// Sends a request and reads the answer as a `T`, whatever the status of success.
    pub(crate) async fn answer<T: DeserializeOwned>(
        &self,
        request: RequestBuilder,
    ) -> Result<T, Error> {
        Ok(self.ask(request).await?.1)
    }

    /// Sends a request and reads the answer as a `T`.
    pub(crate) async fn ask<T: DeserializeOwned>(
        &self,
        request: RequestBuilder,
    ) -> Result<(StatusCode, T), Error> {
        let response = self.send(request).await?;
        let status = response.status();
        let text = response.text().await.map_err(|error| self.failure(&error))?;
        match serde_json::from_str(&text) {
            Ok(answer) => Ok((status, answer)),
            Err(error) => Err(self.unexpected(status, &format!("{error} in {text}"))),
        }
    }

    /// The text at a path of the server, such as a picture, with these members of the query.
    ///
    /// # Errors
    /// As the path has them.
    pub async fn text(&self, path: &[&str], query: &[(&str, &str)]) -> Result<String, Error> {
        self.read_text(self.get(with_pairs(self.path(path), query))).await
    }

    /// What is at a path of the server, such as an explanation, as a `T`.
    ///
    /// # Errors
    /// As the path has them.
    pub async fn read<T: DeserializeOwned>(
        &self,
        path: &[&str],
        query: &[(&str, &str)],
    ) -> Result<T, Error> {
        self.answer(self.get(with_pairs(self.path(path), query))).await
    }

    pub(crate) async fn read_text(&self, request: RequestBuilder) -> Result<String, Error> {
        let response = self.send(request).await?;
        response.text().await.map_err(|error| self.failure(&error))
    }

    /// Sends a request and reads each line of the answer as a `T`.
    pub(crate) async fn lines<T: DeserializeOwned>(
        &self,
        request: RequestBuilder,
    ) -> Result<Vec<T>, Error> {
        let response = self.send(request).await?;
        let status = response.status();
        let text = response.text().await.map_err(|error| self.failure(&error))?;
        let lines = text.lines().filter(|it| !it.is_empty());
        let read = |line| {
            serde_json::from_str(line)
                .map_err(|error| self.unexpected(status, &format!("{error} in {line}")))
        };
        lines.map(read).collect()
    }

    pub(crate) fn failure(&self, error: &reqwest::Error) -> Error {
        let (url, reason) = (self.shown(), reason(error));
        if error.is_connect() || error.is_builder() {
            Error::Unreachable { url, reason }
        } else {
            Error::Interrupted { url, reason }
        }
    }

    fn unexpected(&self, status: StatusCode, text: &str) -> Error {
        let excerpt: String = text.trim().chars().take(EXCERPT_MAX).collect();
        Error::Unexpected { url: self.shown(), status: status.as_u16(), detail: excerpt }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("url", &self.shown()).finish_non_exhaustive()
    }
}

/// Routes of processes refuse in words of their own.
fn problem_of(failure: Failure, status: StatusCode, path: String) -> Problem {
    let Failure { error, reason, code, request_id, .. } = failure;
    let code = if code.is_empty() { error } else { code };
    let is_busy = matches!(status.as_u16(), 429 | 502..=504);
    // A turn that lost too many races may win the next.
    let retryable = is_busy || code == "CONTENDED";
    Problem {
        instance: path,
        retryable,
        request_id,
        ..Problem::new(&code, status.as_u16(), reason)
    }
}

/// Routes of entities keep the code among the properties, and say it before the detail.
fn problem_of_entity(problem: EntityProblem) -> Problem {
    let EntityProblem { status, detail, instance, ticket, properties, .. } = problem;
    // One answer has none: a search that has ended cannot be canceled.
    let code = properties.get("errorCode").and_then(Value::as_str).unwrap_or("BAD_REQUEST");
    let said = detail.strip_prefix(code).and_then(|it| it.strip_prefix(": "));
    let detail = said.unwrap_or(&detail).to_owned();
    let retryable = properties.get("retryable").and_then(Value::as_bool).unwrap_or_default();
    let request_id = ticket.unwrap_or_default();
    Problem { instance, retryable, request_id, ..Problem::new(code, status, detail) }
}

/// The gateway of lifecycles says what is wrong, and has no codes.
fn problem_of_lifecycle(denied: Denied, status: StatusCode, path: String) -> Problem {
    let retryable = matches!(status.as_u16(), 409 | 429 | 502..=504);
    Problem { instance: path, retryable, ..Problem::new("", status.as_u16(), denied.error) }
}

fn is_local(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|it| it.is_loopback())
}

/// The address with the members of `query` as its query string.
pub(crate) fn with_query<Q: Serialize>(mut url: Url, query: &Q) -> Url {
    if let Ok(Value::Object(members)) = serde_json::to_value(query)
        && !members.is_empty()
    {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        url.query_pairs_mut().extend_pairs(members.iter().map(|(name, it)| (name, text(it))));
    }
    url
}

pub(crate) fn with_pairs(mut url: Url, pairs: &[(&str, &str)]) -> Url {
    if !pairs.is_empty() {
        url.query_pairs_mut().extend_pairs(pairs);
    }
    url
}

/// The innermost cause says most.
fn reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "no answer in time".to_owned();
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
