//! Transitions that are taken when their time has come.

use std::{sync::Arc, time::Duration};

use waypost_engine::{
    Engine, Settings,
    entity::{AuditQuery, AuditWhat, Entities, Item, Rules},
};
use waypost_kernel::{InstanceId, Timer, Timestamp};
use waypost_machines::entity::cascade::Cause;
use waypost_testkit::clock::SimClock;

use super::world::{World, caller, failed, json, new, processed, take, update};

/// Orders of which somebody is reminded after ten seconds, and that are dropped after thirty.
const REMIND: &str = r#"{"importMode":"REPLACE","workflows":[{"name":"w","initialState":"NEW","states":{
    "NEW":{"transitions":[
        {"name":"REMIND","next":"LATE","schedule":{"delayMs":10000}},
        {"name":"DROP","next":"DONE","schedule":{"delayMs":30000}},
        {"name":"PAY","next":"PAID","manual":true}]},
    "LATE":{"transitions":[{"name":"DROP","next":"DONE","schedule":{"delayMs":5000}}]},
    "PAID":{},"DONE":{}}}]}"#;

/// The same with something else about the first transition.
fn reminding(members: &str) -> String {
    REMIND.replace(r#"{"delayMs":10000}"#, &format!(r#"{{"delayMs":10000}},{members}"#))
}

async fn orders(workflows: &str) -> World {
    let world = World::with_orders().await;
    world.workflows(workflows).await;
    world
}

/// So many seconds pass, and what is due then happens.
async fn pass(world: &World, seconds: u64) {
    world.clock.advance(Duration::from_secs(seconds));
    sweep(&world.engine, &world.clock).await;
}

async fn sweep(engine: &Engine, clock: &SimClock) {
    engine.sweeps().timers(now(clock)).await.unwrap();
}

fn now(clock: &SimClock) -> Timestamp {
    waypost_kernel::Clock::now(clock)
}

/// The timers that are armed, with the seconds until they are due.
async fn armed(world: &World) -> Vec<String> {
    let now = now(&world.clock);
    let timers = timers(world).await;
    let shown = |it: &Timer| format!("{} in {}", it.at.id, it.due_at.since(now).as_secs());
    timers.iter().map(shown).collect()
}

async fn timers(world: &World) -> Vec<Timer> {
    let end = Timestamp::from_micros(i64::MAX);
    world.engine.store().due(end, 100).await.unwrap()
}

/// What the machine has noted, oldest first, without what is noted of every run.
async fn audit(entities: &Entities, id: &InstanceId) -> Vec<String> {
    let query = AuditQuery { has_machine: true, limit: 1_000, ..AuditQuery::default() };
    let items = entities.audit(id, &query).await.unwrap().items.into_iter().rev();
    let events = items.filter_map(|it| match it.what {
        AuditWhat::Machine { event, .. } => Some(event),
        AuditWhat::Change(_) => None,
    });
    let is_usual = |it: &String| it.starts_with("STATE_") || it.starts_with("WORKFLOW_");
    events.filter(|it| !is_usual(it)).map(|it| it.replace("SCHEDULED_TRANSITION_", "")).collect()
}

async fn state(world: &World, id: &InstanceId) -> String {
    let entity = world.read(id).await.unwrap();
    format!("{} {} by {}", entity.version.0, entity.state, entity.save.transition)
}

#[tokio::test]
async fn what_is_scheduled_happens_in_time_and_not_before() {
    let world = orders(REMIND).await;
    let id = world.create(r#"{"no":"A","total":12.50}"#).await;
    assert_eq!(armed(&world).await, ["3:NEW/REMIND in 10", "3:NEW/DROP in 30"]);
    pass(&world, 9).await;
    assert_eq!(state(&world, &id).await, "1 NEW by loopback");
    pass(&world, 1).await;
    assert_eq!(state(&world, &id).await, "2 LATE by REMIND");
    assert_eq!(world.shown(&id).await, r#"LATE {"no":"A","total":12.50}"#);
    assert_eq!(armed(&world).await, ["4:LATE/DROP in 5"]);
    pass(&world, 5).await;
    assert_eq!(state(&world, &id).await, "3 DONE by DROP");
    assert_eq!(armed(&world).await, [""; 0]);
    let told =
        ["ARM", "ARM", "FIRE", "TRANSITION_MAKE", "CANCEL", "ARM", "FIRE", "TRANSITION_MAKE"];
    assert_eq!(audit(&world.entities(), &id).await, told);
    assert_eq!(world.read(&id).await.unwrap().save.user, "ada");
}

#[tokio::test]
async fn a_write_begins_anew_and_leaving_calls_off() {
    let world = orders(REMIND).await;
    let id = world.create("{}").await;
    pass(&world, 9).await;
    world.write(update(&id, r#"{"no":"B"}"#)).await.unwrap();
    assert_eq!(armed(&world).await, ["3:NEW/REMIND in 10", "3:NEW/DROP in 30"]);
    pass(&world, 9).await;
    assert_eq!(state(&world, &id).await, "2 NEW by loopback");
    world.write(take(&id, "PAY")).await.unwrap();
    assert_eq!(armed(&world).await, [""; 0]);
    pass(&world, 60).await;
    assert_eq!(state(&world, &id).await, "3 PAID by PAY");
}

#[tokio::test]
async fn what_is_deleted_has_nothing_armed() {
    let world = orders(REMIND).await;
    let id = world.create("{}").await;
    world.write(Item::Delete { id }).await.unwrap();
    assert_eq!(armed(&world).await, [""; 0]);
}

#[tokio::test]
async fn of_several_writes_in_a_transaction_only_the_last_one_counts() {
    let world = orders(&reminding(r#""processors":[{"name":"p"}]"#)).await;
    let id = world.create("{}").await;
    let items = [update(&id, r#"{"no":"B"}"#), take(&id, "PAY")];
    world.entities().write(&items).await.unwrap();
    assert_eq!(armed(&world).await, [""; 0]);
    assert_eq!(state(&world, &id).await, "2 PAID by PAY");
    let items = [new("{}"), Item::Delete { id }];
    world.entities().write(&items).await.unwrap();
    assert_eq!(armed(&world).await.len(), 2);
}

#[tokio::test]
async fn nobody_can_ask_for_it() {
    let world = orders(REMIND).await;
    let id = world.create("{}").await;
    let refused = world.write(take(&id, "REMIND")).await.unwrap_err().to_string();
    assert!(refused.starts_with("TRANSITION_NOT_FOUND"), "{refused}");
    let names = world.entities().transitions(&id, None, &Default::default()).await.unwrap();
    assert_eq!(names, ["PAY"]);
}

#[tokio::test]
async fn a_timer_outlives_the_engine_that_armed_it() {
    let world = orders(REMIND).await;
    let id = world.create("{}").await;
    let World { engine, clock, .. } = world;
    let store = Arc::clone(engine.store());
    drop(engine);
    let engine = Engine::new(store, Settings::default());
    clock.advance(Duration::from_secs(11));
    sweep(&engine, &clock).await;
    let entity = engine.entities(caller("acme")).read(&id, &Default::default()).await.unwrap();
    assert_eq!((entity.state.as_str(), entity.save.user.as_str()), ("LATE", "ada"));
}

#[tokio::test]
async fn two_nodes_fire_once() {
    let world = orders(&reminding(r#""processors":[{"name":"p"}]"#)).await;
    let other = world.beside();
    for node in [&world, &other] {
        node.member("p", |_| async { processed(Some(r#"{"no":"B"}"#)) });
    }
    let ids = [world.create("{}").await, world.create("{}").await, world.create("{}").await];
    world.clock.advance(Duration::from_secs(10));
    let (here, there) = (sweep(&world.engine, &world.clock), sweep(&other.engine, &world.clock));
    tokio::join!(here, there);
    assert_eq!(world.asked().len() + other.asked().len(), ids.len(), "each was asked for once");
    for id in &ids {
        assert_eq!(state(&world, id).await, "2 LATE by REMIND");
    }
}

#[tokio::test]
async fn what_is_not_possible_then_stays_and_is_not_tried_again() {
    let criterion =
        r#""criterion":{"type":"simple","jsonPath":"$.no","operatorType":"EQUALS","value":"B"}"#;
    let world = orders(&reminding(criterion)).await;
    let id = world.create(r#"{"no":"A"}"#).await;
    pass(&world, 10).await;
    assert_eq!(state(&world, &id).await, "2 NEW by loopback");
    assert_eq!(armed(&world).await, ["3:NEW/DROP in 20"], "the other one is not touched");
    let told = audit(&world.entities(), &id).await;
    assert_eq!(told, ["ARM", "ARM", "TRANSITION_NOT_MATCH_CRITERION"]);
    world.write(update(&id, r#"{"no":"B"}"#)).await.unwrap();
    pass(&world, 10).await;
    assert_eq!(state(&world, &id).await, "4 LATE by REMIND");
}

#[tokio::test]
async fn what_fails_is_tried_again_and_out_of_the_way_of_others() {
    let patient = reminding(r#""processors":[{"name":"p"}]"#).replace("30000", "90000");
    let world = orders(&patient).await;
    let (id, other) = (world.create(r#"{"no":"A"}"#).await, world.create(r#"{"no":"B"}"#).await);
    world.member("p", |asking| async move {
        match asking.value == json(r#"{"no":"A"}"#) {
            true => failed(Cause::NoMember, "nobody is there"),
            false => processed(None),
        }
    });
    pass(&world, 10).await;
    assert_eq!(state(&world, &id).await, "1 NEW by loopback");
    assert_eq!(state(&world, &other).await, "2 LATE by REMIND");
    assert_eq!(world.asked().len(), 2);
    pass(&world, 1).await;
    assert_eq!(world.asked(), [""; 0], "it is not asked all the time");
    world.member("p", |_| async { processed(Some(r#"{"no":"C"}"#)) });
    let waits = timers(&world).await.into_iter().find(|it| it.at.id.as_str().ends_with("REMIND"));
    assert_eq!(waits.unwrap().due_at.since(now(&world.clock)), Duration::from_secs(29));
    pass(&world, 28).await;
    assert_eq!(state(&world, &id).await, "1 NEW by loopback");
    pass(&world, 1).await;
    assert_eq!(world.shown(&id).await, r#"LATE {"no":"C"}"#);
}

#[tokio::test]
async fn sweeps_do_not_wait_for_members_and_nobody_asks_twice() {
    let world = orders(&reminding(r#""processors":[{"name":"p"}]"#)).await;
    let (ask, mut asked) = tokio::sync::mpsc::unbounded_channel();
    let (go, wait) = tokio::sync::watch::channel(false);
    world.member("p", move |_| {
        let (ask, mut wait) = (ask.clone(), wait.clone());
        async move {
            ask.send(()).unwrap();
            wait.wait_for(|it| *it).await.unwrap();
            processed(None)
        }
    });
    let id = world.create("{}").await;
    world.clock.advance(Duration::from_secs(10));
    let due = timers(&world).await.into_iter().find(|it| it.due_at <= now(&world.clock)).unwrap();
    let stop = tokio_util::sync::CancellationToken::new();
    let running = tokio::spawn({
        let (engine, stop) = (world.engine.clone(), stop.clone());
        async move { engine.run(stop).await }
    });
    asked.recv().await.unwrap();
    // While the member is busy the timer is not due for anybody.
    let held = timers(&world).await.into_iter().find(|it| it.at == due.at).unwrap();
    assert_eq!(held.due_at.since(now(&world.clock)), Duration::from_secs(60));
    go.send(true).unwrap();
    sweep(&world.engine, &world.clock).await;
    assert_eq!(state(&world, &id).await, "2 LATE by REMIND");
    assert!(asked.try_recv().is_err(), "it was asked once");
    stop.cancel();
    running.await.unwrap();
}

#[tokio::test]
async fn whoever_writes_while_a_member_is_asked_wins() {
    let world = orders(&reminding(r#""processors":[{"name":"p"}]"#)).await;
    let id = world.create("{}").await;
    let entities = world.entities();
    world.member("p", move |asking| {
        let entities = entities.clone();
        async move {
            entities.write(&[take(&asking.entity, "PAY")]).await.unwrap();
            processed(Some(r#"{"no":"lost"}"#))
        }
    });
    pass(&world, 10).await;
    assert_eq!(world.shown(&id).await, "PAID {}");
    assert_eq!(armed(&world).await, [""; 0]);
}

#[tokio::test]
async fn a_member_may_write_the_entity_it_is_asked_about() {
    let world = orders(&reminding(r#""processors":[{"name":"p"}]"#)).await;
    let id = world.create("{}").await;
    world.member("p", |asking| async move {
        asking.within.write(&[update(&asking.entity, r#"{"no":"B"}"#)]).await.unwrap();
        processed(None)
    });
    pass(&world, 10).await;
    assert_eq!(state(&world, &id).await, "2 LATE by REMIND");
    assert_eq!(armed(&world).await, ["4:LATE/DROP in 5"]);
}

#[tokio::test]
async fn what_comes_too_late_expires() {
    let late = REMIND.replace(r#"{"delayMs":10000}"#, r#"{"delayMs":10000,"timeoutMs":2000}"#);
    let world = orders(&late).await;
    let id = world.create(r#"{"no":"A"}"#).await;
    world.clock.advance(Duration::from_millis(12_050));
    sweep(&world.engine, &world.clock).await;
    assert_eq!(state(&world, &id).await, "1 NEW by loopback", "neither taken nor given up");
    world.clock.advance(Duration::from_millis(50));
    sweep(&world.engine, &world.clock).await;
    assert_eq!(state(&world, &id).await, "1 NEW by loopback");
    world.clock.advance(Duration::from_millis(1));
    sweep(&world.engine, &world.clock).await;
    assert_eq!(state(&world, &id).await, "2 NEW by loopback");
    assert_eq!(world.shown(&id).await, r#"NEW {"no":"A"}"#);
    assert_eq!(audit(&world.entities(), &id).await, ["ARM", "ARM", "EXPIRE"]);
    assert_eq!(armed(&world).await, ["3:NEW/DROP in 17"]);
    let in_time = world.create("{}").await;
    pass(&world, 12).await;
    assert_eq!(state(&world, &in_time).await, "2 LATE by REMIND", "just in time");
}

#[tokio::test]
async fn tolerance_is_a_setting() {
    let late = REMIND.replace(r#"{"delayMs":10000}"#, r#"{"delayMs":10000,"timeoutMs":0}"#);
    let rules = Rules { expiry_grace: Duration::ZERO, ..Rules::default() };
    let world = World::with_rules(rules).learn_orders().await;
    world.workflows(&late).await;
    let id = world.create("{}").await;
    world.clock.advance(Duration::from_millis(10_001));
    sweep(&world.engine, &world.clock).await;
    assert_eq!(audit(&world.entities(), &id).await, ["ARM", "ARM", "EXPIRE"]);
    let in_time = world.create("{}").await;
    pass(&world, 10).await;
    assert_eq!(state(&world, &in_time).await, "2 LATE by REMIND");
}

#[tokio::test]
async fn what_the_workflow_no_longer_schedules_does_not_happen() {
    let world = orders(REMIND).await;
    let id = world.create("{}").await;
    let without = REMIND.replace(r#""schedule":{"delayMs":10000}"#, r#""manual":true"#);
    world.workflows(&without).await;
    pass(&world, 10).await;
    assert_eq!(state(&world, &id).await, "1 NEW by loopback");
    assert_eq!(armed(&world).await, ["3:NEW/DROP in 20"]);
    let disabled = REMIND
        .replace(r#""next":"DONE","schedule""#, r#""next":"DONE","disabled":true,"schedule""#);
    world.workflows(&disabled).await;
    pass(&world, 20).await;
    assert_eq!(state(&world, &id).await, "1 NEW by loopback");
    assert_eq!(armed(&world).await, [""; 0]);
}

#[tokio::test]
async fn the_past_knows_what_was_armed_then() {
    let world = orders(REMIND).await;
    let id = world.create("{}").await;
    let before = now(&world.clock);
    pass(&world, 10).await;
    let then = world.entities().read(&id, &waypost_engine::entity::When::At(before)).await.unwrap();
    let shown: Vec<_> = then.save.armed.iter().map(|it| it.transition.as_str()).collect();
    assert_eq!(shown, ["REMIND", "DROP"]);
    let entity = world.read(&id).await.unwrap();
    assert_eq!(entity.save.armed.len(), 1);
}

#[tokio::test]
async fn an_explanation_tells_when_it_happens() {
    let world = orders(REMIND).await;
    let id = world.create("{}").await;
    let due_at = now(&world.clock) + Duration::from_secs(10);
    let explained = world.entities().explain(&id).await.unwrap();
    let wait = &explained.waits[0];
    assert_eq!((wait.cause.as_str(), wait.until), ("timer", Some(due_at)));
    assert_eq!(wait.what, "the time at which transition \"REMIND\" is tried");
    let next = &explained.next[0];
    assert_eq!(
        (next.by.as_str(), &next.leads_to[..]),
        ("its timer, and nobody else", &["LATE".to_owned()][..])
    );
}

#[tokio::test]
async fn time_counts_from_where_it_comes_to_rest_and_not_from_the_question() {
    let go = r#""NEW":{"transitions":[{"name":"GO","next":"OPEN","manual":true,"processors":[{"name":"p"}]}]},"OPEN":"#;
    let world = orders(&REMIND.replace(r#""NEW":"#, go)).await;
    let clock = Arc::clone(&world.clock);
    world.member("p", move |_| {
        clock.advance(Duration::from_secs(20));
        async { processed(None) }
    });
    let id = world.create("{}").await;
    world.write(take(&id, "GO")).await.unwrap();
    assert_eq!(armed(&world).await, ["4:OPEN/REMIND in 10", "4:OPEN/DROP in 30"]);
}
