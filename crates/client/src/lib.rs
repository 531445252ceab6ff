//! Talks to a Waypost server: typed requests, a stream of changes, and workers.
//!
//! Take a [`Client`], then a handle: [`Client::chain`], [`Client::process`], [`Client::entity`] or
//! [`Client::lifecycle`].
//! A [`worker::Worker`] executes steps of chains, a [`worker::JobWorker`] jobs of processes; with
//! the feature `grpc` a `compute::Node` works on entities. The process must have a default `rustls`
//! provider if the server is reached by `https`.
#![warn(missing_docs, clippy::missing_errors_doc)]

mod chain;
mod client;
#[cfg(feature = "grpc")]
pub mod compute;
pub mod entity;
mod error;
pub mod lifecycle;
mod process;
mod watch;
pub mod worker;

pub use waypost_api as api;

pub use crate::{
    chain::{Chains, Deployed},
    client::Client,
    entity::Entities,
    error::Error,
    lifecycle::Lifecycles,
    process::{AuditQuery, Callback, DefinitionQuery, ProcessQuery, Processes},
    watch::Changes,
};
