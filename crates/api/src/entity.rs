//! Entities: what travels about them. Over HTTP it is the bodies in [`http`]; over gRPC it is
//! payloads of events, in JSON: those in [`operation`], and what a server and its compute members
//! tell each other. The names are those existing clients and members were built with.

mod calculation;
pub mod event;
pub mod http;
mod member;
pub mod node;
pub mod operation;
mod time;

pub use self::{
    calculation::{
        Addressed, CriteriaRequest, CriteriaResponse, Failure, Meta, ModelKey, Named, Payload,
        ProcessorRequest, ProcessorResponse, Returned, Target, Transition,
    },
    member::{Greet, Join, KeepAlive},
    time::Timestamp,
};
