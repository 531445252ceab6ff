//! Several nodes on one store: what one has at hand may be old, and nobody is asked about that.

use std::sync::Arc;

use waypost_engine::{
    Engine, Settings,
    entity::{Code, Entities, Item},
};
use waypost_kernel::{DefinitionRef, InstanceId};
use waypost_machines::entity::cascade::Reply;

use super::world::{Asking, World, caller, code, json, new, order, processed, take, update};

/// Orders whose `GO` asks the function `f` and the processor `p`.
const GO: &str = r#"{"importMode":"REPLACE","workflows":[{"name":"w","initialState":"NEW","states":{
    "NEW":{"transitions":[
        {"name":"GO","next":"DONE","manual":true,"processors":[{"name":"p"}],
         "criterion":{"type":"function","function":{"name":"f"}}},
        {"name":"AWAY","next":"DONE","manual":true}]},
    "DONE":{}}}]}"#;

/// The same with a processor that is there at the beginning, too.
const BEGINS: &str = r#"{"importMode":"REPLACE","workflows":[{"name":"w","initialState":"NEW","states":{
    "NEW":{"transitions":[{"name":"BEGIN","next":"BEGUN","processors":[{"name":"p"}]}]},
    "BEGUN":{}}}]}"#;

/// A node that has an entity at hand, another one on the same store, and the entity.
async fn nodes() -> (World, Entities, InstanceId) {
    let world = World::with_orders().await;
    world.workflows(GO).await;
    world.member("p", |_| async { processed(None) });
    world.member("f", |asking: Asking| async move {
        let matches = asking.value == json(r#"{"no":"ok"}"#);
        Reply::Matched { matches, reason: None, warnings: Vec::new() }
    });
    let id = world.create(r#"{"no":"A"}"#).await;
    let elsewhere = Engine::new(Arc::clone(world.engine.store()), Settings::default());
    (world, elsewhere.entities(caller("acme")), id)
}

async fn put(entities: &Entities, item: Item) {
    entities.write(&[item]).await.unwrap();
}

#[tokio::test]
async fn a_member_is_shown_what_another_node_has_written() {
    let (world, elsewhere, id) = nodes().await;
    put(&elsewhere, update(&id, r#"{"no":"ok"}"#)).await;
    world.write(take(&id, "GO")).await.unwrap();
    assert_eq!(world.asked(), ["f", "p"]);
    assert_eq!(world.shown(&id).await, r#"DONE {"no":"ok"}"#);
}

#[tokio::test]
async fn nobody_is_asked_about_a_state_that_another_node_has_ended() {
    let (world, elsewhere, id) = nodes().await;
    put(&elsewhere, take(&id, "AWAY")).await;
    assert_eq!(code(world.write(take(&id, "GO")).await), Code::TransitionNotFound);
    assert_eq!(world.asked(), [""; 0]);
}

#[tokio::test]
async fn nobody_is_asked_by_a_workflow_that_another_node_has_replaced() {
    let (world, elsewhere, id) = nodes().await;
    world.workflows(BEGINS).await;
    put(&world.entities(), new(r#"{"no":"B"}"#)).await;
    assert_eq!(world.asked(), ["p"]);
    let without = BEGINS.replace(r#""processors":[{"name":"p"}]"#, r#""manual":true"#);
    elsewhere.import_workflows(&order(), &json(&without)).await.unwrap();
    put(&world.entities(), new(r#"{"no":"C"}"#)).await;
    assert_eq!(world.asked(), [""; 0]);
    assert_eq!(world.shown(&id).await, r#"NEW {"no":"A"}"#);
}

#[tokio::test]
async fn a_callback_goes_by_the_model_that_another_node_has_left() {
    let (world, elsewhere, id) = nodes().await;
    put(&world.entities(), update(&id, r#"{"no":"ok"}"#)).await;
    let line = DefinitionRef { name: "line".to_owned(), version: 1 };
    let lines = |value| Item::Create { model: line.clone(), value: json(value) };
    world.entities().import_sample(&line, &json(r#"{"n":1}"#)).await.unwrap();
    world.entities().lock(&line).await.unwrap();
    put(&world.entities(), lines(r#"{"n":2}"#)).await;
    elsewhere.set_change_level(&line, "STRUCTURAL").await.unwrap();
    let more = lines(r#"{"n":3,"more":true}"#);
    world.member("p", move |asking: Asking| {
        let more = more.clone();
        async move {
            put(&asking.within, more).await;
            processed(None)
        }
    });
    world.write(take(&id, "GO")).await.unwrap();
}
