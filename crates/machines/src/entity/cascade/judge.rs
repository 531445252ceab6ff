//! Whether criteria hold. Conditions are decided by whoever runs the machine; functions are asked.

use waypost_documents::document::Value;

use super::{
    Asked, Entity, FailureKind, Function, Reply, Target,
    course::{Course, Halt, Step},
    limits::SAID_MAX,
};
use crate::entity::workflow::{Transition, Workflow, cut};

/// Decides questions. The same question must always get the same verdict.
pub type Judge<'j> = dyn FnMut(Question<'_>) -> Verdict + 'j;

/// Whether a criterion holds for the entity as it stands.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    pub criterion: &'a Value,
    pub target: Target,
    pub workflow: &'a Workflow,
    /// The transition that the criterion guards, if it does not select a workflow.
    pub transition: Option<&'a Transition>,
    /// With the value and the state that it has now.
    pub entity: Entity<'a>,
    /// What the functions of this criterion have said so far, in the order they were asked.
    pub answers: &'a [bool],
}

/// What the judge says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Yes,
    /// It does not; why, if there is more to say than that.
    No { reason: Option<String> },
    /// A function must be asked; the question is put again with its answer.
    Ask(Function),
    /// It cannot be evaluated.
    Broken(String),
}

/// Whether a criterion holds.
pub(super) enum Judged {
    Holds,
    Fails { reason: String },
}

/// Why a criterion that has nothing more to say does not hold.
const REASON: &str = "criterion did not match";

/// What is being judged.
#[derive(Clone, Copy)]
pub(super) struct Guard<'a> {
    pub(super) criterion: &'a Value,
    pub(super) step: Step<'a>,
}

pub(super) fn judge<'a>(course: &mut Course<'a, '_>, guard: Guard<'a>) -> Result<Judged, Halt> {
    let mut answers = Vec::new();
    let mut said = None;
    // Each time around uses up one reply, so this ends.
    loop {
        match course.put(guard, &answers) {
            Verdict::Yes => return Ok(Judged::Holds),
            Verdict::No { reason } => {
                let reason = reason.or(said).filter(|it| !it.is_empty());
                let reason = reason.as_deref().unwrap_or(REASON);
                return Ok(Judged::Fails { reason: cut(reason, SAID_MAX).to_owned() });
            }
            Verdict::Broken(problem) => {
                let text = format!("criterion of {} cannot be evaluated: {problem}", guard.step);
                return Err(Halt::failed(FailureKind::WorkflowFailed, text));
            }
            Verdict::Ask(function) => {
                let (matches, reason) = ask(course, guard, function)?;
                answers.push(matches);
                said = reason.or(said);
            }
        }
    }
}

/// The short name of a criterion: that of its function, or else its type.
pub(super) fn label(criterion: &Value) -> &str {
    let kind = criterion.member("type").and_then(Value::as_text).unwrap_or_default();
    let name = || criterion.member("function")?.member("name")?.as_text();
    if kind == "function" { name().unwrap_or(kind) } else { kind }
}

fn ask<'a>(
    course: &mut Course<'a, '_>,
    guard: Guard<'a>,
    function: Function,
) -> Result<(bool, Option<String>), Halt> {
    let Function { name, terms } = function;
    let asked = Asked::Function { name: name.clone(), target: guard.step.target() };
    let reply = course.ask(asked, guard.step, terms)?;
    match reply {
        Reply::Matched { matches, reason, .. } => {
            Ok((*matches, reason.clone().filter(|_| !matches)))
        }
        Reply::Failed { cause, message, .. } => {
            let message = cut(message, SAID_MAX);
            Err(Halt::failed(cause.kind(), format!("criteria {name} failed: {message}")))
        }
        Reply::Processed { .. } | Reply::Written { .. } => {
            let text = format!("criteria {name} was answered as if it were a processor");
            Err(Halt::failed(FailureKind::WorkflowFailed, text))
        }
    }
}
