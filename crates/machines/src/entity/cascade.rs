//! Runs an entity through its workflow: which one, which transition, who must be asked, and where
//! it comes to rest. Decided from the start each time an answer is known.

mod audit;
mod call;
mod course;
mod fire;
mod judge;
mod retry;
mod run;
mod schedule;
mod types;

pub use self::{
    audit::{AuditEvent, AuditKind, StopReason},
    call::{Asked, Call, Cause, Function, Passage, Replies, Reply, Target, Terms},
    judge::{Judge, Question, Verdict},
    retry::{Pace, Retry},
    run::run,
    schedule::{Armed, Due, due, expire},
    types::{Command, Entity, Failure, FailureKind, Limits, Ran, Run, Stop, limits},
};
