//! What lint finds, what it proves, and what it does not break on.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics has failed")]

#[path = "lint/broken.rs"]
mod broken;
#[path = "lint/expected.rs"]
mod expected;
#[path = "lint/graph.rs"]
mod graph;
#[path = "lint/hostile.rs"]
mod hostile;
#[path = "lint/joins.rs"]
mod joins;
#[path = "lint/large.rs"]
mod large;
#[path = "lint/proofs.rs"]
mod proofs;
#[path = "lint/refusals.rs"]
mod refusals;
#[path = "lint/runs.rs"]
mod runs;
#[path = "lint/schemas.rs"]
mod schemas;
#[path = "lint/shows.rs"]
mod shows;
#[path = "lint/speed.rs"]
mod speed;
