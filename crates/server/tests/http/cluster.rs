//! Nodes that share a store: members of one are asked by another, and callbacks find their way back.

#[path = "cluster/callbacks.rs"]
mod callbacks;
#[path = "cluster/dispatch.rs"]
mod dispatch;
#[path = "cluster/lost.rs"]
mod lost;
#[path = "cluster/pair.rs"]
mod pair;
#[path = "cluster/roster.rs"]
mod roster;
#[path = "cluster/sealed.rs"]
mod sealed;
#[path = "cluster/stores.rs"]
mod stores;
