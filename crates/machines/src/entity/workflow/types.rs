//! What a workflow is made of.

use std::collections::BTreeMap;

use waypost_documents::document::Value;

/// How much of everything a workflow takes, and why not more.
pub mod limits {
    /// Bytes of a name: names are kept with every entity and every event.
    pub const NAME_MAX: usize = 256;
    /// Bytes that all workflows of a model have together: all of them are read when an entity of
    /// the model is written for the first time.
    pub const BYTES_MAX: usize = 10 * 1024 * 1024;
    /// Regular expressions of all criteria of a model: each may take some mebibytes for as long as
    /// the model is at hand.
    pub const PATTERNS_MAX: usize = 100;
    /// Problems one refusal tells. Whoever has more is better served by the first of them.
    pub const PROBLEMS_SHOWN_MAX: usize = 20;
    /// Bytes of a name that a refusal repeats.
    pub const NAME_SHOWN_MAX: usize = 64;
    /// States of a circle that a refusal repeats.
    pub const CIRCLE_SHOWN_MAX: usize = 20;
}

/// A named state machine of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Workflow {
    /// A tag that is kept and never looked at.
    pub version: String,
    pub name: String,
    pub description: String,
    pub initial_state: String,
    /// Only active workflows take entities.
    pub is_active: bool,
    /// Which new entities it takes, as it was written. See [`Workflow::guard`].
    pub criterion: Option<Value>,
    pub states: BTreeMap<String, State>,
}

/// Where an entity can be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The ways out, in the order in which they are tried.
    pub transitions: Vec<Transition>,
}

/// A way from one state to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transition {
    pub name: String,
    pub next: String,
    /// Taken only when somebody asks for it by name.
    pub is_manual: bool,
    /// As if it were not there.
    pub is_disabled: bool,
    /// When it may be taken, as it was written. See [`Transition::guard`].
    pub criterion: Option<Value>,
    /// Who works on the entity while it is taken, one after the other.
    pub processors: Vec<Processor>,
}

/// Work that a member does on an entity during a transition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Processor {
    /// As it was written, if it was. See [`Processor::EXTERNAL`].
    pub kind: String,
    pub name: String,
    /// As it was written. See [`Processor::APART`].
    pub mode: String,
    pub config: Config,
}

/// How a member is to be asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    pub attach_entity: bool,
    /// What the member must be tagged with, separated by commas.
    pub tags: String,
    /// How long it may take; the server's own limit if not above zero.
    pub timeout_millis: i64,
    pub retry_policy: String,
    /// Passed on to the member.
    pub context: String,
}

impl Workflow {
    /// The criterion, if it says anything.
    #[must_use]
    pub fn guard(&self) -> Option<&Value> {
        self.criterion.as_ref().filter(|it| !it.is_null())
    }

    /// The transition `name` out of `state`, if it is there and not disabled.
    #[must_use]
    pub fn transition(&self, state: &str, name: &str) -> Option<&Transition> {
        let mut named = self.states.get(state)?.transitions.iter().filter(|it| it.name == name);
        named.next().filter(|it| !it.is_disabled)
    }
}

impl Transition {
    /// The criterion, if it says anything.
    #[must_use]
    pub fn guard(&self) -> Option<&Value> {
        self.criterion.as_ref().filter(|it| !it.is_null())
    }

    /// Whether it is tried without being asked for.
    #[must_use]
    pub const fn is_automated(&self) -> bool {
        !self.is_manual && !self.is_disabled
    }
}

impl Processor {
    /// The only kind there is; none given means this one.
    pub const EXTERNAL: &'static str = "EXTERNAL";
    /// The mode in which neither answer nor failure touches the entity. All others are alike.
    pub const APART: &'static str = "ASYNC_NEW_TX";

    /// Whether the transition goes on as if the processor had not been asked.
    #[must_use]
    pub fn is_apart(&self) -> bool {
        self.mode == Self::APART
    }
}
