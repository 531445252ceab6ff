//! The result, for people and for machines.

use serde_json::{Value, json};

use super::meter::Measured;
use crate::{
    exit::Failure,
    output::{self, Output},
};

/// Prints the median round of each measurement, with its ratio to the first.
pub(super) fn print(rows: &[(&'static str, Vec<Measured>)], output: Output) -> Result<(), Failure> {
    let medians: Vec<(&str, &Measured)> =
        rows.iter().filter_map(|(name, all)| Some((*name, median(all)?))).collect();
    let first = medians.first().map_or(1.0, |(_, it)| it.steps_per_second);
    if output.is_json {
        let all: Vec<Value> = medians.iter().map(|(name, it)| value(name, it, first)).collect();
        return output.json(&all);
    }
    let head = [
        "measurement",
        "ratio",
        "steps/s",
        "p50",
        "p99",
        "commits/sync",
        "bytes/step",
        "cpu/step",
        "memory",
    ];
    let mut table = output::table(&head);
    for (name, it) in &medians {
        table.add_row(row(name, it, first));
    }
    output.table(table)
}

fn median(all: &[Measured]) -> Option<&Measured> {
    let mut sorted: Vec<&Measured> = all.iter().collect();
    sorted.sort_by(|a, b| a.steps_per_second.total_cmp(&b.steps_per_second));
    sorted.get(sorted.len() / 2).copied()
}

fn row(name: &str, it: &Measured, first: f64) -> Vec<String> {
    vec![
        name.to_owned(),
        format!("{:.2}", it.steps_per_second / first),
        format!("{:.0}", it.steps_per_second),
        format!("{:.1} ms", it.p50.as_secs_f64() * 1e3),
        format!("{:.1} ms", it.p99.as_secs_f64() * 1e3),
        format!("{:.1}", it.per_sync),
        format!("{:.0}", it.bytes_per_step),
        format!("{:.1} µs", it.cpu_per_step.as_secs_f64() * 1e6),
        format!("{:.0} MB", it.memory_mb),
    ]
}

fn value(name: &str, it: &Measured, first: f64) -> Value {
    json!({
        "measurement": name,
        "ratio": it.steps_per_second / first,
        "steps": it.steps,
        "stepsPerSecond": it.steps_per_second,
        "p50Us": it.p50.as_micros(),
        "p99Us": it.p99.as_micros(),
        "commitsPerSync": it.per_sync,
        "bytesPerStep": it.bytes_per_step,
        "cpuUsPerStep": it.cpu_per_step.as_secs_f64() * 1e6,
        "memoryMb": it.memory_mb,
    })
}
