//! Who asked for something, and why.

use serde::{Deserialize, Serialize};

/// Who asked for something, and why, as far as that was said. It changes nothing; it is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Note {
    /// The user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Why, in the user's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Note {
    /// Characters of a reason: people write it, and it is kept with every deed.
    pub const REASON_MAX: usize = 1_000;

    /// Whether nothing was said.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.by.is_none() && self.reason.is_none()
    }
}
