//! What is pure about lifecycles, by table and by story.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

#[path = "lifecycle/decide.rs"]
mod decide;
#[path = "lifecycle/field.rs"]
mod field;
#[path = "lifecycle/set.rs"]
mod set;
#[path = "lifecycle/table.rs"]
mod table;
#[path = "lifecycle/trail.rs"]
mod trail;

use waypost_machines::lifecycle::Transitions;

/// A drone that surveys.
fn survey() -> Transitions {
    Transitions::new()
        .phase("planning", ["flying", "aborted"])
        .phase("flying", ["capturing", "landing", "aborted"])
        .phase("capturing", ["flying"])
        .phase("landing", ["completed", "failed"])
        .phase("completed", [])
        .phase("failed", [])
        .phase("aborted", [])
}
