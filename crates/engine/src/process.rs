//! The handle of processes: graphs of steps.

mod armed;
mod definitions;
mod explain;
mod graphs;
mod handle;
mod jobs;
mod names;
mod next;
mod past;
mod request;
mod tables;
mod view;
mod what_if;
mod work;

pub use waypost_machines::process::{
    Attempt, AttemptEnd, AttemptOutcome, BoundarySource, By, Deed, Graph, RuleSource, Source,
    Status, Step, StepSource, StepType, TableSource, Trial, Variables, Visit, VisitStatus, What,
    expression::Coercion,
};

pub(crate) use self::graphs::Graphs;
pub use self::{
    armed::{ArmedView, TimerPurpose, TimerStep},
    definitions::{DefinitionPage, Deployed},
    handle::Processes,
    names::{child, parent},
    request::{Callback, ListProcesses, Poll, StartProcess},
    tables::Hits,
    view::{
        AuditView, HistoryView, InstanceView, JobView, Outline, PastView, TaskView, UserTaskView,
    },
};
