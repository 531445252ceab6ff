//! Chains through the engine, on the store in memory.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use waypost_engine::{
    Engine, Error, Settings,
    chain::{
        ChainView, Chains, ClaimRequest, Outcome, Plan, PlannedStep, Runner, RunnerOptions,
        SignalOutcome, StartRequest, Status, Steps, TaskView,
    },
};
use waypost_kernel::{InstanceId, Json, RejectionCode, WorkerId};
use waypost_stores::MemoryStore;
use waypost_testkit::clock::SimClock;

struct World {
    clock: Arc<SimClock>,
    engine: Engine,
    chains: Chains,
}

fn plan(steps: &[&str]) -> Plan {
    let step = |name: &&str| PlannedStep { step_type: (*name).into(), max_attempts: None };
    Plan {
        workflow_type: "order".into(),
        workflow_version: 1,
        steps: steps.iter().map(step).collect(),
    }
}

async fn world(steps: &[&str]) -> World {
    let clock = Arc::new(SimClock::default());
    let engine = Engine::new(Arc::new(MemoryStore::new(clock.clone())), Settings::default());
    let chains = engine.chain();
    chains.deploy(plan(steps)).await.unwrap();
    World { clock, engine, chains }
}

impl World {
    async fn start(&self) -> ChainView {
        self.chains.start(order()).await.unwrap().chain
    }

    async fn claim(&self, worker: &str) -> Vec<TaskView> {
        let request = ClaimRequest {
            worker: worker.into(),
            workflow_types: None,
            step_types: None,
            max: 10,
            lease: Duration::from_secs(30),
            wait: Duration::ZERO,
        };
        self.chains.claim(request).await.unwrap()
    }

    async fn report(&self, task: &TaskView, outcome: Outcome) -> Result<Status, Error> {
        let lease = (&task.token, &task.worker);
        let reported = self.chains.report(lease, outcome, None, Vec::new()).await?;
        Ok(reported.state.status)
    }

    async fn status(&self, id: &InstanceId) -> String {
        let view = self.chains.show(id).await.unwrap();
        let steps: Vec<_> = view.steps().map(|it| it.status.as_str()).collect();
        format!("{} {}", view.state.status.as_str(), steps.join(" "))
    }
}

fn order() -> StartRequest {
    StartRequest { workflow_type: "order".into(), ..StartRequest::default() }
}

fn code(error: &Error) -> Option<RejectionCode> {
    if let Error::Rejected(rejection) = error { Some(rejection.code) } else { None }
}

fn waiting(event_type: &str) -> Outcome {
    Outcome::Waiting { event_type: event_type.into(), timeout: None, discard_buffered: false }
}

#[tokio::test]
async fn a_chain_goes_from_step_to_step_to_its_end() {
    let world = world(&["VALIDATE", "SHIP"]).await;
    let chain = world.start().await;
    assert_eq!(world.status(&chain.key.id).await, "RUNNING READY PENDING");
    let task = world.claim("w").await.pop().unwrap();
    assert_eq!(world.status(&chain.key.id).await, "RUNNING RUNNING PENDING");
    assert_eq!(world.report(&task, Outcome::Completed).await.unwrap(), Status::Running);
    let task = world.claim("w").await.pop().unwrap();
    assert_eq!(task.step().step_type, "SHIP");
    assert_eq!(world.report(&task, Outcome::Completed).await.unwrap(), Status::Completed);
    assert_eq!(world.status(&chain.key.id).await, "COMPLETED DONE DONE");
    assert!(world.claim("w").await.is_empty());
}

#[tokio::test]
async fn the_same_report_again_is_answered_as_before_and_another_one_is_refused() {
    let world = world(&["A", "B"]).await;
    world.start().await;
    let task = world.claim("w").await.pop().unwrap();
    world.report(&task, Outcome::Completed).await.unwrap();
    assert!(world.report(&task, Outcome::Completed).await.is_ok());
    let error = world.report(&task, Outcome::Dead { error: "no".into() }).await.unwrap_err();
    assert_eq!(code(&error), Some(RejectionCode::LeaseLost));
}

#[tokio::test]
async fn a_worker_that_comes_back_too_late_is_refused() {
    let world = world(&["A"]).await;
    let chain = world.start().await;
    let late = world.claim("w").await.pop().unwrap();
    world.clock.advance(Duration::from_secs(31));
    let error = world.report(&late, Outcome::Completed).await.unwrap_err();
    assert_eq!(code(&error), Some(RejectionCode::LeaseLost), "nobody has taken it back yet");
    let now = world.engine.store().now();
    assert_eq!(world.engine.sweeps().leases(now).await.unwrap().done, 1);
    assert_eq!(world.status(&chain.key.id).await, "RUNNING READY");
    let again = world.claim("w").await.pop().unwrap();
    assert_eq!(again.step().attempts, 1);
    let error = world.report(&late, Outcome::Completed).await.unwrap_err();
    assert_eq!(code(&error), Some(RejectionCode::LeaseLost), "same worker, older claim");
    assert_eq!(world.report(&again, Outcome::Completed).await.unwrap(), Status::Completed);
}

#[tokio::test]
async fn an_event_that_loses_against_the_time_out_is_kept() {
    let world = world(&["A"]).await;
    let chain = world.start().await;
    let task = world.claim("w").await.pop().unwrap();
    let timeout = Some(Duration::from_secs(5));
    let wait = Outcome::Waiting { event_type: "paid".into(), timeout, discard_buffered: false };
    world.report(&task, wait).await.unwrap();
    assert!(world.claim("w").await.is_empty());
    world.clock.advance(Duration::from_secs(5));
    let timed_out = world.claim("w").await.pop().unwrap();
    assert_eq!(timed_out.task_type.as_str(), "WAITING_TIMEOUT");
    let outcome = world.chains.signal(&chain.key.id, "paid".into(), None, None).await.unwrap();
    assert_eq!(outcome, SignalOutcome::Buffered);
    world.report(&timed_out, waiting("paid")).await.unwrap();
    let woken = world.claim("w").await.pop().unwrap();
    assert_eq!(woken.wake().unwrap().event_type, "paid");
    assert_eq!(woken.task_type.as_str(), "READY_STEP");
}

#[tokio::test]
async fn the_same_event_twice_is_one_event() {
    let world = world(&["A"]).await;
    let chain = world.start().await;
    let task = world.claim("w").await.pop().unwrap();
    world.report(&task, waiting("paid")).await.unwrap();
    let signal = || world.chains.signal(&chain.key.id, "paid".into(), Some("e-1".into()), None);
    assert_eq!(signal().await.unwrap(), SignalOutcome::Woken);
    assert_eq!(signal().await.unwrap(), SignalOutcome::Duplicate);
}

#[tokio::test]
async fn asking_twice_with_one_request_id_starts_one_chain() {
    let world = world(&["A"]).await;
    let request = || StartRequest { request: Some("r-1".into()), ..order() };
    let first = world.chains.start(request()).await.unwrap();
    let second = world.chains.start(request()).await.unwrap();
    assert_eq!(first.chain.key, second.chain.key);
    assert!(!first.repeated && second.repeated);
    let other = StartRequest { biz_key: Some("b".into()), ..request() };
    let error = world.chains.start(other).await.unwrap_err();
    assert_eq!(code(&error), Some(RejectionCode::RequestReused));
}

#[tokio::test]
async fn one_chain_of_a_type_runs_under_a_business_key() {
    let world = world(&["A"]).await;
    let request = || StartRequest { biz_key: Some("o-1".into()), ..order() };
    let first = world.chains.start(request()).await.unwrap().chain;
    let error = world.chains.start(request()).await.unwrap_err();
    assert!(matches!(error, Error::Duplicate { existing } if existing == first.key));
    world.chains.cancel(&first.key.id, Some("test".into())).await.unwrap();
    world.chains.start(request()).await.unwrap();
}

#[tokio::test]
async fn a_canceled_chain_refuses_the_worker_that_was_at_it() {
    let world = world(&["A"]).await;
    let chain = world.start().await;
    let task = world.claim("w").await.pop().unwrap();
    world.chains.cancel(&chain.key.id, None).await.unwrap();
    assert_eq!(world.status(&chain.key.id).await, "CANCELED RUNNING");
    let error = world.report(&task, Outcome::Completed).await.unwrap_err();
    assert_eq!(code(&error), Some(RejectionCode::InstanceCanceled));
    let renewed = world.chains.renew(&task.token, &task.worker, Duration::from_secs(9)).await;
    assert_eq!(code(&renewed.unwrap_err()), Some(RejectionCode::InstanceCanceled));
}

#[tokio::test]
async fn a_lease_can_be_prolonged_and_given_back() {
    let world = world(&["A"]).await;
    world.start().await;
    let task = world.claim("w").await.pop().unwrap();
    world.clock.advance(Duration::from_secs(29));
    world.chains.renew(&task.token, &task.worker, Duration::from_secs(30)).await.unwrap();
    world.clock.advance(Duration::from_secs(29));
    world.chains.release(&task.token, &task.worker).await.unwrap();
    let again = world.claim("v").await.pop().unwrap();
    assert_eq!(again.step().attempts, 0);
}

#[tokio::test]
async fn a_waiting_claim_is_called_when_there_is_work() {
    let world = world(&["A"]).await;
    let request = ClaimRequest {
        worker: "w".into(),
        workflow_types: None,
        step_types: Some(vec!["A".into()]),
        max: 1,
        lease: Duration::from_secs(30),
        wait: Duration::from_secs(30),
    };
    let chains = world.chains.clone();
    let waiting = tokio::spawn(async move { chains.claim(request).await });
    tokio::task::yield_now().await;
    world.start().await;
    assert_eq!(waiting.await.unwrap().unwrap().len(), 1);
}

#[tokio::test]
async fn a_runner_executes_steps_and_retries_what_fails() {
    let world = world(&["A", "B"]).await;
    let chain = world.start().await;
    let tries = Arc::new(AtomicU32::new(0));
    let counter = tries.clone();
    let steps = Steps::new()
        .step("order", "A", move |_| {
            let attempt = counter.fetch_add(1, Ordering::SeqCst);
            async move {
                assert!(attempt > 0, "the first attempt panics");
                Ok(Outcome::Completed.into())
            }
        })
        .unwrap()
        .step("order", "B", |_| async { Err(std::fmt::Error.into()) })
        .unwrap();
    let runner = Runner::new(world.chains.clone(), steps, RunnerOptions::default());
    assert_eq!(runner.run_once().await.unwrap(), 1);
    assert_eq!(runner.run_once().await.unwrap(), 0, "backing off");
    world.clock.advance(Duration::from_secs(1));
    assert_eq!(runner.run_once().await.unwrap(), 1);
    for attempt in 0..10 {
        world.clock.advance(Duration::from_secs(300));
        assert_eq!(runner.run_once().await.unwrap(), 1, "{attempt}");
    }
    assert_eq!(world.status(&chain.key.id).await, "FAILED DONE DEAD");
    let view = world.chains.show(&chain.key.id).await.unwrap();
    let errors: Vec<_> = view.steps().map(|it| it.step.last_error.clone()).collect();
    assert_eq!(errors[1].as_deref(), Some("Error: an error occurred when formatting an argument"));
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_and_changes_nothing() {
    let world = world(&["A"]).await;
    world.start().await;
    let request = |max, lease, wait, worker: &str| ClaimRequest {
        worker: WorkerId::from(worker),
        workflow_types: None,
        step_types: None,
        max,
        lease: Duration::from_millis(lease),
        wait: Duration::from_millis(wait),
    };
    for bad in [
        request(0, 30_000, 0, "w"),
        request(1_001, 30_000, 0, "w"),
        request(1, 99, 0, "w"),
        request(1, u64::MAX, 0, "w"),
        request(1, 30_000, 30_001, "w"),
        request(1, 30_000, 0, "  "),
    ] {
        let error = world.chains.claim(bad).await.unwrap_err();
        assert_eq!(code(&error), Some(RejectionCode::FieldInvalid), "{error}");
    }
    let broken = Plan { workflow_version: 0, ..plan(&["", "B"]) };
    let error = world.chains.deploy(broken).await.unwrap_err();
    assert!(matches!(error, Error::Invalid { violations } if violations.len() == 2));
    let other = plan(&["B"]);
    let error = world.chains.deploy(other).await.unwrap_err();
    assert_eq!(code(&error), Some(RejectionCode::DefinitionConflict));
    assert!(world.chains.deploy(plan(&["A"])).await.unwrap().existed);
    let context = Some(Json::parse("[1]").unwrap());
    let unknown = StartRequest { workflow_type: "none".into(), context, ..order() };
    let error = world.chains.start(unknown).await.unwrap_err();
    assert_eq!(code(&error), Some(RejectionCode::DefinitionNotFound));
    assert_eq!(world.claim("w").await.len(), 1);
}

/// Two engines on one store stand for two nodes: what one has at hand is old once the other acts.
#[tokio::test]
async fn what_a_node_has_at_hand_never_makes_it_refuse_what_is_right() {
    let world = world(&["A", "B"]).await;
    let other = Engine::new(Arc::clone(world.engine.store()), Settings::default()).chain();
    let chain = world.start().await;
    let first = world.claim("w").await.pop().unwrap();
    let lease = (&first.token, &first.worker);
    other.report(lease, Outcome::Completed, None, Vec::new()).await.unwrap();
    let request = ClaimRequest {
        worker: "v".into(),
        workflow_types: None,
        step_types: None,
        max: 1,
        lease: Duration::from_secs(30),
        wait: Duration::ZERO,
    };
    let second = other.claim(request).await.unwrap().pop().unwrap();
    assert_eq!(world.report(&second, Outcome::Completed).await.unwrap(), Status::Completed);
    assert!(world.report(&second, Outcome::Completed).await.is_ok(), "the same again");
    let late = other.signal(&chain.key.id, "paid".into(), None, None).await.unwrap_err();
    assert_eq!(code(&late), Some(RejectionCode::InstanceEnded));
}
