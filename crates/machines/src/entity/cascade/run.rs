//! The course of a run: which workflow, the transition that was asked for, and the cascade.

use std::collections::BTreeMap;

use super::{
    AuditKind, Command, FailureKind, Judge, Limits, Ran, Replies, Run, Stop, StopReason,
    audit::text,
    course::{Course, Halt, Step},
    fire::{is_possible, take},
    judge::{Guard, Judged, judge},
};
use crate::entity::workflow::{Transition, Workflow, built_in, choose, object, remembered_as};

/// What is saved as the transition when none was asked for.
const LOOPBACK: &str = "loopback";

/// Decides where the entity comes to rest. When a member must be asked whose reply is not in
/// `replies`, it stops with the call; add the reply under its key and decide again.
///
/// # Errors
/// [`Stop::Call`] when somebody must be asked, [`Stop::Failed`] when nothing may be saved.
pub fn run<'a>(run: Run<'a>, replies: &'a Replies, judge: &'a mut Judge<'_>) -> Result<Ran, Stop> {
    let mut course = Course::new(run, replies, judge);
    let (workflow, reason) = match obey(&mut course) {
        Ok(end) => end,
        Err(halt) => return Err(course.stop(halt)),
    };
    course.note_with(AuditKind::Finish, reason.description(), Some(reason.facts()));
    let (Command::Create { transition: Some(name) } | Command::Take { transition: name }) =
        run.command
    else {
        return Ok(end(course, workflow, LOOPBACK));
    };
    Ok(end(course, workflow, name))
}

fn end(course: Course<'_, '_>, workflow: Option<&str>, transition: &str) -> Ran {
    Ran {
        value: course.value.cloned(),
        state: course.state.to_owned(),
        workflow: workflow.map(ToOwned::to_owned),
        transition_for_latest_save: transition.to_owned(),
        audit: course.audit,
        warnings: course.warnings,
    }
}

/// Follows the command. Returns the name of the workflow to remember, and why it went no further.
fn obey<'a>(course: &mut Course<'a, '_>) -> Result<(Option<&'a str>, StopReason), Halt> {
    let Run { command, entity, workflows, .. } = course.run;
    let chosen = || choose(workflows, entity.state, entity.workflow);
    match command {
        Command::Create { transition } => {
            course.note(AuditKind::Start, "the entity is created");
            let workflow = select(course)?;
            course.state = &workflow.initial_state;
            if let Some(name) = transition {
                request(course, workflow, name)?;
            }
            Ok((Some(remembered_as(workflow)), settle(course, workflow)?))
        }
        Command::Take { transition } => {
            course.note(AuditKind::Start, format!("transition {transition} is asked for"));
            let Some(workflow) = chosen() else {
                let text = format!("no workflow knows state {}", entity.state);
                return Err(Halt::failed(FailureKind::WorkflowFailed, text));
            };
            request(course, workflow, transition)?;
            Ok((entity.workflow, settle(course, workflow)?))
        }
        Command::Loopback => {
            course.note(AuditKind::Start, "the entity is updated");
            let Some(workflow) = chosen() else {
                let details = format!("no workflow knows state {}", entity.state);
                course.note(AuditKind::ForceSuccess, details);
                return Ok((entity.workflow, StopReason::ForceSuccess));
            };
            Ok((entity.workflow, settle(course, workflow)?))
        }
    }
}

/// The first active workflow that takes the new entity, or the built-in one.
fn select<'a>(course: &mut Course<'a, '_>) -> Result<&'a Workflow, Halt> {
    for workflow in course.run.workflows.iter().filter(|it| it.is_active) {
        let judged = match workflow.guard() {
            None => Judged::Holds,
            Some(criterion) => {
                let step = Step { workflow, transition: None };
                judge(course, Guard { criterion, step })?
            }
        };
        match judged {
            Judged::Holds => {
                let details = format!("workflow {} takes the entity", workflow.name);
                course.note(AuditKind::WorkflowFound, details);
                return Ok(workflow);
            }
            Judged::Fails { reason } => {
                let details = format!("workflow {} is skipped: {reason}", workflow.name);
                let facts =
                    object([("workflowName", text(&workflow.name)), ("reason", text(&reason))]);
                course.note_with(AuditKind::WorkflowSkip, details, Some(facts));
            }
        }
    }
    let details = "no workflow of the model takes the entity, the built-in one is used";
    course.note(AuditKind::WorkflowFound, details);
    course.warnings.push(details.to_owned());
    Ok(built_in())
}

/// Takes the transition that was asked for. An automated one may be asked for, too.
fn request<'a>(
    course: &mut Course<'a, '_>,
    workflow: &'a Workflow,
    name: &str,
) -> Result<(), Halt> {
    let state = course.state;
    let Some(transition) = workflow.transition(state, name) else {
        let text = format!("workflow {} has no transition {name} in state {state}", workflow.name);
        course.note(AuditKind::TransitionNotFound, text.as_str());
        return Err(Halt::failed(FailureKind::TransitionNotFound, text));
    };
    match is_possible(course, workflow, transition)? {
        Judged::Holds => take(course, workflow, transition),
        Judged::Fails { reason } => {
            let text = format!("transition {name} is not possible in state {state}: {reason}");
            Err(Halt::failed(FailureKind::WorkflowFailed, text))
        }
    }
}

/// Takes automated transitions until none is possible. Transitions that were asked for do not count.
fn settle<'a>(course: &mut Course<'a, '_>, workflow: &'a Workflow) -> Result<StopReason, Halt> {
    let Limits { visits_max, rounds_max } = course.run.limits;
    let mut visits: BTreeMap<&str, usize> = BTreeMap::new();
    for round in 1..=rounds_max {
        let state = course.state;
        let n_visits = visits.entry(state).or_default();
        *n_visits += 1;
        if *n_visits > visits_max {
            let text = format!("state {state} was entered more than {visits_max} times");
            return Err(cancel(course, text));
        }
        match onward(course, workflow)? {
            Onward::Rest(reason) => return Ok(reason),
            // Nobody is asked to work on what is given up anyway.
            Onward::Take(_) if round == rounds_max => {}
            Onward::Take(transition) => take(course, workflow, transition)?,
        }
    }
    Err(cancel(course, format!("the entity is still moving after {rounds_max} rounds")))
}

enum Onward<'a> {
    Take(&'a Transition),
    Rest(StopReason),
}

/// The first automated transition that is possible; the criteria behind it are not looked at.
fn onward<'a>(course: &mut Course<'a, '_>, workflow: &'a Workflow) -> Result<Onward<'a>, Halt> {
    let transitions = workflow.states.get(course.state).map(|it| it.transitions.as_slice());
    let mut reason = StopReason::NoAutomatedTransitions;
    for transition in transitions.unwrap_or_default().iter().filter(|it| it.is_automated()) {
        match is_possible(course, workflow, transition)? {
            Judged::Holds => return Ok(Onward::Take(transition)),
            Judged::Fails { .. } => reason = StopReason::AllCriteriaRejected,
        }
    }
    Ok(Onward::Rest(reason))
}

fn cancel(course: &mut Course<'_, '_>, text: String) -> Halt {
    course.note(AuditKind::Cancel, text.as_str());
    Halt::failed(FailureKind::WorkflowFailed, text)
}
