//! Handing out the steps of chains, and taking them back.

use std::{sync::Arc, time::Duration};

use waypost_kernel::{
    Claim, Expectation, Json, Key, Kind, Record, Rejection, RejectionCode as Code, StoreError,
    Task, TaskChange, TaskRef, Timestamp, Urgency, WorkerId,
};
use waypost_machines::chain::{
    Chain, Command, Event, Held, Outbound, Outcome, Report, ReportKind, State, Status,
    limits as chain_limits,
};

use super::{
    handle::Chains,
    request::{ClaimRequest, Reported},
    token::LeaseToken,
    view::TaskView,
};
use crate::{
    error::Error,
    limits::{CLAIM_MAX, CLAIM_WAIT_MAX, DELAY_MAX, HOT_STATE_MAX, LEASE_MAX, LEASE_MIN},
    metrics::Metrics,
    queue,
    turn::{Landed, Submission, lease_only, read},
};

impl Chains {
    /// Hands out work.
    ///
    /// # Errors
    /// When the request makes no sense, or too many are waiting.
    pub async fn claim(&self, request: ClaimRequest) -> Result<Vec<TaskView>, Error> {
        check_claim(&request)?;
        let tasks = queue::claim(&self.shared, || self.claim_of(&request), request.wait).await?;
        self.hand_out(&tasks).await
    }

    fn claim_of(&self, request: &ClaimRequest) -> Claim {
        Claim {
            id: self.shared.ids.claim(),
            tenant: self.tenant.clone(),
            kind: Kind::Chain,
            worker: request.worker.clone(),
            families: request.workflow_types.clone(),
            queues: request.step_types.clone(),
            limit: request.max,
            lease: request.lease,
        }
    }

    /// Adds what the worker needs to know. What is at hand is new enough if it is not older than
    /// the task.
    async fn hand_out(&self, tasks: &[Task]) -> Result<Vec<TaskView>, Error> {
        let lanes = &self.shared.chains.lanes;
        let peeked: Vec<_> = tasks.iter().map(|it| lanes.peek(&it.at.key, it.version)).collect();
        let missing: Vec<Key> = tasks
            .iter()
            .zip(&peeked)
            .filter(|(_, hot)| hot.is_none())
            .map(|(task, _)| task.at.key.clone())
            .collect();
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
            self.shared.metrics.claim_delay.observe(now.since(task.ready_at).as_secs_f64());
            views.extend(state.and_then(|state| TaskView::new(task, state)));
        }
        self.shared.metrics.claimed.inc_by(views.len() as u64);
        Ok(views)
    }

    /// A state that cannot be read keeps its task out of the answer, and nobody else's.
    fn fresh(&self, record: Option<Record>) -> Option<Arc<State>> {
        let record = record?;
        match read::<Chain>(&record.key, record.version, &record.state) {
            Ok(hot) => {
                if record.state.as_str().len() <= HOT_STATE_MAX {
                    self.shared.chains.lanes.keep(&record.key, hot.clone());
                }
                Some(hot.state)
            }
            Err(error) => {
                tracing::error!(%error, "a claimed task cannot be handed out");
                None
            }
        }
    }

    /// Takes a worker's report.
    ///
    /// # Errors
    /// `LEASE_LOST` when the lease is not held any more; nothing has changed then.
    pub async fn report(
        &self,
        (token, worker): (&LeaseToken, &WorkerId),
        outcome: Outcome,
        patch: Option<Json>,
        outbound: Vec<Option<Outbound>>,
    ) -> Result<Reported, Error> {
        check_outcome(&outcome)?;
        let kind = outcome.kind();
        let held = Held { token: token.claim.clone(), worker: worker.clone() };
        let report = Report { step: token.step, held, outcome, patch, outbound };
        let key = self.key(&token.instance);
        let urgency = Urgency::Finish;
        let submission = Submission { urgency, ..self.submission(&key, Command::Report(report)) };
        let landed = match self.shared.chains.submit(submission).await {
            Ok(landed) => landed,
            Err(error) => return Err(self.late(error)),
        };
        Metrics::count(&self.shared.metrics.reports, kind.as_str());
        self.count_exhausted(&landed);
        Ok(Reported { state: landed.state, step: token.step })
    }

    /// A report names its chain by the lease: without the chain there is no lease.
    fn late(&self, error: Error) -> Error {
        let Error::Rejected(Rejection { code, .. }) = &error else { return error };
        let is_unknown = *code == Code::InstanceNotFound;
        if !is_unknown && *code != Code::LeaseLost {
            return error;
        }
        self.shared.metrics.leases_lost.inc();
        if is_unknown { Error::rejected(Code::LeaseLost, "there is no such lease") } else { error }
    }

    fn count_exhausted(&self, landed: &Landed<Chain>) {
        let is_exhausted = |event: &Event| {
            matches!(event, Event::StepDead { by: Some((_, ReportKind::Retry)), .. })
        };
        if landed.events.iter().any(is_exhausted) {
            self.shared.metrics.retries_exhausted.inc();
        }
    }

    /// Prolongs a lease; says until when.
    ///
    /// # Errors
    /// `LEASE_LOST` when it is not held any more, `INSTANCE_CANCELED` when there is no use in it.
    pub async fn renew(
        &self,
        token: &LeaseToken,
        worker: &WorkerId,
        lease: Duration,
    ) -> Result<Timestamp, Error> {
        check_lease(lease)?;
        let until = self.shared.store.now() + lease;
        let change = TaskChange::Extend { task: self.task(token), until };
        self.change_lease(token, worker, change).await?;
        Ok(until)
    }

    /// Gives work back that was not begun. It costs no attempt.
    ///
    /// # Errors
    /// `LEASE_LOST` when it is not held any more.
    pub async fn release(&self, token: &LeaseToken, worker: &WorkerId) -> Result<(), Error> {
        self.change_lease(token, worker, TaskChange::Release(self.task(token))).await
    }

    fn task(&self, token: &LeaseToken) -> TaskRef {
        TaskRef { key: self.key(&token.instance), id: token.step.to_string().into() }
    }

    async fn change_lease(
        &self,
        token: &LeaseToken,
        worker: &WorkerId,
        change: TaskChange,
    ) -> Result<(), Error> {
        let (task, claim, worker) = (self.task(token), token.claim.clone(), worker.clone());
        let expect = Expectation::Lease { task, token: claim, worker };
        match self.shared.store.commit(lease_only(expect, change)).await {
            Ok(_) => Ok(()),
            Err(StoreError::Conflict(_)) => Err(self.why_lost(token).await?),
            Err(error) => Err(error.into()),
        }
    }

    async fn why_lost(&self, token: &LeaseToken) -> Result<Error, Error> {
        self.shared.metrics.leases_lost.inc();
        let hot = self.shared.chains.load(&self.key(&token.instance)).await?;
        Ok(match hot.map(|it| it.state.status) {
            Some(Status::Canceled) => {
                Error::rejected(Code::InstanceCanceled, "the chain was canceled meanwhile")
            }
            Some(Status::Absent | Status::Running | Status::Completed | Status::Failed) | None => {
                let detail = format!("the lease on step {} is not held any more", token.step);
                Error::rejected(Code::LeaseLost, detail)
            }
        })
    }

    /// Takes a step back from a worker whose lease has lapsed.
    pub(crate) async fn lapse(&self, task: Task) -> Result<(), Error> {
        let lease = task.lease.ok_or(Error::Overtaken)?;
        let step = task.at.id.as_str().parse().map_err(|_| Error::Overtaken)?;
        let command = Command::Lapse { step, token: lease.token };
        let submission =
            Submission { urgency: Urgency::Finish, ..self.submission(&task.at.key, command) };
        self.shared.chains.submit(submission).await.map(drop)
    }
}

fn check_claim(request: &ClaimRequest) -> Result<(), Error> {
    let worker = request.worker.as_str();
    if worker.trim().is_empty() || worker.chars().count() > chain_limits::NAME_MAX {
        let most = chain_limits::NAME_MAX;
        return invalid(format!("workerId must have 1 to {most} characters and not be blank"));
    }
    if !(1..=CLAIM_MAX).contains(&request.max) {
        return invalid(format!("max must be 1 to {CLAIM_MAX}, is {}", request.max));
    }
    if request.wait > CLAIM_WAIT_MAX {
        let most = CLAIM_WAIT_MAX.as_millis();
        return invalid(format!("waitMs must be at most {most}, is {}", request.wait.as_millis()));
    }
    check_lease(request.lease)
}

fn check_lease(lease: Duration) -> Result<(), Error> {
    if (LEASE_MIN..=LEASE_MAX).contains(&lease) {
        return Ok(());
    }
    let (least, most) = (LEASE_MIN.as_millis(), LEASE_MAX.as_millis());
    invalid(format!("leaseMs must be {least} to {most}, is {}", lease.as_millis()))
}

fn check_outcome(outcome: &Outcome) -> Result<(), Error> {
    let (name, delay) = match outcome {
        Outcome::Waiting { timeout, .. } => ("timeoutMs", timeout),
        Outcome::Retry { backoff, .. } => ("backoffMs", backoff),
        Outcome::Completed | Outcome::Dead { .. } => return Ok(()),
    };
    match delay {
        Some(delay) if *delay > DELAY_MAX => {
            let most = DELAY_MAX.as_millis();
            invalid(format!("result.{name} must be at most {most}, is {}", delay.as_millis()))
        }
        Some(_) | None => Ok(()),
    }
}

fn invalid(detail: String) -> Result<(), Error> {
    Err(Error::rejected(Code::FieldInvalid, detail))
}
