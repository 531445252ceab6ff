//! What the writer is asked to do, and the outcome it keeps back until that has landed.

use std::time::Duration;

use tokio::sync::oneshot;
use waypost_kernel::{Claim, ClaimId, Commit, Hint, Posted, Receipt, StoreError, Task, Timestamp};

use super::{facts::Tables, fault::fault};
use crate::check::{Verdict, judge, receipt};

/// One thing for the writer to do.
pub(super) enum Operation {
    Commit(Ticket<Submission, Receipt>),
    Claim(Ticket<Claim, Vec<Task>>),
    Post(Ticket<Take, Vec<Posted>>),
    Forget(Ticket<Forget, u32>),
    /// Answered once all that was asked before is written, and what comes is later.
    Settle(Ticket<Timestamp, ()>),
}

/// A commit, and what to tell others once it has landed.
pub(super) struct Submission {
    pub(super) commit: Commit,
    pub(super) hints: Vec<Hint>,
}

/// A sender's request for messages.
pub(super) struct Take {
    pub(super) token: ClaimId,
    pub(super) lease: Duration,
    pub(super) limit: u32,
}

/// A request to forget requests.
pub(super) struct Forget {
    pub(super) before: Timestamp,
    pub(super) limit: u32,
}

/// What an operation did to the tables.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    Applied,
    Refused,
    Nothing,
}

/// Something asked for, and the way back to whoever asked.
pub(super) struct Ticket<Q, A> {
    pub(super) asked: Q,
    pub(super) outcome: Option<Result<A, StoreError>>,
    answer: oneshot::Sender<Result<A, StoreError>>,
}

/// Where the answer will arrive.
pub(super) type Answer<A> = oneshot::Receiver<Result<A, StoreError>>;

impl<Q, A> Ticket<Q, A> {
    pub(super) fn new(asked: Q) -> (Self, Answer<A>) {
        let (answer, receiver) = oneshot::channel();
        (Self { asked, outcome: None, answer }, receiver)
    }

    /// Whether nobody waits for the answer any more.
    pub(super) fn is_abandoned(&self) -> bool {
        self.answer.is_closed()
    }

    /// Tells the outcome. Whoever asked may have stopped listening.
    fn settle(self) {
        if let Some(outcome) = self.outcome {
            drop(self.answer.send(outcome));
        }
    }

    fn fail(self, error: StoreError) {
        drop(self.answer.send(Err(error)));
    }
}

impl Operation {
    /// Does it, and keeps the outcome. A conflict is an outcome; an error spoils the transaction.
    /// Claims are done [together](super::together), and not here.
    pub(super) fn perform(
        &mut self,
        tables: &mut Tables<'_>,
        now: Timestamp,
    ) -> Result<Effect, StoreError> {
        match self {
            Self::Commit(ticket) => {
                let (outcome, effect) = submit(&ticket.asked.commit, tables, now)?;
                ticket.asked.hints.extend(tables.take_released());
                ticket.outcome = Some(outcome);
                Ok(effect)
            }
            Self::Claim(_) => Ok(Effect::Nothing),
            // Nobody would ever send what is leased to one who has gone.
            Self::Post(ticket) if ticket.is_abandoned() => Ok(Effect::Nothing),
            Self::Post(ticket) => {
                let Take { token, lease, limit } = &ticket.asked;
                let posted = tables.post(token, now + *lease, now, *limit).map_err(fault)?;
                let effect = effect(!posted.is_empty());
                ticket.outcome = Some(Ok(posted));
                Ok(effect)
            }
            Self::Forget(ticket) => {
                let Forget { before, limit } = ticket.asked;
                let n_gone = tables.forget(before, limit).map_err(fault)?;
                ticket.outcome = Some(Ok(n_gone));
                Ok(effect(n_gone > 0))
            }
            Self::Settle(ticket) => {
                tables.pass(ticket.asked).map_err(fault)?;
                ticket.outcome = Some(Ok(()));
                Ok(Effect::Nothing)
            }
        }
    }

    /// Answers, now that it has landed.
    pub(super) fn settle(self) {
        match self {
            Self::Commit(ticket) => ticket.settle(),
            Self::Claim(ticket) => ticket.settle(),
            Self::Post(ticket) => ticket.settle(),
            Self::Forget(ticket) => ticket.settle(),
            Self::Settle(ticket) => ticket.settle(),
        }
    }

    /// Answers that it has not landed, or may not have.
    pub(super) fn fail(self, error: StoreError) {
        match self {
            Self::Commit(ticket) => ticket.fail(error),
            Self::Claim(ticket) => ticket.fail(error),
            Self::Post(ticket) => ticket.fail(error),
            Self::Forget(ticket) => ticket.fail(error),
            Self::Settle(ticket) => ticket.fail(error),
        }
    }
}

pub(super) const fn effect(has_changed: bool) -> Effect {
    if has_changed { Effect::Applied } else { Effect::Nothing }
}

type Outcome = Result<Receipt, StoreError>;

fn submit(
    commit: &Commit,
    tables: &mut Tables<'_>,
    now: Timestamp,
) -> Result<(Outcome, Effect), StoreError> {
    tables.turn_page();
    match judge(commit, tables, now)? {
        Verdict::Apply => {
            let receipt = receipt(commit, tables.stamp(commit, now)?);
            tables.apply(commit, &receipt, now).map_err(fault)?;
            Ok((Ok(receipt), Effect::Applied))
        }
        Verdict::Repeat(receipt) => Ok((Ok(receipt), Effect::Nothing)),
        Verdict::Refuse(conflict) => Ok((Err(StoreError::Conflict(conflict)), Effect::Refused)),
    }
}
