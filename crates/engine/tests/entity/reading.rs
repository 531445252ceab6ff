//! Reading: as it is, as it was, and what happened.

use waypost_engine::entity::{AuditCursor, AuditQuery, AuditWhat, ChangeKind, Code, Item, When};
use waypost_kernel::{Clock as _, InstanceId, Timestamp};

use super::world::{World, code, new, order, take, update};

async fn at(world: &World, id: &InstanceId, when: Timestamp) -> String {
    match world.entities().read(id, &When::At(when)).await {
        Ok(entity) => entity.value.as_str().to_owned(),
        Err(fault) => fault.to_string(),
    }
}

#[tokio::test]
async fn an_entity_can_be_read_as_it_was() {
    let world = World::with_orders().await;
    let missing = |id: &InstanceId| format!("ENTITY_NOT_FOUND: entity id={id} not found");
    let before = world.clock.now();
    world.pass();
    let first = world.write(new(r#"{"no":"A"}"#)).await.unwrap();
    let id = first.touched[0].id.clone();
    let created = world.read(&id).await.unwrap().updated_at;
    world.pass();
    let second = world.write(update(&id, r#"{"no":"B"}"#)).await.unwrap();
    let updated = world.read(&id).await.unwrap().updated_at;
    world.pass();
    world.write(Item::Delete { id: id.clone() }).await.unwrap();
    let micro = |it: Timestamp, more: i64| Timestamp::from_micros(it.as_micros() + more);
    assert_eq!(at(&world, &id, before).await, missing(&id));
    assert_eq!(at(&world, &id, micro(created, -1)).await, missing(&id));
    assert_eq!(at(&world, &id, created).await, r#"{"no":"A"}"#);
    assert_eq!(at(&world, &id, micro(updated, -1)).await, r#"{"no":"A"}"#);
    assert_eq!(at(&world, &id, updated).await, r#"{"no":"B"}"#);
    world.pass();
    assert_eq!(at(&world, &id, world.clock.now()).await, missing(&id));
    for (written, value) in [(&first, r#"{"no":"A"}"#), (&second, r#"{"no":"B"}"#)] {
        let when = When::By(written.transaction.clone());
        let entity = world.entities().read(&id, &when).await.unwrap();
        assert_eq!(entity.value.as_str(), value);
        assert_eq!((entity.created_at, entity.save.transaction), (created, when_text(&when)));
    }
    let unknown = When::By("nothing".to_owned());
    assert_eq!(code(world.entities().read(&id, &unknown).await), Code::EntityNotFound);
}

fn when_text(when: &When) -> String {
    match when {
        When::By(transaction) => transaction.clone(),
        When::Now | When::At(_) | When::Version(_) => panic!("{when:?}"),
    }
}

#[tokio::test]
async fn changes_are_told_newest_first() {
    let world = World::with_orders().await;
    let id = world.create(r#"{"no":"A"}"#).await;
    world.pass();
    world.write(update(&id, r#"{"no":"B"}"#)).await.unwrap();
    let until = world.clock.now();
    world.pass();
    world.write(Item::Delete { id: id.clone() }).await.unwrap();
    let changes = world.entities().changes(&id, None).await.unwrap();
    let kinds: Vec<_> = changes.iter().map(|it| it.kind).collect();
    assert_eq!(kinds, [ChangeKind::Deleted, ChangeKind::Updated, ChangeKind::Created]);
    assert!(changes.iter().all(|it| it.user == "ada" && !it.transaction.is_empty()));
    assert!(changes.windows(2).all(|it| it[0].at > it[1].at));
    assert_eq!(world.entities().changes(&id, Some(until)).await.unwrap().len(), 2);
    let unknown = world.entities().changes(&"nobody".into(), None).await;
    assert_eq!(code(unknown), Code::EntityNotFound);
}

#[tokio::test]
async fn transitions_are_those_of_the_state_it_had() {
    let world = World::with_orders().await;
    let first = world.write(new(r#"{"no":"A"}"#)).await.unwrap();
    let id = first.touched[0].id.clone();
    let created = world.read(&id).await.unwrap().updated_at;
    world.pass();
    let second = world.write(take(&id, "DELETE")).await.unwrap();
    let entities = world.entities();
    let names = async |when: When| entities.transitions(&id, None, &when).await;
    assert_eq!(names(When::Now).await.unwrap(), Vec::<String>::new());
    assert_eq!(names(When::At(created)).await.unwrap(), ["UPDATE", "DELETE"]);
    assert_eq!(names(When::By(first.transaction)).await.unwrap(), ["UPDATE", "DELETE"]);
    assert_eq!(names(When::By(second.transaction)).await.unwrap(), Vec::<String>::new());
    assert_eq!(code(names(When::By("unknown".to_owned())).await), Code::BadRequest);
    let other = waypost_kernel::DefinitionRef { version: 2, ..order() };
    let foreign = entities.transitions(&id, Some(&other), &When::Now).await;
    assert_eq!(code(foreign), Code::EntityNotFound);
}

#[tokio::test]
async fn the_audit_is_walked_through_without_gaps_while_it_grows() {
    let world = World::with_orders().await;
    let written = world.write(new(r#"{"no":"A"}"#)).await.unwrap();
    let id = written.touched[0].id.clone();
    world.pass();
    world.write(update(&id, r#"{"no":"B"}"#)).await.unwrap();
    let both = || AuditQuery { has_machine: true, has_changes: true, ..AuditQuery::default() };
    let all = AuditQuery { limit: 1_000, ..both() };
    let whole = world.entities().audit(&id, &all).await.unwrap().items;
    let mut walked = Vec::new();
    let mut cursor = None;
    loop {
        let query = AuditQuery { limit: 2, cursor, ..both() };
        let page = world.entities().audit(&id, &query).await.unwrap();
        walked.extend(page.items);
        world.write(update(&id, r#"{"no":"C"}"#)).await.unwrap();
        match page.next {
            Some(next) => cursor = Some(next.to_string().parse().unwrap()),
            None => break,
        }
    }
    assert_eq!(walked, whole);
    let names: Vec<_> = whole.iter().rev().map(|it| name(&it.what)).collect();
    let of_create = ["STATE_MACHINE_START", "WORKFLOW_FOUND", "TRANSITION_MAKE"];
    assert_eq!(names[..3], of_create);
    assert_eq!(
        names[3..],
        [
            "STATE_MACHINE_FINISH",
            "Created",
            "STATE_MACHINE_START",
            "STATE_MACHINE_FINISH",
            "Updated"
        ]
    );
    let finished = world.entities().finished(&id, &written.transaction).await.unwrap();
    assert_eq!(name(&finished.what), "STATE_MACHINE_FINISH");
    let none = world.entities().finished(&id, "nothing").await;
    assert_eq!(code(none), Code::EntityNotFound);
}

fn name(what: &AuditWhat) -> String {
    match what {
        AuditWhat::Machine { event, .. } => event.clone(),
        AuditWhat::Change(change) => format!("{:?}", change.kind),
    }
}

#[tokio::test]
async fn changes_until_an_instant_are_told_however_many_came_later() {
    let world = World::with_orders().await;
    let id = world.create(r#"{"total":0}"#).await;
    world.pass();
    world.write(update(&id, r#"{"total":1}"#)).await.unwrap();
    let then = world.entities().now();
    world.pass();
    for total in 2..1_005 {
        world.write(update(&id, &format!(r#"{{"total":{total}}}"#))).await.unwrap();
    }
    let entities = world.entities();
    assert_eq!(entities.changes(&id, Some(then)).await.unwrap().len(), 2);
    assert_eq!(entities.changes(&id, None).await.unwrap().len(), 1_000);
    let before = Timestamp::from_millis(1);
    assert_eq!(entities.changes(&id, Some(before)).await.unwrap(), []);
    assert_eq!(code(entities.changes(&"nobody".into(), Some(then)).await), Code::EntityNotFound);
}

#[tokio::test]
async fn a_transaction_is_found_however_many_came_later() {
    let world = World::with_orders().await;
    let first = world.write(new(r#"{"total":0}"#)).await.unwrap();
    let id = first.touched[0].id.clone();
    let second = world.write(update(&id, r#"{"total":1}"#)).await.unwrap();
    for total in 2..152 {
        world.write(update(&id, &format!(r#"{{"total":{total}}}"#))).await.unwrap();
    }
    let elsewhere = world.write(new(r#"{"total":7}"#)).await.unwrap();
    let by = async |transaction: &str| {
        let when = When::By(transaction.to_owned());
        world.entities().read(&id, &when).await.map(|it| it.value.as_str().to_owned())
    };
    assert_eq!(by(&first.transaction).await.unwrap(), r#"{"total":0}"#);
    assert_eq!(by(&second.transaction).await.unwrap(), r#"{"total":1}"#);
    // One that has landed, but has not touched this entity.
    assert_eq!(code(by(&elsewhere.transaction).await), Code::EntityNotFound);
}

#[tokio::test]
async fn a_cursor_does_not_make_an_entity() {
    let world = World::with_orders().await;
    let id = world.create(r#"{"total":0}"#).await;
    let cursor: AuditCursor = "3.0".parse().unwrap();
    let query = AuditQuery { has_machine: true, cursor: Some(cursor), ..AuditQuery::default() };
    let unknown = world.entities().audit(&"nobody".into(), &query).await;
    assert_eq!(code(unknown), Code::EntityNotFound);
    assert_eq!(world.entities().audit(&id, &query).await.unwrap().items.len(), 1);
    assert!("0.0".parse::<AuditCursor>().is_err());
    let first = AuditQuery { cursor: Some("1.0".parse().unwrap()), ..query };
    assert_eq!(world.entities().audit(&id, &first).await.unwrap().items, []);
}
