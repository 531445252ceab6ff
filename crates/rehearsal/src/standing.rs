//! Where an instance of any face stands, and how it came there: what expectations are held against.

use std::time::Duration;

use serde_json::Value;
use waypost_kernel::Timestamp;

/// Where an instance stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    /// What it runs by.
    pub definition: String,
    /// The status of a process or chain, the state of an entity, the phase of a lifecycle.
    pub status: String,
    /// The steps it is at.
    pub at: Vec<String>,
    /// Variables, context or document.
    pub variables: Value,
    /// Why it failed or was canceled.
    pub reason: Option<String>,
    /// The steps, states or phases it came to, in this order.
    pub visits: Vec<String>,
    /// What happened to it.
    pub history: Vec<Happening>,
    /// From its start to its end, or to now.
    pub elapsed: Duration,
    /// How many timers have fired, a wait that ran out of time included.
    pub n_fired: u32,
    /// What nobody in the scenario will ever do.
    pub unattended: Vec<String>,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Happening {
    /// When.
    pub at: Timestamp,
    /// What, by the name it has in the history of a real instance.
    pub what: String,
    /// Where.
    pub step: Option<String>,
    /// Why, if there is more to say.
    pub detail: Option<String>,
}

impl Happening {
    /// What and where.
    #[must_use]
    pub fn told(&self) -> String {
        match &self.step {
            Some(step) => format!("{} {step}", self.what),
            None => self.what.clone(),
        }
    }

    /// Whether `wanted` names it: what alone, or what and where.
    #[must_use]
    pub fn is(&self, wanted: &str) -> bool {
        self.what == wanted || self.told() == wanted
    }
}
