//! Chains, for host programs and for the edges.

mod explain;
mod handle;
mod request;
mod runner;
mod token;
mod view;
mod work;

pub use waypost_machines::chain::{
    LeaseExhaustion, Outbound, Outcome, Plan, PlannedStep, Policy, RetryRule, Signal, Status,
    TypeRules,
};

pub use self::{
    handle::Chains,
    request::{
        ClaimRequest, Deployed, ListRequest, Reported, SignalOutcome, StartRequest, Started,
    },
    runner::{Runner, RunnerOptions, StepFailure, Steps, Verdict, worker_id},
    token::LeaseToken,
    view::{ChainView, StepView, TaskView, ViewStatus},
};
