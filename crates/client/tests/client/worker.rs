//! Workers: what they execute, keep alive, report and give back.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;
use waypost_client::{
    Error,
    api::{
        Document,
        chain::{InstanceStatus, StepStatus, Task, TaskResult},
    },
    worker::{StepFailure, Steps, Verdict, Worker, WorkerOptions},
};

use crate::world::World;

fn options(concurrency: u32) -> WorkerOptions {
    WorkerOptions { concurrency, ..WorkerOptions::default() }
}

fn done() -> Result<Verdict, StepFailure> {
    Ok(TaskResult::Completed {}.into())
}

#[tokio::test]
async fn a_worker_takes_chains_from_step_to_step() {
    let world = World::new(&["VALIDATE", "SHIP"]).await;
    let id = world.start().await.instance_id;
    let patched = |_: Arc<Task>| async {
        let patch = Some(Document::parse("{\"valid\":true}").unwrap());
        Ok(Verdict { patch, ..TaskResult::Completed {}.into() })
    };
    let steps = Steps::new()
        .step("order", "VALIDATE", patched)
        .and_then(|it| it.step("order", "SHIP", |_| async { done() }))
        .unwrap();
    let stop = CancellationToken::new();
    let worker = Worker::new(&world.client, steps, options(4));
    let working = tokio::spawn(worker.run(stop.clone()));
    let ended = world.until(&id, |it| it.instance.status == InstanceStatus::Completed).await;
    assert_eq!(ended.instance.context.unwrap().as_str(), "{\"valid\":true}");
    stop.cancel();
    working.await.unwrap();
}

#[tokio::test]
async fn errors_panics_and_nonsense_become_retries() {
    let world = World::new(&["A"]).await;
    let steps = Steps::new()
        .step("order", "A", |task: Arc<Task>| async move {
            match task.attempts {
                0 => Err(std::io::Error::other("no disk").into()),
                1 => panic!("no more"),
                _ => Ok(TaskResult::Waiting {
                    waiting_event_type: " ".into(),
                    timeout_ms: None,
                    discard_buffered: None,
                }
                .into()),
            }
        })
        .unwrap();
    let worker = Worker::new(&world.client, steps, options(1));
    let id = world.start().await.instance_id;
    let mut errors = Vec::new();
    for attempts in 1..=3 {
        while worker.run_once().await.unwrap() == 0 {}
        let detail = world.until(&id, |it| it.steps[0].attempts == attempts).await;
        errors.push(detail.steps[0].last_error.clone().unwrap());
    }
    assert_eq!(errors[..2], ["Error: no disk", "panic: no more"]);
    assert!(errors[2].starts_with("FIELD_INVALID: "), "{errors:?}");
    assert_eq!(world.chains.show(&id).await.unwrap().instance.status, InstanceStatus::Failed);
}

#[tokio::test]
async fn a_worker_never_holds_more_than_it_can_begin() {
    let world = World::new(&["A"]).await;
    for _ in 0..5 {
        world.start().await;
    }
    let (running, gate) = (Arc::new(AtomicU32::new(0)), Arc::new(Semaphore::new(0)));
    let (begun, open) = (Arc::clone(&running), Arc::clone(&gate));
    let steps = Steps::new()
        .step("order", "A", move |_| {
            begun.fetch_add(1, Ordering::SeqCst);
            let open = Arc::clone(&open);
            async move {
                open.acquire().await.unwrap().forget();
                done()
            }
        })
        .unwrap();
    let stop = CancellationToken::new();
    let working = tokio::spawn(Worker::new(&world.client, steps, options(2)).run(stop.clone()));
    for n_released in 0..5_u32 {
        while running.load(Ordering::SeqCst) < (n_released + 2).min(5) {
            tokio::task::yield_now().await;
        }
        let held = world.chains.list(&Default::default()).await.unwrap().items;
        let mut n_held = 0;
        for it in &held {
            let detail = world.chains.show(&it.instance_id).await.unwrap();
            n_held += u32::from(detail.steps[0].status == StepStatus::Running);
        }
        assert!(n_held <= 2, "{n_held} held");
        gate.add_permits(1);
    }
    stop.cancel();
    working.await.unwrap();
}

#[tokio::test]
async fn a_long_step_keeps_its_lease() {
    let world = World::new(&["A"]).await;
    let id = world.start().await.instance_id;
    let over = Arc::new(Notify::new());
    let told = Arc::clone(&over);
    let steps = Steps::new()
        .step("order", "A", move |_| {
            let told = Arc::clone(&told);
            async move {
                told.notified().await;
                done()
            }
        })
        .unwrap();
    let options = WorkerOptions { lease: Duration::from_secs(2), ..options(1) };
    let stop = CancellationToken::new();
    let working = tokio::spawn(Worker::new(&world.client, steps, options).run(stop.clone()));
    let held = world.until(&id, |it| it.steps[0].locked_until.is_some()).await;
    let first = held.steps[0].locked_until.unwrap();
    // Far enough that the first lease is over.
    let is_longer = |micros: i64| micros > first.as_micros() + 2_000_000;
    world.until(&id, |it| is_longer(it.steps[0].locked_until.unwrap().as_micros())).await;
    over.notify_one();
    let ended = world.until(&id, |it| it.instance.status == InstanceStatus::Completed).await;
    assert_eq!(ended.steps[0].attempts, 0);
    stop.cancel();
    working.await.unwrap();
}

#[tokio::test]
async fn a_canceled_chain_stops_its_step() {
    let world = World::new(&["A"]).await;
    let id = world.start().await.instance_id;
    let dropped = Arc::new(Notify::new());
    let told = Arc::clone(&dropped);
    let steps = Steps::new()
        .step("order", "A", move |_| {
            let guard = OnDrop(Arc::clone(&told));
            async move {
                let _guard = guard;
                std::future::pending().await
            }
        })
        .unwrap();
    let options = WorkerOptions { lease: Duration::from_millis(600), ..options(1) };
    let stop = CancellationToken::new();
    let working = tokio::spawn(Worker::new(&world.client, steps, options).run(stop.clone()));
    world.until(&id, |it| it.steps[0].status == StepStatus::Running).await;
    world.chains.cancel(&id, None).await.unwrap();
    dropped.notified().await;
    stop.cancel();
    working.await.unwrap();
}

struct OnDrop(Arc<Notify>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

#[tokio::test]
async fn a_worker_that_is_told_to_stop_finishes_what_it_has_begun() {
    let world = World::new(&["A"]).await;
    let id = world.start().await.instance_id;
    let over = Arc::new(Notify::new());
    let told = Arc::clone(&over);
    let steps = Steps::new()
        .step("order", "A", move |_| {
            let told = Arc::clone(&told);
            async move {
                told.notified().await;
                done()
            }
        })
        .unwrap();
    let stop = CancellationToken::new();
    let working = tokio::spawn(Worker::new(&world.client, steps, options(3)).run(stop.clone()));
    world.until(&id, |it| it.steps[0].status == StepStatus::Running).await;
    stop.cancel();
    // Nothing is claimed any more.
    let later = world.start().await.instance_id;
    over.notify_one();
    working.await.unwrap();
    let ended = world.chains.show(&id).await.unwrap();
    assert_eq!(ended.instance.status, InstanceStatus::Completed);
    let step = world.until(&later, |it| it.steps[0].status == StepStatus::Ready).await;
    assert_eq!(step.steps[0].attempts, 0);
}

#[tokio::test]
async fn a_step_has_one_function() {
    let step = |_: Arc<Task>| async { done() };
    let twice = Steps::new().step("order", "A", step).and_then(|it| it.step("order", "A", step));
    assert!(matches!(twice, Err(Error::StepTwice { .. })));
}

#[tokio::test]
async fn a_step_says_when_it_is_to_be_tried_again_and_that_it_is_not() {
    let world = World::new(&["A"]).await;
    let id = world.start().await.instance_id;
    let steps = Steps::new()
        .step("order", "A", |task: Arc<Task>| async move {
            match task.attempts {
                0 => Err(StepFailure::retryable_after(Duration::ZERO, "not yet")),
                1 => Err(StepFailure::retryable_after(Duration::from_secs(3_600), "later")),
                _ => done(),
            }
        })
        .unwrap();
    let worker = Worker::new(&world.client, steps, options(1));
    for told in ["not yet", "later"] {
        while worker.run_once().await.unwrap() == 0 {}
        let detail = world.chains.show(&id).await.unwrap();
        assert_eq!(detail.steps[0].last_error.as_deref(), Some(told));
    }
    let step = world.chains.show(&id).await.unwrap().steps.remove(0);
    let due = step.next_run_at.unwrap().as_micros() - world.clock();
    assert!((3_500_000_000..=3_600_000_000).contains(&due), "due in {due} µs");

    let id = world.start().await.instance_id;
    let refuse = |_: Arc<Task>| async { Err(StepFailure::fatal("no such customer")) };
    let worker =
        Worker::new(&world.client, Steps::new().step("order", "A", refuse).unwrap(), options(1));
    assert_eq!(worker.run_once().await.unwrap(), 1);
    let ended = world.chains.show(&id).await.unwrap();
    assert_eq!(ended.instance.status, InstanceStatus::Failed);
    assert_eq!(ended.steps[0].last_error.as_deref(), Some("no such customer"));
    assert_eq!(ended.steps[0].status, StepStatus::Dead);
}
