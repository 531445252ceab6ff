//! Somebody else moves an entity between reading and writing.

use std::sync::Arc;

use waypost_lifecycle::{Completion, Error, Manager, MemoryBuckets, Source, Workflow};

use crate::{
    mission::{Mission, in_phase},
    site::{Fate, Fateful},
};

/// A mission that flies, and of which somebody else says otherwise as soon as it is written.
async fn overtaken(by: &'static str) -> Workflow<Mission> {
    let buckets = Fateful::over(Arc::new(MemoryBuckets::new()));
    let manager = Manager::builder(buckets.clone()).create_buckets(8).build();
    let missions = manager.register::<Mission>().await.unwrap();
    missions.create(&in_phase("m-1", "flying")).await.unwrap();
    buckets.next([Fate::Overtaken(r#""phase":"flying""#, by)]);
    missions
}

#[tokio::test]
async fn completing_picks_its_end_by_the_phase_that_it_replaces() {
    // From where it flies, the nearest end is to abort.
    let missions = overtaken(r#""phase":"landing""#).await;
    let completed = missions.complete("m-1", Source::Component).await.unwrap();
    assert_eq!(completed.phase, "completed");
    assert_eq!(missions.get("m-1").await.unwrap().phase, "completed");
}

#[tokio::test]
async fn completing_what_has_ended_meanwhile_is_told_so() {
    let missions = overtaken(r#""phase":"aborted""#).await;
    let ended = missions.complete("m-1", Source::Component).await.unwrap_err();
    assert!(matches!(&ended, Error::TerminalPhase { phase, .. } if phase == "aborted"), "{ended}");
    let missions = overtaken(r#""phase":"aborted""#).await;
    let ended = missions.complete_if_active("m-1", Source::Component).await.unwrap();
    assert_eq!(ended, Completion::AlreadyTerminal("aborted".to_owned()));
}
