//! Time, processor, bytes and latencies of one round.

use std::{fs, time::Duration};

use tokio::time::Instant;
use waypost_engine::Engine;
use waypost_kernel::Figures;

use crate::exit::Failure;

/// Ticks per second in the kernel's process statistics.
const TICKS: u64 = 100;

/// What one round came to.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    pub(super) steps: u64,
    pub(super) steps_per_second: f64,
    pub(super) p50: Duration,
    pub(super) p99: Duration,
    /// Commits and claims per synced transaction.
    pub(super) per_sync: f64,
    pub(super) bytes_per_step: f64,
    /// Of this whole process, whatever it does: engine, store, callers.
    pub(super) cpu_per_step: Duration,
    pub(super) memory_mb: f64,
}

pub(super) struct Meter {
    begin: Instant,
    figures: Figures,
    cpu: Duration,
    bytes: u64,
}

impl Meter {
    pub(super) async fn start(engine: &Engine) -> Result<Self, Failure> {
        let figures = engine.store().figures().await?;
        Ok(Self { begin: Instant::now(), figures, cpu: cpu(), bytes: bytes_written() })
    }

    pub(super) async fn stop(
        self,
        engine: &Engine,
        mut latencies: Vec<Duration>,
    ) -> Result<Measured, Failure> {
        let elapsed = self.begin.elapsed().as_secs_f64();
        let figures = engine.store().figures().await?;
        latencies.sort_unstable();
        let steps = latencies.len() as u64;
        let each = |total: f64| total / (steps.max(1) as f64);
        let groups = figures.groups.saturating_sub(self.figures.groups).max(1);
        Ok(Measured {
            steps,
            steps_per_second: steps as f64 / elapsed,
            p50: percentile(&latencies, 50),
            p99: percentile(&latencies, 99),
            per_sync: figures.commits.saturating_sub(self.figures.commits) as f64 / groups as f64,
            bytes_per_step: each(bytes_written().saturating_sub(self.bytes) as f64),
            cpu_per_step: Duration::from_secs_f64(each((cpu() - self.cpu).as_secs_f64())),
            memory_mb: memory_mb(),
        })
    }
}

pub(super) fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    let last = sorted.len().saturating_sub(1);
    sorted.get(last * percent / 100).copied().unwrap_or_default()
}

/// Processor time of this process, in user and system mode.
fn cpu() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name in parentheses may contain spaces; the numbers follow it.
    let numbers = stat.rsplit(')').next().unwrap_or_default();
    let ticks: u64 = numbers.split_whitespace().skip(11).take(2).flat_map(str::parse::<u64>).sum();
    Duration::from_millis(ticks * 1_000 / TICKS)
}

/// Bytes this process has caused to be written to the device.
fn bytes_written() -> u64 {
    number_after("/proc/self/io", "write_bytes:")
}

pub(super) fn memory_mb() -> f64 {
    number_after("/proc/self/status", "VmRSS:") as f64 / 1_024.0
}

fn number_after(file: &str, name: &str) -> u64 {
    let text = fs::read_to_string(file).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.split_whitespace().next().and_then(|it| it.parse().ok()).unwrap_or(0)
}
