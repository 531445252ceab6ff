//! Jobs that are pushed to a worker: as they appear, with back-pressure, and only while they are its.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::json;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use waypost_client::{
    Error,
    api::process::{InstanceStatus, Job, PollJobs},
    worker::{JobFailure, JobWorker, Jobs, WorkerOptions},
};

use crate::{jobs::n_requests, processes::Site};

fn options(concurrency: u32) -> WorkerOptions {
    let lease = Duration::from_secs(5);
    WorkerOptions { concurrency, lease, ..WorkerOptions::default() }
}

/// Functions that note which instances they were asked about, and wait to be let go.
struct Gate {
    open: Arc<Semaphore>,
    begun: Arc<Mutex<Vec<String>>>,
}

impl Gate {
    fn new(n_open: usize) -> Self {
        Self { open: Arc::new(Semaphore::new(n_open)), begun: Arc::default() }
    }

    fn jobs(&self) -> Jobs {
        let (open, begun) = (Arc::clone(&self.open), Arc::clone(&self.begun));
        let run = move |job: Arc<Job>| {
            begun.lock().unwrap().push(job.instance_id.clone());
            let open = Arc::clone(&open);
            async move {
                open.acquire().await?.forget();
                Ok::<_, JobFailure>(json!({ "score": job.variables.get("amount") }))
            }
        };
        Jobs::new().job("score", run).unwrap()
    }

    fn begun(&self) -> Vec<String> {
        self.begun.lock().unwrap().clone()
    }

    async fn until_begun(&self, n_jobs: usize) {
        while self.begun().len() < n_jobs {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test]
async fn jobs_are_pushed_as_they_appear_and_nobody_polls() {
    let site = Site::new(0).await;
    let gate = Gate::new(1_000);
    let worker = JobWorker::new(&site.client, gate.jobs(), options(4));
    let stop = CancellationToken::new();
    let working = tokio::spawn(worker.pushed(&site.world.grpc).unwrap().run(stop.clone()));
    for amount in 0..20 {
        let id = site.start(json!({ "amount": amount, "of": [{ "a": 1.5 }, null] })).await;
        let ended = site.until(&id, |it| it.status == InstanceStatus::Completed).await;
        assert_eq!(ended.variables.get("score"), Some(&json!(amount)));
    }
    assert_eq!(n_requests(&site, "/jobs/poll").await, 0);
    stop.cancel();
    working.await.unwrap();
    // The stream has ended with it: what comes now is for others.
    site.start(json!({})).await;
    let poll = PollJobs {
        worker_id: Some("other".into()),
        job_types: Some(vec!["score".into()]),
        wait_ms: Some(20_000),
        ..PollJobs::default()
    };
    assert_eq!(site.processes.poll(&poll).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_worker_that_is_busy_leaves_most_jobs_to_others() {
    let site = Site::new(0).await;
    for _ in 0..150 {
        site.start(json!({ "text": "x".repeat(1_000) })).await;
    }
    let gate = Gate::new(0);
    let worker = JobWorker::new(&site.client, gate.jobs(), options(2));
    let stop = CancellationToken::new();
    let working = tokio::spawn(worker.pushed(&site.world.grpc).unwrap().run(stop.clone()));
    gate.until_begun(2).await;
    let poll = PollJobs {
        worker_id: Some("other".into()),
        job_types: Some(vec!["score".into()]),
        max_jobs: Some(150),
        ..PollJobs::default()
    };
    let n_left = site.processes.poll(&poll).await.unwrap().len();
    assert!(n_left >= 90, "only {n_left} of 150 are left");
    assert_eq!(gate.begun().len(), 2);
    stop.cancel();
    gate.open.add_permits(150);
    working.await.unwrap();
}

#[tokio::test]
async fn a_job_that_was_lost_before_it_was_read_is_not_begun() {
    let site = Site::new(0).await;
    let gate = Gate::new(0);
    let worker = JobWorker::new(&site.client, gate.jobs(), options(1));
    let stop = CancellationToken::new();
    let working = tokio::spawn(worker.pushed(&site.world.grpc).unwrap().run(stop.clone()));
    let first = site.start(json!({})).await;
    gate.until_begun(1).await;
    let canceled = site.start(json!({})).await;
    let last = site.start(json!({})).await;
    // More than a third of the lease passes, and those that wait to be read grow old.
    site.until_lease_of(&first, Duration::from_secs(6)).await;
    site.processes.cancel(&canceled, None).await.unwrap();
    gate.open.add_permits(3);
    site.until(&last, |it| it.status == InstanceStatus::Completed).await;
    assert_eq!(gate.begun(), [first, last]);
    stop.cancel();
    working.await.unwrap();
}

#[tokio::test]
async fn a_worker_that_is_pushed_to_comes_back() {
    let site = Site::new(0).await;
    // Hangs up on whoever calls.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let gate = Gate::new(1);
    let worker = JobWorker::new(&site.client, gate.jobs(), options(1));
    let stop = CancellationToken::new();
    let worker = worker.pushed(&format!("http://{address}")).unwrap();
    let working = tokio::spawn(worker.run(stop.clone()));
    for _ in 0..2 {
        drop(listener.accept().await.unwrap());
    }
    // From now on it is let through.
    let server = site.world.grpc.trim_start_matches("http://").to_owned();
    let between = tokio::spawn(async move {
        let (mut here, _) = listener.accept().await.unwrap();
        let mut there = tokio::net::TcpStream::connect(server).await.unwrap();
        drop(tokio::io::copy_bidirectional(&mut here, &mut there).await);
    });
    let id = site.start(json!({ "amount": 1 })).await;
    site.until(&id, |it| it.status == InstanceStatus::Completed).await;
    stop.cancel();
    working.await.unwrap();
    between.await.unwrap();
}

#[tokio::test]
async fn where_jobs_are_pushed_from_is_an_address() {
    let site = Site::new(0).await;
    let worker = JobWorker::new(&site.client, Gate::new(0).jobs(), options(1));
    assert!(matches!(worker.pushed("not an address"), Err(Error::Address { .. })));
}
