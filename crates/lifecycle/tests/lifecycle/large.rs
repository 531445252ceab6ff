//! Values that are nearly too large for the store, and those that are.

use serde_json::json;
use waypost_lifecycle::{BucketError, Error, Manager, Source};

use crate::{
    mission::{Mission, in_phase},
    site::{Site, in_time},
};

/// What a NATS server takes unless it is told otherwise.
const PAYLOAD_MAX: usize = 1 << 20;

/// Room for a few moves.
const LEFT: usize = 4_000;

async fn nearly_full(site: &Site) -> (Manager, waypost_lifecycle::Workflow<Mission>) {
    let manager = site.manager();
    let missions = manager.register::<Mission>().await.unwrap();
    let log = vec!["x".repeat(PAYLOAD_MAX - LEFT)];
    missions.create(&Mission { log, ..in_phase("m-1", "flying") }).await.unwrap();
    (manager, missions)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entity_that_is_nearly_too_large_moves_and_remembers_less() {
    const MOVES: usize = 40;
    for site in [Site::nats().await, Site::old_nats().await] {
        let (_, missions) = nearly_full(&site).await;
        for number in 0..MOVES {
            let to = if number % 2 == 0 { "capturing" } else { "flying" };
            let note = format!("{number:0100}");
            let moved = missions.transition("m-1", to, Source::Component, &note);
            assert_eq!(in_time(moved).await.unwrap().phase, to, "move {number}");
        }
        let stored = site.buckets.open("MISSIONS").await.unwrap().get("mission.m-1").await;
        let stored = String::from_utf8(stored.unwrap().unwrap().value.to_vec()).unwrap();
        let kept = stored.matches("\"seq\":").count();
        assert!((2..MOVES).contains(&kept), "{kept} moves of {MOVES} are kept");
        let last = missions.history("m-1").await.unwrap().pop().unwrap();
        assert_eq!(last.note, format!("{:0100}", MOVES - 1));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_large_is_told_so_and_changes_nothing() {
    for site in [Site::nats().await, Site::old_nats().await] {
        let (manager, missions) = nearly_full(&site).await;
        let before = missions.snapshot("m-1").await.unwrap();
        let patch = json!({"owner": "o".repeat(2 * LEFT)}).as_object().cloned().unwrap();
        let refused = manager.update_from_operator("drone-survey", "m-1", &patch).await;
        let refused = refused.unwrap_err();
        assert_eq!(refused.http_status(), 413, "{refused}");
        assert!(refused.public_message().contains("more than the store takes"), "{refused}");
        let is_told = matches!(&refused, Error::Store { source: BucketError::TooLarge { size, .. }, .. }
            if *size > PAYLOAD_MAX);
        assert!(is_told, "{refused}");
        assert_eq!(missions.snapshot("m-1").await.unwrap(), before);
        let large = Mission { owner: "o".repeat(PAYLOAD_MAX), ..in_phase("m-2", "flying") };
        assert_eq!(missions.create(&large).await.unwrap_err().http_status(), 413);
    }
}
