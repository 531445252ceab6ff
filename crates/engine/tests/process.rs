//! Processes through the engine's handle, on the model store: what the machine cannot show alone.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

#[path = "process/following.rs"]
mod following;
#[path = "process/timing.rs"]
mod timing;
#[path = "process/trouble.rs"]
mod trouble;

use std::{sync::Arc, time::Duration};

use serde_json::{Map, Value, json};
use waypost_engine::{
    Engine, Error, Settings,
    process::{Callback, ListProcesses, Poll, StartProcess, Status, TaskView, child},
};
use waypost_kernel::{Clock as _, RejectionCode};
use waypost_stores::MemoryStore;
use waypost_testkit::{clock::SimClock, faults::Refusing};

struct World {
    engine: Engine,
    clock: Arc<SimClock>,
    store: Arc<Refusing>,
}

impl World {
    fn new() -> Self {
        let clock = Arc::new(SimClock::default());
        let memory = MemoryStore::new(Arc::clone(&clock) as _);
        let store = Arc::new(Refusing::new(Arc::new(memory)));
        Self { engine: Engine::new(Arc::clone(&store) as _, Settings::default()), clock, store }
    }

    async fn deploy(&self, definition: &Value) -> i32 {
        let deployed = self.engine.process().deploy(&definition.to_string()).await.unwrap();
        deployed.definition.which.version
    }

    async fn start(&self, definition: &str, variables: Value) -> Result<String, Error> {
        let start = StartProcess {
            definition: definition.to_owned(),
            variables: object(variables),
            business_key: Some("k".to_owned()),
            ..StartProcess::default()
        };
        let view = self.engine.process().start(start).await?;
        Ok(view.key.id.as_str().to_owned())
    }

    async fn poll(&self, worker: &str, queue: &str) -> Vec<TaskView> {
        let poll = Poll {
            worker: worker.into(),
            queues: vec![queue.to_owned()],
            max: 10,
            lease: Duration::from_secs(30),
            wait: Duration::ZERO,
        };
        self.engine.process().poll(&poll).await.unwrap()
    }

    async fn status(&self, id: &str) -> Status {
        self.engine.process().show(&id.to_owned().into()).await.unwrap().status()
    }

    async fn sweep(&self) {
        let now = self.clock.now();
        self.engine.sweeps().leases(now).await.unwrap();
        self.engine.sweeps().timers(now).await.unwrap();
    }
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn line(id: &str, next: Option<&str>) -> Value {
    json!({
        "id": id, "name": id,
        "autoStartNextWorkflow": next.is_some(),
        "nextWorkflowId": next.unwrap_or_default(),
        "steps": [
            {"id": "a", "name": "A", "type": "SERVICE_TASK", "jobType": "a", "nextStep": "end",
             "retryCount": 1,
             "boundaryEvents": [{"type": "TIMER", "duration": "PT1H", "interrupting": true,
                                 "targetStepId": "end"}]},
            {"id": "end", "name": "End", "type": "END"},
        ],
    })
}

#[tokio::test]
async fn a_task_is_polled_completed_and_over() {
    let world = World::new();
    world.deploy(&line("p", None)).await;
    let id = world.start("p", json!({"n": 1})).await.unwrap();
    let tasks = world.poll("w", "a").await;
    let [task] = tasks.as_slice() else { panic!("one task") };
    assert_eq!(task.variables["n"], json!(1));
    assert!(world.poll("v", "a").await.is_empty());
    let processes = world.engine.process();
    let done = |worker: &str| processes.complete(&task.id, worker.into(), object(json!({"m": 2})));
    assert_eq!(done("v").await.unwrap(), Callback::Ignored);
    assert_eq!(done("w").await.unwrap(), Callback::Accepted);
    assert_eq!(done("w").await.unwrap(), Callback::Ignored);
    let view = processes.show(&id.clone().into()).await.unwrap();
    assert_eq!(view.status(), Status::Completed);
    assert_eq!(*view.state.variables, object(json!({"n": 1, "m": 2})));
    let history = processes.history(&id.into()).await.unwrap();
    let steps: Vec<&str> = history.visits.iter().map(|it| &*it.step).collect();
    assert_eq!(steps, ["a", "end"]);
}

#[tokio::test]
async fn a_lost_lease_is_offered_again_under_another_name() {
    let world = World::new();
    world.deploy(&line("p", None)).await;
    world.start("p", json!({})).await.unwrap();
    let first = world.poll("w", "a").await.remove(0);
    world.clock.advance(Duration::from_secs(31));
    world.sweep().await;
    let second = world.poll("v", "a").await.remove(0);
    assert_ne!(first.id, second.id);
    assert_eq!((first.visit, first.retries), (second.visit, second.retries));
    let processes = world.engine.process();
    let late = processes.complete(&first.id, "w".into(), Map::new()).await.unwrap();
    assert_eq!(late, Callback::Ignored);
    let done = processes.complete(&second.id, "v".into(), Map::new()).await.unwrap();
    assert_eq!(done, Callback::Accepted);
}

#[tokio::test]
async fn a_heartbeat_never_shortens_a_lease_and_is_for_the_holder() {
    let world = World::new();
    world.deploy(&line("p", None)).await;
    world.start("p", json!({})).await.unwrap();
    let task = world.poll("w", "a").await.remove(0);
    let processes = world.engine.process();
    let beat = |worker: &'static str, seconds| {
        let (processes, id) = (processes.clone(), task.id.clone());
        async move { processes.extend(&id, &worker.into(), Duration::from_secs(seconds)).await }
    };
    assert_eq!(beat("w", 5).await.unwrap(), task.lapses_at);
    assert_eq!(beat("w", 60).await.unwrap(), world.clock.now() + Duration::from_secs(60));
    assert!(beat("v", 60).await.is_err());
    world.clock.advance(Duration::from_secs(61));
    assert!(beat("w", 60).await.is_err());
}

#[tokio::test]
async fn a_task_is_held_until_just_before_the_instant_it_lapses() {
    const INSTANT: Duration = Duration::from_micros(1);
    let world = World::new();
    world.deploy(&line("p", None)).await;
    let processes = world.engine.process();
    let seconds = Duration::from_secs;
    for (early, expected) in [(INSTANT, Callback::Accepted), (Duration::ZERO, Callback::Ignored)] {
        let id = world.start("p", json!({})).await.unwrap();
        let task = world.poll("w", "a").await.remove(0);
        assert_eq!(task.lapses_at, world.clock.now() + seconds(30));
        let lapses_at = processes.extend(&task.id, &"w".into(), seconds(60)).await.unwrap();
        assert_eq!(lapses_at, world.clock.now() + seconds(60));
        world.clock.advance(seconds(60) - early);
        let beat = processes.extend(&task.id, &"w".into(), seconds(5)).await;
        assert_eq!(beat.is_ok(), expected == Callback::Accepted);
        processes.cancel(&id.into(), None).await.unwrap();

        let id = world.start("p", json!({})).await.unwrap();
        let task = world.poll("w", "a").await.remove(0);
        world.clock.advance(seconds(30) - early);
        // Nobody has taken it back yet.
        let done = processes.complete(&task.id, "w".into(), Map::new()).await.unwrap();
        assert_eq!(done, expected);
        world.sweep().await;
        assert_eq!(world.poll("v", "a").await.len(), usize::from(done == Callback::Ignored));
        assert_eq!(world.status(&id).await == Status::Completed, done == Callback::Accepted);
    }
}

#[tokio::test]
async fn a_timer_fires_once_and_takes_the_task_away() {
    let world = World::new();
    world.deploy(&line("p", None)).await;
    let id = world.start("p", json!({})).await.unwrap();
    world.clock.advance(Duration::from_secs(3_600));
    world.sweep().await;
    assert_eq!(world.status(&id).await, Status::Completed);
    assert!(world.poll("w", "a").await.is_empty());
    let due = world.engine.store().due(world.clock.now(), 10).await.unwrap();
    assert!(due.is_empty());
}

#[tokio::test]
async fn the_next_process_starts_once_when_it_is_there_and_its_key_is_free() {
    let world = World::new();
    world.deploy(&line("p", Some("q"))).await;
    let id = world.start("p", json!({"n": 1})).await.unwrap();
    let task = world.poll("w", "a").await.remove(0);
    world.engine.process().complete(&task.id, "w".into(), Map::new()).await.unwrap();
    assert_eq!(world.status(&id).await, Status::Completed);
    let children = || async {
        let wanted =
            ListProcesses { definition: Some("q".into()), limit: 10, ..ListProcesses::default() };
        world.engine.process().list(&wanted).await.unwrap()
    };
    world.sweep().await;
    assert!(children().await.is_empty());
    world.deploy(&line("q", None)).await;
    world.sweep().await;
    assert!(children().await.is_empty(), "it is tried again later");
    world.clock.advance(Duration::from_secs(1));
    world.sweep().await;
    world.clock.advance(Duration::from_secs(1));
    world.sweep().await;
    let children = children().await;
    let [only] = children.as_slice() else { panic!("one child") };
    assert_eq!(only.state.business_key.as_deref(), Some("k"));
    assert_eq!(only.state.variables["n"], json!(1));
    assert_eq!(only.state.parent.as_ref().unwrap().as_str(), id);
}

#[tokio::test]
async fn a_business_key_is_for_one_at_a_time() {
    let world = World::new();
    world.deploy(&line("p", None)).await;
    let id = world.start("p", json!({})).await.unwrap();
    let again = world.start("p", json!({})).await;
    assert!(matches!(again, Err(Error::Duplicate { .. })));
    world.engine.process().cancel(&id.into(), None).await.unwrap();
    world.start("p", json!({})).await.unwrap();
}

#[tokio::test]
async fn the_same_definition_keeps_its_version_and_instances_keep_theirs() {
    let world = World::new();
    assert_eq!(world.deploy(&line("p", None)).await, 1);
    let id = world.start("p", json!({})).await.unwrap();
    assert_eq!(world.deploy(&line("p", Some("q"))).await, 2);
    assert_eq!(world.deploy(&line("p", None)).await, 1);
    assert_eq!(world.deploy(&line("p", Some("q"))).await, 2);
    let view = world.engine.process().show(&id.into()).await.unwrap();
    assert_eq!(view.state.definition.version, 1);
}

#[tokio::test]
async fn an_instance_goes_on_by_the_version_it_began_with_when_another_is_deployed() {
    let step = |id: &str, next: &str| json!({"id": id, "name": id, "type": "SERVICE_TASK", "jobType": "a", "nextStep": next});
    let end = json!({"id": "end", "name": "End", "type": "END"});
    let world = World::new();
    world.deploy(&json!({"id": "p", "name": "P", "steps": [step("a", "end"), end]})).await;
    let old = world.start("p", json!({})).await.unwrap();
    let task = world.poll("w", "a").await.remove(0);
    let longer = json!({"id": "p", "name": "P", "steps": [step("a", "b"), step("b", "end"), end]});
    assert_eq!(world.deploy(&longer).await, 2);
    // Another node has nothing at hand.
    let node = Engine::new(Arc::clone(&world.store) as _, Settings::default());
    node.process().complete(&task.id, "w".into(), Map::new()).await.unwrap();
    assert_eq!(world.status(&old).await, Status::Completed);
    let history = world.engine.process().history(&old.into()).await.unwrap();
    assert!(history.graph.step("b").is_none());

    let new = world.start("p", json!({})).await.unwrap();
    let task = world.poll("w", "a").await.remove(0);
    node.process().complete(&task.id, "w".into(), Map::new()).await.unwrap();
    assert_eq!(world.status(&new).await, Status::Active);
    assert_eq!(&*world.poll("w", "a").await.remove(0).step, "b");
}

#[tokio::test]
async fn a_task_nobody_was_given_is_unknown() {
    let world = World::new();
    world.deploy(&line("p", None)).await;
    let id = world.start("p", json!({})).await.unwrap();
    let processes = world.engine.process();
    for name in ["nope".to_owned(), child(&id.into(), 99), "0".repeat(26)] {
        let error = processes.complete(&name, "w".into(), Map::new()).await.unwrap_err();
        let Error::Rejected(rejection) = error else { panic!("{error}") };
        assert_eq!(rejection.code, RejectionCode::TaskNotFound, "{name}");
    }
}
