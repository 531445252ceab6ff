//! Entities: documents with a model that a workflow moves from state to state.

pub mod criterion;
