//! The course of a run: which workflow, the transition that was asked for, and the cascade.

use std::collections::BTreeMap;

use super::{
    Armed, AuditKind, Command, FailureKind, Judge, Limits, Ran, Replies, Run, Stop, StopReason,
    audit::text,
    course::{Course, Halt, Step},
    fire::{is_possible, take},
    judge::{Guard, Judged, judge},
    schedule::{fired, rearm, without},
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
    let End { workflow, reason, armed, saved_by } = match obey(&mut course) {
        Ok(end) => end,
        Err(halt) => return Err(course.stop(halt)),
    };
    course.note_with(AuditKind::Finish, reason.description(), Some(reason.facts()));
    Ok(Ran {
        value: course.value.cloned(),
        state: course.state.to_owned(),
        workflow: workflow.map(ToOwned::to_owned),
        transition_for_latest_save: saved_by.to_owned(),
        armed,
        audit: course.audit,
        warnings: course.warnings,
    })
}

/// How a run ends, besides where the entity is then.
struct End<'a> {
    /// The name of the workflow to remember.
    workflow: Option<&'a str>,
    /// Why it went no further.
    reason: StopReason,
    armed: Vec<Armed>,
    saved_by: &'a str,
}

/// Follows the command.
fn obey<'a>(course: &mut Course<'a, '_>) -> Result<End<'a>, Halt> {
    let Run { command, entity, workflows, .. } = course.run;
    let chosen = choose(workflows, entity.state, entity.workflow);
    match (command, chosen) {
        (Command::Create { transition }, _) => {
            course.note(AuditKind::Start, "the entity is created");
            let workflow = select(course)?;
            course.state = &workflow.initial_state;
            if let Some(name) = transition {
                request(course, workflow, name)?;
            }
            let saved_by = transition.unwrap_or(LOOPBACK);
            let end = rest(course, workflow, saved_by)?;
            Ok(End { workflow: Some(remembered_as(workflow)), ..end })
        }
        (Command::Take { transition }, chosen) => {
            course.note(AuditKind::Start, format!("transition {transition} is asked for"));
            let workflow = chosen.ok_or_else(|| unknown(entity.state))?;
            request(course, workflow, transition)?;
            rest(course, workflow, transition)
        }
        (Command::Fire { transition }, chosen) => {
            course.note(AuditKind::Start, format!("scheduled transition {transition} is due"));
            let workflow = chosen.ok_or_else(|| unknown(entity.state))?;
            fire(course, workflow, transition)
        }
        (Command::Loopback, Some(workflow)) => {
            course.note(AuditKind::Start, "the entity is updated");
            rest(course, workflow, LOOPBACK)
        }
        (Command::Loopback, None) => {
            course.note(AuditKind::Start, "the entity is updated");
            let details = format!("no workflow knows state {}", entity.state);
            course.note(AuditKind::ForceSuccess, details);
            let (armed, reason) = (rearm(course, None, None), StopReason::ForceSuccess);
            Ok(End { workflow: entity.workflow, reason, armed, saved_by: LOOPBACK })
        }
    }
}

fn unknown(state: &str) -> Halt {
    Halt::failed(FailureKind::WorkflowFailed, format!("no workflow knows state {state}"))
}

/// Follows the cascade to its end, and arms what is scheduled there.
fn rest<'a>(
    course: &mut Course<'a, '_>,
    workflow: &'a Workflow,
    saved_by: &'a str,
) -> Result<End<'a>, Halt> {
    let reason = settle(course, workflow)?;
    let Run { command, entity, .. } = course.run;
    let fired = match command {
        Command::Fire { transition } => Some(transition),
        Command::Create { .. } | Command::Take { .. } | Command::Loopback => None,
    };
    let armed = rearm(course, Some(workflow), fired);
    Ok(End { workflow: entity.workflow, reason, armed, saved_by })
}

/// Takes the transition whose time has come. If it is not possible the entity stays where it is, as
/// it was saved last, and the time does not come again.
fn fire<'a>(
    course: &mut Course<'a, '_>,
    workflow: &'a Workflow,
    name: &'a str,
) -> Result<End<'a>, Halt> {
    let state = course.state;
    let Some(transition) = workflow.scheduled(state, name) else {
        let text = format!("workflow {} schedules no {name} in state {state}", workflow.name);
        return Err(Halt::failed(FailureKind::TransitionNotFound, text));
    };
    match is_possible(course, workflow, transition)? {
        Judged::Holds => {
            fired(course, transition);
            take(course, workflow, transition)?;
            rest(course, workflow, name)
        }
        Judged::Fails { .. } => {
            let entity = course.run.entity;
            Ok(End {
                workflow: entity.workflow,
                reason: StopReason::AllCriteriaRejected,
                armed: without(&entity, name),
                saved_by: entity.previous_transition,
            })
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
