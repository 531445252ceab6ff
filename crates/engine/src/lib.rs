//! Runs the machines against a store. The crate to embed, together with `waypost-stores`.
//!
//! A request becomes a command, a pure decision and one commit; everything else follows from what
//! was committed. Assemble an [`Engine`], take a handle such as [`Engine::chain`], and keep
//! [`Engine::run`] going for what nobody asks for: lapsed leases, due timers, the outbox.
#![warn(missing_docs, clippy::missing_errors_doc)]

pub mod chain;
mod clock;
mod crew;
mod demand;
mod desk;
mod engine;
pub mod entity;
mod error;
mod foresight;
mod ids;
mod incidents;
mod lane;
pub mod limits;
mod metrics;
mod moment;
mod overview;
mod pace;
pub mod process;
mod queue;
mod sweep;
mod turn;
mod watch;
mod what_if;

pub use crate::{
    clock::SystemClock,
    crew::Asking,
    engine::{Engine, Face, Settings},
    error::Error,
    foresight::{Foreseen, foresee},
    ids::{Ids, RandomIds},
    incidents::{Failed, Incident, Incidents},
    metrics::Metrics,
    moment::Moment,
    overview::{Narrowed, Overview},
    pace::Minute,
    sweep::{Sweeps, Swept, Transport},
    watch::Watch,
    what_if::Tried,
};
