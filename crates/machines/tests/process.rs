//! Stories of processes: commands in, consequences out.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that panics has failed")]

#[path = "process/decisions.rs"]
mod decisions;
#[path = "process/definitions.rs"]
mod definitions;
#[path = "process/ending.rs"]
mod ending;
#[path = "process/gateways.rs"]
mod gateways;
#[path = "process/golden.rs"]
mod golden;
#[path = "process/invariants.rs"]
mod invariants;
#[path = "process/loans.rs"]
mod loans;
#[path = "process/notation.rs"]
mod notation;
#[path = "process/people.rs"]
mod people;
#[path = "process/properties.rs"]
mod properties;
#[path = "process/retrying.rs"]
mod retrying;
#[path = "process/show.rs"]
mod show;
#[path = "process/story.rs"]
mod story;
#[path = "process/tables.rs"]
mod tables;
#[path = "process/tasks.rs"]
mod tasks;
#[path = "process/timers.rs"]
mod timers;
#[path = "process/validation.rs"]
mod validation;
#[path = "process/variables.rs"]
mod variables;
#[path = "process/world.rs"]
mod world;
