//! Entities: documents under a state machine. Every write runs the machine in the same commit, and
//! asks compute members on the way.

mod audit;
mod caller;
mod compute;
mod explain;
mod fault;
mod fire;
mod follow;
mod handle;
mod item;
mod land;
mod letters;
mod lookup;
mod model;
mod models;
mod page;
mod read;
mod record;
mod refuse;
mod registry;
mod run;
mod schedule;
mod search;
mod searches;
mod snapshot;
mod transaction;
mod what_if;
mod work;
mod workflows;
mod write;

pub use self::{
    audit::{AuditCursor, AuditItem, AuditPage, AuditQuery, AuditWhat},
    caller::Caller,
    compute::{Answer, Compute, NoCompute, Question},
    fault::{Code, Fault, Refusal},
    handle::{Entities, Rules},
    item::{Item, Touched, Written},
    letters::Kept,
    models::{ModelView, View, model_id},
    read::{ChangeView, When},
    record::{ChangeKind, Entity, Save},
    search::{Found, condition},
    searches::{SearchPage, SearchStatus, SearchView},
};
pub(crate) use self::{fire::fire, handle::Home};
pub use waypost_machines::entity::cascade::Pace;
