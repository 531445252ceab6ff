//! Notices to the outside, sent at least once from the outbox.

use std::collections::BTreeMap;

use crate::{ClaimId, Json, Key, MessageId, Timestamp};

/// A notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The same each time it is sent, so that receivers can drop repeats.
    pub id: MessageId,
    /// What happened.
    pub event_type: String,
    /// When it happened, in the words of whoever says so. Messages are sent in this order, but none
    /// is held back for it.
    pub occurred_at: Timestamp,
    /// What there is to know.
    pub payload: Json,
    /// What travels beside the payload.
    pub headers: BTreeMap<String, String>,
}

/// Names a message.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageRef {
    /// The instance that sends it.
    pub key: Key,
    /// Which of the instance's messages.
    pub id: MessageId,
}

/// A message taken from the outbox for sending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posted {
    /// The instance that sends it.
    pub key: Key,
    /// The message.
    pub message: Message,
    /// How often sending has failed.
    pub attempts: u32,
    /// Whether the sender before this one disappeared without a word.
    pub lapsed: bool,
}

/// What a commit does to a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageChange {
    /// Puts it into the outbox.
    Send {
        /// The instance that sends it.
        key: Key,
        /// The message.
        message: Message,
    },
    /// Says how sending went. Without effect when another sender holds the message by now.
    Settle {
        /// Which message.
        message: MessageRef,
        /// The claim that took it.
        token: ClaimId,
        /// How it went.
        delivery: Delivery,
    },
}

/// How an attempt to send ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// The receiver has it. It leaves the outbox.
    Sent,
    /// To be tried again.
    Failed {
        /// Not before this.
        retry_at: Timestamp,
        /// What went wrong.
        error: String,
    },
    /// Given up; it stays for an operator to see.
    Dead {
        /// What went wrong last.
        error: String,
    },
}
