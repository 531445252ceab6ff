//! Types described by data: the same entities, without their Rust type.

use serde_json::json;
use waypost_lifecycle::{Error, FieldValue, ListOptions, Manager, MoveTo, Source, TypeDescription};

use crate::{
    mission::{Mission, mission},
    site::{Site, on_every_store},
};

on_every_store![a_described_type_sees_what_a_program_wrote, a_program_sees_what_was_done_to_it];

fn described() -> TypeDescription {
    let described = json!({
        "workflow": "drone-survey",
        "bucket": "MISSIONS",
        "key_prefix": "mission.",
        "transitions": {
            "planning": ["flying", "aborted"], "flying": ["landing"], "landing": ["failed"],
            "aborted": [], "failed": []
        },
        "fields": [
            {"name": "entity_id", "tags": "id"},
            {"name": "phase", "tags": "phase,readonly"},
            {"name": "owner", "tags": "operator_writable, indexable"},
            {"name": "photos", "kind": "u32", "tags": "operator_writable"},
            {"name": "battery", "kind": "u8?", "tags": "operator_writable"},
            {"name": "parent", "kind": "string?", "tags": "parent"}
        ]
    });
    serde_json::from_value(described).unwrap()
}

/// A program, and a server that knows its type from a description only.
async fn both(site: &Site) -> (waypost_lifecycle::Workflow<Mission>, Manager) {
    let program = site.manager();
    let missions = program.register::<Mission>().await.unwrap();
    let server = Manager::builder(site.buckets.clone()).build();
    server.register_described(described()).await.unwrap();
    (missions, server)
}

async fn a_described_type_sees_what_a_program_wrote(site: Site) {
    let (missions, server) = both(&site).await;
    let one = Mission { photos: 3, parent: Some("c-1".to_owned()), ..mission("m-1") };
    missions.create(&one).await.unwrap();
    missions.transition("m-1", "flying", Source::Component, "go").await.unwrap();
    let found = server.get("drone-survey", "m-1").await.unwrap();
    assert_eq!((found.phase.as_str(), found.parent.as_deref()), ("flying", Some("c-1")));
    assert_eq!(found.value["photos"], 3);
    assert_eq!(found.value.get("_lifecycle"), None, "what is the library's stays with it");
    let history = server.history("drone-survey", "m-1").await.unwrap();
    assert_eq!(history.last().unwrap().note, "go");
    let photos = server.match_of_text("drone-survey", "photos", "3").unwrap();
    assert_eq!(photos, FieldValue::U32(3));
    let options = ListOptions::default().matching("photos", photos).fresh();
    assert_eq!(server.list("drone-survey", &options).await.unwrap().len(), 1);
    let unset = ListOptions::default().matching("battery", FieldValue::Unset).fresh();
    assert_eq!(server.list("drone-survey", &unset).await.unwrap().len(), 1);
    // What was never set is what it is before anybody sets it.
    let bare = json!({"entity_id": "m-2", "phase": "planning"});
    server.create("drone-survey", &bare).await.unwrap();
    for (field, value) in [
        ("photos", FieldValue::U32(0)),
        ("owner", FieldValue::from("")),
        ("battery", FieldValue::Unset),
    ] {
        let zero = ListOptions::default().in_phase("planning").matching(field, value).fresh();
        let found = server.list("drone-survey", &zero).await.unwrap();
        assert_eq!(found.len(), 1, "{field}");
        assert_eq!(found[0].entity_id, "m-2");
    }
}

async fn a_program_sees_what_was_done_to_it(site: Site) {
    let (missions, server) = both(&site).await;
    let logged = Mission { log: vec!["made".to_owned()], ..mission("m-1") };
    missions.create(&logged).await.unwrap();
    let patch = json!({"owner": "bob", "battery": 7}).as_object().cloned().unwrap();
    server.update_from_operator("drone-survey", "m-1", &patch).await.unwrap();
    let fly = MoveTo { phase: "flying", source: Source::Operator, note: "now" };
    server.transition("drone-survey", "m-1", fly).await.unwrap();
    let found = missions.get("m-1").await.unwrap();
    assert_eq!(
        (found.owner.as_str(), found.battery, found.phase.as_str()),
        ("bob", Some(7), "flying")
    );
    assert_eq!(found.log, ["made"], "what is not described stays");
    let history = missions.history("m-1").await.unwrap();
    assert_eq!((history[1].triggered, history[1].note.as_str()), (Source::Operator, "now"));
    for (wrong, is_wrong) in [
        (json!({"battery": 300}), true),
        (json!({"battery": null}), false),
        (json!({"log": []}), true),
    ] {
        let patch = wrong.as_object().cloned().unwrap();
        let patched = server.update_from_operator("drone-survey", "m-1", &patch).await;
        assert_eq!(patched.is_err(), is_wrong, "{wrong}");
    }
    assert_eq!(missions.get("m-1").await.unwrap().battery, None);
    let made = json!({"entity_id": "m-2", "phase": "planning"});
    server.create("drone-survey", &made).await.unwrap();
    let shapeless = server.create("drone-survey", &json!({"phase": "planning"})).await;
    assert!(matches!(shapeless, Err(Error::Decode { .. })));
}

#[tokio::test]
async fn null_is_refused_where_nobody_knows_what_it_means() {
    let manager = Site::memory().await.manager();
    let described = json!({
        "workflow": "lamp", "bucket": "LAMPS", "transitions": {"on": []},
        "fields": [
            {"name": "id", "tags": "id"},
            {"name": "phase", "tags": "phase"},
            {"name": "lit_at", "kind": "timestamp", "tags": "operator_writable"},
            {"name": "dimmed_at", "kind": "timestamp?", "tags": "operator_writable"},
            {"name": "color", "kind": "nested", "tags": "operator_writable"},
            {"name": "shade", "kind": "nested?", "tags": "operator_writable"},
            {"name": "watts", "kind": "u32", "tags": "operator_writable"}
        ]
    });
    manager.register_described(serde_json::from_value(described).unwrap()).await.unwrap();
    let lamp = json!({
        "id": "l-1", "phase": "on", "lit_at": "2026-01-31T12:00:00Z", "color": {"red": 1},
        "shade": [1], "dimmed_at": "2026-01-31T13:00:00Z", "watts": 40
    });
    manager.create("lamp", &lamp).await.unwrap();
    for field in ["lit_at", "color"] {
        let patch = json!({field: null}).as_object().cloned().unwrap();
        let refused = manager.update_from_operator("lamp", "l-1", &patch).await.unwrap_err();
        let is_named = matches!(&refused, Error::TypeMismatch { field: it, found, .. }
            if it == field && found == "null");
        assert!(is_named, "{refused:?}");
    }
    assert_eq!(manager.get("lamp", "l-1").await.unwrap().value, lamp);
    let patch = json!({"dimmed_at": null, "shade": null, "watts": null}).as_object().cloned();
    manager.update_from_operator("lamp", "l-1", &patch.unwrap()).await.unwrap();
    let found = manager.get("lamp", "l-1").await.unwrap().value;
    assert_eq!((&found["dimmed_at"], &found["shade"]), (&json!(null), &json!(null)));
    assert_eq!((&found["watts"], &found["color"]), (&json!(0), &json!({"red": 1})));
}
