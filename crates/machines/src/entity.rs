//! Entities: documents that follow a model and move through a workflow.

pub mod model;
