//! Searching: now, then, inside transactions and in the background.

use std::{
    collections::BTreeMap,
    future::poll_fn,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use waypost_documents::predicate::Predicate;
use waypost_engine::{
    Engine, Settings,
    entity::{ChangeKind, Code, Entities, Fault, Item, Rules, SearchStatus, SearchView, condition},
};
use waypost_kernel::{Clock as _, InstanceId, Timestamp};
use waypost_testkit::faults::Refusing;

use super::world::{Asking, World, code, json, new, order, processed, take, update};

fn totals(operator: &str, value: &str) -> Predicate {
    let text = format!(
        r#"{{"type":"simple","jsonPath":"$.total","operatorType":"{operator}","value":{value}}}"#
    );
    condition(&json(&text)).unwrap()
}

async fn found(
    entities: &Entities,
    predicate: Option<Predicate>,
    at: Option<Timestamp>,
) -> Vec<String> {
    let mut search = entities.search(&order(), predicate, at).await.unwrap();
    let mut values = Vec::new();
    loop {
        let page = search.next().await.unwrap();
        if page.is_empty() {
            return values;
        }
        values.extend(page.iter().map(|it| it.value.as_str().to_owned()));
    }
}

#[tokio::test]
async fn a_search_finds_what_matches_in_the_order_of_ids() {
    let world = World::with_orders().await;
    let items: Vec<_> = (0..1_200).map(|it| new(&format!(r#"{{"total":{it}}}"#))).collect();
    world.entities().write(&items).await.unwrap();
    assert_eq!(found(&world.entities(), None, None).await.len(), 1_200);
    let large = found(&world.entities(), Some(totals("GREATER_THAN", "1197")), None).await;
    assert_eq!(large.len(), 2);
    let list = world.entities().list(&order(), (1_190, 20), None).await.unwrap();
    assert_eq!(list.len(), 10);
    let mut ids: Vec<_> = list.iter().map(|it| it.id.clone()).collect();
    ids.sort();
    assert_eq!(ids, list.iter().map(|it| it.id.clone()).collect::<Vec<_>>());
}

#[tokio::test]
async fn an_index_changes_nothing_but_the_work() {
    let plain = World::with_orders().await;
    let indexed = World::new();
    indexed.entities().import_sample(&order(), &json(r#"{"total":1.5,"no":"a"}"#)).await.unwrap();
    let paths = ["$.total".to_owned(), "no".to_owned()];
    indexed.entities().declare_indexes(&order(), &paths).await.unwrap();
    indexed.entities().lock(&order()).await.unwrap();
    assert_eq!(indexed.entities().indexes(&order()).await.unwrap(), paths);
    let late = indexed.entities().declare_indexes(&order(), &[]).await;
    assert_eq!(code(late), Code::ModelAlreadyLocked);
    for world in [&plain, &indexed] {
        for total in ["1", "2.50", "3e1", "null"] {
            world.create(&format!(r#"{{"total":{total},"no":"n{total}"}}"#)).await;
        }
        let gone = world.create(r#"{"total":30}"#).await;
        world.write(Item::Delete { id: gone }).await.unwrap();
        let changed = world.create(r#"{"total":30}"#).await;
        world.write(update(&changed, r#"{"total":31}"#)).await.unwrap();
    }
    for (operator, value) in [
        ("EQUALS", "30"),
        ("EQUALS", "\"2.5\""),
        ("GREATER_THAN", "2"),
        ("LESS_OR_EQUAL", "2.5"),
        ("BETWEEN_INCLUSIVE", "[2,31]"),
        ("NOT_EQUAL", "1"),
        ("IS_NULL", "null"),
    ] {
        let search = |world: &World| {
            let entities = world.entities();
            async move {
                let mut values = found(&entities, Some(totals(operator, value)), None).await;
                values.sort();
                values
            }
        };
        assert_eq!(search(&plain).await, search(&indexed).await, "{operator} {value}");
    }
    let thirty = found(&indexed.entities(), Some(totals("EQUALS", "30")), None).await;
    assert_eq!(thirty, [r#"{"total":3e1,"no":"n3e1"}"#]);
}

#[tokio::test]
async fn what_lies_behind_a_thousand_nulls_is_found_by_index() {
    let world = World::new();
    world.entities().import_sample(&order(), &json(r#"{"codes":["x"]}"#)).await.unwrap();
    world.entities().declare_indexes(&order(), &["$.codes".to_owned()]).await.unwrap();
    world.entities().lock(&order()).await.unwrap();
    let far = format!(r#"{{"codes":[{}"x"]}}"#, "null,".repeat(1_001));
    world.create(&far).await;
    world.create(r#"{"codes":["y"]}"#).await;
    let wanted = r#"{"type":"simple","jsonPath":"$.codes","operatorType":"EQUALS","value":"x"}"#;
    let wanted = condition(&json(wanted)).unwrap();
    assert_eq!(found(&world.entities(), Some(wanted), None).await, [far]);
}

/// How often a search has to be gone on with until it has its first page.
async fn turns(world: &World) -> usize {
    let nothing = Some(totals("EQUALS", "1"));
    let mut search = world.entities().search(&order(), nothing, None).await.unwrap();
    let (mut next, mut n_turns) = (pin!(search.next()), 0);
    let page = poll_fn(|context| {
        n_turns += 1;
        next.as_mut().poll(context)
    });
    assert!(page.await.unwrap().is_empty());
    n_turns
}

#[tokio::test]
async fn a_search_that_reads_much_lets_others_have_their_turns() {
    let world = World::with_orders().await;
    let large = format!(r#"{{"note":"{}"}}"#, "x".repeat(100_000));
    world.create(&large).await;
    assert_eq!(turns(&world).await, 1);
    for _ in 0..10 {
        world.create(&large).await;
    }
    assert!(turns(&world).await > 2);
}

#[tokio::test]
async fn a_search_can_be_about_the_past() {
    let world = World::with_orders().await;
    let first = world.create(r#"{"total":1}"#).await;
    let second = world.create(r#"{"total":2}"#).await;
    world.pass();
    let then = world.clock.now();
    world.pass();
    world.write(update(&first, r#"{"total":10}"#)).await.unwrap();
    world.write(Item::Delete { id: second }).await.unwrap();
    world.create(r#"{"total":1}"#).await;
    let small = || Some(totals("LESS_THAN", "5"));
    let mut past = found(&world.entities(), small(), Some(then)).await;
    past.sort();
    assert_eq!(past, [r#"{"total":1}"#, r#"{"total":2}"#]);
    assert_eq!(found(&world.entities(), small(), None).await, [r#"{"total":1}"#]);
    let tally = world.entities().tally(Some(&order()), Some(then)).await.unwrap();
    assert_eq!(tally.iter().map(|it| it.count).sum::<u64>(), 2);
    assert_eq!(world.entities().list(&order(), (0, 10), Some(then)).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_search_within_a_transaction_sees_what_it_has_written() {
    let world = World::with_orders().await;
    let body = r#"{"workflows":[{"name":"w","initialState":"NEW","states":{"NEW":{"transitions":[
        {"name":"GO","next":"DONE","manual":true,"processors":[{"name":"one"}]}]},"DONE":{}}}]}"#;
    world.workflows(body).await;
    let ids: Vec<InstanceId> = vec![
        world.create(r#"{"total":1}"#).await,
        world.create(r#"{"total":2}"#).await,
        world.create(r#"{"total":3}"#).await,
    ];
    let own = world.create(r#"{"total":100}"#).await;
    world.member("one", move |asking: Asking| {
        let ids = ids.clone();
        async move {
            let items = [
                update(&ids[0], r#"{"total":10}"#),
                Item::Delete { id: ids[1].clone() },
                new(r#"{"total":4}"#),
            ];
            asking.within.write(&items).await.unwrap();
            let small = Some(totals("LESS_THAN", "50"));
            let mut seen = found(&asking.within, small, None).await;
            seen.sort();
            assert_eq!(seen, [r#"{"total":10}"#, r#"{"total":3}"#, r#"{"total":4}"#]);
            let page = asking.within.list(&order(), (1, 2), None).await.unwrap();
            assert_eq!(page.len(), 2);
            processed(None)
        }
    });
    world.write(take(&own, "GO")).await.unwrap();
    assert_eq!(world.asked(), ["one"]);
}

#[tokio::test]
async fn a_search_in_the_background_finds_what_was_answered_whatever_the_clock_says() {
    let world = World::with_orders().await;
    let id = world.create(r#"{"total":1}"#).await;
    // Times go up along an entity while the clock stands.
    world.write(update(&id, r#"{"total":2}"#)).await.unwrap();
    let entities = world.entities();
    let search = entities.begin_search(&order(), totals("EQUALS", "2"), None).await.unwrap();
    assert_eq!(ended(&entities, &search).await.n_found, 1);
}

async fn ended(entities: &Entities, search: &InstanceId) -> SearchView {
    loop {
        let view = entities.search_status(search).await.unwrap();
        if view.status != SearchStatus::Running {
            return view;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_search_in_the_background_is_about_one_instant() {
    let world = World::with_orders().await;
    let items: Vec<_> = (0..2_500).map(|it| new(&format!(r#"{{"total":{it}}}"#))).collect();
    world.entities().write(&items).await.unwrap();
    world.pass();
    let entities = world.entities();
    let id =
        entities.begin_search(&order(), totals("GREATER_OR_EQUAL", "100"), None).await.unwrap();
    world.pass();
    entities.delete_matching(&order(), None, None).await.unwrap();
    let status = ended(&entities, &id).await;
    assert_eq!((status.status, status.n_found), (SearchStatus::Successful, 2_400));
    let mut seen = std::collections::BTreeSet::new();
    for offset in (0..2_400).step_by(700) {
        let page = entities.search_page(&id, offset, 700).await.unwrap();
        assert_eq!(page.n_found, 2_400);
        seen.extend(page.entities.into_iter().map(|it| it.id));
    }
    assert_eq!(seen.len(), 2_400);
    assert_eq!(entities.cancel_search(&id).await.unwrap(), SearchStatus::Successful);
    let foreign = world.engine.entities(super::world::caller("other"));
    assert_eq!(code(foreign.search_status(&id).await), Code::SearchJobNotFound);
    world.clock.advance(Duration::from_secs(2 * 60 * 60));
    assert_eq!(code(entities.search_status(&id).await), Code::SearchJobNotFound);
    // The next one tidies up.
    entities.begin_search(&order(), totals("EQUALS", "1"), None).await.unwrap();
}

#[tokio::test]
async fn what_cannot_be_searched_for_is_told() {
    let world = World::with_orders().await;
    let function = json(r#"{"type":"function","function":{"name":"f"}}"#);
    assert_eq!(condition(&function).unwrap_err().code, Code::BadRequest);
    assert_eq!(condition(&json("{}")).unwrap_err().code, Code::BadRequest);
    for (text, expected) in [
        (r#""field":"size","operatorType":"EQUALS","value":1"#, Code::InvalidFieldPath),
        (
            r#""field":"creationDate","operatorType":"EQUALS","value":"x""#,
            Code::ConditionTypeMismatch,
        ),
        (r#""field":"state","operatorType":"MATCHES_PATTERN","value":"(""#, Code::BadRequest),
    ] {
        let value = json(&format!(r#"{{"type":"lifecycle",{text}}}"#));
        assert_eq!(condition(&value).unwrap_err().code, expected, "{text}");
    }
    let unknown = waypost_kernel::DefinitionRef { version: 7, ..order() };
    let search = world.entities().search(&unknown, None, None).await;
    assert_eq!(code(search.map(|_| ())), Code::ModelNotFound);
    let list = world.entities().list(&order(), (0, 0), None).await;
    assert_eq!(code(list), Code::BadRequest);
}

#[tokio::test]
async fn deleting_by_condition_leaves_the_others() {
    let world = World::with_orders().await;
    for total in 0..10 {
        world.create(&format!(r#"{{"total":{total}}}"#)).await;
    }
    let deleted =
        world.entities().delete_matching(&order(), Some(totals("LESS_THAN", "4")), None).await;
    assert_eq!(deleted.unwrap().len(), 4);
    assert_eq!(found(&world.entities(), None, None).await.len(), 6);
}

#[tokio::test]
async fn what_one_transaction_cannot_take_is_deleted_in_several() {
    let world = World::with_orders().await;
    let store = Arc::new(Refusing::new(Arc::clone(world.engine.store())));
    let rules = Rules { n_deletions_max: 1_000, ..Rules::default() };
    let troubled = Engine::new(Arc::clone(&store) as _, Settings { rules, ..Settings::default() });
    let troubled = troubled.entities(super::world::caller("acme"));
    let items: Vec<_> = (0..2_300).map(|it| new(&format!(r#"{{"total":{it}}}"#))).collect();
    let written = world.entities().write(&items).await.unwrap();
    let mut ids: Vec<_> = written.touched.into_iter().map(|it| it.id).collect();
    ids.sort();
    // The second part cannot land. The first has, and stays so.
    let n_parts = AtomicUsize::new(0);
    store.refuse(move |commit| {
        commit.writes.len() > 100 && n_parts.fetch_add(1, Ordering::SeqCst) == 1
    });
    let failed = troubled.delete_matching(&order(), None, None).await;
    assert!(matches!(failed, Err(Fault::Failed(_))), "{failed:?}");
    assert_eq!(found(&world.entities(), None, None).await.len(), 1_300);
    // Who asks again gets the rest.
    let deleted = troubled.delete_matching(&order(), None, None).await.unwrap();
    assert_eq!(deleted, ids[1_000..]);
    assert_eq!(found(&world.entities(), None, None).await.len(), 0);
    let mut parts = BTreeMap::<_, usize>::new();
    for id in &ids {
        let changes = world.entities().changes(id, None).await.unwrap();
        assert_eq!((changes.len(), changes[0].kind), (2, ChangeKind::Deleted));
        *parts.entry(changes[0].transaction.clone()).or_default() += 1;
    }
    let mut sizes: Vec<_> = parts.into_values().collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [300, 1_000, 1_000]);
}

#[tokio::test]
async fn only_what_was_seen_is_deleted() {
    let world = World::with_orders().await;
    let id = world.create(r#"{"total":1}"#).await;
    let seen = world.read(&id).await.unwrap().version;
    world.write(update(&id, r#"{"total":9}"#)).await.unwrap();
    let delete = |version| Item::DeleteSeen { id: id.clone(), version };
    assert_eq!(code(world.write(delete(seen)).await), Code::Conflict);
    assert_eq!(world.shown(&id).await, r#"CREATED {"total":9}"#);
    world.write(delete(seen.next())).await.unwrap();
    assert_eq!(code(world.read(&id).await), Code::EntityNotFound);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_changes_while_it_is_deleted_is_judged_again() {
    let world = World::with_orders().await;
    for _ in 0..20 {
        let item = |_| new(r#"{"total":1}"#);
        let items: Vec<Item> = (0..20).map(item).collect();
        let written = world.entities().write(&items).await.unwrap();
        let ids: Vec<_> = written.touched.into_iter().map(|it| it.id).collect();
        let (writer, last) = (world.entities(), ids.last().unwrap().clone());
        let raising =
            tokio::spawn(async move { writer.write(&[update(&last, r#"{"total":9}"#)]).await });
        let (entities, small) = (world.entities(), totals("LESS_THAN", "4"));
        let deleted = entities.delete_matching(&order(), Some(small), None).await.unwrap();
        let is_raised = raising.await.unwrap().is_ok();
        let is_deleted = deleted.contains(ids.last().unwrap());
        assert!(is_raised != is_deleted, "raised: {is_raised}, deleted: {is_deleted}");
        assert_eq!(deleted.len(), if is_raised { 19 } else { 20 });
    }
}

#[tokio::test]
async fn a_tenant_with_many_searches_leaves_room_for_others() {
    let world = World::with_orders().await;
    let (many, other, third) = ("acme", "other", "third");
    let entities = |tenant| world.engine.entities(super::world::caller(tenant));
    for tenant in [other, third] {
        entities(tenant).import_sample(&order(), &json(r#"{"total":1}"#)).await.unwrap();
    }
    let begin = async |tenant| {
        let begun = entities(tenant).begin_search(&order(), totals("EQUALS", "1"), None).await;
        begun.map_err(|it| it.to_string())
    };
    // Nothing else runs before this test waits for it.
    let mut searches = Vec::new();
    for _ in 0..8 {
        searches.push(begin(many).await.unwrap());
    }
    let own = "too many requests: searches of one tenant under way";
    assert_eq!(begin(many).await.unwrap_err(), own);
    for _ in 0..8 {
        begin(other).await.unwrap();
    }
    let all = "too many requests: searches under way";
    assert_eq!(begin(third).await.unwrap_err(), all);
    for search in searches {
        ended(&entities(many), &search).await;
    }
    begin(many).await.unwrap();
    begin(third).await.unwrap();
}

#[tokio::test]
async fn a_search_that_was_canceled_stays_so() {
    let world = World::with_orders().await;
    world.create(r#"{"total":1}"#).await;
    let entities = world.entities();
    let id = entities.begin_search(&order(), totals("EQUALS", "1"), None).await.unwrap();
    // Nothing else has run yet.
    assert_eq!(entities.cancel_search(&id).await.unwrap(), SearchStatus::Running);
    for _ in 0..10 {
        tokio::task::yield_now().await;
        let status = entities.search_status(&id).await.unwrap().status;
        assert_eq!(status, SearchStatus::Cancelled);
    }
    assert_eq!(entities.cancel_search(&id).await.unwrap(), SearchStatus::Cancelled);
}

#[tokio::test]
async fn a_search_that_was_under_way_when_its_node_died_has_failed() {
    let world = World::with_orders().await;
    let entities = world.entities();
    let id = entities.begin_search(&order(), totals("EQUALS", "1"), None).await.unwrap();
    world.clock.advance(Duration::from_secs(1));
    // Nothing else has run yet, and nothing will: the next node looks instead.
    let next = |has_store_alone| {
        let rules = Rules { has_store_alone, ..Rules::default() };
        let settings = Settings { rules, ..Settings::default() };
        let engine = Engine::new(Arc::clone(world.engine.store()), settings);
        engine.entities(entities.caller().clone())
    };
    let (among, alone) = (next(false), next(true));
    assert_eq!(among.search_status(&id).await.unwrap().status, SearchStatus::Running);
    assert_eq!(alone.search_status(&id).await.unwrap().status, SearchStatus::Failed);
    assert_eq!(alone.cancel_search(&id).await.unwrap(), SearchStatus::Failed);
    let own = alone.begin_search(&order(), totals("EQUALS", "1"), None).await.unwrap();
    assert_eq!(alone.search_status(&own).await.unwrap().status, SearchStatus::Running);
    world.clock.advance(Duration::from_secs(60));
    assert_eq!(among.search_status(&id).await.unwrap().status, SearchStatus::Failed);
}

#[tokio::test]
async fn counts_are_those_of_the_transaction_they_are_part_of() {
    let world = World::with_orders().await;
    world.workflows(ONE_STEP).await;
    let gone = world.create(r#"{"no":"gone"}"#).await;
    let id = world.create(r#"{"no":"A"}"#).await;
    let counted = |tallies: Vec<waypost_kernel::Tally>| {
        tallies.into_iter().map(|it| format!("{} {}", it.step, it.count)).collect::<Vec<_>>()
    };
    let (outside, left) = (world.entities(), gone.clone());
    world.member("p", move |asking: Asking| {
        let (outside, gone) = (outside.clone(), left.clone());
        async move {
            let within = &asking.within;
            within.write(&[new(r#"{"no":"new"}"#)]).await.unwrap();
            within.write(&[Item::Delete { id: gone.clone() }]).await.unwrap();
            let seen = counted(within.tally(Some(&order()), None).await.unwrap());
            assert_eq!(seen, ["NEW 2"], "one is gone and one is new");
            assert_eq!(counted(outside.tally(None, None).await.unwrap()), ["NEW 2"]);
            let kinds: Vec<_> =
                within.changes(&gone, None).await.unwrap().into_iter().map(|it| it.kind).collect();
            assert_eq!(kinds, [ChangeKind::Deleted, ChangeKind::Created]);
            assert_eq!(outside.changes(&gone, None).await.unwrap().len(), 1);
            processed(None)
        }
    });
    world.write(take(&id, "GO")).await.unwrap();
    let seen = counted(world.entities().tally(None, None).await.unwrap());
    assert_eq!(seen, ["DONE 1", "NEW 1"]);
}

/// `GO` from `NEW` to `DONE` with one processor.
const ONE_STEP: &str = r#"{"workflows":[{"name":"w","initialState":"NEW","states":{
    "NEW":{"transitions":[{"name":"GO","next":"DONE","manual":true,
        "processors":[{"name":"p"}]}]},"DONE":{}}}]}"#;
