//! Entities so large that few of them fill a page of the store.

use waypost_documents::predicate::Predicate;
use waypost_engine::entity::{Code, Entities, SearchStatus, condition};
use waypost_kernel::{InstanceId, PAGE_BYTES_MAX};

use super::world::{World, code, json, order, update};

/// More than can be in one answer, each half a page.
const MANY: usize = 9;

fn large(no: usize) -> String {
    format!(r#"{{"no":"{no}","note":"{}"}}"#, "x".repeat(PAGE_BYTES_MAX / 2))
}

async fn world() -> World {
    let world = World::with_orders().await;
    for no in 0..MANY {
        world.create(&large(no)).await;
        world.create(r#"{"no":"small"}"#).await;
    }
    world
}

fn all() -> Predicate {
    let text = r#"{"type":"simple","jsonPath":"$.no","operatorType":"NOT_NULL","value":null}"#;
    condition(&json(text)).unwrap()
}

async fn ended(entities: &Entities, search: &InstanceId) -> u64 {
    loop {
        let view = entities.search_status(search).await.unwrap();
        if view.status != SearchStatus::Running {
            assert_eq!(view.status, SearchStatus::Successful);
            return view.n_found;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn every_one_of_them_is_found_listed_and_deleted() {
    let world = world().await;
    let entities = world.entities();
    let mut found = entities.search(&order(), Some(all()), None).await.unwrap();
    let mut n_found = 0;
    loop {
        let page = found.next().await.unwrap();
        let n_bytes: usize = page.iter().map(|it| it.value.as_str().len()).sum();
        assert!(n_bytes < 2 * PAGE_BYTES_MAX, "{n_bytes} bytes are in memory at once");
        match page.len() {
            0 => break,
            n_entities => n_found += n_entities,
        }
    }
    assert_eq!(n_found, 2 * MANY);
    let mut ids = Vec::new();
    for offset in [0, 7, 14] {
        let page = entities.list(&order(), (offset, 7), None).await.unwrap();
        ids.extend(page.into_iter().map(|it| it.id));
    }
    assert_eq!(ids.len(), 2 * MANY);
    assert!(ids.is_sorted_by(|one, next| one < next));
    assert_eq!(code(entities.list(&order(), (0, 100), None).await), Code::BadRequest);

    let search = entities.begin_search(&order(), all(), None).await.unwrap();
    assert_eq!(ended(&entities, &search).await, 18);
    assert_eq!(entities.search_page(&search, 6, 12).await.unwrap().entities.len(), 12);
    assert_eq!(code(entities.search_page(&search, 0, 100).await), Code::BadRequest);

    let deleted = entities.delete_matching(&order(), None, None).await.unwrap();
    assert_eq!(deleted.len(), 2 * MANY);
}

#[tokio::test]
async fn their_changes_are_told_as_far_as_there_is_a_limit() {
    let world = World::with_orders().await;
    let id = world.create(r#"{"no":"small"}"#).await;
    for no in 0..4 {
        world.write(update(&id, &large(no))).await.unwrap();
    }
    let changes = world.entities().changes(&id, None).await.unwrap();
    assert_eq!(changes.len(), 5);
    for no in 0..1_000 {
        world.write(update(&id, &format!(r#"{{"no":"{no}"}}"#))).await.unwrap();
    }
    assert_eq!(world.entities().changes(&id, None).await.unwrap().len(), 1_000);
}
