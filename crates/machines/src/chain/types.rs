//! What a chain is: its states, the commands it takes and the events it tells.

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Deserializer, Serialize};
use waypost_kernel::{
    ClaimId, DefinitionRef, Facets, Json, Kind, Lease, Machine, Note, Rejection, TaskId, Timestamp,
    Turn, WorkerId,
};

use super::{Policy, decide, evolve};

/// How much of everything a chain takes, and why not more.
pub mod limits {
    /// Steps of one chain. Each is stored with the instance, and every report rewrites it.
    pub const STEPS_MAX: usize = 1_000;
    /// Characters of a name: longer ones are mistakes, and they are part of index keys.
    pub const NAME_MAX: usize = 256;
    /// Bytes of a chain's context. It is rewritten with every report.
    pub const CONTEXT_MAX: usize = 1 << 20;
    /// Levels of a patch. Merging goes down with it, and the stack has an end.
    pub const PATCH_DEPTH_MAX: usize = 128;
    /// Events that may wait for a step that wants them.
    pub const SIGNALS_MAX: usize = 1_000;
    /// Bytes of one event's payload.
    pub const PAYLOAD_MAX: usize = 256 << 10;
    /// Bytes of all payloads that wait for a step, together.
    pub const SIGNAL_BYTES_MAX: usize = 2 << 20;
    /// Event ids remembered to recognize repeats; the oldest are forgotten first.
    pub const SEEN_MAX: usize = 1_000;
    /// Outgoing events of one report.
    pub const OUTBOUND_MAX: usize = 100;
    /// Lost leases of one step before it is given up: a step that kills its worker must end.
    pub const LAPSES_MAX: u32 = 100;
    /// Characters kept of an error.
    pub const ERROR_MAX: usize = 4_096;
}

/// The machine.
#[derive(Clone, Copy, Debug)]
pub struct Chain;

impl Machine for Chain {
    const KIND: Kind = Kind::Chain;
    type Definition = Policy;
    type State = State;
    type Command = Command;
    type Event = Event;

    fn decide(turn: &mut Turn<'_, Self>, command: Command) -> Result<(), Rejection> {
        decide::decide(turn, command)
    }

    fn evolve(state: &mut State, event: &Event) {
        evolve::evolve(state, event);
    }

    fn facets(state: &State) -> Facets {
        let step = state.current_step();
        Facets {
            definition: Some(DefinitionRef {
                name: state.workflow_type.clone(),
                version: state.workflow_version,
            }),
            status: state.status.as_str().to_owned(),
            step: step.map(|it| it.step_type.clone()),
            awaits: step
                .and_then(|it| it.waiting_event_type.clone())
                .filter(|_| state.is_running()),
            business_key: state.biz_key.clone(),
            // One running chain per type and business key; the key is free again at the end.
            unique_key: state
                .biz_key
                .as_ref()
                .filter(|_| state.is_running())
                .map(|key| format!("{}\u{1f}{key}", state.workflow_type)),
        }
    }
}

/// Where a chain stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    pub status: Status,
    pub workflow_type: String,
    pub workflow_version: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub biz_key: Option<String>,
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub context: Option<Json>,
    /// The index of the step the chain is at; the last one when it has ended.
    pub current: usize,
    pub steps: Vec<Step>,
    pub started_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canceled_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancel_reason: Option<String>,
    /// Who was at work when the chain was canceled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canceled_under: Option<Lease>,
    /// Events that came before a step waited for them, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub signals: Vec<Signal>,
    /// Ids of the latest events, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<String>,
    /// The latest report, so that the same report again is answered as before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<Settled>,
}

impl State {
    /// Whether the chain goes on.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.status == Status::Running
    }

    /// The step the chain is at.
    #[must_use]
    pub fn current_step(&self) -> Option<&Step> {
        self.steps.get(self.current)
    }
}

/// The status of a chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Status {
    /// Nothing has happened yet.
    #[default]
    Absent,
    Running,
    Completed,
    Failed,
    Canceled,
}

impl Status {
    /// The status as clients see it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Absent => "ABSENT",
            Self::Running => "RUNNING",
            Self::Completed => "COMPLETED",
            Self::Failed => "FAILED",
            Self::Canceled => "CANCELED",
        }
    }
}

/// One step. That a step is *running* is not in here: it is so while somebody holds its task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Step {
    pub step_type: String,
    pub status: StepStatus,
    /// Failed executions: retries, dead verdicts and lost leases. Never lowered.
    pub attempts: u32,
    pub max_attempts: u32,
    #[serde(skip_serializing_if = "is_default")]
    pub task_type: TaskType,
    /// How many of the attempts were lost leases.
    #[serde(skip_serializing_if = "is_default")]
    pub lapses: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub activated_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_run_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_event_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
    /// The event that ended the latest wait; kept over retries and lost leases until the step is
    /// done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wake: Option<Signal>,
}

impl Step {
    /// Why the step is executed by whoever claims it: a wait can be claimed once its time is over.
    #[must_use]
    pub const fn claimed_as(&self) -> TaskType {
        match self.status {
            StepStatus::Waiting => TaskType::WaitingTimeout,
            StepStatus::Pending | StepStatus::Ready | StepStatus::Done | StepStatus::Dead => {
                self.task_type
            }
        }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A document that is there, even if it is `null`: only a member that is missing is none.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

/// The status of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum StepStatus {
    #[default]
    Pending,
    Ready,
    Waiting,
    Done,
    Dead,
}

/// Why a step is executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TaskType {
    /// It is its turn, or its event came.
    #[default]
    ReadyStep,
    /// Its event did not come in time.
    WaitingTimeout,
}

impl TaskType {
    /// The type as clients see it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReadyStep => "READY_STEP",
            Self::WaitingTimeout => "WAITING_TIMEOUT",
        }
    }
}

/// An event from outside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signal {
    pub event_type: String,
    /// Names it, so that a repeat is recognized.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<String>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub payload: Option<Json>,
    pub received_at: Timestamp,
}

/// The latest report of a chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settled {
    pub token: ClaimId,
    pub kind: ReportKind,
}

/// What a chain can be asked to do.
#[derive(Clone, Debug)]
pub enum Command {
    Start(Start),
    Report(Report),
    Wake(Signal),
    /// The lease `token` on a step is past its end.
    Lapse {
        step: usize,
        token: ClaimId,
    },
    Cancel {
        reason: Option<String>,
    },
    /// Something somebody has said more about.
    Asked {
        note: Note,
        command: Box<Command>,
    },
}

/// How a chain begins: with its whole plan, so that it never needs the definition again.
#[derive(Clone, Debug)]
pub struct Start {
    pub workflow_type: String,
    pub workflow_version: i32,
    /// Each with its ceiling of attempts.
    pub steps: Vec<(String, u32)>,
    pub biz_key: Option<String>,
    pub context: Option<Json>,
}

/// What a worker says about the step it holds.
#[derive(Clone, Debug)]
pub struct Report {
    pub step: usize,
    pub held: Held,
    pub outcome: Outcome,
    /// Merged into the context: members replace, null removes.
    pub patch: Option<Json>,
    /// Sent after the commit, whatever the outcome is.
    pub outbound: Vec<Option<Outbound>>,
}

/// The lease a report rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    pub token: ClaimId,
    pub worker: WorkerId,
}

/// How an execution ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Completed,
    Waiting {
        event_type: String,
        /// For ever if absent.
        timeout: Option<Duration>,
        /// Whether events that came earlier do not count.
        discard_buffered: bool,
    },
    Retry {
        /// The policy's if absent.
        backoff: Option<Duration>,
        error: String,
    },
    Dead {
        error: String,
    },
}

impl Outcome {
    /// Which of the four it is.
    #[must_use]
    pub const fn kind(&self) -> ReportKind {
        match self {
            Self::Completed => ReportKind::Completed,
            Self::Waiting { .. } => ReportKind::Waiting,
            Self::Retry { .. } => ReportKind::Retry,
            Self::Dead { .. } => ReportKind::Dead,
        }
    }
}

/// The four outcomes by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReportKind {
    Completed,
    Waiting,
    Retry,
    Dead,
}

impl ReportKind {
    /// The kind as clients see it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "COMPLETED",
            Self::Waiting => "WAITING",
            Self::Retry => "RETRY",
            Self::Dead => "DEAD",
        }
    }
}

/// A notice a step wants sent.
#[derive(Clone, Debug, Default)]
pub struct Outbound {
    pub event_id: Option<String>,
    pub event_type: String,
    pub occurred_at: Option<Timestamp>,
    pub payload: Option<Json>,
    pub headers: BTreeMap<String, String>,
}

/// What can happen to a chain.
///
/// The name is outside, not a member: a document inside an event is kept as text, and serde cannot
/// find a tag among its neighbors without taking the text apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    Started {
        workflow_type: String,
        workflow_version: i32,
        steps: Vec<(String, u32)>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        biz_key: Option<String>,
        #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
        context: Option<Json>,
        at: Timestamp,
    },
    /// The chain has come to this step.
    StepReady {
        step: usize,
        at: Timestamp,
    },
    StepDone {
        step: usize,
        by: Held,
    },
    StepWaiting {
        step: usize,
        event_type: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        deadline_at: Option<Timestamp>,
        by: Held,
    },
    StepWoken {
        step: usize,
        signal: Signal,
        at: Timestamp,
        /// Whether the event had come before the step waited for it.
        buffered: bool,
    },
    StepRetried {
        step: usize,
        next_run_at: Timestamp,
        error: String,
        by: Held,
    },
    /// The worker disappeared; the step may be claimed again.
    StepLapsed {
        step: usize,
        at: Timestamp,
    },
    StepDead {
        step: usize,
        error: String,
        /// Absent when no worker said so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<(Held, ReportKind)>,
    },
    SignalBuffered {
        signal: Signal,
    },
    SignalsDiscarded {
        event_type: String,
    },
    ContextPatched {
        patch: Json,
    },
    Completed {
        at: Timestamp,
    },
    Failed {
        at: Timestamp,
    },
    Canceled {
        at: Timestamp,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        under: Option<Lease>,
    },
    /// Who asked for what has just happened, and why.
    Asked(Note),
}

/// The task of a step.
pub(super) fn task_id(step: usize) -> TaskId {
    step.to_string().into()
}
