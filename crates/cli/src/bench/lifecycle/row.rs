//! The result, for people and for machines.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::moves::JUDGED;
use crate::{
    bench::meter::percentile,
    exit::Failure,
    output::{self, Output},
};

/// One measurement.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) store: &'static str,
    pub(super) measurement: String,
    pub(super) per_second: f64,
    pub(super) p50: Duration,
    pub(super) p99: Duration,
    /// What else there is to say, by name.
    pub(super) more: Vec<(&'static str, f64)>,
}

impl Row {
    /// What so many latencies within `elapsed` come to.
    pub(super) fn new(
        store: &'static str,
        measurement: impl Into<String>,
        mut latencies: Vec<Duration>,
        elapsed: Duration,
    ) -> Self {
        latencies.sort_unstable();
        Self {
            store,
            measurement: measurement.into(),
            per_second: latencies.len() as f64 / elapsed.as_secs_f64(),
            p50: percentile(&latencies, 50),
            p99: percentile(&latencies, 99),
            more: Vec::new(),
        }
    }

    fn json(&self) -> Value {
        let mut members = Map::new();
        members.insert("store".to_owned(), json!(self.store));
        members.insert("measurement".to_owned(), json!(self.measurement));
        members.insert("perSecond".to_owned(), json!(self.per_second));
        members.insert("p50Us".to_owned(), json!(micros(self.p50)));
        members.insert("p99Us".to_owned(), json!(micros(self.p99)));
        members.extend(self.more.iter().map(|(name, it)| ((*name).to_owned(), json!(it))));
        Value::Object(members)
    }
}

fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

/// The median round.
pub(super) fn median(mut rounds: Vec<Row>) -> Option<Row> {
    rounds.sort_by(|a, b| a.per_second.total_cmp(&b.per_second));
    let middle = rounds.len() / 2;
    rounds.into_iter().nth(middle)
}

pub(super) fn print(rows: &[Row], output: Output) -> Result<(), Failure> {
    if output.is_json {
        return output.json(&rows.iter().map(Row::json).collect::<Vec<_>>());
    }
    let mut table = output::table(&["store", "measurement", "per second", "p50", "p99", ""]);
    let ms = |it: Duration| format!("{:.3} ms", it.as_secs_f64() * 1e3);
    for it in rows {
        let more = it.more.iter().map(|(name, it)| format!("{name} {it:.2}"));
        table.add_row(vec![
            it.store.to_owned(),
            it.measurement.clone(),
            format!("{:.0}", it.per_second),
            ms(it.p50),
            ms(it.p99),
            more.collect::<Vec<_>>().join(", "),
        ]);
    }
    output.table(table)?;
    output.line(JUDGED)
}
