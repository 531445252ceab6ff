//! Talks to a Waypost server: typed requests, a stream of changes, and workers.
//!
//! Take a [`Client`], then a handle such as [`Client::chain`]. A [`worker::Worker`] claims steps,
//! executes them and reports. The process must have a default `rustls` provider if the server is
//! reached by `https`.
#![warn(missing_docs, clippy::missing_errors_doc)]

mod chain;
mod client;
mod error;
mod watch;
pub mod worker;

pub use waypost_api as api;

pub use crate::{
    chain::{Chains, Deployed},
    client::Client,
    error::Error,
    watch::Changes,
};
