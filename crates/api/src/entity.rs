//! What a server and its compute members tell each other about entities: payloads of events, in
//! JSON. The names are those existing members were built with.

mod calculation;
pub mod event;
mod member;
mod time;

pub use self::{
    calculation::{
        Addressed, CriteriaRequest, CriteriaResponse, Failure, Meta, ModelKey, Named, Payload,
        ProcessorRequest, ProcessorResponse, Returned, Target, Transition,
    },
    member::{Greet, Join, KeepAlive},
    time::Timestamp,
};
