//! Entities over gRPC: every event that can be asked with, and compute members on the way.

#[path = "calls/background.rs"]
mod background;
#[path = "calls/bounds.rs"]
mod bounds;
#[path = "calls/callbacks.rs"]
pub(crate) mod callbacks;
#[path = "calls/compute.rs"]
pub(crate) mod compute;
#[path = "calls/functions.rs"]
mod functions;
#[path = "calls/hall.rs"]
pub(crate) mod hall;
#[path = "calls/joined.rs"]
mod joined;
#[path = "calls/meanwhile.rs"]
mod meanwhile;
#[path = "calls/member.rs"]
pub(crate) mod member;
#[path = "calls/modes.rs"]
mod modes;
#[path = "calls/nested.rs"]
mod nested;
#[path = "calls/operations.rs"]
mod operations;
#[path = "calls/processors.rs"]
mod processors;
#[path = "calls/retries.rs"]
mod retries;
#[path = "calls/side_by_side.rs"]
mod side_by_side;
#[path = "calls/snapshot.rs"]
mod snapshot;
#[path = "calls/stores.rs"]
mod stores;
#[path = "calls/who.rs"]
pub(crate) mod who;
#[path = "calls/wire.rs"]
mod wire;
