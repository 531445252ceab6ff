//! Entities over gRPC: every event that can be asked with, and compute members on the way.

#[path = "calls/callbacks.rs"]
pub(crate) mod callbacks;
#[path = "calls/compute.rs"]
pub(crate) mod compute;
#[path = "calls/hall.rs"]
pub(crate) mod hall;
#[path = "calls/member.rs"]
pub(crate) mod member;
#[path = "calls/operations.rs"]
mod operations;
#[path = "calls/who.rs"]
mod who;
