//! Processes: graphs of steps that programs, people, conditions and time move forward.

mod advance;
mod attempt;
mod audit;
mod decide;
mod due;
mod duration;
mod evolve;
pub mod explain;
pub mod expression;
mod graph;
mod history;
mod message;
mod moment;
mod parse;
mod schema;
mod table;
mod trail;
mod types;
mod validate;
mod variables;

pub use self::{
    attempt::{Attempt, AttemptEnd, AttemptOutcome, Attempts},
    audit::{Audit, By, Deed, What},
    due::{Due, timers},
    graph::{
        Boundary, Cell, Choice, Exit, Graph, HitPolicy, Rule, Step, StepId, StepType, Table, Work,
    },
    history::{History, Visit, VisitStatus},
    message::{Command, Event, Start},
    parse::{
        BoundarySource, PropertySource, RuleSource, SchemaSource, Source, StepSource, TableSource,
    },
    schema::Schema,
    table::{Trial, trial},
    trail::{Trail, Way},
    types::{Alarm, Branch, Fork, Path, Phase, Process, Rest, State, Status, Stay, Visits, limits},
    validate::violations,
    variables::Variables,
};
