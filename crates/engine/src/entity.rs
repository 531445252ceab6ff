//! Entities: documents under a state machine. Every write runs the machine in the same commit, and
//! asks compute members on the way.

mod caller;
mod compute;
mod fault;

pub use self::{
    caller::Caller,
    compute::{Answer, Compute, NoCompute, Question},
    fault::{Code, Fault, Refusal},
};
