//! The handle of processes: graphs of steps.

mod definitions;
mod explain;
mod graphs;
mod handle;
mod jobs;
mod names;
mod next;
mod past;
mod request;
mod view;
mod what_if;
mod work;

pub use waypost_machines::process::{
    Attempt, AttemptEnd, AttemptOutcome, BoundarySource, By, Deed, Graph, Source, Status, Step,
    StepSource, StepType, TableSource, Variables, Visit, VisitStatus, What, expression::Coercion,
};

pub(crate) use self::graphs::Graphs;
pub use self::{
    definitions::{DefinitionPage, Deployed},
    handle::Processes,
    names::{child, parent},
    request::{Callback, ListProcesses, Poll, StartProcess},
    view::{
        AuditView, HistoryView, InstanceView, JobView, Outline, PastView, TaskView, UserTaskView,
    },
};
