//! Ways out of the outbox. Each returns when the receiver has said that it has the message; the
//! engine tries again otherwise.

pub(crate) mod nats;
mod webhook;

use waypost_api::Timestamp;
use waypost_kernel::Posted;

pub use self::{nats::Nats, webhook::Webhook};

/// What the sender of every message is.
const AGGREGATE_TYPE: &str = "WORKFLOW_INSTANCE";

/// Why a way out cannot be used at all.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct OutboxError(String);

/// What travels beside every payload, before what the message itself brings.
fn standard_headers(posted: &Posted) -> [(&'static str, String); 5] {
    let message = &posted.message;
    let occurred_at = Timestamp::from_micros(message.occurred_at.as_micros());
    [
        ("eventId", message.id.as_str().to_owned()),
        ("eventType", message.event_type.clone()),
        ("occurredAt", occurred_at.to_string()),
        ("aggregateType", AGGREGATE_TYPE.to_owned()),
        ("aggregateId", posted.key.id.as_str().to_owned()),
    ]
}

/// The message's own headers, without those that would pass for ours.
fn own_headers(posted: &Posted) -> impl Iterator<Item = (&str, &str)> {
    let is_ours = |name: &str| {
        let ours = ["eventId", "eventType", "occurredAt", "aggregateType", "aggregateId"];
        ours.iter().any(|it| it.eq_ignore_ascii_case(name))
    };
    let headers =
        posted.message.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    headers.filter(move |(name, _)| !is_ours(name))
}
