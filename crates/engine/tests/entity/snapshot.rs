//! What a member that calls back sees of what others do meanwhile: nothing. It sees what there was
//! when it was asked, and what its own transaction has written.

use std::{sync::Arc, time::Duration};

use waypost_documents::predicate::Predicate;
use waypost_engine::{
    Engine, Settings,
    entity::{
        AuditQuery, ChangeKind, ChangeView, Code, Entities, Fault, Item, Rules, When, Written,
        condition,
    },
};
use waypost_kernel::InstanceId;

use super::world::{Asking, World, caller, code, json, new, order, processed, take, update};

const GO: &str = r#"{"importMode":"REPLACE","workflows":[{"name":"w","initialState":"NEW","states":{
    "NEW":{"transitions":[{"name":"GO","next":"DONE","manual":true,"processors":[{"name":"p"}]}]},
    "DONE":{}}}]}"#;

/// Orders that go by the processor `p`, and can be looked up by `no` if they are `indexed`.
async fn world_with(rules: Rules, is_indexed: bool) -> World {
    let world = World::with_rules(rules);
    world.entities().import_sample(&order(), &json(r#"{"no":"A","total":1}"#)).await.unwrap();
    if is_indexed {
        world.entities().declare_indexes(&order(), &["$.no".to_owned()]).await.unwrap();
    }
    world.entities().lock(&order()).await.unwrap();
    world.workflows(GO).await;
    world
}

async fn world() -> World {
    world_with(Rules::default(), false).await
}

/// What comes of a transaction whose member does this, inside of it and beside it.
async fn during<F>(
    world: &World,
    deed: impl Fn(Entities, Entities) -> F + Send + Sync + 'static,
) -> Result<Written, Fault>
where
    F: Future<Output = ()> + Send + 'static,
{
    let own = world.create(r#"{"no":"own"}"#).await;
    let result = during_items(world, &[take(&own, "GO")], deed).await;
    let expected = if result.is_ok() { "DONE" } else { "NEW" };
    assert_eq!(world.read(&own).await.unwrap().state, expected);
    result
}

async fn during_items<F>(
    world: &World,
    items: &[Item],
    deed: impl Fn(Entities, Entities) -> F + Send + Sync + 'static,
) -> Result<Written, Fault>
where
    F: Future<Output = ()> + Send + 'static,
{
    let beside = world.entities();
    world.member("p", move |asking: Asking| {
        let done = deed(asking.within, beside.clone());
        async move {
            done.await;
            processed(None)
        }
    });
    world.entities().write(items).await
}

async fn value(entities: &Entities, id: &InstanceId) -> String {
    match entities.read(id, &When::Now).await {
        Ok(entity) => entity.value.as_str().to_owned(),
        Err(Fault::Refused(refusal)) => format!("{:?}", refusal.code),
        Err(fault) => panic!("{fault}"),
    }
}

async fn put(entities: &Entities, item: Item) -> InstanceId {
    entities.write(&[item]).await.unwrap().touched.remove(0).id
}

/// The orders that match, or all, whatever their ids.
async fn found(entities: &Entities, predicate: Option<Predicate>) -> Vec<String> {
    let mut search = entities.search(&order(), predicate, None).await.unwrap();
    let mut values = Vec::new();
    loop {
        let page = search.next().await.unwrap();
        if page.is_empty() {
            values.sort();
            return values;
        }
        values.extend(page.iter().map(|it| it.value.as_str().to_owned()));
    }
}

fn numbered(no: &str) -> Option<Predicate> {
    let text =
        format!(r#"{{"type":"simple","jsonPath":"$.no","operatorType":"EQUALS","value":"{no}"}}"#);
    Some(condition(&json(&text)).unwrap())
}

async fn listed(entities: &Entities) -> Vec<String> {
    let page = entities.list(&order(), (0, 100), None).await.unwrap();
    let mut values: Vec<_> = page.iter().map(|it| it.value.as_str().to_owned()).collect();
    values.sort();
    values
}

async fn count(entities: &Entities) -> u64 {
    let tallies = entities.tally(Some(&order()), None).await.unwrap();
    tallies.iter().map(|it| it.count).sum()
}

#[tokio::test]
async fn what_was_changed_since_is_read_as_it_was_and_is_a_conflict() {
    for (has_store_alone, seconds) in [(false, 0), (false, 1), (true, 0), (true, 1)] {
        let rules = Rules { has_store_alone, ..Rules::default() };
        let world = world_with(rules, false).await;
        let id = world.create(r#"{"no":"A"}"#).await;
        // The times of what was written before are ahead of a clock that stands still.
        put(&world.entities(), update(&id, r#"{"no":"B"}"#)).await;
        let (seen, clock) = (id.clone(), Arc::clone(&world.clock));
        let result = during(&world, move |inside, beside| {
            clock.advance(Duration::from_secs(seconds));
            let id = seen.clone();
            async move {
                put(&beside, update(&id, r#"{"no":"C"}"#)).await;
                assert_eq!(value(&inside, &id).await, r#"{"no":"B"}"#);
                assert_eq!(value(&beside, &id).await, r#"{"no":"C"}"#);
                assert_eq!(value(&inside, &id).await, r#"{"no":"B"}"#);
            }
        });
        assert_eq!(code(result.await), Code::Conflict);
        assert_eq!(world.shown(&id).await, r#"NEW {"no":"C"}"#);
    }
}

#[tokio::test]
async fn times_that_are_ahead_on_another_node_keep_nobody_away_for_good() {
    let world = world().await;
    let [own, id] = [world.create(r#"{"no":"own"}"#).await, world.create(r#"{"no":"A"}"#).await];
    let elsewhere = Engine::new(Arc::clone(world.engine.store()), Settings::default());
    // The clock stands still: only the other node knows how far ahead its times are.
    put(&elsewhere.entities(caller("acme")), update(&id, r#"{"no":"B"}"#)).await;
    for (seen, is_landing) in [(r#"{"no":"A"}"#, false), (r#"{"no":"B"}"#, true)] {
        let (id, items) = (id.clone(), [take(&own, "GO")]);
        let result = during_items(&world, &items, move |inside, _| {
            let id = id.clone();
            async move { assert_eq!(value(&inside, &id).await, seen) }
        });
        assert_eq!(result.await.is_ok(), is_landing);
    }
}

#[tokio::test]
async fn what_the_transaction_did_is_in_its_audit() {
    let world = world().await;
    let id = world.create(r#"{"no":"A"}"#).await;
    let result = during(&world, move |inside, beside| {
        let id = id.clone();
        async move {
            let all = AuditQuery { has_changes: true, limit: 10, ..AuditQuery::default() };
            let made = put(&inside, new(r#"{"no":"B"}"#)).await;
            assert_eq!(inside.audit(&made, &all).await.unwrap().items.len(), 1);
            assert_eq!(code(beside.audit(&made, &all).await), Code::EntityNotFound);
            let written = inside.write(&[update(&id, r#"{"no":"C"}"#)]).await.unwrap();
            let page = inside.audit(&id, &all).await.unwrap();
            assert_eq!(page.items.len(), 2);
            assert_eq!(page.items[0].transaction, written.transaction);
            assert!(inside.finished(&id, &written.transaction).await.is_ok());
            // A page goes on where the last one has ended.
            let mut one = AuditQuery { limit: 1, ..all };
            let first = inside.audit(&id, &one).await.unwrap();
            one.cursor = first.next;
            let second = inside.audit(&id, &one).await.unwrap();
            assert_eq!([first.items, second.items].concat(), page.items);
        }
    });
    result.await.unwrap();
}

#[tokio::test]
async fn what_was_created_since_is_not_there_and_a_conflict_once_it_was_looked_for() {
    let world = world().await;
    let result = during(&world, |inside, beside| async move {
        let id = put(&beside, new(r#"{"no":"A"}"#)).await;
        assert_eq!(value(&inside, &id).await, "EntityNotFound");
        assert_eq!(code(inside.changes(&id, None).await), Code::EntityNotFound);
        assert_eq!(code(inside.audit(&id, &AuditQuery::default()).await), Code::EntityNotFound);
        let written = inside.write(&[update(&id, r#"{"no":"B"}"#)]).await;
        assert_eq!(code(written), Code::EntityNotFound);
    });
    assert_eq!(code(result.await), Code::Conflict);
    assert_eq!(found(&world.entities(), numbered("A")).await.len(), 1);
}

#[tokio::test]
async fn what_was_deleted_since_is_still_there_and_a_conflict() {
    let world = world().await;
    let id = world.create(r#"{"no":"A"}"#).await;
    let seen = id.clone();
    let result = during(&world, move |inside, beside| {
        let id = seen.clone();
        async move {
            put(&beside, Item::Delete { id: id.clone() }).await;
            assert_eq!(value(&inside, &id).await, r#"{"no":"A"}"#);
            assert_eq!(inside.transitions(&id, None, &When::Now).await.unwrap(), ["GO"]);
        }
    });
    assert_eq!(code(result.await), Code::Conflict);
    assert_eq!(code(world.read(&id).await), Code::EntityNotFound);
}

#[tokio::test]
async fn the_past_has_nothing_that_has_landed_since() {
    let world = world().await;
    let id = world.create(r#"{"no":"A"}"#).await;
    let result = during(&world, move |inside, beside| {
        let id = id.clone();
        async move {
            let since = beside.write(&[update(&id, r#"{"no":"B"}"#)]).await.unwrap().transaction;
            let kinds = |views: Vec<ChangeView>| views.iter().map(|it| it.kind).collect::<Vec<_>>();
            assert_eq!(kinds(inside.changes(&id, None).await.unwrap()), [ChangeKind::Created]);
            let all = AuditQuery { has_changes: true, limit: 10, ..AuditQuery::default() };
            assert_eq!(inside.audit(&id, &all).await.unwrap().items.len(), 1);
            assert_eq!(beside.audit(&id, &all).await.unwrap().items.len(), 2);
            let by = inside.read(&id, &When::By(since)).await;
            assert_eq!(code(by), Code::EntityNotFound);
            // Who asks about an instant is told about that one.
            let soon = When::At(inside.now() + Duration::from_secs(1));
            let then = inside.read(&id, &soon).await.unwrap();
            assert_eq!(then.value.as_str(), r#"{"no":"B"}"#);
        }
    });
    // The past that has been told is not what must still be so at the end.
    result.await.unwrap();
}

#[tokio::test]
async fn lists_counts_and_searches_are_of_the_same_instant_and_are_no_conflict() {
    let world = world().await;
    let [changed, deleted] =
        [world.create(r#"{"no":"A"}"#).await, world.create(r#"{"no":"B"}"#).await];
    let (before, after) = (r#"{"no":"A"}"#, r#"{"no":"A","total":2}"#);
    let result = during(&world, move |inside, beside| {
        let (changed, deleted) = (changed.clone(), deleted.clone());
        async move {
            put(&beside, update(&changed, after)).await;
            put(&beside, Item::Delete { id: deleted }).await;
            put(&beside, new(r#"{"no":"C"}"#)).await;
            let seen = [before, r#"{"no":"B"}"#, r#"{"no":"own"}"#];
            assert_eq!(found(&inside, None).await, seen);
            assert_eq!(listed(&inside).await, seen);
            assert_eq!(count(&inside).await, 3);
            assert_eq!(found(&inside, numbered("A")).await, [before]);
            assert_eq!(found(&inside, numbered("B")).await.len(), 1);
            assert_eq!(found(&inside, numbered("C")).await.len(), 0);
            assert_eq!(listed(&beside).await, [after, r#"{"no":"C"}"#, r#"{"no":"own"}"#]);
        }
    });
    result.await.unwrap();
}

#[tokio::test]
async fn its_own_writes_lie_over_what_a_transaction_sees() {
    let world = world().await;
    let [changed, deleted] =
        [world.create(r#"{"no":"A"}"#).await, world.create(r#"{"no":"B"}"#).await];
    let theirs = world.create(r#"{"no":"T"}"#).await;
    let result = during(&world, move |inside, beside| {
        let (changed, deleted, theirs) = (changed.clone(), deleted.clone(), theirs.clone());
        async move {
            put(&beside, update(&theirs, r#"{"no":"U"}"#)).await;
            put(&beside, new(r#"{"no":"V"}"#)).await;
            put(&inside, update(&changed, r#"{"no":"A","total":2}"#)).await;
            put(&inside, Item::Delete { id: deleted }).await;
            let made = put(&inside, new(r#"{"no":"C"}"#)).await;
            assert_eq!(value(&inside, &made).await, r#"{"no":"C"}"#);
            let seen =
                [r#"{"no":"A","total":2}"#, r#"{"no":"C"}"#, r#"{"no":"T"}"#, r#"{"no":"own"}"#];
            assert_eq!(listed(&inside).await, seen);
            assert_eq!(count(&inside).await, 4);
            assert_eq!(found(&inside, numbered("C")).await.len(), 1);
            assert_eq!(inside.changes(&changed, None).await.unwrap().len(), 2);
        }
    });
    result.await.unwrap();
    assert_eq!(count(&world.entities()).await, 5);
}

#[tokio::test]
async fn a_count_takes_off_what_was_there_then_of_what_the_transaction_writes() {
    let world = world().await;
    let id = world.create(r#"{"no":"A"}"#).await;
    let result = during(&world, move |inside, beside| {
        let id = id.clone();
        async move {
            put(&beside, Item::Delete { id: id.clone() }).await;
            put(&inside, update(&id, r#"{"no":"B"}"#)).await;
            assert_eq!(count(&inside).await, 2);
            assert_eq!(listed(&inside).await, [r#"{"no":"B"}"#, r#"{"no":"own"}"#]);
        }
    });
    assert_eq!(code(result.await), Code::Conflict);
}

#[tokio::test]
async fn what_an_index_leads_to_is_judged_by_what_it_was() {
    let world = world_with(Rules::default(), true).await;
    let [stays, comes, goes] = [
        world.create(r#"{"no":"A","total":1}"#).await,
        world.create(r#"{"no":"B"}"#).await,
        world.create(r#"{"no":"A","total":3}"#).await,
    ];
    let result = during(&world, move |inside, beside| {
        let (stays, comes, goes) = (stays.clone(), comes.clone(), goes.clone());
        async move {
            put(&beside, update(&stays, r#"{"no":"A","total":2}"#)).await;
            put(&beside, update(&comes, r#"{"no":"A","total":4}"#)).await;
            put(&beside, update(&goes, r#"{"no":"B","total":5}"#)).await;
            put(&beside, new(r#"{"no":"A","total":6}"#)).await;
            put(&inside, new(r#"{"no":"A","total":7}"#)).await;
            // What has left the index since is not found.
            let seen = [r#"{"no":"A","total":1}"#, r#"{"no":"A","total":7}"#];
            assert_eq!(found(&inside, numbered("A")).await, seen);
            assert_eq!(found(&beside, numbered("A")).await.len(), 3);
            // Without a condition nobody asks the index.
            assert_eq!(found(&inside, None).await.len(), 5);
        }
    });
    result.await.unwrap();
}

#[tokio::test]
async fn writing_what_was_changed_since_is_a_conflict_at_the_end() {
    for item in [
        |id: &InstanceId| update(id, r#"{"no":"C"}"#),
        |id: &InstanceId| Item::Delete { id: id.clone() },
    ] {
        let world = world().await;
        let id = world.create(r#"{"no":"A"}"#).await;
        let seen = id.clone();
        let result = during(&world, move |inside, beside| {
            let id = seen.clone();
            async move {
                put(&beside, update(&id, r#"{"no":"B"}"#)).await;
                put(&inside, new(r#"{"no":"child"}"#)).await;
                put(&inside, item(&id)).await;
            }
        });
        assert_eq!(code(result.await), Code::Conflict);
        assert_eq!(world.shown(&id).await, r#"NEW {"no":"B"}"#);
        assert_eq!(count(&world.entities()).await, 2);
    }
}

#[tokio::test]
async fn deleting_all_that_match_takes_those_that_did_and_is_a_conflict_if_one_has_changed() {
    for is_indexed in [false, true] {
        let world = world_with(Rules::default(), is_indexed).await;
        let [changed, _] =
            [world.create(r#"{"no":"A"}"#).await, world.create(r#"{"no":"A"}"#).await];
        let result = during(&world, move |inside, beside| {
            let changed = changed.clone();
            async move {
                put(&beside, update(&changed, r#"{"no":"A","total":2}"#)).await;
                let gone = inside.delete_matching(&order(), numbered("A"), None).await.unwrap();
                assert_eq!(gone.len(), 2);
                assert_eq!(listed(&inside).await, [r#"{"no":"own"}"#]);
            }
        });
        assert_eq!(code(result.await), Code::Conflict);
        assert_eq!(count(&world.entities()).await, 3);
    }
}

#[tokio::test]
async fn what_a_transaction_comes_to_later_is_as_it_was_when_the_first_was_asked_about() {
    let world = world().await;
    let own = world.create(r#"{"no":"own"}"#).await;
    let id = world.create(r#"{"no":"A"}"#).await;
    let (seen, items) = (id.clone(), [take(&own, "GO"), update(&id, r#"{"no":"C"}"#)]);
    let result = during_items(&world, &items, move |_, beside| {
        let id = seen.clone();
        async move {
            put(&beside, update(&id, r#"{"no":"B"}"#)).await;
        }
    });
    assert_eq!(code(result.await), Code::Conflict);
    assert_eq!(world.shown(&own).await, r#"NEW {"no":"own"}"#);
    assert_eq!(world.shown(&id).await, r#"NEW {"no":"B"}"#);
}

#[tokio::test]
async fn who_has_failed_sees_what_was_changed_when_coming_again() {
    let world = world().await;
    let id = world.create(r#"{"no":"A"}"#).await;
    for (seen, is_last) in [("A", false), ("B", false), ("B", true)] {
        let id = id.clone();
        let result = during(&world, move |inside, beside| {
            let id = id.clone();
            async move {
                if !is_last {
                    put(&beside, update(&id, r#"{"no":"B"}"#)).await;
                }
                assert_eq!(value(&inside, &id).await, format!(r#"{{"no":"{seen}"}}"#));
            }
        });
        assert_eq!(result.await.is_ok(), is_last);
    }
}

#[tokio::test]
async fn a_transaction_under_which_nothing_changes_lands() {
    let world = world().await;
    let id = world.create(r#"{"no":"A"}"#).await;
    let seen = id.clone();
    let result = during(&world, move |inside, beside| {
        let id = seen.clone();
        async move {
            put(&beside, new(r#"{"no":"nobody looks"}"#)).await;
            assert_eq!(value(&inside, &id).await, r#"{"no":"A"}"#);
            assert_eq!(listed(&inside).await.len(), 2);
            put(&inside, update(&id, r#"{"no":"B"}"#)).await;
            assert_eq!(value(&inside, &id).await, r#"{"no":"B"}"#);
        }
    });
    result.await.unwrap();
    assert_eq!(world.shown(&id).await, r#"NEW {"no":"B"}"#);
    assert_eq!(world.read(&id).await.unwrap().version.0, 2);
}
