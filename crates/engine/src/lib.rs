//! Runs the machines against a store. The crate to embed, together with `waypost-stores`.
//!
//! A request becomes a command, a pure decision and one commit; everything else follows from what
//! was committed. Assemble an [`Engine`], take a handle such as [`Engine::chain`], and keep
//! [`Engine::run`] going for what nobody asks for: lapsed leases, due timers, the outbox.
#![warn(missing_docs, clippy::missing_errors_doc)]

pub mod chain;
mod clock;
mod desk;
mod engine;
pub mod entity;
mod error;
mod ids;
mod lane;
pub mod limits;
mod metrics;
mod overview;
pub mod process;
mod queue;
mod sweep;
mod turn;
mod watch;

pub use crate::{
    clock::SystemClock,
    engine::{Engine, Face, Settings},
    error::Error,
    ids::{Ids, RandomIds},
    metrics::Metrics,
    overview::Overview,
    sweep::{Sweeps, Swept, Transport},
    watch::Watch,
};
