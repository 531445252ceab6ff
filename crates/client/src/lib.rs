//! Talks to a Waypost server: typed requests, a stream of changes, and workers.
//!
//! Take a [`Client`], then a handle: [`Client::chain`] or [`Client::process`]. A [`worker::Worker`]
//! executes steps of chains, a [`worker::JobWorker`] jobs of processes; with the feature `grpc` a
//! `compute::Node` works on entities. The process must have a default `rustls` provider if the
//! server is reached by `https`.
#![warn(missing_docs, clippy::missing_errors_doc)]

mod chain;
mod client;
#[cfg(feature = "grpc")]
pub mod compute;
mod error;
mod process;
mod watch;
pub mod worker;

pub use waypost_api as api;

pub use crate::{
    chain::{Chains, Deployed},
    client::Client,
    error::Error,
    process::{Callback, DefinitionQuery, ProcessQuery, Processes},
    watch::Changes,
};
