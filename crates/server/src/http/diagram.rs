//! Pictures, in the form that the end of the path names.

use axum::{
    extract::FromRequestParts,
    http::{HeaderValue, StatusCode, Uri, header, request::Parts},
    response::{IntoResponse as _, Response},
};
use waypost_api::{diagram::Format, problem::EdgeCode};
use waypost_diagram::{Theme, TooLarge, picture::Picture};
use waypost_kernel::{Timestamp, digest};

use super::problem::Refusal;
use crate::diagram::drawn;

/// A picture is a document of its own: it loads nothing, and nothing in it runs.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// How a picture is wanted.
pub(in crate::http) struct Drawing {
    format: Format,
    theme: Theme,
    /// What the client has of it already.
    known: Option<HeaderValue>,
}

impl<S: Sync> FromRequestParts<S> for Drawing {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        Self::new(&parts.uri, parts.headers.get(header::IF_NONE_MATCH).cloned())
    }
}

impl Drawing {
    /// What a path and a query ask for.
    pub(super) fn new(uri: &Uri, known: Option<HeaderValue>) -> Result<Self, Refusal> {
        let extension = uri.path().rsplit('.').next().unwrap_or_default();
        let format = Format::of_extension(extension).ok_or_else(|| {
            Refusal::new(EdgeCode::RouteNotFound, format!("there is no picture at {}", uri.path()))
        })?;
        let pairs = uri.query().unwrap_or_default().split('&').filter_map(|it| it.split_once('='));
        let mut themes = pairs.filter(|it| it.0 == "theme").map(|it| it.1);
        let theme = match themes.next_back() {
            None | Some("" | "auto") => Theme::Auto,
            Some("light") => Theme::Light,
            Some("dark") => Theme::Dark,
            Some(other) => {
                let problem = format!("must be light, dark or auto, is {other:?}");
                return Err(Refusal::at(EdgeCode::QueryInvalid, "query.theme", problem));
            }
        };
        Ok(Self { format, theme, known })
    }

    /// The answer: the picture, or that the client has it already.
    pub(super) fn of(&self, picture: &Picture) -> Result<Response, Refusal> {
        let body = drawn(picture, self.format, self.theme)
            .map_err(|it| Refusal::field("the definition", &told(it)))?;
        let tag = HeaderValue::try_from(format!("\"{}\"", digest(&body)));
        let tag = tag.map_err(|error| Refusal::defect(error.to_string()))?;
        let is_known = self.known.as_ref().is_some_and(|it| names(it, &tag));
        let mut answer = match is_known {
            true => StatusCode::NOT_MODIFIED.into_response(),
            false => ([(header::CONTENT_TYPE, self.format.media_type())], body).into_response(),
        };
        let headers = answer.headers_mut();
        headers.insert(header::ETAG, tag);
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        if self.format == Format::Svg {
            headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
        }
        Ok(answer)
    }
}

/// A time as it stands in pictures: to the second.
pub(in crate::http) fn shown(at: Timestamp) -> String {
    let text = waypost_api::Timestamp::from_micros(at.as_micros()).to_string();
    format!("{}Z", text.chars().take(19).collect::<String>())
}

fn told(too_large: TooLarge) -> String {
    format!("cannot be drawn: {too_large}")
}

/// Whether a tag is among those of a header.
fn names(known: &HeaderValue, tag: &HeaderValue) -> bool {
    let (known, tag) = (known.to_str().unwrap_or_default(), tag.to_str().unwrap_or_default());
    let mut each = known.split(',').map(|it| it.trim().trim_start_matches("W/"));
    each.any(|it| it == "*" || it == tag)
}
