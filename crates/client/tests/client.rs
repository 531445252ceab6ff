//! The client against a real server, inside this process, on the store in memory.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics has failed")]

#[path = "client/compute.rs"]
mod compute;
#[path = "client/entities.rs"]
mod entities;
#[path = "client/jobs.rs"]
mod jobs;
#[path = "client/lifecycles.rs"]
mod lifecycles;
#[path = "client/processes.rs"]
mod processes;
#[path = "client/pushed.rs"]
mod pushed;
#[path = "client/routes.rs"]
mod routes;
#[path = "client/worker.rs"]
mod worker;
#[path = "client/world.rs"]
mod world;
