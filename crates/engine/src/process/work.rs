//! Handing out the tasks of processes, and taking them back.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;
use waypost_kernel::{
    Claim, Expectation, Key, Kind, Rejection, RejectionCode as Code, StoreError, Task, TaskChange,
    TaskRef, Timestamp, Urgency, WorkerId,
};
use waypost_machines::process::{Command, Event, Phase, Process, State, Variables};

use super::{
    handle::Processes,
    names,
    request::{Callback, Poll},
    view::TaskView,
};
use crate::{
    error::Error,
    limits::{CLAIM_MAX, HOT_STATE_MAX},
    queue,
    turn::{Landed, lease_only, read},
};

/// A lease is good up to and including its last instant. Workers of processes are told the first
/// instant at which it is not: this much later.
const INSTANT: Duration = Duration::from_micros(1);

/// The first instant at which a lease that is good until `until` is not good any more.
pub(super) fn lapse_of(until: Timestamp) -> Timestamp {
    until + INSTANT
}

impl Processes {
    /// Hands out tasks, longest ready first.
    ///
    /// # Errors
    /// When too many are waiting, or the store cannot.
    pub async fn poll(&self, poll: &Poll) -> Result<Vec<TaskView>, Error> {
        let began = Instant::now();
        let is_known = |it: &&String| !it.contains('\0');
        let queues: Vec<String> = poll.queues.iter().filter(is_known).cloned().collect();
        let claim = || Claim {
            id: self.shared.ids.claim(),
            tenant: self.tenant.clone(),
            kind: Kind::Process,
            worker: poll.worker.clone(),
            families: None,
            queues: Some(queues.clone()),
            limit: poll.max.min(CLAIM_MAX),
            lease: poll.lease.saturating_sub(INSTANT),
        };
        let tasks = queue::claim(&self.shared, claim, poll.wait).await?;
        let views = self.hand_out(&tasks).await?;
        // What waits on purpose says nothing about how long polling takes.
        if poll.wait.is_zero() {
            let took = began.elapsed().as_secs_f64();
            self.shared.metrics.process.poll_latency.observe(took);
        }
        Ok(views)
    }

    /// Adds what the worker needs to know. What is at hand is new enough if it is not older than
    /// the task.
    async fn hand_out(&self, tasks: &[Task]) -> Result<Vec<TaskView>, Error> {
        let lanes = &self.shared.processes.lanes;
        let peeked: Vec<_> = tasks.iter().map(|it| lanes.peek(&it.at.key, it.version)).collect();
        let missing = tasks.iter().zip(&peeked).filter(|(_, hot)| hot.is_none());
        let missing: Vec<Key> = missing.map(|(task, _)| task.at.key.clone()).collect();
        let mut loaded = match missing.is_empty() {
            true => Vec::new(),
            false => self.shared.store.load(&missing).await?,
        }
        .into_iter();
        let now = self.shared.store.now();
        let mut views = Vec::with_capacity(tasks.len());
        for (task, hot) in tasks.iter().zip(peeked) {
            let state = match hot {
                Some(hot) => Some(hot.state),
                None => self.fresh(loaded.next().flatten()),
            };
            let waited = now.since(task.ready_at).as_secs_f64();
            self.shared.metrics.process.pickup_latency.observe(waited);
            views.extend(state.and_then(|state| TaskView::new(task, &state, now)));
        }
        self.shared.metrics.claimed.inc_by(views.len() as u64);
        Ok(views)
    }

    /// A state that cannot be read keeps its task out of the answer, and nobody else's.
    fn fresh(&self, record: Option<waypost_kernel::Record>) -> Option<Arc<State>> {
        let record = record?;
        match read::<Process>(&record.key, record.version, &record.state) {
            Ok(hot) => {
                if record.state.as_str().len() <= HOT_STATE_MAX {
                    self.shared.processes.lanes.keep(&record.key, hot.clone());
                }
                Some(hot.state)
            }
            Err(error) => {
                tracing::error!(%error, "a task cannot be handed out");
                None
            }
        }
    }

    /// A worker has done a task.
    ///
    /// # Errors
    /// When there is no such task, or the output breaks the step's schema; the instance has failed
    /// then.
    pub async fn complete(
        &self,
        task: &str,
        worker: WorkerId,
        output: Variables,
    ) -> Result<Callback, Error> {
        let (key, task) = self.task(task)?;
        let landed = self.report(&key, Command::Complete { task, worker, output }).await?;
        let violation = landed.iter().flat_map(|it| &it.events).find_map(|event| {
            let Event::StepFailed { reason, .. } = event else { return None };
            reason.starts_with("schema violation: ").then(|| reason.clone())
        });
        match violation {
            Some(violation) => Err(Error::rejected(Code::SchemaViolated, violation)),
            None => Ok(self.callback(landed.as_ref())),
        }
    }

    /// A worker could not do a task.
    ///
    /// # Errors
    /// When there is no such task.
    pub async fn fail(
        &self,
        task: &str,
        worker: WorkerId,
        error: Option<String>,
        retryable: bool,
    ) -> Result<Callback, Error> {
        let (key, task) = self.task(task)?;
        let command = Command::Fail { task, worker, error, retryable };
        let landed = self.report(&key, command).await?;
        Ok(self.callback(landed.as_ref()))
    }

    fn task(&self, name: &str) -> Result<(Key, u32), Error> {
        let (instance, number) = names::parent(name).ok_or_else(no_task)?;
        Ok((self.key(&instance), number))
    }

    /// Decides about a report; nothing if it came too late.
    async fn report(&self, key: &Key, command: Command) -> Result<Option<Landed<Process>>, Error> {
        match self.submit(key, command, Urgency::Finish).await {
            Ok(landed) => Ok(Some(landed)),
            Err(Error::Rejected(Rejection { code: Code::LeaseLost, .. })) => Ok(None),
            Err(Error::Rejected(Rejection { code: Code::InstanceNotFound, .. })) => Err(no_task()),
            Err(error) => Err(error),
        }
    }

    fn callback(&self, landed: Option<&Landed<Process>>) -> Callback {
        match landed {
            Some(landed) if !landed.events.is_empty() => Callback::Accepted,
            Some(_) | None => {
                self.shared.metrics.process.ignored.inc();
                Callback::Ignored
            }
        }
    }

    /// Prolongs the hold on a task; says at which instant it will have lapsed, never an earlier one
    /// than before.
    ///
    /// # Errors
    /// `LEASE_LOST` when `worker` does not hold it.
    pub async fn extend(
        &self,
        task: &str,
        worker: &WorkerId,
        lease: Duration,
    ) -> Result<Timestamp, Error> {
        let lost = || Error::rejected(Code::LeaseLost, "the job is not held by this worker");
        let Ok((key, number)) = self.task(task) else { return Err(lost()) };
        let at = TaskRef { key: key.clone(), id: number.to_string().into() };
        let tasks = self.shared.store.tasks(std::slice::from_ref(&key)).await?;
        let held = tasks.into_iter().find(|it| it.at == at).and_then(|it| it.lease);
        let held = held.filter(|it| it.worker == *worker).ok_or_else(lost)?;
        let until = held.until.max(self.shared.store.now() + lease - INSTANT);
        let expect =
            Expectation::Lease { task: at.clone(), token: held.token, worker: worker.clone() };
        let change = TaskChange::Extend { task: at, until };
        match self.shared.store.commit(lease_only(expect, change)).await {
            Ok(_) => Ok(lapse_of(until)),
            Err(StoreError::Conflict(_)) => Err(lost()),
            Err(error) => Err(error.into()),
        }
    }

    /// Gives a task back that was not begun.
    ///
    /// # Errors
    /// `LEASE_LOST` when it is not held any more.
    pub async fn release(&self, task: &TaskView) -> Result<(), Error> {
        let (key, number) = self.task(&task.id)?;
        let at = TaskRef { key, id: number.to_string().into() };
        let (token, worker) = (task.token.clone(), task.worker.clone());
        let expect = Expectation::Lease { task: at.clone(), token, worker };
        self.shared.store.commit(lease_only(expect, TaskChange::Release(at))).await?;
        Ok(())
    }

    /// Takes a task back from a worker whose lease has lapsed.
    pub(crate) async fn lapse(&self, task: Task) -> Result<(), Error> {
        let lease = task.lease.ok_or(Error::Overtaken)?;
        let number = task.at.id.as_str().parse().map_err(|_| Error::Overtaken)?;
        let command = Command::Lapse { task: number, token: lease.token };
        let landed = self.submit(&task.at.key, command, Urgency::Finish).await?;
        if landed.events.is_empty() {
            debug_assert_ne!(landed.state.phase, Phase::Absent);
            return Err(Error::Overtaken);
        }
        self.shared.metrics.process.timeouts.inc();
        Ok(())
    }
}

fn no_task() -> Error {
    Error::rejected(Code::TaskNotFound, "job not found")
}
