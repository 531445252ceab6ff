//! What is pure about lifecycles: the table of phases, where an entity may move, how moves are
//! remembered in what is stored, and the types of fields.

mod decide;
pub mod explain;
mod field;
mod instant;
mod set;
mod table;
mod trail;

pub use self::{
    decide::{FAILED, Goal, Refusal, Target, check, decide},
    field::{FieldKind, FieldValue, Mismatch},
    set::{SetError, SetOperation},
    table::{TableError, Transitions},
    trail::{DELETED, Found, History, Moved, Observed, RESERVED, Source, Step, Trail},
};
