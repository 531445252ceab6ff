//! Processes over gRPC: a real client on a real port.

#[path = "grpc/definitions.rs"]
mod definitions;
#[path = "grpc/instances.rs"]
mod instances;
#[path = "grpc/jobs.rs"]
mod jobs;
#[path = "grpc/operations.rs"]
mod operations;
#[path = "grpc/talk.rs"]
pub(crate) mod talk;
