//! What becomes of processes when the store refuses.

use std::{collections::BTreeSet, time::Duration};

use serde_json::{Map, Value, json};
use waypost_engine::{
    Error,
    process::{Callback, StartProcess, Status},
};
use waypost_kernel::{Commit, StoreError};

use super::{World, line, object};

const HOUR: Duration = Duration::from_secs(3_600);

impl World {
    async fn start_many(&self, definition: &str, n: usize) -> Vec<String> {
        let mut ids = Vec::new();
        for _ in 0..n {
            let start = StartProcess { definition: definition.into(), ..StartProcess::default() };
            let view = self.engine.process().start(start).await.unwrap();
            ids.push(view.key.id.as_str().to_owned());
        }
        ids
    }

    /// Refuses to write these instances, and nothing else.
    fn refuse_writes(&self, ids: &[String]) {
        let ids: BTreeSet<String> = ids.iter().cloned().collect();
        let is_meant =
            move |commit: &Commit| commit.writes.iter().any(|it| ids.contains(it.key.id.as_str()));
        self.store.refuse(is_meant);
    }

    /// Everything there is to see of an instance.
    async fn picture(&self, id: &str) -> String {
        let (processes, id) = (self.engine.process(), id.to_owned().into());
        let view = processes.show(&id).await.unwrap();
        let history = processes.history(&id).await.unwrap();
        let tasks = self.engine.store().tasks(std::slice::from_ref(&view.key)).await.unwrap();
        format!("{} {:?} {:?} {tasks:?}", view.version, view.state, history.visits)
    }
}

#[tokio::test]
async fn a_timer_that_cannot_fire_does_not_hold_up_the_others_and_is_tried_again() {
    let world = World::new();
    world.deploy(&line("p", None)).await;
    let ids = world.start_many("p", 3).await;
    world.clock.advance(HOUR);
    world.refuse_writes(&ids[1..2]);
    world.sweep().await;
    let mut statuses = Vec::new();
    for id in &ids {
        statuses.push(world.status(id).await);
    }
    assert_eq!(statuses, [Status::Completed, Status::Active, Status::Completed]);
    world.store.refuse(|_| false);
    world.clock.advance(Duration::from_secs(1));
    world.sweep().await;
    assert_eq!(world.status(&ids[1]).await, Status::Completed);
}

#[tokio::test]
async fn timers_that_cannot_fire_do_not_starve_those_behind_them() {
    let world = World::new();
    world.deploy(&line("p", None)).await;
    // More than one pass takes.
    let stuck = world.start_many("p", 300).await;
    world.clock.advance(Duration::from_secs(1));
    let behind = world.start_many("p", 1).await.remove(0);
    world.clock.advance(HOUR);
    world.refuse_writes(&stuck);
    for _ in 0..2 {
        world.sweep().await;
    }
    assert_eq!(world.status(&behind).await, Status::Completed);
    assert_eq!(world.status(&stuck[0]).await, Status::Active);
}

#[tokio::test]
async fn leases_that_cannot_lapse_do_not_starve_those_behind_them() {
    let world = World::new();
    world.deploy(&line("p", None)).await;
    // More than one pass takes.
    let stuck = world.start_many("p", 300).await;
    while !world.poll("w", "a").await.is_empty() {}
    world.clock.advance(Duration::from_secs(1));
    world.start_many("p", 1).await;
    assert_eq!(world.poll("w", "a").await.len(), 1);
    world.clock.advance(Duration::from_secs(60));
    world.refuse_writes(&stuck);
    world.sweep().await;
    assert_eq!(world.poll("w", "a").await.len(), 1, "it can be had again");
}

#[tokio::test]
async fn what_could_not_be_kept_leaves_no_trace_and_is_taken_when_it_can() {
    let world = World::new();
    let step = |kind: &str| -> Value {
        json!({"id": kind, "name": "A", "type": kind, "jobType": "a", "nextStep": "end"})
    };
    let end = json!({"id": "end", "name": "End", "type": "END"});
    let processes = world.engine.process();
    for kind in ["SERVICE_TASK", "USER_TASK", "WAIT"] {
        world.deploy(&json!({"id": kind, "name": "P", "steps": [step(kind), end]})).await;
        let id = world.start_many(kind, 1).await.remove(0);
        let task = world.poll("w", "a").await.pop();
        let report = async || {
            let (instance, output) = (id.clone().into(), object(json!({"x": 1})));
            match &task {
                Some(task) => {
                    let done = processes.complete(&task.id, "w".into(), output).await?;
                    assert_eq!(done, Callback::Accepted);
                    Ok(())
                }
                None if kind == "WAIT" => processes.signal(&instance, kind, output).await,
                None => processes.complete_user_task(&instance, kind, output).await,
            }
        };
        let before = world.picture(&id).await;
        world.store.refuse(|_| true);
        let refused = report().await;
        assert!(matches!(refused, Err(Error::Store(StoreError::Unavailable(_)))), "{kind}");
        assert_eq!(world.picture(&id).await, before, "{kind}");
        world.store.refuse(|_| false);
        report().await.unwrap();
        assert_eq!(world.status(&id).await, Status::Completed, "{kind}");
    }
}

#[tokio::test]
async fn a_start_that_could_not_be_kept_leaves_no_trace_and_its_key_free() {
    let world = World::new();
    world.deploy(&line("p", None)).await;
    world.store.refuse(|_| true);
    world.start("p", json!({})).await.unwrap_err();
    world.store.refuse(|_| false);
    assert!(world.poll("w", "a").await.is_empty());
    let id = world.start("p", json!({})).await.unwrap();
    let task = world.poll("w", "a").await.remove(0);
    world.engine.process().complete(&task.id, "w".into(), Map::new()).await.unwrap();
    assert_eq!(world.status(&id).await, Status::Completed);
}
