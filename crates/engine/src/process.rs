//! The handle of processes: graphs of steps.

mod definitions;
mod graphs;
mod handle;
mod names;
mod next;
mod request;
mod view;
mod work;

pub use waypost_machines::process::{
    BoundarySource, Graph, Source, Status, Step, StepSource, StepType, TableSource, Variables,
    Visit, VisitStatus, expression::Coercion,
};

pub(crate) use self::graphs::Graphs;
pub use self::{
    definitions::{DefinitionPage, Deployed},
    handle::Processes,
    names::{child, parent},
    request::{Callback, ListProcesses, Poll, StartProcess},
    view::{HistoryView, InstanceView, TaskView, UserTaskView},
};
