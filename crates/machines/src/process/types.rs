//! What a process is, and where it can stand.

use std::{collections::BTreeMap, sync::Arc};

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use waypost_kernel::{
    DefinitionRef, Facets, InstanceId, Kind, Lease, Machine, Rejection, TaskId, TimerId, Timestamp,
    Turn,
};

use super::{Command, Event, Graph, StepId, Variables, decide, evolve};

/// How much of everything a process takes, and why not more.
pub mod limits {
    /// Steps of one definition. Larger ones are not drawn by people, and each is checked.
    pub const STEPS_MAX: usize = 2_000;
    /// Characters of a definition's or step's id: they are part of index keys.
    pub const ID_MAX: usize = 256;
    /// Branches of one gateway: each is entered in the same commit.
    pub const BRANCHES_MAX: usize = 100;
    /// Automatic retries of one task. More is a loop nobody meant.
    pub const RETRIES_MAX: u32 = 10_000;
    /// Steps passed in one turn without resting: two decisions may point at each other.
    pub const AUTOMATIC_MAX: usize = 10_000;
    /// Bytes of an instance's variables. They are rewritten with every change.
    pub const VARIABLES_MAX: usize = 1 << 20;
    /// Levels of an instance's variables, which what reads them must be able to go down.
    pub const DEPTH_MAX: usize = 100;
    /// Visits and tasks of one instance: their names have room for that many numbers.
    pub const NUMBER_MAX: u32 = (1 << 25) - 1;
    /// Characters kept of an error or a reason.
    pub const REASON_MAX: usize = 4_096;
}

/// The machine.
#[derive(Clone, Copy, Debug)]
pub struct Process;

impl Machine for Process {
    const KIND: Kind = Kind::Process;
    type Definition = Graph;
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
        let steps = state.current_steps();
        let is_open = state.phase == Phase::Running;
        let rests = |wanted: &Rest| is_open && state.stays.iter().any(|it| it.rest == *wanted);
        let awaits = match () {
            () if rests(&Rest::User) => Some(Rest::USER),
            () if rests(&Rest::Signal) => Some(Rest::SIGNAL),
            () => None,
        };
        Facets {
            definition: Some(state.definition.clone()),
            status: state.status().as_str().to_owned(),
            step: (!steps.is_empty()).then(|| steps.join("\u{1f}")),
            awaits: awaits.map(str::to_owned),
            business_key: state.business_key.clone(),
            // One instance under way per definition and key, whatever the version.
            unique_key: state
                .business_key
                .as_ref()
                .filter(|_| is_open)
                .map(|key| format!("{}\u{1f}{key}", state.definition.name)),
        }
    }
}

/// Where an instance stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    pub phase: Phase,
    pub definition: DefinitionRef,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub business_key: Option<String>,
    /// The instance whose end has started this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<InstanceId>,
    pub variables: Arc<Variables>,
    /// The variables as they were when tasks that are open were offered. Many share one.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub snapshots: BTreeMap<u32, Arc<Variables>>,
    /// Where the instance rests, in the order of arrival.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stays: Vec<Stay>,
    /// Gateways whose branches are under way, by number.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub forks: BTreeMap<u32, Fork>,
    /// What is known of the steps that were visited.
    pub visits: IndexMap<StepId, Visits>,
    /// Paths that had not begun when the instance failed, the first of them last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<Path>,
    /// The last number given to a visit, a task or a fork.
    pub last: u32,
    pub started_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// Why it failed or was canceled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl State {
    /// Where the instance stands, in the words of its users.
    #[must_use]
    pub fn status(&self) -> Status {
        match self.phase {
            Phase::Absent | Phase::Running => {
                let waits = |it: &Stay| matches!(it.rest, Rest::User | Rest::Signal);
                if self.stays.iter().any(waits) { Status::Waiting } else { Status::Active }
            }
            Phase::Completed => Status::Completed,
            Phase::Failed => Status::Failed,
            Phase::Canceled => Status::Cancelled,
        }
    }

    /// The steps the instance is at, each once.
    #[must_use]
    pub fn current_steps(&self) -> Vec<&str> {
        let mut steps: Vec<&str> = Vec::with_capacity(self.stays.len());
        for stay in &self.stays {
            if !steps.contains(&&*stay.step) {
                steps.push(&stay.step);
            }
        }
        steps
    }

    /// The stay that has this task open.
    #[must_use]
    pub fn stay_of_task(&self, task: u32) -> Option<&Stay> {
        let has_task = |it: &&Stay| matches!(it.rest, Rest::Task { number, .. } if number == task);
        self.stays.iter().find(has_task)
    }

    /// Where among the stays the latest is that has failed at a step.
    pub(super) fn failed_at(&self, step: &str) -> Option<usize> {
        self.stays.iter().rposition(|it| it.rest == Rest::Failed && *it.step == *step)
    }

    /// What a worker who takes the task is to know.
    #[must_use]
    pub fn input_of<'s>(&'s self, stay: &'s Stay) -> &'s Arc<Variables> {
        let snapshot = match &stay.rest {
            Rest::Task { input, .. } => input.and_then(|it| self.snapshots.get(&it)),
            Rest::User | Rest::Signal | Rest::Join { .. } | Rest::Failed => None,
        };
        snapshot.unwrap_or(&self.variables)
    }
}

/// How far an instance is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Phase {
    /// Nothing has happened yet.
    #[default]
    Absent,
    Running,
    Completed,
    /// Ended, unless somebody has a step tried again.
    Failed,
    Canceled,
}

/// How far an instance is, as its users see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Status {
    Active,
    /// Under way, and waiting for a person or a signal.
    Waiting,
    Completed,
    Failed,
    Cancelled,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Active, Self::Waiting, Self::Completed, Self::Failed, Self::Cancelled];

    /// The status as clients see it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "ACTIVE",
            Self::Waiting => "WAITING",
            Self::Completed => "COMPLETED",
            Self::Failed => "FAILED",
            Self::Cancelled => "CANCELLED",
        }
    }
}

/// A step the instance rests at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stay {
    /// The number of the visit.
    pub visit: u32,
    pub step: StepId,
    /// The branch of a gateway this path belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<Branch>,
    pub since: Timestamp,
    pub rest: Rest,
}

/// What a step waits for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rest {
    /// A program.
    Task {
        /// The number of the task: another one for each delivery.
        number: u32,
        retries: u32,
        /// The snapshot that tells what the task is about, where variables have changed since.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<u32>,
        /// Who was at it when the instance last failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        held: Option<Lease>,
    },
    /// A person.
    User,
    /// A signal.
    Signal,
    /// The other branches.
    Join { fork: u32 },
    /// Somebody who has it tried again.
    Failed,
}

impl Rest {
    /// What an instance with an open user task awaits.
    pub const USER: &'static str = "USER_TASK";
    /// What an instance that rests at a WAIT awaits.
    pub const SIGNAL: &'static str = "SIGNAL";
}

/// A way to go on: a step, and the branch of a gateway it is reached on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Path {
    pub step: StepId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<Branch>,
}

/// One of the paths a gateway has opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Branch {
    pub fork: u32,
    pub index: u32,
}

/// A gateway whose branches are under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fork {
    /// Where the branches meet.
    pub join: StepId,
    /// How many there are.
    pub branches: u32,
    /// Those that have arrived.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arrived: Vec<u32>,
    /// The branch of another gateway that this one lies on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outer: Option<Branch>,
}

impl Fork {
    /// Whether all branches have met.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.arrived.len() >= self.branches as usize
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// What is known of a step that was visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visits {
    /// How often.
    pub count: u32,
    /// The number of the latest.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub latest: u32,
    /// Whether the latest visit has failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// The branch the latest failed visit lay on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<Branch>,
}

/// What a timer of an instance stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Alarm {
    /// A timer at a step.
    Boundary { visit: u32, timer: usize },
    /// The next definition is to start.
    Next { definition: String },
}

/// The timer that starts the next definition.
pub(super) fn next_id() -> TimerId {
    "next".into()
}

/// A timer of a visit.
pub(super) fn timer_id(visit: u32, timer: usize) -> TimerId {
    format!("{visit}.{timer}").into()
}

/// A task, by its number.
pub(super) fn task_id(task: u32) -> TaskId {
    task.to_string().into()
}
