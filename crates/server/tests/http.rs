//! The real server, in this process, over the store in memory, and what is
//! about entities over the others, too: what goes in, what comes out.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that panics has failed"
)]

#[path = "http/bad_input.rs"]
mod bad_input;
#[path = "http/calls.rs"]
mod calls;
#[path = "http/chains.rs"]
mod chains;
#[path = "http/changes.rs"]
mod changes;
#[path = "http/claims.rs"]
mod claims;
#[path = "http/cluster.rs"]
mod cluster;
#[path = "http/console.rs"]
mod console;
#[path = "http/down.rs"]
mod down;
#[path = "http/dry_run.rs"]
mod dry_run;
#[path = "http/entity.rs"]
mod entity;
#[path = "http/explain.rs"]
mod explain;
#[path = "http/grpc.rs"]
mod grpc;
#[path = "http/lifecycle.rs"]
mod lifecycle;
#[path = "http/limits.rs"]
mod limits;
#[path = "http/lint.rs"]
mod lint;
#[path = "http/looking.rs"]
mod looking;
#[path = "http/on.rs"]
mod on;
#[path = "http/operations.rs"]
mod operations;
#[path = "http/outbox.rs"]
mod outbox;
#[path = "http/overview.rs"]
mod overview;
#[path = "http/pictures.rs"]
mod pictures;
#[path = "http/process.rs"]
mod process;
#[path = "http/raw.rs"]
mod raw;
#[path = "http/traces.rs"]
mod traces;
#[path = "http/trouble.rs"]
mod trouble;
#[path = "http/world.rs"]
mod world;
