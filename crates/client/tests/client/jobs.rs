//! Workers of processes: what they do, keep alive, report and finish.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;
use waypost_client::{
    Client, Error,
    api::process::{InstanceStatus, Job, PollJobs},
    worker::{JobFailure, JobWorker, Jobs, WorkerOptions},
};

use crate::processes::Site;

fn options(concurrency: u32) -> WorkerOptions {
    WorkerOptions { concurrency, ..WorkerOptions::default() }
}

fn nothing() -> Result<(), JobFailure> {
    Ok(())
}

#[tokio::test]
async fn a_worker_does_jobs_and_what_it_returns_becomes_variables() {
    let site = Site::new(0).await;
    let id = site.start(json!({ "amount": 3 })).await;
    let jobs = Jobs::new()
        .job("score", |job: Arc<Job>| async move {
            let amount = job.variables.get("amount").and_then(Value::as_i64).unwrap_or(0);
            Ok(json!({ "score": amount * 100 }))
        })
        .unwrap();
    let stop = CancellationToken::new();
    let working = tokio::spawn(JobWorker::new(&site.client, jobs, options(4)).run(stop.clone()));
    let ended = site.until(&id, |it| it.status == InstanceStatus::Completed).await;
    assert_eq!(ended.variables.get("score"), Some(&json!(300)));
    stop.cancel();
    working.await.unwrap();
}

#[tokio::test]
async fn errors_and_panics_are_tried_again_while_retries_are_left() {
    let site = Site::new(2).await;
    let id = site.start(json!({})).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&seen);
    let jobs = Jobs::new()
        .job("score", move |job: Arc<Job>| {
            told.lock().unwrap().push(job.retries_remaining);
            async move {
                match job.retries_remaining {
                    2 => Err(std::io::Error::other("no disk").into()),
                    1 => panic!("no more"),
                    _ => nothing(),
                }
            }
        })
        .unwrap();
    let worker = JobWorker::new(&site.client, jobs, options(1));
    for _ in 0..3 {
        while worker.run_once().await.unwrap() == 0 {}
    }
    let ended = site.until(&id, |it| it.status == InstanceStatus::Completed).await;
    assert!(ended.failure_reason.is_none());
    assert_eq!(*seen.lock().unwrap(), [2, 1, 0]);
}

#[tokio::test]
async fn a_fatal_failure_ends_the_instance_whatever_retries_are_left() {
    let site = Site::new(5).await;
    let id = site.start(json!({})).await;
    let refuse = |_: Arc<Job>| async { Err::<(), _>(JobFailure::fatal("no such customer")) };
    let worker =
        JobWorker::new(&site.client, Jobs::new().job("score", refuse).unwrap(), options(1));
    assert_eq!(worker.run_once().await.unwrap(), 1);
    let ended = site.processes.show(&id).await.unwrap();
    assert_eq!(ended.status, InstanceStatus::Failed);
    assert_eq!(ended.failure_reason.as_deref(), Some("no such customer"));
}

#[tokio::test]
async fn a_panic_without_retries_left_says_what_it_was() {
    let site = Site::new(0).await;
    let id = site.start(json!({})).await;
    let panics = |job: Arc<Job>| async move {
        assert!(job.job_type.is_empty(), "out of {}", "luck");
        nothing()
    };
    let worker =
        JobWorker::new(&site.client, Jobs::new().job("score", panics).unwrap(), options(1));
    assert_eq!(worker.run_once().await.unwrap(), 1);
    let ended = site.processes.show(&id).await.unwrap();
    assert_eq!(ended.failure_reason.as_deref(), Some("panic: out of luck"));
}

#[tokio::test]
async fn what_is_no_object_cannot_become_variables() {
    let site = Site::new(3).await;
    let id = site.start(json!({})).await;
    let jobs = Jobs::new().job("score", |_: Arc<Job>| async { Ok(7) }).unwrap();
    assert_eq!(JobWorker::new(&site.client, jobs, options(1)).run_once().await.unwrap(), 1);
    let ended = site.processes.show(&id).await.unwrap();
    assert_eq!(ended.status, InstanceStatus::Failed);
    assert!(ended.failure_reason.unwrap().contains("no object"));
}

#[tokio::test]
async fn a_worker_never_holds_more_than_it_can_begin() {
    let site = Site::new(0).await;
    for _ in 0..5 {
        site.start(json!({})).await;
    }
    let (begun, gate) = (Arc::new(AtomicU32::new(0)), Arc::new(Semaphore::new(0)));
    let (counter, open) = (Arc::clone(&begun), Arc::clone(&gate));
    let jobs = Jobs::new()
        .job("score", move |_: Arc<Job>| {
            counter.fetch_add(1, Ordering::SeqCst);
            let open = Arc::clone(&open);
            async move {
                open.acquire().await.unwrap().forget();
                nothing()
            }
        })
        .unwrap();
    let stop = CancellationToken::new();
    let working = tokio::spawn(JobWorker::new(&site.client, jobs, options(2)).run(stop.clone()));
    while begun.load(Ordering::SeqCst) < 2 {
        tokio::task::yield_now().await;
    }
    // Another worker gets exactly what the first one has left.
    let poll = PollJobs {
        worker_id: Some("other".into()),
        job_types: Some(vec!["score".into()]),
        ..PollJobs::default()
    };
    assert_eq!(site.processes.poll(&poll).await.unwrap().len(), 3);
    gate.add_permits(2);
    stop.cancel();
    working.await.unwrap();
}

#[tokio::test]
async fn a_long_job_keeps_its_lease() {
    let site = Site::new(0).await;
    let id = site.start(json!({})).await;
    let over = Arc::new(Notify::new());
    let (told, n_begun) = (Arc::clone(&over), Arc::new(AtomicU32::new(0)));
    let counter = Arc::clone(&n_begun);
    let jobs = Jobs::new()
        .job("score", move |_: Arc<Job>| {
            let told = Arc::clone(&told);
            counter.fetch_add(1, Ordering::SeqCst);
            async move {
                told.notified().await;
                nothing()
            }
        })
        .unwrap();
    let options = WorkerOptions { lease: Duration::from_secs(5), ..options(1) };
    let stop = CancellationToken::new();
    let working = tokio::spawn(JobWorker::new(&site.client, jobs, options).run(stop.clone()));
    while n_begun.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    site.until_lease_reaches(Duration::from_secs(6)).await;
    over.notify_one();
    site.until(&id, |it| it.status == InstanceStatus::Completed).await;
    assert_eq!(n_begun.load(Ordering::SeqCst), 1);
    stop.cancel();
    working.await.unwrap();
}

#[tokio::test]
async fn a_worker_that_is_told_to_stop_finishes_what_it_has_begun_and_fails_nothing() {
    let site = Site::new(0).await;
    let id = site.start(json!({})).await;
    let (over, begun) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (told, tell) = (Arc::clone(&over), Arc::clone(&begun));
    let jobs = Jobs::new()
        .job("score", move |_: Arc<Job>| {
            let told = Arc::clone(&told);
            tell.notify_one();
            async move {
                told.notified().await;
                nothing()
            }
        })
        .unwrap();
    let stop = CancellationToken::new();
    let working = tokio::spawn(JobWorker::new(&site.client, jobs, options(1)).run(stop.clone()));
    begun.notified().await;
    stop.cancel();
    // One that dropped its work would be gone by now.
    for _ in 0..20 {
        assert_eq!(site.processes.show(&id).await.unwrap().status, InstanceStatus::Active);
    }
    assert!(!working.is_finished());
    over.notify_one();
    working.await.unwrap();
    let later = site.start(json!({})).await;
    assert_eq!(site.processes.show(&id).await.unwrap().status, InstanceStatus::Completed);
    assert_eq!(site.processes.show(&later).await.unwrap().status, InstanceStatus::Active);
}

#[tokio::test]
async fn a_server_that_is_away_is_asked_again_until_it_is_back() {
    // Hangs up on whoever calls.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let client = Client::new(&format!("http://{address}")).unwrap();
    let jobs = Jobs::new().job("score", |_: Arc<Job>| async { nothing() }).unwrap();
    let stop = CancellationToken::new();
    let working = tokio::spawn(JobWorker::new(&client, jobs, options(1)).run(stop.clone()));
    for _ in 0..2 {
        drop(listener.accept().await.unwrap());
    }
    drop(listener);
    let site = Site::at(address, 0).await;
    let id = site.start(json!({})).await;
    site.until(&id, |it| it.status == InstanceStatus::Completed).await;
    stop.cancel();
    working.await.unwrap();
}

#[tokio::test]
async fn a_type_of_job_has_one_function() {
    let job = |_: Arc<Job>| async { nothing() };
    let twice = Jobs::new().job("score", job).and_then(|it| it.job("score", job));
    assert!(matches!(twice, Err(Error::JobTwice { .. })));
}
