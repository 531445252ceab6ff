//! Nodes that share a store and reach each other: a member that is connected to one of them can be
//! asked by all, and a transaction is worked on where it lies.

mod channels;
mod dispatch;
mod door;
mod forward;
mod hop;
mod metrics;
mod node;
mod options;
mod record;
mod roster;
mod seal;

pub(crate) use self::{
    door::routes,
    forward::{Client, FORWARDED},
};
pub use self::{
    node::Cluster,
    options::{ClusterError, ClusterOptions},
};
