//! Entities: documents with a model, moved from state to state by workflows.

pub mod cascade;
pub mod criterion;
pub mod explain;
pub mod judge;
pub mod model;
pub mod told;
pub mod workflow;
