//! Lists of entities.

use waypost_lifecycle::{Error, FieldValue, ListOptions, Workflow};

use crate::{
    mission::{Mission, in_phase, indexed, mission},
    site::{Site, on_every_store},
};

on_every_store![
    a_list_is_sorted_and_narrowed_down,
    a_match_is_strict,
    pages_follow_each_other,
    what_is_foreign_or_broken_is_passed_over,
    phases_are_counted,
];

/// Missions whose lists come from the index.
async fn listed(site: &Site) -> Workflow<Mission> {
    let manager = site.manager();
    let missions = manager.register::<Mission>().await.unwrap();
    indexed(&manager).await;
    missions
}

async fn ids(missions: &Workflow<Mission>, options: &ListOptions) -> Vec<String> {
    let indexed = missions.list(options).await.unwrap();
    let fresh = missions.list(&options.clone().fresh()).await.unwrap();
    assert_eq!(indexed, fresh, "the index and the bucket say the same");
    fresh.into_iter().map(|it| it.entity_id).collect()
}

async fn a_list_is_sorted_and_narrowed_down(site: Site) {
    let missions = listed(&site).await;
    assert_eq!(ids(&missions, &ListOptions::default()).await, [""; 0]);
    for (id, phase, owner) in [
        ("c", "planning", "ann"),
        ("a", "flying", "ann"),
        ("d", "completed", "bob"),
        ("b", "flying", "bob"),
    ] {
        let owner = owner.to_owned();
        missions.create(&Mission { owner, ..in_phase(id, phase) }).await.unwrap();
    }
    let all = ListOptions::default();
    assert_eq!(ids(&missions, &all).await, ["a", "b", "c", "d"]);
    assert_eq!(ids(&missions, &all.clone().in_phase("flying")).await, ["a", "b"]);
    assert_eq!(ids(&missions, &all.clone().in_phase("moon")).await, [""; 0]);
    assert_eq!(ids(&missions, &all.clone().only_active()).await, ["a", "b", "c"]);
    assert_eq!(ids(&missions, &all.clone().matching("owner", "bob")).await, ["b", "d"]);
    let narrow = all.clone().matching("owner", "bob").only_active().in_phase("flying");
    assert_eq!(ids(&missions, &narrow).await, ["b"]);
}

async fn a_match_is_strict(site: Site) {
    let missions = listed(&site).await;
    let one = Mission { photos: 3, battery: Some(9), ..mission("a") };
    missions.create(&one).await.unwrap();
    missions.create(&mission("b")).await.unwrap();
    let matching = |field: &str, value: FieldValue| ListOptions::default().matching(field, value);
    assert_eq!(ids(&missions, &matching("photos", 3_u32.into())).await, ["a"]);
    assert_eq!(ids(&missions, &matching("photos", 3_i64.into())).await, [""; 0]);
    assert_eq!(ids(&missions, &matching("photos", 0_u32.into())).await, ["b"]);
    assert_eq!(ids(&missions, &matching("battery", 9_u8.into())).await, ["a"]);
    assert_eq!(ids(&missions, &matching("battery", FieldValue::Unset)).await, ["b"]);
    assert_eq!(ids(&missions, &matching("owner", "ANN".into())).await, [""; 0]);
    let both = matching("owner", "ann".into()).matching("photos", 3_u32);
    assert_eq!(ids(&missions, &both).await, ["a"]);
    let unknown = missions.list(&matching("wings", 2_u8.into())).await.unwrap_err();
    assert!(matches!(&unknown, Error::UnknownMatchField { field, .. } if field == "wings"));
}

async fn pages_follow_each_other(site: Site) {
    let missions = listed(&site).await;
    for number in 0..5 {
        let photos = number % 2;
        missions.create(&Mission { photos, ..mission(&format!("m-{number}")) }).await.unwrap();
    }
    let all = ListOptions::default();
    assert_eq!(ids(&missions, &all.clone().page(0, 2)).await, ["m-0", "m-1"]);
    assert_eq!(ids(&missions, &all.clone().page(3, 0)).await, ["m-3", "m-4"]);
    assert_eq!(ids(&missions, &all.clone().page(9, 2)).await, [""; 0]);
    let even = all.matching("photos", 0_u32);
    assert_eq!(ids(&missions, &even.clone().page(1, 1)).await, ["m-2"]);
    assert_eq!(ids(&missions, &even.page(1, 5)).await, ["m-2", "m-4"]);
}

async fn what_is_foreign_or_broken_is_passed_over(site: Site) {
    let manager = site.manager();
    let missions = manager.register::<Mission>().await.unwrap();
    missions.create(&mission("a")).await.unwrap();
    let bucket = site.buckets.open("MISSIONS").await.unwrap();
    bucket.create("elsewhere", "{}".into()).await.unwrap();
    bucket.create("mission.broken", "[]".into()).await.unwrap();
    let stranger = r#"{"_lifecycle":{"workflow":"other"}}"#;
    bucket.create("mission.stranger", stranger.into()).await.unwrap();
    let found = missions.list(&ListOptions::default().fresh()).await.unwrap();
    assert_eq!(found.len(), 1);
    assert!(manager.figures().skipped >= 1);
    let broken = missions.get("broken").await.unwrap_err();
    assert!(matches!(broken, Error::Decode { .. }), "{broken:?}");
    let stranger = missions.get("stranger").await.unwrap_err();
    assert!(matches!(stranger, Error::EntityNotFound { .. }), "{stranger:?}");
    // Who clears up takes away what nobody can read, and leaves alone what is somebody else's.
    for id in ["broken", "stranger", "nobody"] {
        manager.delete("drone-survey", id).await.unwrap();
    }
    assert_eq!(bucket.keys().await.unwrap(), ["elsewhere", "mission.a", "mission.stranger"]);
}

async fn phases_are_counted(site: Site) {
    let manager = site.manager();
    let missions = manager.register::<Mission>().await.unwrap();
    for (id, phase) in [("a", "flying"), ("b", "flying"), ("c", "planning")] {
        missions.create(&in_phase(id, phase)).await.unwrap();
    }
    let drift = |it: &mut Mission| {
        it.phase = "lost".to_owned();
        Ok(())
    };
    missions.update("c", drift).await.unwrap();
    let counts = manager.counts_by_phase("drone-survey").await.unwrap();
    let counts: Vec<_> = counts.iter().map(|(phase, count)| (phase.as_str(), *count)).collect();
    assert_eq!(counts, [("flying", 2), ("lost", 1)]);
}
