//! Clients of processes: some start instances, the others work them off.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use serde::Deserialize;
use serde_json::json;
use tokio::{
    sync::Semaphore,
    task::JoinSet,
    time::{Instant, sleep_until},
};
use waypost_api::Timestamp;

use crate::{
    bench::http::Connection,
    exit::{Exit, Failure},
};

/// Instances under way at a time: enough to keep every worker busy, not more.
const UNDER_WAY_MAX: u32 = 2_000;
/// How long a poll waits for jobs, in milliseconds.
const POLL_WAIT: u32 = 200;

/// How hard to press.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    pub(super) starters: u32,
    pub(super) workers: u32,
    pub(super) poll: u32,
    pub(super) is_batch: bool,
    pub(super) duration: Duration,
    /// Instances per second to start; as many as possible if absent.
    pub(super) pace: Option<f64>,
}

/// What one round came to.
#[derive(Clone, Debug, Default)]
pub(super) struct Worked {
    pub(super) finished: u64,
    elapsed: Duration,
    /// How long starting took, shortest first.
    pub(super) starts: Vec<Duration>,
    /// From when a job could be had to when it was, shortest first; of some.
    pub(super) pickups: Vec<Duration>,
}

impl Worked {
    pub(super) fn instances_per_second(&self) -> f64 {
        self.finished as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

/// What the clients share.
struct Shared {
    address: SocketAddr,
    load: Load,
    end: Instant,
    room: Semaphore,
    finished: AtomicU64,
    is_over: AtomicBool,
}

/// Starts and works off instances for a while, then works off what is left.
pub(super) async fn work(address: SocketAddr, load: Load) -> Result<Worked, Failure> {
    let begin = Instant::now();
    let shared = Arc::new(Shared {
        address,
        load,
        end: begin + load.duration,
        room: Semaphore::new(UNDER_WAY_MAX as usize),
        finished: AtomicU64::new(0),
        is_over: AtomicBool::new(false),
    });
    let mut starters = JoinSet::new();
    (0..load.starters).for_each(|it| drop(starters.spawn(start(Arc::clone(&shared), it))));
    let mut workers = JoinSet::new();
    (0..load.workers).for_each(|it| drop(workers.spawn(work_or_close(Arc::clone(&shared), it))));
    let mut worked = Worked::default();
    while let Some(done) = starters.join_next().await {
        worked.starts.extend(done.map_err(broken)??);
    }
    // All that was started is finished before the time is taken; unless a worker gave up, which
    // is told below.
    drop(shared.room.acquire_many(UNDER_WAY_MAX).await);
    worked.elapsed = begin.elapsed();
    shared.is_over.store(true, Ordering::Relaxed);
    while let Some(done) = workers.join_next().await {
        worked.pickups.extend(done.map_err(broken)??);
    }
    worked.finished = shared.finished.load(Ordering::Relaxed);
    worked.starts.sort_unstable();
    worked.pickups.sort_unstable();
    Ok(worked)
}

fn broken(error: impl ToString) -> Failure {
    Failure::new(Exit::Failed, error.to_string())
}

/// Nobody waits for room that a worker who has given up will never make.
async fn work_or_close(shared: Arc<Shared>, number: u32) -> Result<Vec<Duration>, Failure> {
    let worked = work_off(Arc::clone(&shared), number).await;
    if worked.is_err() {
        shared.is_over.store(true, Ordering::Relaxed);
        shared.room.close();
    }
    worked
}

async fn start(shared: Arc<Shared>, number: u32) -> Result<Vec<Duration>, Failure> {
    let mut connection = Connection::open(shared.address).await?;
    let variables = super::variables();
    let body = json!({"definitionId": "bench", "variables": variables}).to_string();
    let mut took = Vec::new();
    let every = shared.load.pace.map(|it| f64::from(shared.load.starters) / it.max(1.0));
    let first = shared.end - shared.load.duration;
    for turn in 0_u32.. {
        if let Some(every) = every {
            let share = f64::from(number) / f64::from(shared.load.starters);
            sleep_until(first + Duration::from_secs_f64(every * (f64::from(turn) + share))).await;
        }
        if Instant::now() >= shared.end {
            break;
        }
        let Ok(room) = shared.room.acquire().await else { break };
        room.forget();
        let begin = Instant::now();
        connection.post("/v1/instances", &body).await?;
        took.push(begin.elapsed());
    }
    Ok(took)
}

#[derive(Deserialize)]
struct Polled<'a> {
    #[serde(borrow)]
    jobs: Vec<Job<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Job<'a> {
    id: &'a str,
    job_type: &'a str,
    created_at: &'a str,
    locked_at: &'a str,
}

async fn work_off(shared: Arc<Shared>, number: u32) -> Result<Vec<Duration>, Failure> {
    let mut connection = Connection::open(shared.address).await?;
    let worker = format!("worker-{number}");
    let poll = json!({"workerId": worker, "jobTypes": ["one", "two", "three"],
        "maxJobs": shared.load.poll, "waitMs": POLL_WAIT})
    .to_string();
    let done = json!({"workerId": worker, "variables": {"done": true}}).to_string();
    let mut pickups = Vec::new();
    while !shared.is_over.load(Ordering::Relaxed) {
        let answer = connection.post("/v1/jobs/poll", &poll).await?;
        let polled: Polled<'_> = serde_json::from_slice(&answer).map_err(broken)?;
        pickups.extend(polled.jobs.first().and_then(waited));
        if shared.load.is_batch && !polled.jobs.is_empty() {
            let done = json!({"done": true});
            let jobs = polled.jobs.iter().map(|it| json!({"id": it.id, "variables": done}));
            let jobs: Vec<_> = jobs.collect();
            let body = json!({"workerId": worker, "jobs": jobs}).to_string();
            connection.post("/v1/jobs/complete", &body).await?;
        }
        for job in &polled.jobs {
            if !shared.load.is_batch {
                connection.post(&format!("/v1/jobs/{}/complete", job.id), &done).await?;
            }
            if job.job_type == "three" {
                shared.finished.fetch_add(1, Ordering::Relaxed);
                shared.room.add_permits(1);
            }
        }
    }
    Ok(pickups)
}

/// How long a job waited to be picked up.
fn waited(job: &Job<'_>) -> Option<Duration> {
    let at = |text: &str| text.parse::<Timestamp>().ok().map(Timestamp::as_micros);
    let micros = at(job.locked_at)? - at(job.created_at)?;
    Some(Duration::from_micros(u64::try_from(micros).unwrap_or(0)))
}
