//! Timers among several nodes, and after all of them were away.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use waypost_engine::{Engine, Settings, process::Status};
use waypost_kernel::Clock as _;

use super::World;

impl World {
    /// A node that has nothing at hand but the store.
    fn another_node(&self) -> Engine {
        Engine::new(Arc::clone(&self.store) as _, Settings::default())
    }
}

/// A person, and a program that is asked after a minute without one.
fn impatient() -> Value {
    json!({"id": "p", "name": "P", "steps": [
        {"id": "ask", "name": "Ask", "type": "USER_TASK", "nextStep": "end",
         "boundaryEvents": [{"type": "TIMER", "duration": "PT1M", "interrupting": false,
                             "targetStepId": "remind"}]},
        {"id": "remind", "name": "Remind", "type": "SERVICE_TASK", "jobType": "remind"},
        {"id": "end", "name": "End", "type": "END"},
    ]})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_timer_that_two_nodes_see_due_fires_once() {
    for _ in 0..20 {
        let world = World::new();
        world.deploy(&impatient()).await;
        let id = world.start("p", json!({})).await.unwrap();
        world.clock.advance(Duration::from_secs(60));
        let now = world.clock.now();
        let sweep = |node: Engine| tokio::spawn(async move { node.sweeps().timers(now).await });
        let (one, other) = tokio::join!(sweep(world.engine.clone()), sweep(world.another_node()));
        one.unwrap().unwrap();
        other.unwrap().unwrap();
        let history = world.engine.process().history(&id.clone().into()).await.unwrap();
        let steps: Vec<&str> = history.visits.iter().map(|it| &*it.step).collect();
        assert_eq!(steps, ["ask", "remind"]);
        assert_eq!(world.poll("w", "remind").await.len(), 1);
        assert_eq!(world.status(&id).await, Status::Waiting);
    }
}

#[tokio::test]
async fn a_timer_that_fell_due_while_no_node_was_there_fires_in_the_first_sweep_of_a_new_one() {
    let mut world = World::new();
    world.deploy(&impatient()).await;
    world.start("p", json!({})).await.unwrap();
    world.engine = world.another_node();
    world.clock.advance(Duration::from_secs(59));
    world.sweep().await;
    assert!(world.poll("w", "remind").await.is_empty());
    world.clock.advance(Duration::from_secs(86_400));
    world.engine = world.another_node();
    world.sweep().await;
    assert_eq!(world.poll("w", "remind").await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_timer_is_at_most_five_seconds_late() {
    let world = World::new();
    world.deploy(&impatient()).await;
    world.start("p", json!({})).await.unwrap();
    let (engine, stop) = (world.engine.clone(), CancellationToken::new());
    let until = stop.clone();
    let running = tokio::spawn(async move { engine.run(until).await });
    // By now the engine has looked once and found nothing.
    sleep(Duration::from_millis(1)).await;
    world.clock.advance(Duration::from_secs(60));
    let reminded = async {
        while world.poll("w", "remind").await.is_empty() {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(Duration::from_secs(5), reminded).await.unwrap();
    stop.cancel();
    running.await.unwrap();
}
