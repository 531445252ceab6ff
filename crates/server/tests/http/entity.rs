//! Entities over HTTP.

#[path = "entity/bad_input.rs"]
mod bad_input;
#[path = "entity/calls.rs"]
mod calls;
#[path = "entity/criteria.rs"]
mod criteria;
#[path = "entity/edge.rs"]
mod edge;
#[path = "entity/letters.rs"]
mod letters;
#[path = "entity/models.rs"]
mod models;
#[path = "entity/play.rs"]
pub(crate) mod play;
#[path = "entity/search.rs"]
pub(crate) mod search;
#[path = "entity/stores.rs"]
mod stores;
#[path = "entity/stories.rs"]
mod stories;
#[path = "entity/tenants.rs"]
pub(crate) mod tenants;
#[path = "entity/trouble.rs"]
mod trouble;
#[path = "entity/workflows.rs"]
mod workflows;
#[path = "entity/writing.rs"]
mod writing;
