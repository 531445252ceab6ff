//! Models: what documents of one kind may look like, learned from samples and extended by what is
//! written later.

mod admit;
mod compare;
mod export;
mod id;
mod infer;
pub mod limits;
mod problem;
mod schema;
mod state;
mod stored;
mod types;
mod xml;

pub use self::{
    admit::Refusal,
    export::{json_schema, simple_view},
    id::id,
    problem::{Fault, Kind, Problem, Problems},
    schema::{Schema, TooLarge},
    state::{ChangeLevel, Lock},
    types::{Type, Types},
    xml::{XmlError, XmlFault, parse_xml},
};
