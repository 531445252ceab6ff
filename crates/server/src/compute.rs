//! Compute members: programs outside that work on entities and decide about them. Each is reached
//! over a stream it has opened, and gone when the stream ends.

mod answer;
pub(crate) mod event;
mod member;
mod members;
mod metrics;
mod options;
pub(crate) mod peer;
mod question;
mod registry;
mod service;
mod stream;
mod ticket;

pub(crate) use self::registry::Tagged;
pub use self::{
    members::Members,
    options::{ComputeError, ComputeLimits, ComputeOptions},
    service::{Events, Identify, Operations, Service, service},
    ticket::{ShortSecret, Ticket, TicketError, Tickets},
};
