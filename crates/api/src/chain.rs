//! Chains over HTTP: the bodies of `/v1/chains/…`.

mod definition;
mod history;
mod instance;
mod query;
mod signal;
mod work;

pub use self::{
    definition::{Definition, DefinitionStep, DeployedDefinition},
    history::{Change, Event, EventType, History, HistoryEntry},
    instance::{Cancel, Instance, InstanceDetail, InstanceStatus, StartInstance, Step, StepStatus},
    query::{ChangeQuery, HistoryQuery, InstanceQuery, PageQuery},
    signal::{Signal, SignalOutcome, SignalResponse},
    work::{
        ClaimRequest, ClaimResponse, OutboundEvent, ReleaseRequest, RenewRequest, RenewResponse,
        ReportRequest, ReportResponse, Task, TaskResult, TaskType, Wake,
    },
};
