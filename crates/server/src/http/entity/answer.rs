//! Answers: JSON that ends with a line feed.

use axum::{
    http::{HeaderName, HeaderValue, header},
    response::{IntoResponse as _, Response},
};
use serde::Serialize;

use super::problem::Failure;

/// Says how many warnings there are, and what the first of them is.
const WARNINGS: HeaderName = HeaderName::from_static("waypost-warnings");

/// Characters of a warning in a header.
const WARNING_MAX: usize = 500;

/// The answer that stands for `value`.
pub(crate) fn json<T: Serialize + ?Sized>(value: &T) -> Result<Response, Failure> {
    let mut body = serde_json::to_vec(value).map_err(|it| Failure::defect(it.to_string()))?;
    body.push(b'\n');
    Ok(([(header::CONTENT_TYPE, "application/json")], body).into_response())
}

/// Bodies have no room for warnings; headers have.
pub(super) fn warned(mut answer: Response, warnings: &[String]) -> Response {
    if let Some(value) = shown(warnings) {
        answer.headers_mut().insert(WARNINGS, value);
    }
    answer
}

fn shown(warnings: &[String]) -> Option<HeaderValue> {
    let first = warnings.first()?;
    let text: String = first.escape_default().to_string().chars().take(WARNING_MAX).collect();
    HeaderValue::try_from(format!("{}; {text}", warnings.len())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_can_be_written_into_a_header_whatever_it_says() {
        let text = |it: &[&str]| {
            let warnings: Vec<_> = it.iter().map(|it| (*it).to_owned()).collect();
            shown(&warnings).map(|it| it.to_str().unwrap().to_owned())
        };
        assert_eq!(text(&[]), None);
        assert_eq!(text(&["one", "two"]).unwrap(), "2; one");
        assert_eq!(text(&["a\r\nb: \u{fc}"]).unwrap(), r"1; a\r\nb: \u{fc}");
        assert_eq!(text(&[&"x".repeat(9_000)]).unwrap().len(), WARNING_MAX + 3);
    }
}
