//! Workers of processes: what they do, keep alive, report and finish.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::{Notify, Semaphore},
};
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
    site.until_lease_of(&id, Duration::from_secs(6)).await;
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
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
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

/// How many requests the server has had on paths that end so.
pub(crate) async fn n_requests(site: &Site, end: &str) -> u64 {
    let direct = reqwest::Client::builder().no_proxy().build().unwrap();
    let text = direct.get(format!("{}/metrics", site.client.url())).send().await.unwrap();
    let text = text.text().await.unwrap();
    let counts = text.lines().filter(|it| it.starts_with("http_requests_duration_seconds_count"));
    let fitting = counts.filter(|it| it.contains(&format!("{end}\"")));
    fitting.map(|it| it.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).sum()
}

#[tokio::test]
async fn what_is_done_at_the_same_time_is_reported_together() {
    let site = Site::new(0).await;
    let mut ids = Vec::new();
    for amount in 0..20 {
        ids.push(site.start(json!({ "amount": amount })).await);
    }
    let jobs = Jobs::new()
        .job("score", |job: Arc<Job>| async move {
            Ok(json!({ "score": job.variables.get("amount").unwrap() }))
        })
        .unwrap();
    let worker = JobWorker::new(&site.client, jobs, options(20));
    assert_eq!(worker.run_once().await.unwrap(), 20);
    for (amount, id) in ids.iter().enumerate() {
        let ended = site.processes.show(id).await.unwrap();
        assert_eq!(ended.status, InstanceStatus::Completed);
        assert_eq!(ended.variables.get("score"), Some(&json!(amount)));
    }
    assert_eq!(n_requests(&site, "/v1/jobs/complete").await, 1);
    assert_eq!(n_requests(&site, "/complete").await, 1);
}

#[tokio::test]
async fn what_cannot_be_taken_fails_its_job_and_what_is_done_beside_it_is_taken() {
    let site = Site::new(0).await;
    // Together the small ones fill more than one report; the large one is too large for any.
    let sizes = [100, 400_000, 2_000_000, 400_000, 100];
    let mut ids = Vec::new();
    for size in sizes {
        ids.push(site.start(json!({ "size": size })).await);
    }
    let jobs = Jobs::new()
        .job("score", |job: Arc<Job>| async move {
            let size = job.variables.get("size").and_then(Value::as_u64).unwrap();
            Ok(json!({ "text": "x".repeat(usize::try_from(size).unwrap()) }))
        })
        .unwrap();
    let worker = JobWorker::new(&site.client, jobs, options(5));
    assert_eq!(worker.run_once().await.unwrap(), 5);
    for (size, id) in sizes.iter().zip(&ids) {
        let seen = site.processes.show(id).await.unwrap();
        match size {
            2_000_000 => {
                assert_eq!(seen.status, InstanceStatus::Failed);
                let reason = seen.failure_reason.unwrap();
                assert!(reason.contains("BODY_TOO_LARGE"), "{reason}");
            }
            _ => assert_eq!(seen.status, InstanceStatus::Completed, "{size}"),
        }
    }
}

#[tokio::test]
async fn jobs_nobody_can_read_are_told_so_alone_and_the_others_are_taken() {
    let site = Site::new(0).await;
    let mut ids = Vec::new();
    for depth in [1, 100, 2] {
        ids.push(site.start(json!({ "depth": depth })).await);
    }
    let jobs = Jobs::new()
        .job("score", |job: Arc<Job>| async move {
            let depth = job.variables.get("depth").and_then(Value::as_u64).unwrap();
            Ok((0..depth).fold(json!({}), |inner, _| json!({ "inner": inner })))
        })
        .unwrap();
    let worker = JobWorker::new(&site.client, jobs, options(3));
    assert_eq!(worker.run_once().await.unwrap(), 3);
    let mut seen = Vec::new();
    for id in &ids {
        seen.push(site.processes.show(id).await.unwrap());
    }
    let statuses: Vec<_> = seen.iter().map(|it| it.status).collect();
    use InstanceStatus::{Completed, Failed};
    assert_eq!(statuses, [Completed, Failed, Completed]);
    let reason = seen[1].failure_reason.as_deref().unwrap();
    assert!(reason.contains("JSON_TOO_DEEP"), "{reason}");
}

#[tokio::test]
async fn a_report_that_comes_too_late_changes_nothing() {
    let site = Site::new(0).await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(site.start(json!({})).await);
    }
    let processes = site.processes.clone();
    let jobs = Jobs::new()
        .job("score", move |job: Arc<Job>| {
            let processes = processes.clone();
            async move {
                processes.cancel(&job.instance_id, None).await?;
                Ok::<_, JobFailure>(json!({ "score": 1 }))
            }
        })
        .unwrap();
    assert_eq!(JobWorker::new(&site.client, jobs, options(3)).run_once().await.unwrap(), 3);
    for id in &ids {
        let seen = site.processes.show(id).await.unwrap();
        assert_eq!((seen.status, seen.variables.len()), (InstanceStatus::Cancelled, 0));
    }
}

#[tokio::test]
async fn a_worker_whose_server_does_not_wait_asks_now_and_then() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = Client::new(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let jobs = Jobs::new().job("score", |_: Arc<Job>| async { nothing() }).unwrap();
    let stop = CancellationToken::new();
    let working = tokio::spawn(JobWorker::new(&client, jobs, options(1)).run(stop.clone()));
    let mut asked_at = Vec::new();
    for _ in 0..4 {
        let (mut socket, _) = listener.accept().await.unwrap();
        asked_at.push(tokio::time::Instant::now());
        // All of it: who hangs up on something unread breaks the connection.
        let mut request = Vec::new();
        while !request.ends_with(b"}") {
            assert!(socket.read_buf(&mut request).await.unwrap() > 0);
        }
        let answer = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\
                      content-length: 11\r\n\r\n{\"jobs\":[]}";
        socket.write_all(answer.as_bytes()).await.unwrap();
        socket.shutdown().await.unwrap();
    }
    for pair in asked_at.windows(2) {
        let pause = pair[1] - pair[0];
        assert!(pause >= Duration::from_millis(75), "asked again after {pause:?}");
    }
    stop.cancel();
    working.await.unwrap();
}

/// Passes everything on to the server, but loses the answer to the first report of several jobs.
async fn forgetful(server: &str) -> Client {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = Client::new(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let server = server.trim_start_matches("http://").to_owned();
    tokio::spawn(async move {
        let has_lost = Arc::new(AtomicBool::new(false));
        loop {
            let (here, _) = listener.accept().await.unwrap();
            let there = TcpStream::connect(&server).await.unwrap();
            tokio::spawn(passed_on(here, there, Arc::clone(&has_lost)));
        }
    });
    client
}

async fn passed_on(mut here: TcpStream, mut there: TcpStream, has_lost: Arc<AtomicBool>) {
    let (mut asked, mut answered) = ([0; 4_096], [0; 4_096]);
    let mut is_to_be_lost = false;
    loop {
        tokio::select! {
            n_bytes = here.read(&mut asked) => {
                let request = &asked[..n_bytes.unwrap()];
                if request.is_empty() {
                    return;
                }
                let is_report = request.starts_with(b"POST /v1/jobs/complete ");
                is_to_be_lost |= is_report && !has_lost.swap(true, Ordering::SeqCst);
                there.write_all(request).await.unwrap();
            }
            n_bytes = there.read(&mut answered) => {
                let answer = &answered[..n_bytes.unwrap()];
                if is_to_be_lost || answer.is_empty() {
                    return;
                }
                here.write_all(answer).await.unwrap();
            }
        }
    }
}

#[tokio::test]
async fn reports_whose_answer_was_lost_are_sent_again() {
    let site = Site::new(0).await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(site.start(json!({})).await);
    }
    let jobs = Jobs::new().job("score", |_: Arc<Job>| async { Ok(json!({ "score": 1 })) });
    let client = forgetful(site.client.url()).await;
    let worker = JobWorker::new(&client, jobs.unwrap(), options(3));
    assert_eq!(worker.run_once().await.unwrap(), 3);
    for id in &ids {
        let ended = site.processes.show(id).await.unwrap();
        assert_eq!(ended.status, InstanceStatus::Completed);
    }
    assert_eq!(n_requests(&site, "/v1/jobs/complete").await, 2);
}
