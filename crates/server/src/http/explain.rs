//! Explanations, and what is different between two moments, in the words of the wire.

use serde::Serialize;
use waypost_api::{Timestamp, explain as wire};
use waypost_kernel as kernel;
use waypost_machines::{
    difference::{Change, difference},
    explanation::{Condition, Explanation, Next, Outcome, Wait},
};

use super::problem::Refusal;

/// A time as it stands in sentences: to the second.
pub(crate) fn shown(at: kernel::Timestamp) -> String {
    super::diagram::shown(at)
}

pub(crate) fn explanation(explained: Explanation) -> wire::Explanation {
    let Explanation { status, summary, waits, conditions, next, stuck } = explained;
    wire::Explanation {
        status,
        summary,
        waits: waits.into_iter().map(wait).collect(),
        conditions: conditions.into_iter().map(condition).collect(),
        next: next.into_iter().map(following).collect(),
        stuck,
    }
}

fn wait(wait: Wait) -> wire::Wait {
    let Wait { at, cause, what, since, until } = wait;
    let cause = cause.as_str().to_owned();
    wire::Wait { at, cause, what, since: since.map(time), until: until.map(time) }
}

fn time(at: kernel::Timestamp) -> Timestamp {
    Timestamp::from_micros(at.as_micros())
}

fn condition(condition: Condition) -> wire::Condition {
    let Condition { at, text, outcome, values, tense } = condition;
    let error = match &outcome {
        Outcome::Error(error) => Some(error.clone()),
        Outcome::True | Outcome::False | Outcome::Asked => None,
    };
    wire::Condition {
        at,
        text,
        outcome: outcome.as_str().to_owned(),
        error,
        values: values.into_iter().collect(),
        tense: tense.as_str().to_owned(),
    }
}

fn following(next: Next) -> wire::Next {
    let Next { what, by, leads_to, refused } = next;
    wire::Next { what, by, leads_to, refused_because: refused }
}

/// What is different between an instance as it was and as it was later, with their versions.
pub(super) fn different<T: Serialize>(
    before: (u64, &T),
    after: (u64, &T),
) -> Result<wire::Difference, Refusal> {
    let written = |it: &T| serde_json::to_value(it).map_err(|it| Refusal::defect(it.to_string()));
    let found = difference(&written(before.1)?, &written(after.1)?);
    Ok(wire::Difference {
        from: wire::Moment { version: before.0 },
        to: wire::Moment { version: after.0 },
        changes: found.into_iter().map(change).collect(),
    })
}

fn change(change: Change) -> wire::Change {
    let op = change.operation().to_owned();
    let Change { path, before, after } = change;
    wire::Change { op, path, from: before, to: after }
}
