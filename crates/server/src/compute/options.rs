//! What compute members are served with.

use std::time::Duration;

use super::ticket::{ShortSecret, Tickets};

/// How compute members are served.
#[derive(Clone, Debug)]
pub struct ComputeOptions {
    /// The name of this node, for tickets.
    pub node: String,
    /// What tickets are signed with; chance if absent, which will do for a single node.
    pub secret: Option<Vec<u8>>,
    /// How long a ticket is good for, unless the question it comes with may take longer.
    pub ticket_life: Duration,
    /// How often a member is looked at, and told that the server is there.
    pub keep_alive_every: Duration,
    /// How long a member may be silent.
    pub keep_alive_timeout: Duration,
    /// How much of everything.
    pub limits: ComputeLimits,
}

impl Default for ComputeOptions {
    fn default() -> Self {
        Self {
            node: "node".to_owned(),
            secret: None,
            ticket_life: Duration::from_secs(90),
            keep_alive_every: Duration::from_secs(10),
            keep_alive_timeout: Duration::from_secs(30),
            limits: ComputeLimits::default(),
        }
    }
}

/// What cannot be served with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ComputeError {
    /// The secret can be guessed.
    #[error(transparent)]
    Secret(#[from] ShortSecret),
    /// Nothing would ever be sent.
    #[error("{0} must be more than zero")]
    Zero(&'static str),
}

impl ComputeOptions {
    /// What makes tickets; refuses options that make no sense.
    pub(super) fn tickets(&self) -> Result<Tickets, ComputeError> {
        if self.keep_alive_every.is_zero() {
            return Err(ComputeError::Zero("the interval of keep-alives"));
        }
        if self.limits.queue_max == 0 {
            return Err(ComputeError::Zero("the number of events that wait for a member"));
        }
        Ok(match &self.secret {
            Some(secret) => Tickets::new(secret)?,
            None => Tickets::random(),
        })
    }
}

/// How much is taken from compute members, and why not more.
#[derive(Clone, Debug)]
pub struct ComputeLimits {
    /// Members of one tenant. Each question looks at all of them.
    pub members_max: usize,
    /// Tags of one member. Each question looks for its own among them.
    pub tags_max: usize,
    /// Bytes of one tag: they are names, and kept for as long as the member is there.
    pub tag_max: usize,
    /// Questions one member has not answered yet. One with more is too slow to be asked.
    pub pending_max: usize,
    /// Events that wait for a member to read them. One with more does not read.
    pub queue_max: usize,
    /// Bytes of an answer. It becomes an entity, and those are no larger.
    pub answer_max: usize,
    /// Bytes of a message. Beyond what an answer may have, so that one that is a little too large
    /// is refused and does not end the stream.
    pub message_max: usize,
    /// Warnings of one answer that are passed on: they are meant for people.
    pub warnings_max: usize,
    /// How long a member has for its first message.
    pub join_timeout: Duration,
    /// How long a question may wait to be sent.
    pub send_timeout: Duration,
    /// How long an answer may take, unless the question says otherwise.
    pub answer_timeout: Duration,
}

impl Default for ComputeLimits {
    fn default() -> Self {
        Self {
            members_max: 256,
            tags_max: 64,
            tag_max: 256,
            pending_max: 1_024,
            queue_max: 1_024,
            answer_max: 10 << 20,
            message_max: 12 << 20,
            warnings_max: 100,
            join_timeout: Duration::from_secs(10),
            send_timeout: Duration::from_secs(5),
            answer_timeout: Duration::from_secs(30),
        }
    }
}
