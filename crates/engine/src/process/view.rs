//! What there is to see of processes.

use std::sync::Arc;

use waypost_kernel::{Key, Lease, Task, Timestamp};
use waypost_machines::process::{Graph, Rest, State, Status, Variables, Visit};

use super::names;

/// An instance as of a version.
#[derive(Clone, Debug)]
pub struct InstanceView {
    pub key: Key,
    pub version: u64,
    pub state: Arc<State>,
}

impl InstanceView {
    /// Where it stands.
    #[must_use]
    pub fn status(&self) -> Status {
        self.state.status()
    }
}

/// A task that was handed out.
#[derive(Clone, Debug)]
pub struct TaskView {
    pub id: String,
    pub instance: Key,
    /// The name of the visit, which stays when the task is offered again.
    pub visit: String,
    pub step: Arc<str>,
    pub queue: String,
    pub retries: u32,
    pub lease: Lease,
    pub leased_at: Timestamp,
    pub created_at: Timestamp,
    pub variables: Arc<Variables>,
}

impl TaskView {
    /// The view of a task that was just leased; none if the instance has moved on.
    pub(super) fn new(task: &Task, state: &State, leased_at: Timestamp) -> Option<Self> {
        let number = task.at.id.as_str().parse().ok()?;
        let stay = state.stay_of_task(number)?;
        let Rest::Task { retries, .. } = stay.rest else { return None };
        let instance = &task.at.key.id;
        Some(Self {
            id: names::child(instance, number),
            instance: task.at.key.clone(),
            visit: names::child(instance, stay.visit),
            step: Arc::clone(&stay.step),
            queue: task.queue.clone(),
            retries,
            lease: task.lease.clone()?,
            leased_at,
            created_at: task.ready_at,
            variables: Arc::clone(state.input_of(stay)),
        })
    }
}

/// A task that waits for a person.
#[derive(Clone, Debug)]
pub struct UserTaskView {
    pub id: String,
    pub instance: Key,
    pub definition: String,
    pub business_key: Option<String>,
    pub step: Arc<str>,
    pub label: String,
    /// Which form to show.
    pub form: String,
    pub since: Timestamp,
    pub variables: Arc<Variables>,
}

/// What happened to an instance, visit by visit, with what it ran by.
#[derive(Clone, Debug)]
pub struct HistoryView {
    pub key: Key,
    pub graph: Arc<Graph>,
    pub visits: Vec<Visit>,
}
