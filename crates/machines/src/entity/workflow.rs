//! Workflows: what moves entities of one model from state to state. How they are read, checked,
//! merged, stored and shown.

mod bounds;
mod built_in;
mod choose;
mod circle;
mod cut;
mod import;
mod read;
mod types;
mod validate;
mod write;

pub use self::{
    built_in::built_in,
    choose::{available, choose},
    import::{Refusal, import},
    read::{Malformed, read_stored},
    types::{Config, Processor, Schedule, State, Transition, Workflow, limits},
    validate::Rules,
    write::{export, stored},
};
pub(crate) use self::{choose::remembered_as, cut::cut, write::object};
