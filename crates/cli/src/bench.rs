//! Measures an engine on this machine.

use crate::{
    exit::{Exit, Failure},
    output::Output,
};

/// What to measure.
#[derive(Debug, clap::Args)]
pub(crate) struct BenchArgs {}

/// Runs the measurement.
pub(crate) async fn run(_args: BenchArgs, _output: Output) -> Result<(), Failure> {
    Err(Failure::new(Exit::Failed, "there is nothing to measure yet"))
}
