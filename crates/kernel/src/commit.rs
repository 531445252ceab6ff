//! Everything one turn changes, with what it expects to be still true.

use serde::{Deserialize, Serialize};

use crate::{
    ClaimId, Definition, DefinitionRef, Json, Key, Kind, MessageChange, RequestId, TaskChange,
    TaskRef, Tenant, Term, TimerChange, TimerRef, Timestamp, Version, WorkerId,
};

/// All or nothing: applied if every expectation holds, without a trace otherwise.
///
/// An instance, a unique key and a definition appear once in a commit; one that names them twice is
/// refused as if another had been faster.
#[derive(Clone, Debug, Default)]
pub struct Commit {
    /// Seen before? Then the answer is as before, and nothing else happens.
    pub request: Option<Request>,
    /// Newly deployed; a conflict if the name and version is taken.
    pub definitions: Vec<Definition>,
    /// What must still be true.
    pub expect: Vec<Expectation>,
    /// New states.
    pub writes: Vec<Write>,
    /// What happened: at most one record per write, of the same version.
    pub events: Vec<EventRecord>,
    /// Work that appears, changes hands or goes away.
    pub tasks: Vec<TaskChange>,
    /// Timers armed and disarmed.
    pub timers: Vec<TimerChange>,
    /// Notices to send, and how sending went.
    pub messages: Vec<MessageChange>,
    /// Instances to forget, with their histories, their past, their terms, tasks and timers, and
    /// whatever else the commit says of them; only messages stay. What does not exist is forgotten
    /// already.
    pub erased: Vec<Key>,
    /// Who says when it happened.
    pub timing: Timing,
    /// Who waits for it: decides what is refused first under load.
    pub urgency: Urgency,
}

/// Who says when a commit happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timing {
    /// Whoever decided: writes and events carry their time.
    #[default]
    Decided,
    /// The store, as the commit lands: one instant for all writes and events, whatever they carry,
    /// later than any it gave before to the same instances. [`Receipt::at`] tells it.
    Landed,
}

/// What a store under load refuses first. The order is the order of refusal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// New work.
    New,
    /// News for work under way.
    #[default]
    News,
    /// The end of work under way: finishing relieves the system.
    Finish,
}

/// A client's name for a request, with a digest of what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Whose request.
    pub tenant: Tenant,
    /// The name.
    pub id: RequestId,
    /// The same name with another digest is a mistake of the client.
    pub digest: String,
}

/// Something that must be true when the commit lands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// The instance is at this version.
    Version {
        /// Which instance.
        key: Key,
        /// [`Version::ABSENT`] if it must not exist.
        version: Version,
    },
    /// The lease is held and good, by the store's clock.
    Lease {
        /// Which task.
        task: TaskRef,
        /// The claim that took it.
        token: ClaimId,
        /// Who took it.
        worker: WorkerId,
    },
    /// The lease is still this one and past its end, by the store's clock.
    Lapsed {
        /// Which task.
        task: TaskRef,
        /// The claim that took it.
        token: ClaimId,
    },
    /// Nobody holds the task.
    Free {
        /// Which task.
        task: TaskRef,
    },
    /// The task is in its queue, and nobody else is at it: it is free, or this worker holds it, by
    /// whatever claim, and the lease is good by the store's clock.
    Open {
        /// Which task.
        task: TaskRef,
        /// Who may hold it.
        worker: WorkerId,
    },
    /// The timer is armed for that instant.
    Armed {
        /// Which timer.
        timer: TimerRef,
        /// When it is due.
        due_at: Timestamp,
    },
    /// No instance runs by this definition and has this status.
    Vacant {
        /// Whose.
        tenant: Tenant,
        /// Of which face.
        kind: Kind,
        /// The definition, by name and version.
        definition: DefinitionRef,
        /// The status.
        status: String,
    },
}

/// What lists and searches may ask about an instance without reading its state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facets {
    /// What it runs by.
    pub definition: Option<DefinitionRef>,
    /// Where it stands, in the face's own words.
    pub status: String,
    /// The step or state it is at. If it is at several, their names are joined by
    /// [`Facets::STEP_SEPARATOR`].
    pub step: Option<String>,
    /// The event it waits for.
    pub awaits: Option<String>,
    /// The caller's name for it.
    pub business_key: Option<String>,
    /// No two instances of a tenant and kind may hold the same one at a time.
    pub unique_key: Option<String>,
}

impl Facets {
    /// Stands between the names of steps: the unit separator of ASCII, which no name has.
    pub const STEP_SEPARATOR: char = '\u{1f}';

    /// The names of the steps it is at.
    pub fn steps(&self) -> impl Iterator<Item = &str> {
        self.step.iter().flat_map(|it| it.split(Self::STEP_SEPARATOR))
    }
}

/// A new state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// Whose state.
    pub key: Key,
    /// The version it becomes.
    pub version: Version,
    /// What can be asked about it.
    pub facets: Facets,
    /// The state.
    pub state: Json,
    /// When the turn was decided.
    pub at: Timestamp,
    /// Whether the state that is replaced stays readable as a past one.
    pub keeps_past: bool,
    /// What it can be looked up by from now on, among the instances of its definition; as before, if
    /// absent.
    pub terms: Option<Vec<Term>>,
}

/// An instance as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its address.
    pub key: Key,
    /// Its version.
    pub version: Version,
    /// What can be asked about it.
    pub facets: Facets,
    /// Its state.
    pub state: Json,
    /// When it began.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// What happened to an instance in one commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRecord {
    /// To whom.
    pub key: Key,
    /// The version the commit made. Dense: one record per version.
    pub version: Version,
    /// When.
    pub at: Timestamp,
    /// The events, oldest first: a JSON array in the face's own form.
    pub events: Json,
}

/// The answer to a commit that landed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The first instance written, if any was.
    pub key: Option<Key>,
    /// The version it has now.
    pub version: Version,
    /// When the commit landed, by the store's clock.
    #[serde(default)]
    pub at: Timestamp,
    /// Whether the commit had landed before, under the same request id.
    #[serde(skip)]
    pub repeated: bool,
}
