//! Stories of entities on their way through workflows: what is asked of them, who must be asked,
//! what is written down, and where they come to rest.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that panics has failed"
)]

#[path = "entity_cascade/calls.rs"]
mod calls;
#[path = "entity_cascade/create.rs"]
mod create;
#[path = "entity_cascade/criteria.rs"]
mod criteria;
#[path = "entity_cascade/history.rs"]
mod history;
#[path = "entity_cascade/judge.rs"]
mod judge;
#[path = "entity_cascade/limits.rs"]
mod limits;
#[path = "entity_cascade/processors.rs"]
mod processors;
#[path = "entity_cascade/properties.rs"]
mod properties;
#[path = "entity_cascade/schedules.rs"]
mod schedules;
#[path = "entity_cascade/story.rs"]
mod story;
#[path = "entity_cascade/transitions.rs"]
mod transitions;
