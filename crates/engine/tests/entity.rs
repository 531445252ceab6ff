//! Entities through the engine's handle, on the model store: transactions, members that call back,
//! time travel, searching.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that panics has failed")]

#[path = "entity/calls.rs"]
mod calls;
#[path = "entity/large.rs"]
mod large;
#[path = "entity/models.rs"]
mod models;
#[path = "entity/nodes.rs"]
mod nodes;
#[path = "entity/reading.rs"]
mod reading;
#[path = "entity/savepoints.rs"]
mod savepoints;
#[path = "entity/scheduling.rs"]
mod scheduling;
#[path = "entity/searching.rs"]
mod searching;
#[path = "entity/snapshot.rs"]
mod snapshot;
#[path = "entity/world.rs"]
mod world;
#[path = "entity/writing.rs"]
mod writing;
