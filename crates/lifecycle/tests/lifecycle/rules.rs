//! Rules: what they may do, what they see, and that they act once.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use waypost_lifecycle::{
    Action, Error, Manager, MemoryBuckets, RuleError, Rules, Source, Workflow,
};

use crate::{
    mission::{Mission, in_phase, mission},
    site::{Fate, Fateful, Site, on_every_store},
};

on_every_store![
    rules_act_when_their_conditions_come_true,
    two_engines_act_once,
    a_rule_that_is_fired_by_many_at_once_acts_once,
];

async fn site() -> (Manager, Workflow<Mission>, Rules) {
    let manager = Manager::builder(MemoryBuckets::new()).create_buckets(8).build();
    let missions = manager.register::<Mission>().await.unwrap();
    let rules = Rules::new(manager.dynamic().clone(), Vec::new()).unwrap();
    (manager, missions, rules)
}

fn action(json: Value) -> Action {
    serde_json::from_value(json).unwrap()
}

fn fly(set: &Value) -> Action {
    action(json!({
        "type": "lifecycle_transition", "phase": "flying", "set": set, "reason": "rule 7"
    }))
}

#[tokio::test]
async fn a_rule_moves_and_sets_in_one_write() {
    let (_, missions, rules) = site().await;
    missions.create(&mission("m-1")).await.unwrap();
    let set = json!({
        "photos": {"op": "increment"},
        "owner": "from $entity.lifecycle.phase of $entity.lifecycle.workflow",
        "battery": {"op": "set", "value": 50}
    });
    rules.execute(&fly(&set), Some("m-1")).await.unwrap();
    let found = missions.get("m-1").await.unwrap();
    assert_eq!((found.phase.as_str(), found.photos, found.battery), ("flying", 1, Some(50)));
    assert_eq!(found.owner, "from planning of drone-survey");
    let last = missions.history("m-1").await.unwrap().pop().unwrap();
    assert_eq!((last.triggered, last.note.as_str()), (Source::Rule, "rule 7"));
}

#[tokio::test]
async fn a_rule_completes_and_fails() {
    let (_, missions, rules) = site().await;
    missions.create(&in_phase("a", "landing")).await.unwrap();
    missions.create(&in_phase("b", "landing")).await.unwrap();
    rules.execute(&action(json!({"type": "lifecycle_complete"})), Some("a")).await.unwrap();
    let fail = json!({
        "type": "lifecycle_fail", "reason": "lost while $entity.lifecycle.phase",
        "workflow": "drone-survey"
    });
    rules.execute(&action(fail), Some("b")).await.unwrap();
    assert_eq!(missions.get("a").await.unwrap().phase, "completed");
    let last = missions.history("b").await.unwrap().pop().unwrap();
    assert_eq!((last.to.as_str(), last.note.as_str()), ("failed", "lost while landing"));
    assert_eq!(last.triggered, Source::Rule);
}

#[tokio::test]
async fn what_a_rule_may_not_do_leaves_everything_as_it_is() {
    let (_, missions, rules) = site().await;
    missions.create(&mission("m-1")).await.unwrap();
    let before = missions.snapshot("m-1").await.unwrap();
    let refused = async |action: Action| rules.execute(&action, Some("m-1")).await.unwrap_err();
    for field in ["serial", "phase", "entity_id", "wings"] {
        let mut set = serde_json::Map::from_iter([("photos".to_owned(), json!(1))]);
        set.insert(field.to_owned(), json!("x"));
        let error = refused(fly(&Value::Object(set))).await;
        let named = matches!(&error, RuleError::Lifecycle(Error::FieldNotOperatorWritable { field: it, .. }) if it == field);
        assert!(named, "{error}");
    }
    let error = refused(fly(&json!({"owner": {"op": "increment"}}))).await;
    assert!(matches!(error, RuleError::Set { .. }), "{error}");
    let error = refused(fly(&json!({"photos": {"op": "double"}}))).await;
    assert!(error.to_string().contains("set, increment, decrement"), "{error}");
    let error = refused(fly(&json!({"photos": 3.7}))).await;
    assert!(matches!(error, RuleError::Lifecycle(Error::TypeMismatch { .. })), "{error}");
    let error = refused(fly(&json!({"owner": "$message.user"}))).await;
    assert!(error.to_string().contains("unresolved template variables"), "{error}");
    let transition = |phase: &str| action(json!({"type": "lifecycle_transition", "phase": phase}));
    assert!(matches!(refused(transition("$state.next")).await, RuleError::Unresolved(_)));
    assert!(matches!(refused(transition("  ")).await, RuleError::Empty("phase")));
    let error = refused(transition("landing")).await;
    assert!(matches!(error, RuleError::Lifecycle(Error::InvalidTransition { .. })), "{error}");
    let error = refused(action(json!({"type": "lifecycle_fail", "reason": ""}))).await;
    assert!(matches!(error, RuleError::Empty("reason")), "{error}");
    assert_eq!(missions.snapshot("m-1").await.unwrap(), before);
    let nobody = rules.execute(&transition("flying"), None).await.unwrap_err();
    assert!(matches!(nobody, RuleError::NoEntity), "{nobody}");
    let missing = rules.execute(&transition("flying"), Some("gone")).await.unwrap_err();
    assert!(matches!(missing, RuleError::Lifecycle(Error::EntityNotFound { .. })), "{missing}");
}

#[tokio::test]
async fn unsigned_numbers_stay_at_zero_and_all_stop_at_the_end() {
    let (_, missions, rules) = site().await;
    missions.create(&Mission { battery: Some(u8::MAX), ..mission("m-1") }).await.unwrap();
    let error = rules.execute(&fly(&json!({"battery": {"op": "increment"}})), Some("m-1")).await;
    assert!(matches!(error, Err(RuleError::Set { .. })));
    rules.execute(&fly(&json!({"photos": {"op": "decrement"}})), Some("m-1")).await.unwrap();
    assert_eq!(missions.get("m-1").await.unwrap().photos, 0);
}

#[tokio::test]
async fn a_required_condition_that_is_absent_is_a_mistake() {
    let (manager, missions, _) = site().await;
    missions.create(&mission("m-1")).await.unwrap();
    let rules = json!([
        {"name": "lax", "workflow": "drone-survey", "then": [{"type": "lifecycle_complete"}],
         "when": [{"field": "wings", "value": 2}]},
        {"name": "strict", "workflow": "drone-survey", "then": [{"type": "lifecycle_complete"}],
         "when": [{"field": "wings", "value": 2, "required": true}]},
        {"name": "active", "workflow": "drone-survey", "then": [{"type": "lifecycle_complete"}],
         "when": [{"field": "$entity.lifecycle.terminal", "value": false},
                  {"field": "$entity.lifecycle.workflow", "value": "drone-survey"}]}
    ]);
    let rules =
        Rules::new(manager.dynamic().clone(), serde_json::from_value(rules).unwrap()).unwrap();
    assert!(!rules.fire("lax", "m-1").await.unwrap());
    assert!(matches!(rules.fire("strict", "m-1").await, Err(RuleError::Absent(_))));
    assert!(!rules.fire("active", "nobody").await.unwrap(), "of nobody nothing is true");
    assert!(rules.fire("active", "m-1").await.unwrap());
    assert!(!rules.fire("active", "m-1").await.unwrap(), "it has ended");
    assert!(rules.fire("unknown", "m-1").await.is_err());
}

#[tokio::test]
async fn rules_without_sense_are_refused() {
    let (manager, ..) = site().await;
    for rules in [
        json!([{"name": "", "workflow": "w", "then": [{"type": "lifecycle_complete"}]}]),
        json!([{"name": "a", "workflow": "w", "then": []}]),
        json!([
            {"name": "a", "workflow": "w", "then": [{"type": "lifecycle_complete"}]},
            {"name": "a", "workflow": "w", "then": [{"type": "lifecycle_complete"}]}
        ]),
    ] {
        let rules = serde_json::from_value(rules).unwrap();
        assert!(Rules::new(manager.dynamic().clone(), rules).is_err());
    }
    let unknown = json!([
        {"name": "a", "workflow": "unknown", "then": [{"type": "lifecycle_complete"}]}
    ]);
    let rules = serde_json::from_value(unknown).unwrap();
    let rules = Rules::new(manager.dynamic().clone(), rules).unwrap();
    assert!(rules.run().await.is_err(), "it would wait for ever");
    for action in [
        json!({"type": "lifecycle_transition"}),
        json!({"type": "unknown"}),
        json!({"type": "lifecycle_complete", "typo": 1}),
    ] {
        assert!(serde_json::from_value::<Action>(action).is_err());
    }
}

/// Takes a photo whenever a mission captures, and ends missions without battery.
pub(crate) fn photographers(manager: &Manager) -> Rules {
    let rules = json!([
        {
            "name": "photo",
            "workflow": "drone-survey",
            "when": [{"field": "$entity.lifecycle.phase", "value": "capturing"}],
            "then": [{
                "type": "lifecycle_transition", "phase": "flying", "reason": "taken",
                "set": {"photos": {"op": "increment"}}
            }]
        },
        {
            "name": "home",
            "workflow": "drone-survey",
            "when": [
                {"field": "$entity.lifecycle.phase", "value": "flying"},
                {"field": "battery", "operator": "lt", "value": 20}
            ],
            "then": [
                {"type": "lifecycle_transition", "phase": "landing"},
                {"type": "lifecycle_fail", "reason": "in phase $entity.lifecycle.phase"}
            ]
        }
    ]);
    let rules = serde_json::from_value(rules).unwrap();
    Rules::new(manager.dynamic().clone(), rules).unwrap()
}

/// Waits until the entity is as wanted.
async fn until(missions: &Workflow<Mission>, id: &str, wanted: impl Fn(&Mission) -> bool) {
    while !wanted(&missions.get(id).await.unwrap()) {
        tokio::task::yield_now().await;
    }
}

async fn rules_act_when_their_conditions_come_true(site: Site) {
    let manager = site.manager();
    let missions = manager.register::<Mission>().await.unwrap();
    missions.create(&in_phase("early", "capturing")).await.unwrap();
    let rules = photographers(&manager);
    let running = tokio::spawn(async move { rules.run().await });
    until(&missions, "early", |it| it.phase == "flying" && it.photos == 1).await;
    missions.transition("early", "capturing", Source::Component, "").await.unwrap();
    until(&missions, "early", |it| it.phase == "flying" && it.photos == 2).await;
    let patch = json!({"battery": 10}).as_object().cloned().unwrap();
    manager.update_from_operator("drone-survey", "early", &patch).await.unwrap();
    until(&missions, "early", |it| it.phase == "failed").await;
    let last = missions.history("early").await.unwrap().pop().unwrap();
    assert_eq!(last.note, "in phase landing", "the second action sees what the first has done");
    running.abort();
}

/// The table would let all of them: only the condition, looked at again, keeps them from it.
async fn a_rule_that_is_fired_by_many_at_once_acts_once(site: Site) {
    let manager = site.manager();
    let lamp = json!({
        "workflow": "lamp", "bucket": "LAMPS", "transitions": {"on": ["on"]},
        "fields": [
            {"name": "id", "tags": "id"},
            {"name": "phase", "tags": "phase"},
            {"name": "flashes", "kind": "u32", "tags": "operator_writable"}
        ]
    });
    manager.register_described(serde_json::from_value(lamp).unwrap()).await.unwrap();
    let flash = json!([{
        "name": "flash", "workflow": "lamp",
        "when": [{"field": "flashes", "operator": "lt", "value": 1}],
        "then": [{
            "type": "lifecycle_transition", "phase": "on",
            "set": {"flashes": {"op": "increment"}}
        }]
    }]);
    let rules = serde_json::from_value(flash).unwrap();
    let rules = Rules::new(manager.dynamic().clone(), rules).unwrap();
    for number in 0..20 {
        let id = format!("l-{number}");
        manager.create("lamp", &json!({"id": id, "phase": "on", "flashes": 0})).await.unwrap();
        let firing = (0..5).map(|_| rules.fire("flash", &id));
        let fired = futures_util::future::join_all(firing).await;
        let n_acted = fired.into_iter().filter(|it| *it.as_ref().unwrap()).count();
        assert_eq!(n_acted, 1);
        assert_eq!(manager.get("lamp", &id).await.unwrap().value["flashes"], 1);
    }
}

#[tokio::test]
async fn a_rule_sees_what_is_no_field_before_it_acts_and_while_it_does() {
    let manager = Manager::builder(MemoryBuckets::new()).create_buckets(8).build();
    let lamp = json!({
        "workflow": "lamp", "bucket": "LAMPS", "transitions": {"dark": ["lit"], "lit": []},
        "fields": [{"name": "id", "tags": "id"}, {"name": "phase", "tags": "phase"}]
    });
    manager.register_described(serde_json::from_value(lamp).unwrap()).await.unwrap();
    let light = json!([{
        "name": "light", "workflow": "lamp",
        "when": [{"field": "room", "operator": "eq", "value": "hall", "required": true}],
        "then": [{"type": "lifecycle_transition", "phase": "lit"}]
    }]);
    let rules = serde_json::from_value(light).unwrap();
    let rules = Rules::new(manager.dynamic().clone(), rules).unwrap();
    for (id, room, acts) in [("l-1", "hall", true), ("l-2", "attic", false)] {
        let lamp = json!({"id": id, "phase": "dark", "room": room});
        manager.create("lamp", &lamp).await.unwrap();
        assert_eq!(rules.fire("light", id).await.unwrap(), acts, "{room}");
        let phase = manager.get("lamp", id).await.unwrap().phase;
        assert_eq!(phase == "lit", acts, "{room}");
    }
}

async fn two_engines_act_once(site: Site) {
    let first = site.manager();
    let missions = first.register::<Mission>().await.unwrap();
    let second = site.manager();
    second.register::<Mission>().await.unwrap();
    missions.create(&in_phase("m-1", "flying")).await.unwrap();
    let running: Vec<_> = [&first, &second]
        .into_iter()
        .map(|manager| {
            let rules = photographers(manager);
            tokio::spawn(async move { rules.run().await })
        })
        .collect();
    for photos in 1..=10 {
        missions.transition("m-1", "capturing", Source::Component, "").await.unwrap();
        until(&missions, "m-1", |it| it.phase == "flying").await;
        assert_eq!(missions.get("m-1").await.unwrap().photos, photos);
    }
    running.into_iter().for_each(|it| it.abort());
}

/// A store in which things go as they are told, and rules that run over it.
async fn fateful() -> (Workflow<Mission>, Fateful, tokio::task::JoinHandle<()>) {
    let buckets = Fateful::over(Arc::new(MemoryBuckets::new()));
    let manager = Manager::builder(buckets.clone()).create_buckets(16).build();
    let missions = manager.register::<Mission>().await.unwrap();
    let rules = photographers(&manager);
    let running = tokio::spawn(async move { rules.run().await.unwrap() });
    (missions, buckets, running)
}

/// Waits until the entity is in the phase; the clock moves on when there is nothing else to do.
async fn until_in(missions: &Workflow<Mission>, id: &str, phase: &str) -> Mission {
    let waiting = async {
        loop {
            let found = missions.get(id).await.unwrap();
            if found.phase == phase {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(3_600), waiting).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_rule_acts_once_a_store_is_out_of_trouble() {
    let (missions, buckets, running) = fateful().await;
    buckets.next([Fate::Fails; 20]);
    missions.create(&in_phase("m-1", "capturing")).await.unwrap();
    assert_eq!(until_in(&missions, "m-1", "flying").await.photos, 1);
    // And so it does when others keep being faster.
    missions.transition("m-1", "capturing", Source::Component, "").await.unwrap();
    buckets.next([Fate::Conflicts; 50]);
    assert_eq!(until_in(&missions, "m-1", "flying").await.photos, 2);
    running.abort();
}

#[tokio::test(start_paused = true)]
async fn a_rule_that_is_interrupted_goes_on_where_it_was() {
    let (missions, buckets, running) = fateful().await;
    let conflicts = [Fate::Conflicts; 12];
    buckets.next([Fate::Lands].into_iter().chain([Fate::Fails; 7]).chain(conflicts));
    let low = Mission { battery: Some(10), ..in_phase("m-1", "flying") };
    missions.create(&low).await.unwrap();
    until_in(&missions, "m-1", "failed").await;
    let last = missions.history("m-1").await.unwrap().pop().unwrap();
    assert_eq!((last.from.as_str(), last.note.as_str()), ("landing", "in phase landing"));
    running.abort();
}

#[tokio::test(start_paused = true)]
async fn what_was_done_although_nobody_said_so_is_not_done_again() {
    let (missions, buckets, running) = fateful().await;
    buckets.next([Fate::LandsUnsaid]);
    missions.create(&in_phase("m-1", "capturing")).await.unwrap();
    until_in(&missions, "m-1", "flying").await;
    buckets.next([Fate::LandsUnsaid, Fate::Fails, Fate::LandsUnsaid]);
    missions.create(&Mission { battery: Some(10), ..in_phase("m-2", "flying") }).await.unwrap();
    until_in(&missions, "m-2", "failed").await;
    let moves = missions.history("m-2").await.unwrap();
    let phases: Vec<_> = moves.iter().map(|it| it.to.as_str()).collect();
    assert_eq!(phases, ["flying", "landing", "failed"]);
    // Long enough for whatever is still tried again.
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(missions.get("m-1").await.unwrap().photos, 1);
    running.abort();
}

#[tokio::test(start_paused = true)]
async fn what_was_done_is_known_by_what_was_meant_then() {
    let buckets = Fateful::over(Arc::new(MemoryBuckets::new()));
    let manager = Manager::builder(buckets.clone()).create_buckets(16).build();
    let missions = manager.register::<Mission>().await.unwrap();
    let rules = json!([{
        "name": "home",
        "workflow": "drone-survey",
        "when": [{"field": "$entity.lifecycle.phase", "value": "capturing"}],
        "then": [
            {
                "type": "lifecycle_transition", "phase": "$entity.owner",
                "set": {"owner": "nobody", "photos": {"op": "increment"}}
            },
            {"type": "lifecycle_transition", "phase": "landing"}
        ]
    }]);
    let rules = Rules::new(manager.dynamic().clone(), serde_json::from_value(rules).unwrap());
    let rules = rules.unwrap();
    let running = tokio::spawn(async move { rules.run().await.unwrap() });
    buckets.next([Fate::LandsUnsaid]);
    let capturing = Mission { owner: "flying".into(), ..in_phase("m-1", "capturing") };
    missions.create(&capturing).await.unwrap();
    let landed = until_in(&missions, "m-1", "landing").await;
    assert_eq!((landed.photos, landed.owner.as_str()), (1, "nobody"));
    running.abort();
}

#[tokio::test(start_paused = true)]
async fn a_rule_that_is_not_wanted_any_more_is_not_tried_again() {
    let (missions, buckets, running) = fateful().await;
    buckets.next([Fate::Conflicts; 5]);
    missions.create(&in_phase("m-1", "capturing")).await.unwrap();
    tokio::time::sleep(Duration::from_millis(5)).await;
    // Somebody else takes it out of the phase before the rule comes back to it.
    missions.transition("m-1", "flying", Source::Operator, "by hand").await.unwrap();
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(missions.get("m-1").await.unwrap().photos, 0);
    running.abort();
}
