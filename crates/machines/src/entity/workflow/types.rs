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
    /// The longest time a transition is scheduled after, and the most it may be late: a hundred
    /// years. Beyond it lie typing errors, and the end of the calendar.
    pub const SCHEDULE_MILLIS_MAX: i64 = 100 * 366 * 24 * 60 * 60 * 1_000;
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
    /// That it is taken some time after an entity has come to rest, and not before.
    pub schedule: Option<Schedule>,
    /// When it may be taken, as it was written. See [`Transition::guard`].
    pub criterion: Option<Value>,
    /// Who works on the entity while it is taken, one after the other.
    pub processors: Vec<Processor>,
}

/// When a transition is taken that nobody asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// How long after the entity has come to rest.
    pub delay_millis: i64,
    /// How late it may be taken; however late, if absent.
    pub timeout_millis: Option<i64>,
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

    /// The transition `name` out of `state`, if it is there and can be asked for.
    #[must_use]
    pub fn transition(&self, state: &str, name: &str) -> Option<&Transition> {
        self.named(state, name).filter(|it| it.can_be_asked_for())
    }

    /// The transition `name` out of `state`, if it is there and taken when its time has come.
    #[must_use]
    pub fn scheduled(&self, state: &str, name: &str) -> Option<&Transition> {
        self.named(state, name).filter(|it| it.is_scheduled())
    }

    fn named(&self, state: &str, name: &str) -> Option<&Transition> {
        self.states.get(state)?.transitions.iter().find(|it| it.name == name)
    }
}

impl Transition {
    /// The criterion, if it says anything.
    #[must_use]
    pub fn guard(&self) -> Option<&Value> {
        self.criterion.as_ref().filter(|it| !it.is_null())
    }

    /// Whether it is tried without being asked for, as soon as the entity is there.
    #[must_use]
    pub const fn is_automated(&self) -> bool {
        !self.is_manual && self.can_be_asked_for()
    }

    /// Whether it is tried when its time has come.
    #[must_use]
    pub const fn is_scheduled(&self) -> bool {
        self.schedule.is_some() && !self.is_disabled
    }

    /// Whether it is taken when somebody names it.
    #[must_use]
    pub const fn can_be_asked_for(&self) -> bool {
        self.schedule.is_none() && !self.is_disabled
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
