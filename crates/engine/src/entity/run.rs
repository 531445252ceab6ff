//! Runs an entity through its workflow, asking members on the way: decide, ask, decide again.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, PoisonError},
};

use waypost_documents::document::Value;
use waypost_kernel::DefinitionRef;
use waypost_machines::entity::cascade::{
    self, Asked, Call, Cause, Command, Failure, FailureKind, Limits, Ran, Replies, Reply, Retry,
    Run, Stop,
};

use super::{
    Answer, Code, Entities, Fault, Question, Refusal,
    model::Model,
    transaction::{LayerId, Transaction},
    work::Work,
};
use crate::{error::Error, foresight, limits::CALLS_MAX, turn::message_of};

impl Entities {
    /// Where the entity comes to rest.
    pub(super) async fn run(
        &self,
        work: &Work,
        model: &Model,
        which: &DefinitionRef,
        (command, entity): (Command<'_>, cascade::Entity<'_>),
    ) -> Result<Ran, Fault> {
        let visits_max = self.home().rules.state_visits_max;
        let limits = Limits { visits_max, ..Limits::default() };
        let workflows = &model.workflows.list;
        let mut replies = Replies::new();
        loop {
            // Members take their time, and what they are asked for on the way is not scheduled yet.
            let run = Run { command, entity, workflows, limits, now: self.store().now() };
            let call = match decide(run, model, &replies)? {
                Ok(ran) => return Ok(ran),
                Err(Stop::Failed(failure)) => return Err(refused(*failure).into()),
                Err(Stop::Call(call)) => call,
            };
            if replies.len() >= CALLS_MAX {
                let detail = format!("a run asks compute members at most {CALLS_MAX} times");
                return Err(Refusal::new(Code::WorkflowFailed, detail).into());
            }
            let reply = self.ask(work, which, &entity, &call).await?;
            replies.insert(call.key, reply);
        }
    }

    /// Asks members as often as the call's policy says. What they did is kept only if they succeed,
    /// what they had to say in any case.
    async fn ask(
        &self,
        work: &Work,
        which: &DefinitionRef,
        entity: &cascade::Entity<'_>,
        call: &Call,
    ) -> Result<Reply, Fault> {
        if foresight::is_foreseeing() {
            return Ok(unheard(call));
        }
        self.open_up(work).await?;
        let policy = Retry::named(&call.terms.retry_policy).unwrap_or(Retry::Once);
        let (mut avoid, mut warnings) = (Vec::new(), Vec::new());
        for n_attempts in 1.. {
            let transaction = &work.transaction;
            let layer = match transaction.open(work.layer) {
                Ok(layer) => layer,
                // Without a savepoint the member cannot be asked, which is its failure.
                Err(refusal) if refusal.code == Code::TransactionTooLarge => {
                    return Ok(unasked(refusal.detail, warnings));
                }
                Err(refusal) => return Err(refusal.into()),
            };
            if let Err(error) = self.hold_while_asking(work, call).await {
                transaction.discard(layer);
                return Err(error.into());
            }
            let question = Question {
                caller: &transaction.caller,
                call,
                entity: entity.id,
                model: which,
                created_at: entity.created_at,
                updated_at: entity.updated_at,
                transaction: &transaction.id,
                layer: layer.0,
                avoid: &avoid,
            };
            let Answer { reply, member } = self.home().compute.ask(question).await;
            let mut reply = keep(transaction, layer, (call, entity.id), reply)?;
            let Reply::Failed { cause, message, .. } = &reply else {
                reply.warn_before(warnings);
                return Ok(reply);
            };
            transaction.discard(layer);
            avoid.extend(member);
            let Some(apart) = policy.wait(n_attempts, *cause, self.home().rules.pace) else {
                note_failure(call, entity.id, message);
                reply.warn_before(warnings);
                return Ok(reply);
            };
            reply.warn_before(std::mem::take(&mut warnings));
            warnings = reply.into_warnings();
            tokio::time::sleep(apart).await;
        }
        Err(Error::Defect("a policy asks for ever".to_owned()).into())
    }

    /// From now on others may join the transaction, and nobody has to wait for it.
    async fn open_up(&self, work: &Work) -> Result<(), Fault> {
        if !work.transaction.is_told() {
            let (at, ()) = tokio::try_join!(self.moment(), self.confirm(work))?;
            work.transaction.tell(at);
        }
        work.let_go();
        let mut listed = work.listed.lock().unwrap_or_else(PoisonError::into_inner);
        if listed.is_none() && self.within.is_none() {
            *listed = Some(self.home().transactions.list(&Arc::clone(&work.transaction))?);
        }
        Ok(())
    }
}

/// Makes what a member did through callbacks part of the transaction, if it is done and that can be.
fn keep(
    transaction: &Transaction,
    layer: LayerId,
    (call, entity): (&Call, &str),
    reply: Reply,
) -> Result<Reply, Fault> {
    if matches!(reply, Reply::Failed { .. }) {
        return Ok(reply);
    }
    let written = transaction.written(layer, &entity.into())?;
    match (&written, &call.asked) {
        (Some(it), _) if it.is_deleted => {
            let message = "it has deleted the entity that it was asked about".to_owned();
            return Ok(unasked(message, reply.into_warnings()));
        }
        (Some(_), Asked::Function { .. }) => {
            let message = "it has written the entity that it was asked about".to_owned();
            return Ok(unasked(message, reply.into_warnings()));
        }
        (Some(_) | None, _) => {}
    }
    match (transaction.merge(layer), &call.asked) {
        (Ok(()), _) => {}
        (Err(refusal), Asked::Processor { is_apart: true, .. }) => {
            return Ok(unasked(refusal.detail, reply.into_warnings()));
        }
        (Err(refusal), _) => return Err(refusal.into()),
    }
    Ok(match (written, &call.asked, reply) {
        (Some(it), Asked::Processor { is_apart: true, .. }, Reply::Processed { warnings, .. })
        | (Some(it), _, Reply::Processed { value: None | Some(Value::Null), warnings }) => {
            Reply::Written { value: it.document()?, warnings }
        }
        (_, _, reply) => reply,
    })
}

/// Who would be asked is only noted: members may act on the outside. A processor is taken to leave
/// the entity alone; what a criterion would say cannot be known.
fn unheard(call: &Call) -> Reply {
    match &call.asked {
        Asked::Processor { name, .. } => {
            foresight::note_asked(name);
            Reply::Processed { value: None, warnings: Vec::new() }
        }
        Asked::Function { name, .. } => {
            let message = format!("nobody is asked about {name:?} in a dry run");
            unasked(message, Vec::new())
        }
    }
}

fn unasked(message: String, warnings: Vec<String>) -> Reply {
    Reply::Failed { cause: Cause::Refused { is_retryable: false }, message, warnings }
}

/// The write goes on without what a processor apart has failed to do: somebody should know.
fn note_failure(call: &Call, entity: &str, message: &str) {
    if let Asked::Processor { name, is_apart: true } = &call.asked {
        // A field named `message` would stand beside the message of the line itself.
        tracing::warn!(processor = name, entity, cause = message, "a processor apart has failed");
    }
}

/// A defect ends this run and nothing else.
fn decide(run: Run<'_>, model: &Model, replies: &Replies) -> Result<Result<Ran, Stop>, Error> {
    let decide = || {
        let mut judge = |question: cascade::Question<'_>| model.workflows.judge(&question);
        cascade::run(run, replies, &mut judge)
    };
    catch_unwind(AssertUnwindSafe(decide)).map_err(|panic| Error::Defect(message_of(&*panic)))
}

fn refused(failure: Failure) -> Refusal {
    let code = match failure.kind {
        FailureKind::TransitionNotFound => Code::TransitionNotFound,
        FailureKind::WorkflowFailed => Code::WorkflowFailed,
        FailureKind::NoComputeMemberForTag => Code::NoComputeMemberForTag,
        FailureKind::ComputeMemberDisconnected => Code::ComputeMemberDisconnected,
        FailureKind::DispatchForwardFailed => Code::DispatchForwardFailed,
    };
    Refusal { warnings: failure.warnings, ..Refusal::new(code, failure.text) }
}
