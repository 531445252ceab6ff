//! What members do through callbacks to what is under way: to the entity they were asked about, and
//! to what has been taken back meanwhile.

use std::{sync::Arc, time::Duration};

use tokio::sync::{Barrier, Notify};
use waypost_engine::{
    Engine, Settings,
    entity::{Code, Fault, Item},
};
use waypost_machines::entity::cascade::Reply;

use super::world::{
    Asking, World, caller, code, json, new, order, processed, refused, take, update,
};

/// `GO` from `NEW` to `DONE` with these processors, and `SIDE` with one that is called `slow`.
async fn world(processors: &str) -> World {
    let world = World::with_orders().await;
    world
        .workflows(&format!(
            r#"{{"importMode":"REPLACE","workflows":[{{"name":"w","initialState":"NEW","states":{{
            "NEW":{{"transitions":[
                {{"name":"GO","next":"DONE","manual":true,"processors":[{processors}]}},
                {{"name":"SIDE","next":"DONE","manual":true,"processors":[{{"name":"slow"}}]}}]}},
            "DONE":{{}}}}}}]}}"#
        ))
        .await;
    world
}

const PLAIN: &str = r#"{"name":"one"}"#;
const APART: &str = r#"{"name":"one","executionMode":"ASYNC_NEW_TX"}"#;

async fn count(world: &World) -> u64 {
    world.entities().tally(None, None).await.unwrap().iter().map(|it| it.count).sum()
}

#[tokio::test]
async fn what_a_member_writes_into_the_entity_it_was_asked_about_stays() {
    for processors in [PLAIN, APART] {
        let world = world(&format!(r#"{processors},{{"name":"two"}}"#)).await;
        let id = world.create(r#"{"no":"A"}"#).await;
        world.member("one", |asking: Asking| async move {
            asking.within.write(&[update(&asking.entity, r#"{"no":"own"}"#)]).await.unwrap();
            processed(None)
        });
        world.member("two", |asking: Asking| async move {
            assert_eq!(asking.value.to_string(), r#"{"no":"own"}"#);
            processed(None)
        });
        world.write(take(&id, "GO")).await.unwrap();
        assert_eq!(world.shown(&id).await, r#"DONE {"no":"own"}"#, "{processors}");
    }
}

#[tokio::test]
async fn what_a_member_returns_comes_after_what_it_has_written() {
    let world = world(PLAIN).await;
    let id = world.create(r#"{"no":"A"}"#).await;
    world.member("one", |asking: Asking| async move {
        asking.within.write(&[update(&asking.entity, r#"{"no":"own"}"#)]).await.unwrap();
        processed(Some(r#"{"no":"returned"}"#))
    });
    world.write(take(&id, "GO")).await.unwrap();
    assert_eq!(world.shown(&id).await, r#"DONE {"no":"returned"}"#);
}

#[tokio::test]
async fn a_member_cannot_delete_what_it_was_asked_about() {
    for (processors, expected) in [(PLAIN, r#"NEW {"no":"A"}"#), (APART, r#"DONE {"no":"A"}"#)] {
        let world = world(processors).await;
        let id = world.create(r#"{"no":"A"}"#).await;
        world.member("one", |asking: Asking| async move {
            let delete = Item::Delete { id: asking.entity.clone() };
            asking.within.write(&[delete, new(r#"{"no":"beside"}"#)]).await.unwrap();
            processed(None)
        });
        match world.write(take(&id, "GO")).await {
            Err(Fault::Refused(refusal)) => {
                assert_eq!((processors, refusal.code), (PLAIN, Code::WorkflowFailed));
                assert!(refusal.detail.contains("deleted"), "{refusal}");
            }
            written => {
                let warnings = written.unwrap().warnings;
                assert!(warnings.iter().any(|it| it.contains("deleted")), "{warnings:?}");
            }
        }
        assert_eq!(world.shown(&id).await, expected);
        assert_eq!(count(&world).await, 1, "nothing is left of what it did beside");
    }
}

#[tokio::test]
async fn a_callback_under_way_goes_with_the_savepoint_it_is_part_of() {
    let world = world(&format!(r#"{APART},{{"name":"two"}}"#)).await;
    let (id, other) = (world.create(r#"{"no":"A"}"#).await, world.create(r#"{"no":"B"}"#).await);
    let (asked, answer) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (is_asked, may_answer) = (Arc::clone(&asked), Arc::clone(&answer));
    world.member("slow", move |_| {
        let (is_asked, may_answer) = (Arc::clone(&is_asked), Arc::clone(&may_answer));
        async move {
            is_asked.notify_one();
            may_answer.notified().await;
            processed(Some(r#"{"no":"too late"}"#))
        }
    });
    let (told, outcome) = tokio::sync::oneshot::channel();
    let told = Arc::new(std::sync::Mutex::new(Some(told)));
    world.member("one", move |asking: Asking| {
        let (asked, other, told) = (Arc::clone(&asked), other.clone(), Arc::clone(&told));
        async move {
            let told = told.lock().unwrap().take().unwrap();
            tokio::spawn(async move {
                let written = asking.within.write(&[take(&other, "SIDE")]).await;
                told.send(written).ok().unwrap();
            });
            asked.notified().await;
            refused("no luck")
        }
    });
    let outcome = Arc::new(std::sync::Mutex::new(Some(outcome)));
    world.member("two", move |_| {
        let (answer, outcome) = (Arc::clone(&answer), Arc::clone(&outcome));
        async move {
            answer.notify_one();
            let outcome = outcome.lock().unwrap().take().unwrap();
            assert_eq!(code(outcome.await.unwrap()), Code::Conflict);
            processed(None)
        }
    });
    world.write(take(&id, "GO")).await.unwrap();
    let list = world.entities().list(&order(), (0, 10), None).await.unwrap();
    let mut states: Vec<_> = list.iter().map(|it| (it.value.as_str(), it.state.as_str())).collect();
    states.sort_unstable();
    assert_eq!(states, [(r#"{"no":"A"}"#, "DONE"), (r#"{"no":"B"}"#, "NEW")]);
}

#[tokio::test]
async fn what_contradicts_a_processor_apart_fails_that_processor() {
    let world = world(APART).await;
    let (id, other) = (world.create(r#"{"no":"A"}"#).await, world.create(r#"{"no":"B"}"#).await);
    let entities = world.entities();
    world.member("one", move |asking: Asking| {
        let (other, entities) = (other.clone(), entities.clone());
        async move {
            asking.within.write(&[update(&other, r#"{"no":"apart"}"#)]).await.unwrap();
            // As whoever was asked before, and has been given up, still may.
            let late = entities.within(&asking.transaction, 0).unwrap();
            late.write(&[update(&other, r#"{"no":"late"}"#)]).await.unwrap();
            processed(None)
        }
    });
    let written = world.write(take(&id, "GO")).await.unwrap();
    let is_told = |it: &String| it.contains("another callback");
    assert!(written.warnings.iter().any(is_told), "{:?}", written.warnings);
    assert_eq!(world.shown(&id).await, r#"DONE {"no":"A"}"#);
}

#[tokio::test]
async fn warnings_of_what_went_well_are_told_with_what_did_not() {
    let world = world(PLAIN).await;
    let ids = [world.create(r#"{"no":"A"}"#).await, world.create(r#"{"no":"B"}"#).await];
    let last = ids[1].clone();
    world.member("one", move |asking: Asking| {
        let is_last = asking.entity == last;
        async move {
            match is_last {
                true => refused("out of stock"),
                false => Reply::Processed { value: None, warnings: vec!["look at this".into()] },
            }
        }
    });
    let written = world.entities().write(&ids.map(|id| take(&id, "GO"))).await;
    let Err(Fault::Refused(refusal)) = written else { panic!("{written:?}") };
    assert!(refusal.warnings.iter().any(|it| it.contains("look at this")), "{refusal:?}");
}

#[tokio::test]
async fn nobody_waits_for_a_model_while_a_member_thinks() {
    let world = World::on_disk().learn_orders().await;
    // What this node has at hand knows of no processor.
    world.create(r#"{"no":"A"}"#).await;
    let elsewhere = Engine::new(Arc::clone(world.engine.store()), Settings::default());
    let begins = r#"{"workflows":[{"name":"w","initialState":"NEW","states":{
        "NEW":{"transitions":[{"name":"GO","next":"DONE","processors":[{"name":"one"}]}]},
        "DONE":{}}}]}"#;
    let elsewhere = elsewhere.entities(caller("acme"));
    elsewhere.import_workflows(&order(), &json(begins)).await.unwrap();
    let both = Arc::new(Barrier::new(2));
    world.member("one", move |_| {
        let both = Arc::clone(&both);
        async move {
            both.wait().await;
            processed(None)
        }
    });
    // Both find out at the same time that the model has changed.
    let create = || async { world.write(new(r#"{"no":"B"}"#)).await.unwrap() };
    let created = async { tokio::join!(create(), create()) };
    tokio::time::timeout(Duration::from_secs(30), created).await.expect("both are asked at once");
}
