//! Entities over gRPC: every event that can be asked with, and compute members on the way.

#[path = "calls/callbacks.rs"]
mod callbacks;
#[path = "calls/compute.rs"]
mod compute;
#[path = "calls/hall.rs"]
mod hall;
#[path = "calls/member.rs"]
mod member;
#[path = "calls/operations.rs"]
mod operations;
#[path = "calls/who.rs"]
mod who;
