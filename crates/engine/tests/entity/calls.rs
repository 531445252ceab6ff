//! Members: what they do to an entity, what they do beside it, and what is left when they fail.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use waypost_engine::entity::{Code, Fault, Item, Rules, When};
use waypost_machines::entity::cascade::{Cause, Pace, Reply};

use super::world::{Asking, World, caller, code, failed, new, processed, refused, take, update};

/// `GO` from `NEW` to `DONE` with these processors.
fn workflow(processors: &str) -> String {
    format!(
        r#"{{"importMode":"REPLACE","workflows":[{{"name":"w","initialState":"NEW","states":{{
            "NEW":{{"transitions":[{{"name":"GO","next":"DONE","manual":true,
                "processors":[{processors}]}}]}},"DONE":{{}}}}}}]}}"#
    )
}

async fn world(processors: &str) -> World {
    let world = World::with_orders().await;
    world.workflows(&workflow(processors)).await;
    world
}

#[tokio::test]
async fn processors_see_what_those_before_them_left() {
    let world = world(r#"{"name":"one"},{"name":"two"},{"name":"three"}"#).await;
    let id = world.create(r#"{"no":"A"}"#).await;
    world.member("one", |asking: Asking| async move {
        assert_eq!(
            (asking.state.as_str(), asking.value.to_string()),
            ("NEW", r#"{"no":"A"}"#.into())
        );
        processed(Some(r#"{"no":"A","added":1.50}"#))
    });
    world.member("two", |asking: Asking| async move {
        assert_eq!(asking.value.to_string(), r#"{"no":"A","added":1.50}"#);
        processed(None)
    });
    world.member("three", |_| async { processed(Some(r#"{"last":true}"#)) });
    world.write(take(&id, "GO")).await.unwrap();
    assert_eq!(world.shown(&id).await, r#"DONE {"last":true}"#);
    assert_eq!(world.asked(), ["one", "two", "three"]);
    assert_eq!(world.read(&id).await.unwrap().version.0, 2);
}

#[tokio::test]
async fn a_processor_that_fails_leaves_everything_as_it_was() {
    let world = world(r#"{"name":"one"},{"name":"two"}"#).await;
    let id = world.create(r#"{"no":"A"}"#).await;
    world.member("one", |_| async { processed(Some(r#"{"no":"B"}"#)) });
    world.member("two", |_| async { refused("out of stock") });
    let result = world.write(take(&id, "GO")).await;
    let Err(Fault::Refused(refusal)) = result else { panic!("{result:?}") };
    assert_eq!(refusal.code, Code::WorkflowFailed);
    assert!(refusal.detail.contains("out of stock"), "{refusal}");
    assert_eq!(world.shown(&id).await, r#"NEW {"no":"A"}"#);
    for (cause, expected) in [
        (Cause::NoMember, Code::NoComputeMemberForTag),
        (Cause::Disconnected, Code::ComputeMemberDisconnected),
        (Cause::TimedOut, Code::WorkflowFailed),
    ] {
        world.member("two", move |_| async move { failed(cause, "no answer") });
        assert_eq!(code(world.write(take(&id, "GO")).await), expected);
    }
}

#[tokio::test]
async fn a_processor_apart_may_fail() {
    let world = world(r#"{"name":"apart","executionMode":"ASYNC_NEW_TX"},{"name":"one"}"#).await;
    let id = world.create(r#"{"no":"A"}"#).await;
    world.member("apart", |asking: Asking| async move {
        asking.within.write(&[new(r#"{"no":"left"}"#)]).await.unwrap();
        refused("no luck")
    });
    world.member("one", |_| async { processed(None) });
    let written = world.write(take(&id, "GO")).await.unwrap();
    assert!(written.warnings.iter().any(|it| it.contains("no luck")), "{written:?}");
    assert_eq!(world.shown(&id).await, r#"DONE {"no":"A"}"#);
    // What it did beside has gone with it.
    let tally = world.entities().tally(None, None).await.unwrap();
    assert_eq!(tally.iter().map(|it| it.count).sum::<u64>(), 1);
    world.member("apart", |asking: Asking| async move {
        asking.within.write(&[new(r#"{"no":"kept"}"#)]).await.unwrap();
        processed(Some(r#"{"no":"discarded"}"#))
    });
    let second = world.create(r#"{"no":"B"}"#).await;
    world.write(take(&second, "GO")).await.unwrap();
    assert_eq!(world.shown(&second).await, r#"DONE {"no":"B"}"#);
    let tally = world.entities().tally(None, None).await.unwrap();
    assert_eq!(tally.iter().map(|it| it.count).sum::<u64>(), 3);
}

#[tokio::test]
async fn callbacks_join_the_transaction_and_see_each_other() {
    let world = world(r#"{"name":"one"}"#).await;
    let id = world.create(r#"{"no":"A"}"#).await;
    world.member("one", |asking: Asking| async move {
        let written = asking.within.write(&[new(r#"{"no":"child"}"#)]).await.unwrap();
        assert_eq!(written.transaction, asking.transaction);
        let child = written.touched[0].id.clone();
        let seen = asking.within.read(&child, &When::Now).await.unwrap();
        assert_eq!(seen.value.as_str(), r#"{"no":"child"}"#);
        asking.within.write(&[update(&child, r#"{"no":"grown"}"#)]).await.unwrap();
        processed(None)
    });
    let written = world.write(take(&id, "GO")).await.unwrap();
    let tally = world.entities().tally(None, None).await.unwrap();
    assert_eq!(tally.iter().map(|it| it.count).sum::<u64>(), 2);
    let list = world.entities().list(&super::world::order(), (0, 10), None).await.unwrap();
    let child = list.iter().find(|it| it.id != id).unwrap();
    assert_eq!((child.version.0, child.value.as_str()), (1, r#"{"no":"grown"}"#));
    assert_eq!(child.save.transaction, written.transaction);
    assert_eq!(child.save.change, waypost_engine::entity::ChangeKind::Created);
}

#[tokio::test]
async fn what_is_not_landed_is_seen_by_nobody_else() {
    let world = Arc::new(world(r#"{"name":"one"}"#).await);
    let id = world.create(r#"{"no":"A"}"#).await;
    let (outside, own) = (world.entities(), id.clone());
    world.member("one", move |asking: Asking| {
        let (outside, own) = (outside.clone(), own.clone());
        async move {
            let written = asking.within.write(&[new(r#"{"no":"child"}"#)]).await.unwrap();
            let child = &written.touched[0].id;
            assert_eq!(code(outside.read(child, &When::Now).await), Code::EntityNotFound);
            assert_eq!(outside.read(&own, &When::Now).await.unwrap().state, "NEW");
            let other = world_of("other", &outside, &asking);
            assert_eq!(other, Code::Forbidden);
            refused("all for nothing")
        }
    });
    assert_eq!(code(world.write(take(&id, "GO")).await), Code::WorkflowFailed);
    let tally = world.entities().tally(None, None).await.unwrap();
    assert_eq!(tally.iter().map(|it| it.count).sum::<u64>(), 1);
}

fn world_of(tenant: &str, entities: &waypost_engine::entity::Entities, asking: &Asking) -> Code {
    let joined = entities.acting_as(caller(tenant)).within(&asking.transaction, asking.layer);
    joined.err().unwrap().code
}

#[tokio::test]
async fn members_may_call_members() {
    let world = world(r#"{"name":"one"}"#).await;
    let outer = world.create(r#"{"no":"outer"}"#).await;
    let inner = world.create(r#"{"no":"inner"}"#).await;
    let depth = Arc::new(AtomicU32::new(0));
    let target = inner.clone();
    world.member("one", move |asking: Asking| {
        let (depth, inner) = (Arc::clone(&depth), target.clone());
        async move {
            if depth.fetch_add(1, Ordering::SeqCst) == 0 {
                asking.within.write(&[take(&inner, "GO")]).await.unwrap();
                processed(Some(r#"{"no":"outer done"}"#))
            } else {
                assert_eq!(asking.entity, inner);
                asking.within.write(&[new(r#"{"no":"deep"}"#)]).await.unwrap();
                processed(Some(r#"{"no":"inner done"}"#))
            }
        }
    });
    let written = world.write(take(&outer, "GO")).await.unwrap();
    assert_eq!(world.shown(&outer).await, r#"DONE {"no":"outer done"}"#);
    assert_eq!(world.shown(&inner).await, r#"DONE {"no":"inner done"}"#);
    assert_eq!(world.read(&inner).await.unwrap().save.transaction, written.transaction);
    let tally = world.entities().tally(None, None).await.unwrap();
    assert_eq!(tally.iter().map(|it| it.count).sum::<u64>(), 3);
}

#[tokio::test]
async fn a_callback_that_fails_leaves_nothing_and_decides_nothing() {
    let world = world(r#"{"name":"one"}"#).await;
    let id = world.create(r#"{"no":"A"}"#).await;
    world.member("one", |asking: Asking| async move {
        let items = [new(r#"{"no":"good"}"#), new(r#"{"bad":1}"#)];
        assert_eq!(code(asking.within.write(&items).await), Code::BadRequest);
        processed(None)
    });
    world.write(take(&id, "GO")).await.unwrap();
    let tally = world.entities().tally(None, None).await.unwrap();
    assert_eq!(tally.iter().map(|it| it.count).sum::<u64>(), 1);
}

#[tokio::test]
async fn whoever_comes_too_late_is_told() {
    let world = world(r#"{"name":"one"}"#).await;
    let id = world.create(r#"{"no":"A"}"#).await;
    let kept = Arc::new(std::sync::Mutex::new(None));
    let keep = Arc::clone(&kept);
    world.member("one", move |asking: Asking| {
        *keep.lock().unwrap() = Some(asking);
        async { processed(None) }
    });
    world.write(take(&id, "GO")).await.unwrap();
    let asking = kept.lock().unwrap().take().unwrap();
    let late = asking.within.write(&[new(r#"{"no":"late"}"#)]).await;
    assert_eq!(code(late), Code::TransactionNotFound);
    let again = world.entities().within(&asking.transaction, asking.layer);
    assert_eq!(again.err().unwrap().code, Code::TransactionNotFound);
}

#[tokio::test]
async fn a_change_from_outside_while_a_member_thinks_is_a_conflict() {
    let world = world(r#"{"name":"one"}"#).await;
    let id = world.create(r#"{"no":"A"}"#).await;
    let (outside, own) = (world.entities(), id.clone());
    world.member("one", move |_| {
        let (outside, own) = (outside.clone(), own.clone());
        async move {
            outside.write(&[update(&own, r#"{"no":"faster"}"#)]).await.unwrap();
            processed(None)
        }
    });
    assert_eq!(code(world.write(take(&id, "GO")).await), Code::Conflict);
    assert_eq!(world.shown(&id).await, r#"NEW {"no":"faster"}"#);
}

#[tokio::test(start_paused = true)]
async fn a_policy_asks_again_and_keeps_only_what_succeeds() {
    let world = world(r#"{"name":"one","config":{"retryPolicy":"FIXED"}}"#).await;
    let id = world.create(r#"{"no":"A"}"#).await;
    let attempts = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&attempts);
    world.member("one", move |asking: Asking| {
        let attempt = counted.fetch_add(1, Ordering::SeqCst);
        async move {
            asking.within.write(&[new(r#"{"no":"trace"}"#)]).await.unwrap();
            if attempt < 2 { failed(Cause::TimedOut, "slow") } else { processed(None) }
        }
    });
    world.write(take(&id, "GO")).await.unwrap();
    assert_eq!(attempts.load(Ordering::SeqCst), 3);
    let tally = world.entities().tally(None, None).await.unwrap();
    assert_eq!(tally.iter().map(|it| it.count).sum::<u64>(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_policy_asks_again_when_nobody_was_there() {
    let world = world(r#"{"name":"one","config":{"retryPolicy":"FIXED"}}"#).await;
    let id = world.create(r#"{"no":"A"}"#).await;
    let joining = async {
        // Time goes on when everybody waits: the first attempt has failed by then.
        tokio::time::sleep(Duration::from_millis(1)).await;
        assert_eq!(world.asked(), ["one"]);
        world.member("one", |_| async { processed(None) });
    };
    let (written, ()) = tokio::join!(world.write(take(&id, "GO")), joining);
    written.unwrap();
    assert_eq!(world.asked(), ["one"]);
}

#[tokio::test]
async fn a_function_decides_a_criterion() {
    let world = World::with_orders().await;
    let body = r#"{"workflows":[{"name":"w","initialState":"NEW","states":{"NEW":{"transitions":[
        {"name":"GO","next":"DONE","manual":true,"criterion":{"type":"group","operator":"AND",
         "conditions":[{"type":"simple","jsonPath":"$.total","operatorType":"GREATER_THAN","value":5},
         {"type":"function","function":{"name":"eligible"}}]}}]},"DONE":{}}}]}"#;
    world.workflows(body).await;
    let small = world.create(r#"{"total":1}"#).await;
    let large = world.create(r#"{"total":10}"#).await;
    world.member("eligible", |_| async {
        let reason = Some("too young".to_owned());
        Reply::Matched { matches: false, reason, warnings: Vec::new() }
    });
    assert_eq!(code(world.write(take(&small, "GO")).await), Code::WorkflowFailed);
    assert_eq!(world.asked(), Vec::<String>::new());
    let result = world.write(take(&large, "GO")).await;
    let Err(Fault::Refused(refusal)) = result else { panic!("{result:?}") };
    assert!(refusal.detail.contains("too young"), "{refusal}");
    world.member("eligible", |_| async {
        Reply::Matched { matches: true, reason: None, warnings: Vec::new() }
    });
    world.write(take(&large, "GO")).await.unwrap();
    assert_eq!(world.shown(&large).await, r#"DONE {"total":10}"#);
}

#[tokio::test(start_paused = true)]
async fn a_request_nobody_waits_for_any_more_is_rolled_back() {
    let world = world(r#"{"name":"one"}"#).await;
    let id = world.create(r#"{"no":"A"}"#).await;
    world.member("one", |asking: Asking| async move {
        asking.within.write(&[new(r#"{"no":"child"}"#)]).await.unwrap();
        tokio::time::sleep(Duration::from_secs(3600)).await;
        processed(None)
    });
    let request = world.write(take(&id, "GO"));
    assert!(tokio::time::timeout(Duration::from_secs(1), request).await.is_err());
    assert_eq!(world.shown(&id).await, r#"NEW {"no":"A"}"#);
    let tally = world.entities().tally(None, None).await.unwrap();
    assert_eq!(tally.iter().map(|it| it.count).sum::<u64>(), 1);
    // The entity can be worked on at once.
    world.write(update(&id, r#"{"no":"B"}"#)).await.unwrap();
    world.write(Item::Delete { id }).await.unwrap();
}

#[tokio::test]
async fn a_transaction_asks_as_often_as_it_must() {
    let world = World::with_orders().await;
    world
        .workflows(
            r#"{"workflows":[{"name":"w","initialState":"NEW","states":{
                "NEW":{"transitions":[{"name":"GO","next":"DONE","processors":[{"name":"p"}]}]},
                "DONE":{}}}]}"#,
        )
        .await;
    world.member("p", |_| async { processed(None) });
    let items: Vec<Item> = (0..600).map(|_| new(r#"{"no":"A"}"#)).collect();
    let written = world.entities().write(&items).await.unwrap();
    assert_eq!(written.touched.len(), 600);
    assert!(written.touched.iter().all(|it| it.state == "DONE"));
}

#[tokio::test]
async fn calls_within_calls_end_where_they_are_too_deep() {
    let world = World::with_orders().await;
    world
        .workflows(
            r#"{"workflows":[{"name":"w","initialState":"NEW","states":{
                "NEW":{"transitions":[{"name":"GO","next":"DONE",
                    "processors":[{"name":"again","executionMode":"ASYNC_NEW_TX"}]}]},
                "DONE":{}}}]}"#,
        )
        .await;
    world.member("again", |asking: Asking| async move {
        // Callbacks come from outside: they do not lie on the stack of whoever asked.
        let deeper =
            tokio::spawn(async move { asking.within.write(&[new(r#"{"no":"deeper"}"#)]).await });
        match deeper.await.unwrap() {
            Ok(_) => processed(None),
            Err(fault) => refused(&fault.to_string()),
        }
    });
    // The deepest processor fails, which is its own affair: it is one apart.
    let written = world.write(new(r#"{"no":"first"}"#)).await.unwrap();
    assert_eq!(written.warnings, Vec::<String>::new());
    let count: u64 =
        world.entities().tally(None, None).await.unwrap().iter().map(|it| it.count).sum();
    assert_eq!(count, 129, "two layers for each of the calls that fit");
}

#[tokio::test(start_paused = true)]
async fn what_members_say_before_they_are_asked_again_is_kept() {
    let rules =
        Rules { pace: Pace { further_max: 1, apart: Duration::from_secs(7) }, ..Rules::default() };
    let world = World::with_rules(rules).learn_orders().await;
    world.workflows(&workflow(r#"{"name":"p","config":{"retryPolicy":"FIXED"}}"#)).await;
    let id = world.create(r#"{"no":"A"}"#).await;
    let n_asked = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&n_asked);
    world.member("p", move |_| {
        let number = counted.fetch_add(1, Ordering::Relaxed);
        async move {
            let warnings = vec![format!("attempt {number}")];
            match number {
                0 => Reply::Failed {
                    cause: Cause::Refused { is_retryable: true },
                    message: "not now".to_owned(),
                    warnings,
                },
                _ => Reply::Processed { value: None, warnings },
            }
        }
    });
    let began = tokio::time::Instant::now();
    let written = world.write(take(&id, "GO")).await.unwrap();
    assert_eq!(began.elapsed(), Duration::from_secs(7));
    assert_eq!(written.warnings, ["processor p: attempt 0", "processor p: attempt 1"]);
}

#[tokio::test]
async fn who_expects_a_version_and_is_overtaken_is_told_so() {
    let world = world(r#"{"name":"p"}"#).await;
    let id = world.create(r#"{"no":"A"}"#).await;
    let saved = world.read(&id).await.unwrap().save.transaction;
    let outside = world.entities();
    world.member("p", move |asking: Asking| {
        let outside = outside.clone();
        async move {
            outside.write(&[update(&asking.entity, r#"{"no":"B"}"#)]).await.unwrap();
            processed(None)
        }
    });
    let expecting = |if_match| Item::Update {
        id: id.clone(),
        value: None,
        transition: Some("GO".to_owned()),
        if_match,
    };
    assert_eq!(code(world.write(expecting(Some(saved))).await), Code::EntityModified);
    assert_eq!(code(world.write(expecting(None)).await), Code::Conflict);
}
