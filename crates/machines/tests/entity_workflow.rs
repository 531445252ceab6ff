//! Stories of workflow definitions: what is taken in, what is refused and why, how lists are merged,
//! and that what is shown can be taken in again.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that panics has failed"
)]

#[path = "entity_workflow/export.rs"]
mod export;
#[path = "entity_workflow/import.rs"]
mod import;
#[path = "entity_workflow/loops.rs"]
mod loops;
#[path = "entity_workflow/properties.rs"]
mod properties;
#[path = "entity_workflow/rules.rs"]
mod rules;
#[path = "entity_workflow/selection.rs"]
mod selection;

use waypost_documents::document::Value;
use waypost_machines::entity::workflow::{Refusal, Rules, Workflow, import};

/// A criterion is one if it has a type.
fn is_sound(criterion: &Value) -> Result<(), String> {
    criterion.member("type").map(|_| ()).ok_or_else(|| "type is missing".to_owned())
}

const STRICT: Rules<'_> = Rules { strict_types: true, is_sound: &is_sound };
const LENIENT: Rules<'_> = Rules { strict_types: false, is_sound: &is_sound };

fn document(text: &str) -> Value {
    Value::parse(text).unwrap()
}

fn take(existing: &[Workflow], body: &str) -> Result<Vec<Workflow>, Refusal> {
    import(existing, &document(body), &STRICT)
}

/// The list after a REPLACE with these workflows.
fn list(workflows: &str) -> Vec<Workflow> {
    take(&[], &format!(r#"{{"importMode":"REPLACE","workflows":[{workflows}]}}"#)).unwrap()
}

/// Why a REPLACE with these workflows is refused: one line for each problem.
fn problems(workflows: &str) -> String {
    let body = format!(r#"{{"importMode":"REPLACE","workflows":[{workflows}]}}"#);
    match take(&[], &body).unwrap_err() {
        Refusal::Invalid(problems) => problems.join("\n"),
        Refusal::Malformed(malformed) => format!("malformed: {malformed}"),
    }
}

/// A workflow with one state.
fn plain(name: &str) -> String {
    format!(r#"{{"name":"{name}","initialState":"A","states":{{"A":{{}}}}}}"#)
}
