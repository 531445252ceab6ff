//! A run in the making: what it may look at, where the entity is, and what was written down.

use std::fmt;

use waypost_documents::document::Value;

use super::{
    Asked, AuditEvent, AuditKind, Call, Entity, Failure, FailureKind, Judge, Passage, Question,
    Replies, Reply, Retry, Run, Stop, Target, Terms, Verdict, judge::Guard, limits::SAID_MAX,
};
use crate::entity::workflow::{Transition, Workflow, cut};

pub(super) struct Course<'a, 'j> {
    pub(super) run: Run<'a>,
    replies: &'a Replies,
    judge: &'a mut Judge<'j>,
    /// What processors made of the value.
    pub(super) value: Option<&'a Value>,
    pub(super) state: &'a str,
    pub(super) audit: Vec<AuditEvent>,
    pub(super) warnings: Vec<String>,
    n_calls: u32,
}

/// Why a run goes no further; [`Course::stop`] adds what had happened.
pub(super) enum Halt {
    Call(Box<Call>),
    Failed { kind: FailureKind, text: String },
}

/// Where in the workflow the run is: at a transition, or about to select it.
#[derive(Clone, Copy)]
pub(super) struct Step<'a> {
    pub(super) workflow: &'a Workflow,
    pub(super) transition: Option<&'a Transition>,
}

impl<'a, 'j> Course<'a, 'j> {
    pub(super) fn new(run: Run<'a>, replies: &'a Replies, judge: &'a mut Judge<'j>) -> Self {
        Self {
            run,
            replies,
            judge,
            value: None,
            state: run.entity.state,
            audit: Vec::new(),
            warnings: Vec::new(),
            n_calls: 0,
        }
    }

    pub(super) fn note(&mut self, kind: AuditKind, details: impl Into<String>) {
        self.note_with(kind, details, None);
    }

    pub(super) fn note_with(
        &mut self,
        kind: AuditKind,
        details: impl Into<String>,
        facts: Option<Value>,
    ) {
        let (state, details) = (self.state.to_owned(), details.into());
        self.audit.push(AuditEvent { kind, state, details, facts });
    }

    /// The judge's verdict on a criterion, given what its functions have said.
    pub(super) fn put(&mut self, guard: Guard<'_>, answers: &[bool]) -> Verdict {
        let value = self.value.unwrap_or(self.run.entity.value);
        (self.judge)(Question {
            criterion: guard.criterion,
            target: guard.step.target(),
            workflow: guard.step.workflow,
            transition: guard.step.transition,
            entity: Entity { value, state: self.state, ..self.run.entity },
            answers,
        })
    }

    /// The reply to a question, if it is known. Whatever it is, its warnings are kept.
    pub(super) fn ask(
        &mut self,
        asked: Asked,
        step: Step<'_>,
        terms: Terms,
    ) -> Result<&'a Reply, Halt> {
        let key = self.n_calls;
        self.n_calls += 1;
        let Some(reply) = self.replies.get(&key) else {
            return Err(Halt::Call(Box::new(self.call(key, asked, step, terms))));
        };
        if Retry::named(&terms.retry_policy).is_none() {
            let policy = &terms.retry_policy;
            self.warn(&asked, &format!("there is no retry policy {policy:?}, it is asked once"));
        }
        for warning in reply.warnings() {
            self.warn(&asked, warning);
        }
        Ok(reply)
    }

    pub(super) fn warn(&mut self, asked: &Asked, warning: &str) {
        self.warnings.push(format!("{asked}: {}", cut(warning, SAID_MAX)));
    }

    /// What remains of the run.
    pub(super) fn stop(self, halt: Halt) -> Stop {
        let Self { audit, warnings, .. } = self;
        match halt {
            Halt::Call(call) => Stop::Call(call),
            Halt::Failed { kind, text } => {
                Stop::Failed(Box::new(Failure { kind, text, audit, warnings }))
            }
        }
    }

    fn call(&self, key: u32, asked: Asked, step: Step<'_>, terms: Terms) -> Call {
        let passage = |it: &Transition| Passage {
            name: it.name.clone(),
            from: self.state.to_owned(),
            to: it.next.clone(),
        };
        Call {
            key,
            asked,
            workflow: step.workflow.name.clone(),
            transition: step.transition.map(passage),
            state: self.state.to_owned(),
            value: self.value.unwrap_or(self.run.entity.value).clone(),
            terms,
        }
    }
}

impl Halt {
    pub(super) const fn failed(kind: FailureKind, text: String) -> Self {
        Self::Failed { kind, text }
    }
}

impl Step<'_> {
    pub(super) const fn target(&self) -> Target {
        match self.transition {
            Some(_) => Target::Transition,
            None => Target::Workflow,
        }
    }
}

impl fmt::Display for Step<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.transition {
            Some(transition) => {
                write!(out, "transition {} of workflow {}", transition.name, self.workflow.name)
            }
            None => write!(out, "workflow {}", self.workflow.name),
        }
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Processor { name, .. } => write!(out, "processor {name}"),
            Self::Function { name, .. } => write!(out, "criteria {name}"),
        }
    }
}
