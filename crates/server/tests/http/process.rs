//! Processes over HTTP.

#[path = "process/definitions.rs"]
mod definitions;
#[path = "process/edge.rs"]
mod edge;
#[path = "process/instances.rs"]
mod instances;
#[path = "process/jobs.rs"]
mod jobs;
#[path = "process/metrics.rs"]
mod metrics;
#[path = "process/play.rs"]
mod play;
#[path = "process/samples.rs"]
mod samples;
#[path = "process/tables.rs"]
mod tables;
#[path = "process/tasks.rs"]
mod tasks;
