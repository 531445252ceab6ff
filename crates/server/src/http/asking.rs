//! Who asks for something, and why: what histories and audits keep of it.

use std::sync::Arc;

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, request::Parts},
};
use percent_encoding::percent_decode;
use waypost_kernel::Note;

use super::{app::App, problem::Refusal};
use crate::auth::Identity;

/// Says why something is asked for: plain text, or percent-encoded UTF-8.
const REASON: &str = "waypost-reason";

/// What is kept with a reason. Entities keep it with every write.
pub(super) const COMMANDS: [&str; 10] = [
    "/v1/instances",
    "/v1/definitions/{id}/instances",
    "/v1/instances/{id}/cancel",
    "/v1/instances/{id}/steps/{stepId}/retry",
    "/v1/instances/{id}/signals/{waitStepId}",
    "/v1/instances/{id}/user-tasks/{userTaskId}/complete",
    "/v1/user-tasks/{id}/complete",
    "/v1/chains/instances",
    "/v1/chains/instances/{instanceId}/signals",
    "/v1/chains/instances/{instanceId}/cancel",
];

/// Who asks for something, and why.
pub(super) struct Asking(pub(super) Note);

impl Asking {
    /// The note, with the reason of a body if it has one.
    pub(super) fn because(self, reason: Option<String>) -> Result<Note, Refusal> {
        let reason = reason.filter(|it| !it.trim().is_empty());
        fits(reason.as_deref())?;
        Ok(Note { reason: reason.or(self.0.reason), ..self.0 })
    }

    /// Who cancels something, and why. What was canceled keeps the reason itself.
    pub(super) fn of_cancel(self, reason: Option<String>) -> (Note, Option<String>) {
        let Note { by, reason: said } = self.0;
        (Note { by, reason: None }, reason.or(said))
    }
}

impl FromRequestParts<Arc<App>> for Asking {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, Refusal> {
        let by = parts.extensions.get::<Identity>().map(|it| it.caller.user.clone());
        Ok(Self(Note { by, reason: reason(&parts.headers)? }))
    }
}

/// Why something is asked for, if that was said.
pub(in crate::http) fn reason(headers: &HeaderMap) -> Result<Option<String>, Refusal> {
    let Some(given) = headers.get(REASON) else { return Ok(None) };
    let text = percent_decode(given.as_bytes()).decode_utf8();
    let text = text.map_err(|_| Refusal::field("Waypost-Reason", "is not UTF-8"))?;
    let text = Some(text.trim()).filter(|it| !it.is_empty());
    fits(text)?;
    Ok(text.map(str::to_owned))
}

fn fits(reason: Option<&str>) -> Result<(), Refusal> {
    let most = Note::REASON_MAX;
    match reason.map_or(0, |it| it.chars().count()) {
        n if n > most => {
            Err(Refusal::field("reason", &format!("must have at most {most} characters")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(bytes: &[u8]) -> Result<Option<String>, Refusal> {
        let mut headers = HeaderMap::new();
        headers.insert(REASON, bytes.try_into().unwrap());
        reason(&headers)
    }

    #[test]
    fn a_reason_is_plain_or_percent_encoded() {
        assert_eq!(said(b"the bank is open again").unwrap().unwrap(), "the bank is open again");
        assert_eq!(said(b"M%C3%BCller rief an").unwrap().unwrap(), "M\u{fc}ller rief an");
        assert_eq!(said("M\u{fc}ller".as_bytes()).unwrap().unwrap(), "M\u{fc}ller");
        assert_eq!(said(b"  ").unwrap(), None);
        assert_eq!(reason(&HeaderMap::new()).unwrap(), None);
    }

    #[test]
    fn a_reason_is_text_of_some_length() {
        assert!(said(b"%FF").is_err());
        assert!(said(&b"x".repeat(Note::REASON_MAX)).is_ok());
        assert!(said(&b"x".repeat(Note::REASON_MAX + 1)).is_err());
    }
}
