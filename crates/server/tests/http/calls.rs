//! Entities over gRPC: every event that can be asked with, and compute members on the way.

#[path = "calls/callbacks.rs"]
mod callbacks;
#[path = "calls/compute.rs"]
mod compute;
#[path = "calls/functions.rs"]
mod functions;
#[path = "calls/hall.rs"]
mod hall;
#[path = "calls/joined.rs"]
mod joined;
#[path = "calls/member.rs"]
mod member;
#[path = "calls/operations.rs"]
mod operations;
#[path = "calls/processors.rs"]
mod processors;
#[path = "calls/stores.rs"]
mod stores;
#[path = "calls/who.rs"]
mod who;
#[path = "calls/wire.rs"]
mod wire;
