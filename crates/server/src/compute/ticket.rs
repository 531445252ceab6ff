//! Tickets: what lets a member work in the transaction in which it is asked. Members pass them on
//! and cannot make them.

use aws_lc_rs::{
    hmac::{HMAC_SHA256, Key, sign, verify},
    rand::SystemRandom,
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};
use waypost_kernel::Timestamp;

/// Bytes of a secret that cannot be guessed: as many as the signature has.
const SECRET_MIN: usize = 32;
/// Bytes of a ticket. What is longer was not made here, and is not worth looking at.
const TICKET_MAX: usize = 1_024;

/// A part of a transaction, and until when it may be entered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    /// The node that has the transaction.
    #[serde(rename = "n")]
    pub node: String,
    /// The transaction.
    #[serde(rename = "t")]
    pub transaction: String,
    /// The part of it that what the member does belongs to.
    #[serde(rename = "l")]
    pub layer: u32,
    /// Until when, in seconds since 1970.
    #[serde(rename = "e")]
    pub until: i64,
}

/// Why a ticket is not good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TicketError {
    /// It was not made by a node that shares the secret, or was changed since.
    #[error("the ticket is malformed or its signature is wrong")]
    Invalid,
    /// It was good once.
    #[error("the ticket has expired")]
    Expired,
}

/// The secret is too short.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the secret for transactions has {0} bytes; it needs at least {SECRET_MIN}")]
pub struct ShortSecret(usize);

/// Makes tickets, and knows its own.
#[derive(Clone)]
pub struct Tickets {
    key: Key,
}

impl Tickets {
    /// With a secret that nodes share.
    ///
    /// # Errors
    /// When the secret is too short.
    pub fn new(secret: &[u8]) -> Result<Self, ShortSecret> {
        if secret.len() < SECRET_MIN {
            return Err(ShortSecret(secret.len()));
        }
        Ok(Self { key: Key::new(HMAC_SHA256, secret) })
    }

    /// With a secret that only this node knows, until it ends.
    #[must_use]
    pub fn random() -> Self {
        let key = Key::generate(HMAC_SHA256, &SystemRandom::new());
        Self { key: key.expect("the system has random numbers") }
    }

    /// The ticket as members carry it.
    #[must_use]
    pub fn sign(&self, ticket: &Ticket) -> String {
        let text = serde_json::to_vec(ticket).expect("a ticket has a JSON form");
        let signature = sign(&self.key, &text);
        format!("{}.{}", URL_SAFE_NO_PAD.encode(&text), URL_SAFE_NO_PAD.encode(signature))
    }

    /// The ticket that a member has brought back.
    ///
    /// # Errors
    /// When it is not one of ours, or no longer good.
    pub fn verify(&self, text: &str, now: Timestamp) -> Result<Ticket, TicketError> {
        let ticket = self.read(text).ok_or(TicketError::Invalid)?;
        let is_good = now.as_micros().div_euclid(1_000_000) < ticket.until;
        if is_good { Ok(ticket) } else { Err(TicketError::Expired) }
    }

    /// Nothing of a ticket is looked at before its signature, and that in constant time.
    fn read(&self, text: &str) -> Option<Ticket> {
        if text.len() > TICKET_MAX {
            return None;
        }
        let (text, signature) = text.split_once('.')?;
        let text = URL_SAFE_NO_PAD.decode(text).ok()?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        verify(&self.key, &text, &signature).ok()?;
        serde_json::from_slice(&text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &[u8] = b"0123456789abcdef0123456789abcdef";

    fn ticket() -> Ticket {
        let (node, transaction) = ("n-1".to_owned(), "t-1".to_owned());
        Ticket { node, transaction, layer: 2, until: 90 }
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1_000)
    }

    fn tickets() -> Tickets {
        Tickets::new(SECRET).unwrap()
    }

    #[test]
    fn a_ticket_is_good_until_it_expires() {
        let text = tickets().sign(&ticket());
        assert_eq!(tickets().verify(&text, at(0)), Ok(ticket()));
        let last = Timestamp::from_micros(89_999_999);
        assert_eq!(tickets().verify(&text, last), Ok(ticket()));
        assert_eq!(tickets().verify(&text, at(90)), Err(TicketError::Expired));
    }

    #[test]
    fn a_ticket_looks_as_it_always_did() {
        // Computed by another program from the secret above.
        let text = "eyJuIjoibi0xIiwidCI6InQtMSIsImwiOjIsImUiOjkwfQ.8uG8f66v-ucJZc0HfRw8aq8u6cnfju9ux26hRWOQyrg";
        assert_eq!(tickets().sign(&ticket()), text);
    }

    #[test]
    fn a_ticket_somebody_has_changed_is_invalid() {
        let text = tickets().sign(&ticket());
        for index in 0..text.len() {
            let mut changed = text.clone().into_bytes();
            changed[index] = if changed[index] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(tickets().verify(&changed, at(0)), Err(TicketError::Invalid), "{index}");
        }
    }

    #[test]
    fn what_is_no_ticket_is_invalid() {
        let text = tickets().sign(&ticket());
        let (body, signature) = text.split_once('.').unwrap();
        let cut = &signature[..signature.len() - 2];
        for text in [
            String::new(),
            ".".to_owned(),
            body.to_owned(),
            format!("{body}."),
            format!(".{signature}"),
            format!("{body}.{cut}"),
            format!("{body}.{signature}="),
            format!("{body}.{signature}.{signature}"),
            format!(" {text}"),
            "é.é".to_owned(),
            "A".repeat(TICKET_MAX + 1),
        ] {
            assert_eq!(tickets().verify(&text, at(0)), Err(TicketError::Invalid), "{text}");
        }
    }

    #[test]
    fn an_expired_ticket_with_a_wrong_signature_is_invalid() {
        let other = Tickets::random().sign(&ticket());
        assert_eq!(tickets().verify(&other, at(1_000)), Err(TicketError::Invalid));
    }

    #[test]
    fn nodes_without_a_common_secret_do_not_take_each_others_tickets() {
        let text = Tickets::random().sign(&ticket());
        assert_eq!(Tickets::random().verify(&text, at(0)), Err(TicketError::Invalid));
    }

    #[test]
    fn a_short_secret_is_refused() {
        let error = Tickets::new(&SECRET[1..]).err().unwrap();
        let text = "the secret for transactions has 31 bytes; it needs at least 32";
        assert_eq!(error.to_string(), text);
    }
}
