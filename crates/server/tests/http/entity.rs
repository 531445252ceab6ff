//! Entities over HTTP.

#[path = "entity/bad_input.rs"]
mod bad_input;
#[path = "entity/calls.rs"]
mod calls;
#[path = "entity/edge.rs"]
mod edge;
#[path = "entity/letters.rs"]
mod letters;
#[path = "entity/models.rs"]
mod models;
#[path = "entity/play.rs"]
pub(crate) mod play;
#[path = "entity/search.rs"]
mod search;
#[path = "entity/tenants.rs"]
pub(crate) mod tenants;
#[path = "entity/workflows.rs"]
mod workflows;
#[path = "entity/writing.rs"]
mod writing;
