//! Writing: one request, one transaction, one version.

use waypost_engine::entity::{Code, Fault, Item};

use super::world::{World, code, new, order, take, update};

const REVIEW: &str = r#"{"workflows":[{"name":"review","initialState":"NEW","states":{
    "NEW":{"transitions":[
        {"name":"SUBMIT","next":"OPEN","manual":true},
        {"name":"AUTO","next":"BIG","criterion":{"type":"simple","jsonPath":"$.total",
         "operatorType":"GREATER_THAN","value":1000}}]},
    "OPEN":{"transitions":[{"name":"CLOSE","next":"DONE","manual":true}]},
    "BIG":{},"DONE":{}}}]}"#;

#[tokio::test]
async fn without_workflows_the_built_in_one_is_used() {
    let world = World::with_orders().await;
    let written = world.write(new(r#"{"no":"A","total":12.50}"#)).await.unwrap();
    assert_eq!(written.warnings.len(), 1, "{written:?}");
    let id = &written.touched[0].id;
    assert_eq!(world.shown(id).await, r#"CREATED {"no":"A","total":12.50}"#);
    let names = world.entities().transitions(id, None, &Default::default()).await.unwrap();
    assert_eq!(names, ["UPDATE", "DELETE"]);
    world.write(take(id, "DELETE")).await.unwrap();
    assert_eq!(world.shown(id).await, r#"DELETED {"no":"A","total":12.50}"#);
    assert_eq!(code(world.write(take(id, "UPDATE")).await), Code::TransitionNotFound);
}

#[tokio::test]
async fn a_request_makes_one_version_whatever_the_cascade() {
    let world = World::with_orders().await;
    world.workflows(REVIEW).await;
    let id = world.create(r#"{"total":5000}"#).await;
    assert_eq!(world.shown(&id).await, r#"BIG {"total":5000}"#);
    assert_eq!(world.read(&id).await.unwrap().version.0, 1);
    let id = world.create(r#"{"total":5}"#).await;
    let written = world.write(take(&id, "SUBMIT")).await.unwrap();
    let entity = world.read(&id).await.unwrap();
    assert_eq!((entity.version.0, entity.state.as_str()), (2, "OPEN"));
    assert_eq!(entity.save.transition, "SUBMIT");
    assert_eq!(entity.save.transaction, written.transaction);
    assert_eq!(entity.save.workflow.as_deref(), Some("review"));
    world.write(update(&id, r#"{"total":6}"#)).await.unwrap();
    let entity = world.read(&id).await.unwrap();
    assert_eq!((entity.state.as_str(), entity.save.transition.as_str()), ("OPEN", "loopback"));
}

#[tokio::test]
async fn who_expects_another_version_changes_nothing() {
    let world = World::with_orders().await;
    let first = world.write(new(r#"{"no":"A"}"#)).await.unwrap();
    let id = first.touched[0].id.clone();
    let expecting = |transaction: &str| match update(&id, r#"{"no":"B"}"#) {
        Item::Update { id, value, transition, .. } => {
            Item::Update { id, value, transition, if_match: Some(transaction.to_owned()) }
        }
        other @ (Item::Create { .. } | Item::Delete { .. } | Item::DeleteSeen { .. }) => other,
    };
    assert_eq!(code(world.write(expecting("another")).await), Code::EntityModified);
    assert_eq!(world.shown(&id).await, r#"CREATED {"no":"A"}"#);
    world.write(expecting(&first.transaction)).await.unwrap();
    assert_eq!(code(world.write(expecting(&first.transaction)).await), Code::EntityModified);
    assert_eq!(world.shown(&id).await, r#"CREATED {"no":"B"}"#);
}

#[tokio::test]
async fn of_many_items_all_land_or_none() {
    let world = World::with_orders().await;
    let id = world.create(r#"{"no":"A"}"#).await;
    let items = [update(&id, r#"{"no":"B"}"#), new(r#"{"no":"C"}"#), new(r#"{"unknown":1}"#)];
    let refused = world.entities().write(&items).await;
    let Err(Fault::Refused(refusal)) = refused else { panic!("{refused:?}") };
    assert_eq!(refusal.code, Code::BadRequest);
    assert!(refusal.detail.starts_with("item 2: validation failed: unknown:"), "{refusal}");
    assert_eq!(world.shown(&id).await, r#"CREATED {"no":"A"}"#);
    let written = world.entities().write(&items[..2]).await.unwrap();
    assert_eq!(written.touched.len(), 2);
    for touched in &written.touched {
        let entity = world.read(&touched.id).await.unwrap();
        assert_eq!(entity.save.transaction, written.transaction);
    }
    let tally = world.entities().tally(Some(&order()), None).await.unwrap();
    assert_eq!(tally[0].count, 2);
}

#[tokio::test]
async fn an_entity_may_be_written_twice_in_a_transaction() {
    let world = World::with_orders().await;
    let id = world.create(r#"{"no":"A"}"#).await;
    let items = [update(&id, r#"{"no":"B"}"#), update(&id, r#"{"no":"C"}"#)];
    world.entities().write(&items).await.unwrap();
    let entity = world.read(&id).await.unwrap();
    assert_eq!((entity.version.0, entity.value.as_str()), (2, r#"{"no":"C"}"#));
}

#[tokio::test]
async fn what_was_deleted_is_gone() {
    let world = World::with_orders().await;
    let id = world.create(r#"{"no":"A"}"#).await;
    let delete = || Item::Delete { id: id.clone() };
    world.write(delete()).await.unwrap();
    assert_eq!(code(world.read(&id).await), Code::EntityNotFound);
    assert_eq!(code(world.write(delete()).await), Code::EntityNotFound);
    assert_eq!(code(world.write(update(&id, "{}")).await), Code::EntityNotFound);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn updates_at_the_same_time_come_one_after_the_other() {
    let world = World::with_orders().await;
    let id = world.create(r#"{"total":0}"#).await;
    let write = |total: u32| {
        let (entities, id) = (world.entities(), id.clone());
        async move { entities.write(&[update(&id, &format!(r#"{{"total":{total}}}"#))]).await }
    };
    let writes: Vec<_> = (1..=50).map(|it| tokio::spawn(write(it))).collect();
    for written in writes {
        written.await.unwrap().unwrap();
    }
    assert_eq!(world.read(&id).await.unwrap().version.0, 51);
}

#[tokio::test]
async fn a_transaction_takes_only_so_much() {
    let world = World::with_orders().await;
    let items: Vec<_> = (0..10_001).map(|_| new(r#"{"no":"A"}"#)).collect();
    assert!(world.entities().write(&items[..10_000]).await.is_ok());
    assert_eq!(code(world.entities().write(&items).await), Code::TransactionTooLarge);
    let tally = world.entities().tally(Some(&order()), None).await.unwrap();
    assert_eq!(tally[0].count, 10_000);
}
