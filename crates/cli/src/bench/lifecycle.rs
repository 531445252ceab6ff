//! `waypost bench lifecycle`: moves against the raw compare-and-set of the same store, questions to
//! the index against reading everything, and watches that many follow.

mod mission;
mod moves;
mod questions;
mod row;
mod site;
mod watches;

use std::collections::BTreeSet;

use self::{row::Row, site::Site};
use crate::{exit::Failure, output::Output};

/// How to measure lifecycles.
#[derive(Debug, clap::Args)]
pub(super) struct LifecycleArgs {
    /// Also measure on this PostgreSQL (use a scratch database)
    #[arg(long, value_name = "URL")]
    postgres: Option<String>,
    /// Also measure on this NATS server (use a scratch server: buckets are left behind)
    #[arg(long, value_name = "URL")]
    nats: Option<String>,
    /// Callers, each moving an entity of its own
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=4_096))]
    callers: u32,
    /// Entities that questions are asked about
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    entities: u32,
    /// Entities that the same questions are asked about for comparison
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    few: u32,
    /// Watches of one bucket
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    watches: u32,
    /// Entities that every watch is shown before the writes
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    watched: u32,
    /// Writes that every watch is shown
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    writes: u32,
    /// Seconds per round
    #[arg(long, default_value_t = 3)]
    seconds: u64,
    /// Rounds of each measurement, interleaved; the median counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
}

/// Runs the measurement.
pub(super) async fn run(args: LifecycleArgs, output: Output) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for site in Site::all(&args).await? {
        tracing::info!(store = site.name, "measuring");
        rows.extend(measure(&site, &args).await?);
        site.close().await?;
    }
    row::print(&rows, output)
}

async fn measure(site: &Site, args: &LifecycleArgs) -> Result<Vec<Row>, Failure> {
    let mut rows = moves::measure(site, args).await?;
    for entities in BTreeSet::from([args.few, args.entities]) {
        rows.extend(questions::measure(site, entities, args.callers).await?);
    }
    rows.push(watches::measure(site, args).await?);
    Ok(rows)
}

fn failure(error: impl std::fmt::Display) -> Failure {
    Failure::new(crate::exit::Exit::Failed, format!("the benchmark was interrupted: {error}"))
}
