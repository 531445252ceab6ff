//! Processes that follow one another.

use std::time::Duration;

use serde_json::{Map, Value, json};
use waypost_engine::process::{InstanceView, ListProcesses, Status};

use super::{World, line};

impl World {
    async fn instances_of(&self, definition: &str) -> Vec<InstanceView> {
        let definition = Some(definition.to_owned());
        let wanted = ListProcesses { definition, limit: 100, ..ListProcesses::default() };
        self.engine.process().list(&wanted).await.unwrap()
    }

    async fn work_off(&self) -> usize {
        let tasks = self.poll("w", "a").await;
        for task in &tasks {
            let output = Map::from_iter([(task.visit.clone(), Value::Bool(true))]);
            self.engine.process().complete(&task.id, "w".into(), output).await.unwrap();
        }
        tasks.len()
    }
}

#[tokio::test]
async fn three_processes_follow_one_another() {
    let world = World::new();
    for (id, next) in [("p", Some("q")), ("q", Some("r")), ("r", None)] {
        world.deploy(&line(id, next)).await;
    }
    let mut parent = world.start("p", json!({"n": 1})).await.unwrap();
    for (id, n_variables) in [("q", 2), ("r", 3)] {
        assert_eq!(world.work_off().await, 1);
        world.sweep().await;
        let instances = world.instances_of(id).await;
        let [child] = instances.as_slice() else { panic!("one {id}") };
        assert_eq!(child.state.parent.as_ref().unwrap().as_str(), parent);
        assert_eq!(child.state.business_key.as_deref(), Some("k"));
        assert_eq!(child.state.variables.len(), n_variables, "what all before it have found out");
        parent = child.key.id.as_str().to_owned();
    }
    assert_eq!(world.work_off().await, 1);
    world.sweep().await;
    assert_eq!(world.work_off().await, 0);
    for id in ["p", "q", "r"] {
        let instances = world.instances_of(id).await;
        let [only] = instances.as_slice() else { panic!("one {id}") };
        assert_eq!(only.status(), Status::Completed);
    }
}

#[tokio::test]
async fn two_processes_that_follow_each_other_go_on_for_ever() {
    let world = World::new();
    world.deploy(&line("p", Some("q"))).await;
    world.deploy(&line("q", Some("p"))).await;
    world.start("p", json!({})).await.unwrap();
    for round in 1_usize..=6 {
        assert_eq!(world.work_off().await, 1);
        world.sweep().await;
        world.clock.advance(Duration::from_secs(1));
        let (p, q) = (world.instances_of("p").await, world.instances_of("q").await);
        assert_eq!((p.len(), q.len()), (round / 2 + 1, round.div_ceil(2)));
        let is_under_way = |it: &&InstanceView| it.status() == Status::Active;
        assert_eq!(p.iter().chain(&q).filter(is_under_way).count(), 1);
    }
}
