//! Models: learning, locking, extending, and who may do so when.

use waypost_engine::entity::{Code, Item, Rules, View};
use waypost_kernel::DefinitionRef;

use super::world::{World, caller, code, json, new, order, update};

#[tokio::test]
async fn a_model_learns_until_it_is_locked() {
    let world = World::new();
    let entities = world.entities();
    let id = entities.import_sample(&order(), &json(r#"{"no":1}"#)).await.unwrap();
    assert_eq!(id, waypost_engine::entity::model_id(&order()));
    assert_eq!(code(world.write(new(r#"{"no":1}"#)).await), Code::ModelNotLocked);
    entities.import_sample(&order(), &json(r#"{"no":1.5,"a":{}}"#)).await.unwrap();
    assert_eq!(
        entities.export_model(&order(), View::Simple).await.unwrap(),
        r##"{"currentState":"UNLOCKED","model":{"$":{"#.a":"OBJECT",".no":"DOUBLE"},"$.a":{}}}"##
    );
    entities.lock(&order()).await.unwrap();
    assert_eq!(code(entities.lock(&order()).await), Code::ModelAlreadyLocked);
    let again = entities.import_sample(&order(), &json("{}")).await;
    assert_eq!(code(again), Code::ModelAlreadyLocked);
    world.write(new(r#"{"no":2}"#)).await.unwrap();
    assert_eq!(code(world.write(new(r#"{"yes":2}"#)).await), Code::BadRequest);
}

#[tokio::test]
async fn a_model_with_entities_stays_locked() {
    let world = World::with_orders().await;
    let id = world.create(r#"{"no":"A"}"#).await;
    assert_eq!(code(world.entities().unlock(&order()).await), Code::ModelHasEntities);
    assert_eq!(code(world.entities().delete_model(&order()).await), Code::ModelAlreadyLocked);
    world.write(Item::Delete { id: id.clone() }).await.unwrap();
    world.entities().unlock(&order()).await.unwrap();
    assert_eq!(code(world.entities().unlock(&order()).await), Code::ModelAlreadyUnlocked);
    assert_eq!(code(world.write(new(r#"{"no":"B"}"#)).await), Code::ModelNotLocked);
    world.entities().delete_model(&order()).await.unwrap();
    assert_eq!(code(world.write(new(r#"{"no":"B"}"#)).await), Code::ModelNotFound);
    assert_eq!(world.entities().models().await.unwrap(), []);
}

#[tokio::test]
async fn a_deleted_model_takes_its_workflows_along() {
    let world = World::new();
    let body = r#"{"workflows":[{"name":"w","initialState":"A","states":{"A":{}}}]}"#;
    world.workflows(body).await;
    world.entities().import_sample(&order(), &json("{}")).await.unwrap();
    world.entities().export_workflows(&order()).await.unwrap();
    world.entities().delete_model(&order()).await.unwrap();
    let gone = world.entities().export_workflows(&order()).await;
    assert_eq!(code(gone), Code::WorkflowNotFound);
}

#[tokio::test]
async fn an_extension_lands_with_its_entity_or_not_at_all() {
    let world = World::with_orders().await;
    let entities = world.entities();
    entities.set_change_level(&order(), "STRUCTURAL").await.unwrap();
    let body = r#"{"workflows":[{"name":"w","initialState":"A","states":{"A":{"transitions":[
        {"name":"GO","next":"B","criterion":{"type":"simple","jsonPath":"$.fails",
         "operatorType":"EQUALS","value":true},"processors":[{"name":"absent"}]}]},"B":{}}}]}"#;
    world.workflows(body).await;
    let before = entities.export_model(&order(), View::Simple).await.unwrap();
    let refused = world.write(new(r#"{"fails":true}"#)).await;
    assert_eq!(code(refused), Code::NoComputeMemberForTag);
    assert_eq!(entities.export_model(&order(), View::Simple).await.unwrap(), before);
    world.write(new(r#"{"fails":false}"#)).await.unwrap();
    let after = entities.export_model(&order(), View::Simple).await.unwrap();
    assert!(after.contains(r#"".fails":"BOOLEAN""#), "{after}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn extensions_at_the_same_time_all_land() {
    const WRITERS: usize = 64;
    let world = World::with_orders().await;
    let entities = world.entities();
    entities.set_change_level(&order(), "STRUCTURAL").await.unwrap();
    let write = |index: usize| {
        let entities = entities.clone();
        async move { entities.write(&[new(&format!(r#"{{"f{index}":1}}"#))]).await }
    };
    let writes: Vec<_> = (0..WRITERS).map(|index| tokio::spawn(write(index))).collect();
    for written in writes {
        written.await.unwrap().unwrap();
    }
    let shown = entities.export_model(&order(), View::Simple).await.unwrap();
    for index in 0..WRITERS {
        assert!(shown.contains(&format!(r#"".f{index}":"INTEGER""#)), "{shown}");
    }
}

#[tokio::test]
async fn models_of_the_same_name_of_two_tenants_are_two() {
    let world = World::with_orders().await;
    let id = world.create(r#"{"no":"A"}"#).await;
    let others = world.engine.entities(caller("other"));
    assert_eq!(others.models().await.unwrap(), []);
    let foreign = others.write(&[new(r#"{"no":"A"}"#)]).await;
    assert_eq!(code(foreign), Code::ModelNotFound);
    assert_eq!(code(others.write(&[update(&id, "{}")]).await), Code::EntityNotFound);
    assert_eq!(code(others.write(&[Item::Delete { id }]).await), Code::EntityNotFound);
}

#[tokio::test]
async fn names_and_levels_are_checked() {
    let world = World::with_orders().await;
    let entities = world.entities();
    let level = entities.set_change_level(&order(), "WHATEVER").await;
    assert_eq!(code(level), Code::InvalidChangeLevel);
    let nameless = DefinitionRef { name: String::new(), version: 1 };
    assert_eq!(code(entities.import_sample(&nameless, &json("{}")).await), Code::BadRequest);
    let unknown = DefinitionRef { version: 9, ..order() };
    assert_eq!(code(entities.set_change_level(&unknown, "TYPE").await), Code::ModelNotFound);
    assert_eq!(code(entities.validate(&unknown, &json("{}")).await), Code::ModelNotFound);
    let wrong = entities.validate(&order(), &json(r#"{"x":1,"no":2}"#)).await.unwrap().unwrap();
    let x = "x: unexpected field not present in model";
    assert_eq!(wrong, format!("{x}; no: expected STRING, found INTEGER"));
}

#[tokio::test]
async fn workflows_wait_for_their_model_only_if_the_rules_say_so() {
    let body = r#"{"workflows":[{"name":"w","initialState":"NEW","states":{"NEW":{}}}]}"#;
    let world = World::new();
    world.entities().import_workflows(&order(), &json(body)).await.unwrap();
    let strict = Rules { strict_workflow_models: true, ..Rules::default() };
    let world = World::with_rules(strict);
    let refused = world.entities().import_workflows(&order(), &json(body)).await;
    assert_eq!(code(refused), Code::ModelNotFound);
    let world = world.learn_orders().await;
    world.entities().import_workflows(&order(), &json(body)).await.unwrap();
}

#[tokio::test]
async fn a_place_is_indexed_once_however_it_is_spelled() {
    let world = World::new();
    let entities = world.entities();
    entities.import_sample(&order(), &json(r#"{"total":1}"#)).await.unwrap();
    let declare = async |paths: &[&str]| {
        let paths: Vec<String> = paths.iter().map(|it| (*it).to_owned()).collect();
        entities.declare_indexes(&order(), &paths).await
    };
    for again in ["$.total", "total", "$['total']", "$total", r#"["total"]"#] {
        let refused = declare(&["$.no", "$.total", again]).await.unwrap_err().to_string();
        let (one, other) = (format!("{:?}", "$.total"), format!("{again:?}"));
        let expected = format!("BAD_REQUEST: the paths {one} and {other} are the same");
        assert_eq!(refused, expected);
    }
    declare(&["$.total", "$.tags", "$.tags[*]", "$.tags[0]"]).await.unwrap();
}
