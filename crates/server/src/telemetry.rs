//! What the server tells of itself: a log, and traces of requests for those who collect them.

mod exporter;
mod log;
mod sampler;
mod span;
mod traces;

pub use self::{
    log::{Log, LogFormat, TelemetryError, init},
    sampler::{Root, Sampler},
    traces::{Collector, Export, Traces, TracesError},
};
pub(crate) use self::{sampler::Chosen, span::RequestSpan};
