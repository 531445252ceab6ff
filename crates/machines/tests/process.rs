//! Stories of processes: commands in, consequences out.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that panics has failed")]

#[path = "process/audit.rs"]
mod audit;
#[path = "process/broken_branches.rs"]
mod broken_branches;
#[path = "process/decisions.rs"]
mod decisions;
#[path = "process/definitions.rs"]
mod definitions;
#[path = "process/ending.rs"]
mod ending;
#[path = "process/exits.rs"]
mod exits;
#[path = "process/format.rs"]
mod format;
#[path = "process/format_resting.rs"]
mod format_resting;
#[path = "process/gateways.rs"]
mod gateways;
#[path = "process/golden.rs"]
mod golden;
#[path = "process/invariants.rs"]
mod invariants;
#[path = "process/loan_applications.rs"]
mod loan_applications;
#[path = "process/loan_disbursements.rs"]
mod loan_disbursements;
#[path = "process/notation.rs"]
mod notation;
#[path = "process/offers.rs"]
mod offers;
#[path = "process/people.rs"]
mod people;
#[path = "process/properties.rs"]
mod properties;
#[path = "process/rearming.rs"]
mod rearming;
#[path = "process/reports.rs"]
mod reports;
#[path = "process/retrying.rs"]
mod retrying;
#[path = "process/reviving.rs"]
mod reviving;
#[path = "process/show.rs"]
mod show;
#[path = "process/side_paths.rs"]
mod side_paths;
#[path = "process/signals.rs"]
mod signals;
#[path = "process/starting.rs"]
mod starting;
#[path = "process/story.rs"]
mod story;
#[path = "process/tables.rs"]
mod tables;
#[path = "process/timers.rs"]
mod timers;
#[path = "process/transformations.rs"]
mod transformations;
#[path = "process/validation.rs"]
mod validation;
#[path = "process/validation_details.rs"]
mod validation_details;
#[path = "process/variables.rs"]
mod variables;
#[path = "process/world.rs"]
mod world;
