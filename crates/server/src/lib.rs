//! Waypost over HTTP: routes, limits, telemetry, and the ways out of the outbox.
//!
//! A request is parsed here, submitted to the engine, and answered; nothing is decided.

pub mod auth;
pub mod cluster;
pub mod compute;
mod delivery;
pub mod diagram;
pub mod errors;
mod grpc;
mod http;
pub mod lifecycle;
mod net;
mod options;
pub mod outbox;
mod server;
pub mod telemetry;

pub use crate::{
    options::{Bearer, EntityOptions, Facts, HttpLimits, Options, PageOptions, ServerError},
    server::Server,
};
