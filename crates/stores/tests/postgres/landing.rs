//! Several nodes that give times, create instances, and close what others create by.

use std::{sync::Arc, time::Duration};

use tokio_postgres::Client;
use waypost_kernel::{
    Commit, Conflict, DefinitionRef, Expectation, Facets, Key, Kind, Store as _, StoreError,
    Timestamp, Timing, Version,
};
use waypost_stores::{PostgresStore, StoreClock};

use crate::site::{Site, bump, bump_with, key, load};

/// Less than a writer waits for a lock, and more than a commit takes on a busy machine.
const A_WHILE: Duration = Duration::from_millis(1_500);

fn entity(id: &str) -> Key {
    Key::new("acme".into(), Kind::Entity, id.into())
}

fn model() -> Key {
    Key::new("acme".into(), Kind::Model, "order".into())
}

fn orders() -> DefinitionRef {
    DefinitionRef { name: "order".to_owned(), version: 1 }
}

/// Takes an entity to `version` when the store says, and keeps what it was.
fn evolve(key: &Key, version: u64) -> Commit {
    let (definition, status) = (Some(orders()), "live".to_owned());
    let mut commit = bump_with(key, version, Facets { definition, status, ..Facets::default() });
    commit.writes.iter_mut().for_each(|it| it.keeps_past = true);
    Commit { timing: Timing::Landed, ..commit }
}

/// Creates an entity by the model's version.
fn create(id: &str, version: u64) -> Commit {
    let expect = vec![Expectation::Version { key: model(), version: Version(version) }];
    Commit { expect, ..evolve(&entity(id), 1) }
}

/// Takes the model to `version` if nothing is made by it.
fn close(version: u64) -> Commit {
    let vacant = Expectation::Vacant {
        tenant: "acme".into(),
        kind: Kind::Entity,
        definition: orders(),
        status: "live".to_owned(),
    };
    Commit { expect: vec![vacant], ..bump(&model(), version) }
}

async fn past(store: &PostgresStore, key: &Key, at: Timestamp) -> Option<Version> {
    let found = store.past(std::slice::from_ref(key), at).await.unwrap();
    found.into_iter().flatten().next().map(|it| it.version)
}

/// Asks again and again until the query gives a number above zero.
async fn until(client: &Client, sql: &str) {
    let asking = async {
        while client.query_one(sql, &[]).await.unwrap().get::<_, i64>(0) == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), asking).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instant_is_not_before_what_another_node_was_answered() {
    let site = Site::new();
    let nodes = [site.node(StoreClock::Database).await, site.node(StoreClock::Database).await];
    let it = entity("e-1");
    for version in 1..=40 {
        let [writer, reader] = if version % 2 == 0 { [0, 1] } else { [1, 0] };
        let at = nodes[writer].commit(evolve(&it, version)).await.unwrap().at;
        assert!(nodes[reader].instant().await.unwrap() >= at);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_creation_here_and_a_closing_there_only_one_lands() {
    let [first, second] = Site::new().two_nodes().await;
    first.commit(bump(&model(), 1)).await.unwrap();
    let (mut version, mut n_closed) = (1, 0);
    for round in 0..40 {
        let id = format!("e-{round}");
        let outcomes =
            tokio::join!(first.commit(create(&id, version)), second.commit(close(version + 1)));
        match outcomes {
            (Ok(_), Err(error)) => {
                assert_eq!(error, StoreError::Conflict(Conflict::Occupied(orders())));
            }
            (Err(error), Ok(_)) => {
                assert_eq!(error, StoreError::Conflict(Conflict::Version(model())));
                version += 1;
                n_closed += 1;
            }
            outcomes => panic!("{outcomes:?}"),
        }
        let erased = vec![entity(&id)];
        second.commit(Commit { erased, ..Commit::default() }).await.unwrap();
    }
    // Whichever came first each time, the model shows how often it was closed.
    assert_eq!(load(&first, &model()).await.unwrap().version, Version(1 + n_closed));
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_creates_waits_for_nobody_who_creates_by_the_same() {
    let site = Site::new();
    let [first, second] = site.two_nodes().await;
    first.commit(bump(&model(), 1)).await.unwrap();
    let mut other = site.sql().await;
    let tx = other.transaction().await.unwrap();
    // Another node in the middle of a creation.
    tx.execute("select 1 from instances where kind = 5 for share", &[]).await.unwrap();
    for (number, node) in [(1, &first), (2, &second)] {
        let created = node.commit(create(&format!("e-{number}"), 1));
        tokio::time::timeout(A_WHILE, created).await.unwrap().unwrap();
    }
    let mut closing = Box::pin(first.commit(bump(&model(), 2)));
    let closed = tokio::time::timeout(Duration::from_millis(200), &mut closing).await;
    assert!(closed.is_err(), "whoever changes the model waits for those who create by it");
    tx.commit().await.unwrap();
    closing.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn time_goes_up_along_an_instance_whichever_node_writes_it() {
    let nodes = Site::new().two_nodes().await;
    let key = entity("e-1");
    let mut last = Timestamp::EPOCH;
    for version in 1..=40 {
        let [first, second] = &nodes;
        let outcomes =
            tokio::join!(first.commit(evolve(&key, version)), second.commit(evolve(&key, version)));
        let at = match outcomes {
            (Ok(receipt), Err(_)) | (Err(_), Ok(receipt)) => receipt.at,
            outcomes => panic!("{outcomes:?}"),
        };
        assert!(at > last, "{at:?} is given after {last:?}");
        last = at;
        assert_eq!(past(second, &key, at).await, Some(Version(version)));
    }
    let known = nodes[0].versions(&key, None, 100).await.unwrap();
    assert_eq!(known.len(), 40);
    assert!(known.is_sorted_by(|later, earlier| later.updated_at > earlier.updated_at));
}

#[tokio::test(flavor = "multi_thread")]
async fn settling_waits_for_what_is_landing_on_another_node() {
    let site = Site::new();
    let [first, second] = site.two_nodes().await;
    let key = entity("e-1");
    first.commit(evolve(&key, 1)).await.unwrap();
    let (mut other, watcher) = (site.sql().await, site.sql().await);
    let tx = other.transaction().await.unwrap();
    tx.batch_execute("lock table versions in share row exclusive mode").await.unwrap();
    let landing = {
        let (first, commit) = (Arc::clone(&first), evolve(&key, 2));
        tokio::spawn(async move { first.commit(commit).await })
    };
    // It has its time, and cannot write.
    let waiting = "\
        select count(*) from pg_locks
        where not granted and relation = 'versions'::regclass";
    until(&watcher, waiting).await;
    let clock = "select (extract(epoch from clock_timestamp()) * 1000000)::bigint";
    let at = Timestamp::from_micros(watcher.query_one(clock, &[]).await.unwrap().get(0));
    let settling = {
        let second = Arc::clone(&second);
        tokio::spawn(async move { second.settle(at).await })
    };
    let waiting = "\
        select count(*) from pg_locks
        where not granted and locktype = 'advisory'
            and objid::bigint = hashtext(current_schema())::bigint & 4294967295";
    until(&watcher, waiting).await;
    assert!(!settling.is_finished(), "what is landing is not settled");
    assert_eq!(past(&second, &key, at).await, Some(Version(1)));
    tx.commit().await.unwrap();
    settling.await.unwrap().unwrap();
    assert_eq!(past(&second, &key, at).await, Some(Version(2)));
    assert!(landing.await.unwrap().unwrap().at <= at);
    let later = first.commit(evolve(&key, 3)).await.unwrap().at;
    assert!(later > at);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_that_others_are_always_faster_than_is_a_conflict() {
    let site = Site::new();
    let store = site.node(StoreClock::Database).await;
    let faster = "\
        create function faster() returns trigger language plpgsql as $$
        begin raise exception 'somebody was faster' using errcode = '40001'; end $$;
        create trigger faster before insert on instances execute function faster()";
    site.sql().await.batch_execute(faster).await.unwrap();
    let overtaken = store.commit(bump(&key("one"), 1)).await;
    let expected = StoreError::Conflict(Conflict::Version(key("one")));
    assert_eq!(overtaken.unwrap_err(), expected);
    site.sql().await.batch_execute("drop trigger faster on instances").await.unwrap();
    store.commit(bump(&key("one"), 1)).await.unwrap();
}
