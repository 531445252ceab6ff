//! Chains: a fixed line of steps, each claimed before it is executed, retried, and woken by events.

mod decide;
mod evolve;
pub mod explain;
mod patch;
mod plan;
mod policy;
mod types;

pub use self::{
    plan::{Plan, PlannedStep},
    policy::{Backoff, LeaseExhaustion, Policy, RetryRule, TypeRules},
    types::{
        Chain, Command, Event, Held, Outbound, Outcome, Report, ReportKind, Settled, Signal, Start,
        State, Status, Step, StepStatus, TaskType, limits,
    },
};
