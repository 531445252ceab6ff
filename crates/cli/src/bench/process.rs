//! `waypost bench process`: three service tasks in a row, started and worked off over HTTP by
//! clients that do nothing else, in the same process as the server.

mod clients;

use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::task::JoinSet;
use waypost_engine::{Engine, process::StartProcess};

use self::clients::{Load, Worked};
use super::{Served, callers::failure, meter::percentile, target::Target};
use crate::{
    exit::{Exit, Failure},
    output::{self, Output},
};

/// Instances are stored by so many callers at once.
const FILLERS: u32 = 256;

/// How to measure processes.
#[derive(Debug, clap::Args)]
pub(super) struct ProcessArgs {
    /// Where: a new SQLite file in a temporary folder, or a PostgreSQL URL (use a scratch database)
    #[arg(long, default_value = "sqlite")]
    store: String,
    /// Instances that are stored before measuring begins; they wait for a signal
    #[arg(long, default_value_t = 10_000)]
    instances: u32,
    /// Keep-alive connections that start instances
    #[arg(long, default_value_t = 32)]
    starters: u32,
    /// Keep-alive connections that poll and complete jobs
    #[arg(long, default_value_t = 64)]
    workers: u32,
    /// How many jobs one poll takes
    #[arg(long, default_value_t = 10)]
    poll: u32,
    /// Complete the jobs of a poll in one request instead of one by one
    #[arg(long)]
    batch: bool,
    /// Seconds per round
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// Rounds of each measurement, interleaved; the median counts
    #[arg(long, default_value_t = 3)]
    rounds: usize,
}

/// Runs the measurement.
pub(super) async fn run(args: ProcessArgs, output: Output) -> Result<(), Failure> {
    let target = Target::prepare(&args.store).await?;
    let served = Served::start(&target).await?;
    fill(&served.engine, args.instances).await?;
    let load = Load {
        starters: args.starters,
        workers: args.workers,
        poll: args.poll,
        is_batch: args.batch,
        duration: Duration::from_secs(args.seconds),
        pace: None,
    };
    let (mut full, mut half) = (Vec::new(), Vec::new());
    for _ in 0..args.rounds {
        let worked = clients::work(served.address, load).await?;
        let pace = Some(worked.instances_per_second() / 2.0);
        full.push(worked);
        half.push(clients::work(served.address, Load { pace, ..load }).await?);
    }
    served.stop().await?;
    print(&[("as fast as it goes", full), ("half of that", half)], output)
}

/// Three service tasks in a row; and a wait, for instances that are only stored.
fn definitions() -> [Value; 2] {
    let task = |id: &str, next: &str| json!({"id": id, "name": id, "type": "SERVICE_TASK", "jobType": id, "nextStep": next});
    let end = json!({"id": "end", "name": "End", "type": "END"});
    let wait = json!({"id": "wait", "name": "Wait", "type": "WAIT", "nextStep": "end"});
    [
        json!({"id": "bench", "name": "Bench",
               "steps": [task("one", "two"), task("two", "three"), task("three", "end"), end]}),
        json!({"id": "stored", "name": "Stored", "steps": [wait, end]}),
    ]
}

/// What an instance is about: about a quarter of a kilobyte.
fn variables() -> Map<String, Value> {
    let value = json!({"customer": "c-10293847", "amount": 1299.90, "currency": "EUR",
        "lines": [{"sku": "A-17", "n": 2}, {"sku": "B-03", "n": 1}], "note": "leave at the door"});
    value.as_object().cloned().unwrap_or_default()
}

async fn fill(engine: &Engine, instances: u32) -> Result<(), Failure> {
    for definition in definitions() {
        engine.process().deploy(&definition.to_string()).await.map_err(failure)?;
    }
    let mut callers = JoinSet::new();
    for caller in 0..FILLERS {
        let share = instances / FILLERS + u32::from(caller < instances % FILLERS);
        let processes = engine.process();
        callers.spawn(async move {
            for _ in 0..share {
                let (definition, variables) = ("stored".to_owned(), variables());
                let start = StartProcess { definition, variables, ..StartProcess::default() };
                processes.start(start).await?;
            }
            Ok::<(), waypost_engine::Error>(())
        });
    }
    while let Some(done) = callers.join_next().await {
        done.map_err(|error| Failure::new(Exit::Failed, error.to_string()))?.map_err(failure)?;
    }
    Ok(())
}

fn print(rows: &[(&'static str, Vec<Worked>)], output: Output) -> Result<(), Failure> {
    let medians = rows.iter().filter_map(|(name, all)| Some((*name, median(all)?)));
    let medians: Vec<(&str, &Worked)> = medians.collect();
    if output.is_json {
        let all: Vec<Value> = medians.iter().map(|(name, it)| value(name, it)).collect();
        return output.json(&all);
    }
    let head = [
        "measurement",
        "instances/s",
        "steps/s",
        "start p50",
        "start p99",
        "pick-up p50",
        "pick-up p99",
    ];
    let mut table = output::table(&head);
    let ms = |it: Duration| format!("{:.1} ms", it.as_secs_f64() * 1e3);
    for (name, it) in &medians {
        table.add_row(vec![
            (*name).to_owned(),
            format!("{:.0}", it.instances_per_second()),
            format!("{:.0}", it.instances_per_second() * 3.0),
            ms(percentile(&it.starts, 50)),
            ms(percentile(&it.starts, 99)),
            ms(percentile(&it.pickups, 50)),
            ms(percentile(&it.pickups, 99)),
        ]);
    }
    output.table(table)
}

fn median(all: &[Worked]) -> Option<&Worked> {
    let mut sorted: Vec<&Worked> = all.iter().collect();
    sorted.sort_by(|a, b| a.instances_per_second().total_cmp(&b.instances_per_second()));
    sorted.get(sorted.len() / 2).copied()
}

fn value(name: &str, it: &Worked) -> Value {
    json!({
        "measurement": name,
        "instances": it.finished,
        "instancesPerSecond": it.instances_per_second(),
        "stepsPerSecond": it.instances_per_second() * 3.0,
        "startP50Us": percentile(&it.starts, 50).as_micros(),
        "startP99Us": percentile(&it.starts, 99).as_micros(),
        "pickUpP50Us": percentile(&it.pickups, 50).as_micros(),
        "pickUpP99Us": percentile(&it.pickups, 99).as_micros(),
    })
}
