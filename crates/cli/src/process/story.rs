//! Where a process stands and how it came there, in words.

use comfy_table::Table;
use waypost_api::{
    Timestamp,
    process::{Instance, StepExecution},
};

use crate::{
    exit::Failure,
    output::{Output, Tone, cell, printable, status_cell, table, toned},
    when::{time_of_day, took},
};

/// The steps a process is at, if it is at any.
pub(super) fn places(instance: &Instance) -> Option<String> {
    let places = &instance.current_step_ids;
    (!places.is_empty()).then(|| places.join(", "))
}

/// Status and place in a few words.
pub(super) fn standing(instance: &Instance) -> String {
    let status = instance.status.as_str();
    let standing = match (places(instance), &instance.failure_reason) {
        (_, Some(reason)) => format!("{status}: {reason}"),
        (Some(places), None) => format!("{status} at {places}"),
        (None, None) => status.to_owned(),
    };
    printable(&standing)
}

/// Says what was done to a step, and where the process stands now.
pub(super) fn report(
    done: &str,
    step: &str,
    instance: &Instance,
    output: Output,
) -> Result<(), Failure> {
    if output.is_json {
        return output.json(instance);
    }
    let (id, standing) = (&instance.id, standing(instance));
    output.line(&format!("{done} {}: {id} is {standing}", printable(step)))
}

/// Visits of steps, one line each.
pub(super) fn story(history: &[StepExecution], instance: &Instance, now: Timestamp) -> Table {
    let over = instance.completed_at.unwrap_or(now);
    let mut shown = table(&["BEGAN", "STEP", "TYPE", "VISIT", "STATUS", "TOOK", "DETAIL"]);
    for it in history {
        shown.add_row([
            toned(&time_of_day(it.started_at), Tone::Faint),
            cell(&it.step_id),
            cell(&it.step_type),
            cell(&it.attempt_number.to_string()),
            status_cell(&it.status),
            cell(&took(it.started_at, it.ended_at.unwrap_or(over))),
            cell(&detail(it, instance.completed_at.is_some())),
        ]);
    }
    shown
}

/// Why a visit failed, or whom one that is not over waits for.
fn detail(visit: &StepExecution, is_over: bool) -> String {
    let awaited = || match (visit.ended_at, visit.step_type.as_str()) {
        (None, _) if is_over => "left when the process ended",
        (None, "SERVICE_TASK") => "waits for the report of a worker",
        (None, "USER_TASK") => "waits for a person",
        (None, "WAIT") => "waits for a signal",
        (None, "JOIN_GATEWAY") => "waits for the other branches",
        (None | Some(_), _) => "",
    };
    visit.failure_reason.clone().unwrap_or_else(|| awaited().to_owned())
}
