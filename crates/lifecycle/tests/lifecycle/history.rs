//! How an entity got where it is, also when the bucket remembers little.

use serde_json::json;
use waypost_lifecycle::{Error, Manager, MemoryBuckets, Source, TransitionEvent};

use crate::{
    mission::{Mission, in_phase, mission},
    site::{Site, on_every_store},
};

on_every_store![
    history_tells_sources_and_notes,
    history_survives_a_bucket_that_remembers_one_write,
    history_tells_of_deletions,
    a_long_history_is_whole_as_far_as_the_store_remembers,
    a_raw_change_of_the_phase_is_told,
    history_of_nobody_is_not_found,
    a_stranger_who_drops_the_trail_only_costs_what_it_said,
];

fn told(events: &[TransitionEvent]) -> Vec<String> {
    let line = |it: &TransitionEvent| {
        format!("{} > {} {} {}", it.from, it.to, it.triggered.as_str(), it.note).trim().to_owned()
    };
    events.iter().map(line).collect()
}

/// Created, touched, flown by an operator, landed by a rule, failed.
async fn fly(manager: &Manager) -> Vec<TransitionEvent> {
    let missions = manager.register::<Mission>().await.unwrap();
    missions.create(&mission("m-1")).await.unwrap();
    let touch = async || missions.update("m-1", |_| Ok(())).await.unwrap();
    touch().await;
    missions.transition("m-1", "flying", Source::Operator, "go").await.unwrap();
    touch().await;
    missions.transition("m-1", "landing", Source::Rule, "").await.unwrap();
    missions.fail("m-1", "wind", Source::Component).await.unwrap();
    touch().await;
    missions.history("m-1").await.unwrap()
}

const FLIGHT: [&str; 4] = [
    "> planning framework",
    "planning > flying operator go",
    "flying > landing rule",
    "landing > failed component wind",
];

async fn history_tells_sources_and_notes(site: Site) {
    let history = fly(&site.manager()).await;
    assert_eq!(told(&history), FLIGHT);
    assert!(history.windows(2).all(|pair| pair[0].at < pair[1].at), "{history:?}");
    assert!(history[0].at.as_micros() > 1_700_000_000_000_000);
    let wire = serde_json::to_value(&history[1]).unwrap();
    let at = wire["at"].as_str().unwrap();
    assert!(at.starts_with("20") && at.ends_with('Z'), "{at}");
    assert_eq!(wire["triggered"], "operator");
    assert_eq!(serde_json::to_value(&history[2]).unwrap().get("note"), None);
    let again: TransitionEvent = serde_json::from_value(wire).unwrap();
    assert_eq!(again, history[1]);
}

async fn history_survives_a_bucket_that_remembers_one_write(site: Site) {
    let deep = fly(&Manager::builder(site.buckets.clone()).create_buckets(1).build()).await;
    assert_eq!(told(&deep), FLIGHT);
    assert!(deep.windows(2).all(|pair| pair[0].at < pair[1].at), "{deep:?}");
}

async fn history_tells_of_deletions(site: Site) {
    let manager = site.manager();
    let missions = manager.register::<Mission>().await.unwrap();
    missions.create(&mission("m-1")).await.unwrap();
    manager.delete("drone-survey", "m-1").await.unwrap();
    let ended = ["> planning framework", "planning > <deleted> framework"];
    assert_eq!(told(&missions.history("m-1").await.unwrap()), ended);
    missions.create(&mission("m-1")).await.unwrap();
    let history = missions.history("m-1").await.unwrap();
    assert_eq!(told(&history)[2], "<deleted> > planning framework");
}

async fn a_long_history_is_whole_as_far_as_the_store_remembers(site: Site) {
    let missions = site.manager().register::<Mission>().await.unwrap();
    missions.create(&in_phase("m-1", "flying")).await.unwrap();
    for number in 0..250 {
        let to = if number % 2 == 0 { "capturing" } else { "flying" };
        missions.transition("m-1", to, Source::Component, &number.to_string()).await.unwrap();
    }
    let moves = missions.history("m-1").await.unwrap();
    let notes: Vec<_> = moves.iter().rev().map(|it| it.note.as_str()).collect();
    let bucket = site.buckets.open("MISSIONS").await.unwrap();
    match bucket.remembers_all() {
        true => assert_eq!(notes.len(), 251),
        false => assert!(notes.len() >= 64, "{}", notes.len()),
    }
    let newest = (0..250).rev().map(|it: u8| it.to_string());
    assert!(newest.zip(&notes).all(|(expected, note)| expected == **note), "{notes:?}");
}

async fn a_raw_change_of_the_phase_is_told(site: Site) {
    let missions = site.manager().register::<Mission>().await.unwrap();
    missions.create(&mission("m-1")).await.unwrap();
    missions.transition("m-1", "flying", Source::Operator, "go").await.unwrap();
    let end = |it: &mut Mission| {
        it.phase = "completed".to_owned();
        Ok(())
    };
    missions.update("m-1", end).await.unwrap();
    let last = missions.history("m-1").await.unwrap().pop().unwrap();
    assert_eq!((last.from.as_str(), last.to.as_str()), ("flying", "completed"));
    assert_eq!((last.triggered, last.note.as_str()), (Source::Framework, ""));
}

async fn history_of_nobody_is_not_found(site: Site) {
    let missions = site.manager().register::<Mission>().await.unwrap();
    let missing = missions.history("m-1").await.unwrap_err();
    assert!(matches!(missing, Error::EntityNotFound { .. }), "{missing:?}");
}

async fn a_stranger_who_drops_the_trail_only_costs_what_it_said(site: Site) {
    let missions = site.manager().register::<Mission>().await.unwrap();
    missions.create(&mission("m-1")).await.unwrap();
    missions.transition("m-1", "flying", Source::Operator, "go").await.unwrap();
    let bucket = site.buckets.open("MISSIONS").await.unwrap();
    let entry = bucket.get("mission.m-1").await.unwrap().unwrap();
    let mut value: serde_json::Value = serde_json::from_slice(&entry.value).unwrap();
    let members = value.as_object_mut().unwrap();
    let kept = members.remove("_lifecycle").unwrap();
    assert_eq!(kept["workflow"], "drone-survey");
    members.insert("phase".to_owned(), json!("landing"));
    bucket.update("mission.m-1", value.to_string().into(), entry.revision).await.unwrap();
    missions.fail("m-1", "wind", Source::Operator).await.unwrap();
    assert_eq!(
        told(&missions.history("m-1").await.unwrap()),
        [
            "> planning framework",
            "planning > flying operator go",
            "flying > landing framework",
            "landing > failed operator wind"
        ]
    );
}

#[tokio::test]
async fn a_stranger_may_put_the_members_in_another_order() {
    let buckets = MemoryBuckets::new();
    let manager = Manager::builder(buckets.clone()).create_buckets(4).build();
    let missions = manager.register::<Mission>().await.unwrap();
    missions.create(&Mission { photos: 3, ..mission("m-1") }).await.unwrap();
    missions.transition("m-1", "flying", Source::Operator, "go").await.unwrap();
    let bucket = buckets.bucket("MISSIONS").unwrap();
    let entry = waypost_lifecycle::Bucket::get(&*bucket, "mission.m-1").await.unwrap().unwrap();
    let mut value: serde_json::Value = serde_json::from_slice(&entry.value).unwrap();
    let members = value.as_object_mut().unwrap();
    let photos = members.shift_remove("photos").unwrap();
    members.insert("photos".to_owned(), photos);
    bucket.put("mission.m-1", value.to_string());
    let moved = missions.transition("m-1", "landing", Source::Rule, "").await.unwrap();
    assert_eq!(moved.photos, 3);
    let told = told(&missions.history("m-1").await.unwrap());
    assert_eq!(told[1..], ["planning > flying operator go", "flying > landing rule"]);
}

#[tokio::test]
async fn without_a_trail_history_is_what_the_bucket_shows() {
    let buckets = MemoryBuckets::new();
    let manager = Manager::builder(buckets.clone()).create_buckets(64).without_trail().build();
    assert_eq!(
        told(&fly(&manager).await),
        [
            "> planning framework",
            "planning > flying framework",
            "flying > landing framework",
            "landing > failed framework"
        ]
    );
    let stored = buckets.bucket("MISSIONS").unwrap();
    let entry = waypost_lifecycle::Bucket::get(&*stored, "mission.m-1").await.unwrap().unwrap();
    assert!(!String::from_utf8_lossy(&entry.value).contains("_lifecycle"));
}
