//! Takes one transition: its criterion, its processors, and then the state.

use waypost_documents::document::Value;

use super::{
    Asked, AuditKind, FailureKind, Reply, Terms,
    audit::text,
    course::{Course, Halt, Step},
    judge::{Guard, Judged, judge, label},
    limits::SAID_MAX,
};
use crate::entity::workflow::{Processor, Transition, Workflow, cut, object};

/// Whether the criterion of `transition` holds; if not, that is written down.
pub(super) fn is_possible<'a>(
    course: &mut Course<'a, '_>,
    workflow: &'a Workflow,
    transition: &'a Transition,
) -> Result<Judged, Halt> {
    let Some(criterion) = transition.guard() else { return Ok(Judged::Holds) };
    let step = Step { workflow, transition: Some(transition) };
    let judged = judge(course, Guard { criterion, step })?;
    if let Judged::Fails { reason } = &judged {
        let facts = object([
            ("workflowName", text(&workflow.name)),
            ("transition", text(&transition.name)),
            ("criterion", text(label(criterion))),
            ("reason", text(reason)),
        ]);
        let details = format!("transition {} is not possible: {reason}", transition.name);
        course.note_with(AuditKind::TransitionNotMatchCriterion, details, Some(facts));
    }
    Ok(judged)
}

/// Takes a transition that is possible. Processors see the state that is being left.
pub(super) fn take<'a>(
    course: &mut Course<'a, '_>,
    workflow: &'a Workflow,
    transition: &'a Transition,
) -> Result<(), Halt> {
    let Transition { name, next, processors, .. } = transition;
    if !processors.is_empty() {
        let names: Vec<&str> = processors.iter().map(|it| it.name.as_str()).collect();
        course.note(AuditKind::PauseForProcessing, format!("processors: {}", names.join(", ")));
    }
    for processor in processors {
        ask_processor(course, Step { workflow, transition: Some(transition) }, processor)?;
    }
    course.note(AuditKind::TransitionMake, format!("transition {name} leads to {next}"));
    course.state = next;
    Ok(())
}

/// Asks one processor, and takes over what it returns or what it could not do.
fn ask_processor<'a>(
    course: &mut Course<'a, '_>,
    step: Step<'a>,
    processor: &'a Processor,
) -> Result<(), Halt> {
    let Processor { name, mode, config, .. } = processor;
    let is_apart = processor.is_apart();
    let asked = Asked::Processor { name: name.clone(), is_apart };
    let reply = course.ask(asked.clone(), step, Terms::from(config))?;
    let mode = ("mode", text(mode));
    match outcome(reply) {
        Ok(value) => {
            let facts = object([("success", Value::Bool(true)), mode]);
            let details = format!("processor {name} is done");
            course.note_with(AuditKind::StateProcessResult, details, Some(facts));
            if !is_apart || matches!(reply, Reply::Written { .. }) {
                course.value = value.or(course.value);
            }
            Ok(())
        }
        Err((kind, message)) => {
            let facts = object([("success", Value::Bool(false)), mode, ("error", text(message))]);
            let failed = format!("processor {name} failed: {message}");
            course.note_with(AuditKind::StateProcessResult, failed.clone(), Some(facts));
            if is_apart {
                course.warn(&asked, message);
                return Ok(());
            }
            let facts = object([("success", Value::Bool(false))]);
            let details = format!("{step} fails because of processor {name}");
            course.note_with(AuditKind::StateProcessResult, details, Some(facts));
            Err(Halt::failed(kind, failed))
        }
    }
}

/// The value that a processor returned, if it did; or what went wrong.
fn outcome(reply: &Reply) -> Result<Option<&Value>, (FailureKind, &str)> {
    let failed = |why| Err((FailureKind::WorkflowFailed, why));
    match reply {
        Reply::Processed { value: None | Some(Value::Null), .. } => Ok(None),
        Reply::Processed { value: value @ Some(Value::Object(_)), .. } => Ok(value.as_ref()),
        Reply::Written { value, .. } => Ok(Some(value)),
        Reply::Processed { value: Some(_), .. } => failed("it returned no object"),
        Reply::Matched { .. } => failed("it was answered as if it were a criterion"),
        Reply::Failed { cause, message, .. } => Err((cause.kind(), cut(message, SAID_MAX))),
    }
}
