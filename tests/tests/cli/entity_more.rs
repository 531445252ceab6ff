//! Entities beyond the first verbs: saved without a transition, their audit, searches in the
//! background.

use expect_test::expect;
use serde_json::{Value, json};

use crate::{
    entities::IN_NEW,
    world::{World, text},
};

impl World {
    /// Begins a search in the background, and waits until it has ended.
    fn searched(&self, condition: &str) -> String {
        let begun = self.json(&["search", "parcel", "1", condition, "--background"]);
        let id = begun.as_str().unwrap().to_owned();
        for _ in 0..10_000 {
            let state = self.json(&["show", "search", &id]);
            if text(&state, "searchJobStatus") != "RUNNING" {
                break;
            }
        }
        id
    }
}

#[test]
fn a_value_may_change_without_a_transition() {
    let world = World::with_parcel();
    let id = world.parcel(r#"{"items": 3}"#);
    let first = world.json(&["show", &id]).pointer("/meta/transactionId").cloned().unwrap();
    let first = first.as_str().unwrap();
    expect![[r#"
        $ waypost signal ID --value '{"items": 4}'
        saved: ID is NEW
        $ waypost show ID
        entity  ID
        model  parcel version 1
        state  NEW
        created  now (AT)
        saved  now (AT)
        by  loopback
        transaction  ID
        transitions  SHIP, CHECK
        value  {"items":4}
        $ waypost signal entity ID --value '{"items": 5}' --if-match ID
        error: entity ID was saved by another transaction; read it again and retry (ENTITY_MODIFIED)
          somebody else was faster: look again, then decide
        [exit 4]
        $ waypost signal ID --value '{"items": "many"}'
        error: validation failed: items: expected INTEGER, found STRING (BAD_REQUEST)
          `waypost explain-error BAD_REQUEST` says more
        [exit 1]
        $ waypost signal ID --value '{"items": 500}'
        saved: ID is LARGE
    "#]]
    .assert_eq(&world.squeezed(&[
        &format!("signal {id} --value '{{\"items\": 4}}'"),
        &format!("show {id}"),
        &format!("signal entity {id} --value '{{\"items\": 5}}' --if-match {first}"),
        &format!("signal {id} --value '{{\"items\": \"many\"}}'"),
        &format!("signal {id} --value '{{\"items\": 500}}'"),
    ]));
    let saved = world.json(&["signal", &id, "--value", r#"{"items": 6}"#]);
    assert_eq!(saved.pointer("/entityIds/0"), Some(&json!(id)));
    // Who says nothing asks for nothing.
    let ran = world.run(&["signal", "entity", &id]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
}

#[test]
fn the_audit_tells_what_the_workflow_did() {
    let world = World::with_parcel();
    let id = world.parcel(r#"{"items": 3}"#);
    world.json(&["signal", &id, "SHIP"]);
    expect![[r#"
        $ waypost history ID --audit
        AT  WHAT  STATE  BY  DETAIL  TRANSACTION
        AT  UPDATED  mock-user-001  ID
        AT  STATE_MACHINE_FINISH  SHIPPED  the state has no automated transitions  ID
        AT  TRANSITION_MAKE  NEW  transition SHIP leads to SHIPPED  ID
        AT  STATE_MACHINE_START  NEW  transition SHIP is asked for  ID
        AT  CREATED  mock-user-001  ID
        AT  STATE_MACHINE_FINISH  NEW  no criterion of an automated transition holds  ID
        AT  TRANSITION_NOT_MATCH_CRITERION  NEW  transition CHECK is not possible: criterion did not match  ID
        AT  WORKFLOW_FOUND  workflow parcel takes the entity  ID
        AT  STATE_MACHINE_START  the entity is created  ID
    "#]].assert_eq(&world.squeezed(&[&format!("history {id} --audit")]));
    let events = world.json(&["history", "entity", &id, "--audit"]);
    let events = events.as_array().unwrap();
    let kinds: Vec<_> = events.iter().map(|it| text(it, "auditEventType")).collect();
    let machine = "StateMachine".to_owned();
    assert_eq!(kinds.iter().filter(|it| **it == machine).count(), kinds.len() - 2, "{kinds:?}");
    assert_eq!(
        events.first().and_then(|it| it.pointer("/actor/id")),
        Some(&json!("mock-user-001"))
    );
    let both = world.run(&["history", &id, "--audit", "--at", "2026-01-31"]);
    assert_eq!(both.code, Some(2), "{both:?}");
    let none = "9a3c4e10-2b1f-11f0-8d3b-0123456789ab";
    assert_eq!(world.run(&["history", none, "--audit"]).code, Some(3));
}

#[test]
fn the_audit_is_told_to_its_end() {
    let world = World::with_parcel();
    let id = world.parcel(r#"{"items": 3}"#);
    // Each leaves two events; the server gives a thousand at a time.
    let item = format!(r#"{{"id":"{id}","payload":"{{\"items\":3}}"}}"#);
    let items = format!("[{}]", vec![item; 600].join(","));
    let url = format!("{}/api/entity/JSON?transactionWindow=1000", world.server.url);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let answer = runtime.block_on(reqwest::Client::new().put(url).body(items).send()).unwrap();
    assert_eq!(answer.status().as_u16(), 200);
    let events = world.json(&["history", &id, "--audit"]);
    let events = events.as_array().unwrap();
    assert!(events.len() > 1_200, "{}", events.len());
    assert_eq!(text(events.last().unwrap(), "eventType"), "STATE_MACHINE_START");
    assert_eq!(text(events.last().unwrap(), "details"), "the entity is created");
}

#[test]
fn a_search_in_the_background_is_begun_looked_at_and_cancelled() {
    let world = World::with_parcel();
    for _ in 0..3 {
        world.parcel(r#"{"items": 1}"#);
    }
    let id = world.searched(IN_NEW);
    let shown = world.json(&["show", "search", &id, "--limit", "2", "--page", "1"]);
    assert_eq!(shown.pointer("/entitiesCount"), Some(&json!(3)));
    assert_eq!(shown.pointer("/content").and_then(Value::as_array).map(Vec::len), Some(1));
    assert_eq!(shown.pointer("/page/totalPages"), Some(&json!(2)));
    let none = world.searched(r#"{"type": "group", "operator": "OR", "conditions": []}"#);
    let unknown = "9a3c4e10-2b1f-11f0-8d3b-0123456789ab";
    expect![[r#"
        $ waypost search parcel 1 @new.json --background
        began search ID
        $ waypost show search ID --limit 2
        search  ID
        status  SUCCESSFUL
        begun  now (AT)
        took  TIME
        found  3
        kept  until AT

        ID  STATE  CREATED  SAVED  VALUE
        ID  NEW  now  now  {"items":1}
        ID  NEW  now  now  {"items":1}
        there are more: add --page 1
        $ waypost show search ID
        search  ID
        status  SUCCESSFUL
        begun  now (AT)
        took  TIME
        found  0
        kept  until AT

        no entities
        $ waypost cancel search ID
        error: snapshot by id=ID is not running. current status=SUCCESSFUL (BAD_REQUEST)
          `waypost explain-error BAD_REQUEST` says more
        [exit 1]
        $ waypost show search ID
        error: search ID not found (SEARCH_JOB_NOT_FOUND)
          searches are kept for an hour unless set otherwise: begin another
        [exit 3]
        $ waypost cancel search ID
        error: search ID not found (SEARCH_JOB_NOT_FOUND)
          searches are kept for an hour unless set otherwise: begin another
        [exit 3]
        $ waypost search letter 1 @new.json --background
        error: model letter:1 not found (MODEL_NOT_FOUND)
          `waypost list models` shows those there are
        [exit 3]
    "#]]
    .assert_eq(&world.squeezed(&[
        "search parcel 1 @new.json --background",
        &format!("show search {id} --limit 2"),
        &format!("show search {none}"),
        &format!("cancel search {id}"),
        &format!("show search {unknown}"),
        &format!("cancel search {unknown}"),
        "search letter 1 @new.json --background",
    ]));
    let both = ["search", "parcel", "1", IN_NEW, "--background", "--limit", "3"];
    assert_eq!(world.run(&both).code, Some(2));
}
