//! What there is to see of processes.

use std::sync::Arc;

use waypost_kernel::{ClaimId, Key, Task, Timestamp, WorkerId};
use waypost_machines::process::{
    Attempt, Deed, Graph, Rest, State, Status, Trail, Variables, Visit,
};

use super::{names, work::lapse_of};

/// An instance as of a version.
#[derive(Clone, Debug)]
pub struct InstanceView {
    /// Its address.
    pub key: Key,
    /// How many commits it has seen.
    pub version: u64,
    /// Where it stands.
    pub state: Arc<State>,
}

impl InstanceView {
    /// Where it stands.
    #[must_use]
    pub fn status(&self) -> Status {
        self.state.status()
    }
}

/// An instance with what it runs by.
#[derive(Clone, Debug)]
pub struct Outline {
    /// The instance.
    pub view: InstanceView,
    /// What it runs by.
    pub graph: Arc<Graph>,
    /// When it was looked at.
    pub now: Timestamp,
}

/// An instance at a moment, with what it runs by and how it came there.
#[derive(Clone, Debug)]
pub struct PastView {
    /// The instance, and when it was so.
    pub outline: Outline,
    /// Its visits of steps until then.
    pub visits: Vec<Visit>,
    /// The ways it has gone until then.
    pub trail: Trail,
}

/// A task of an instance, and who holds it.
#[derive(Clone, Debug)]
pub struct JobView {
    /// Names this delivery.
    pub id: String,
    /// What was offered, and what became of it.
    pub attempt: Attempt,
    /// The kind of work.
    pub queue: String,
    /// What people call the step.
    pub label: String,
    /// Whether it can be had, or is held.
    pub is_offered: bool,
    /// Who holds it, and the first instant at which a report comes too late.
    pub held: Option<(WorkerId, Timestamp)>,
}

/// A task that was handed out.
#[derive(Clone, Debug)]
pub struct TaskView {
    /// Names this delivery.
    pub id: String,
    /// The instance it belongs to.
    pub instance: Key,
    /// The name of the visit, which stays when the task is offered again.
    pub visit: String,
    /// The step's id.
    pub step: Arc<str>,
    /// The kind of work.
    pub queue: String,
    /// How often it may still fail and be offered again.
    pub retries: u32,
    /// Who holds it.
    pub worker: WorkerId,
    /// Names this hold on it.
    pub(super) token: ClaimId,
    /// Since when it is held.
    pub leased_at: Timestamp,
    /// The first instant at which a report comes too late.
    pub lapses_at: Timestamp,
    /// Since when it could be had.
    pub created_at: Timestamp,
    /// What the instance knew when it came to the step.
    pub variables: Arc<Variables>,
}

impl TaskView {
    /// The view of a task that was just leased; none if the instance has moved on.
    pub(super) fn new(task: &Task, state: &State, leased_at: Timestamp) -> Option<Self> {
        let number = task.at.id.as_str().parse().ok()?;
        let stay = state.stay_of_task(number)?;
        let Rest::Task { retries, .. } = stay.rest else { return None };
        let lease = task.lease.clone()?;
        let instance = &task.at.key.id;
        Some(Self {
            id: names::child(instance, number),
            instance: task.at.key.clone(),
            visit: names::child(instance, stay.visit),
            step: Arc::clone(&stay.step),
            queue: task.queue.clone(),
            retries,
            lapses_at: lapse_of(lease.until),
            worker: lease.worker,
            token: lease.token,
            leased_at,
            created_at: task.ready_at,
            variables: Arc::clone(state.input_of(stay)),
        })
    }
}

/// A task that waits for a person.
#[derive(Clone, Debug)]
pub struct UserTaskView {
    /// Its name.
    pub id: String,
    /// The instance it belongs to.
    pub instance: Key,
    /// The definition's name.
    pub definition: String,
    /// The caller's name for the instance.
    pub business_key: Option<String>,
    /// The step's id.
    pub step: Arc<str>,
    /// What people call the step.
    pub label: String,
    /// Which form to show.
    pub form: String,
    /// Since when it waits.
    pub since: Timestamp,
    /// What the instance knows.
    pub variables: Arc<Variables>,
}

/// Who did what to an instance.
#[derive(Clone, Debug)]
pub struct AuditView {
    /// Its address.
    pub key: Key,
    /// What it runs by.
    pub graph: Arc<Graph>,
    /// What was done, in its order.
    pub deeds: Vec<Deed>,
}

/// What happened to an instance, visit by visit, with what it ran by.
#[derive(Clone, Debug)]
pub struct HistoryView {
    /// The instance's address.
    pub key: Key,
    /// What it runs by.
    pub graph: Arc<Graph>,
    /// Its visits of steps, in the order in which they began.
    pub visits: Vec<Visit>,
}
