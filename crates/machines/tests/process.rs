//! Stories of processes: commands in, consequences out.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that panics has failed")]

#[path = "process/invariants.rs"]
mod invariants;
#[path = "process/notation.rs"]
mod notation;
#[path = "process/show.rs"]
mod show;
#[path = "process/story.rs"]
mod story;
#[path = "process/tasks.rs"]
mod tasks;
#[path = "process/world.rs"]
mod world;
