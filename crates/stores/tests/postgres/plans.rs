//! Rows are found by their keys, whatever the database believed about its tables when it planned.

use waypost_kernel::{
    Commit, DefinitionRef, Facets, Key, Kind, Lookup, Sift, Span, Store as _, Term,
};
use waypost_stores::{PostgresOptions, PostgresStore, StoreClock};

use crate::site::{Site, bump, bump_with, key};

/// So many that reading all of them for each is far more than reading one.
const MANY: u64 = 1_500;

/// So few that each of them may be looked at.
const SOME: u64 = 200;

/// What is read if it is not all of them each time: plans are renewed now and then, not always.
const READ_MAX: i64 = 150_000;

/// A node whose commits all go one way, and the statistics as they are now until the end.
async fn node(site: &Site) -> PostgresStore {
    site.sql().await.batch_execute("vacuum analyze instances, terms").await.unwrap();
    node_without_statistics(site).await
}

/// The same while the database has never looked at its tables.
async fn node_without_statistics(site: &Site) -> PostgresStore {
    for table in ["instances", "terms"] {
        let keep = format!("alter table {table} set (autovacuum_enabled = false)");
        site.sql().await.batch_execute(&keep).await.unwrap();
    }
    let options = PostgresOptions { lanes: 1, ..site.options() };
    PostgresStore::connect(&site.url, options, StoreClock::Database).await.unwrap()
}

/// How many rows of instances were looked at so far.
async fn n_read(site: &Site) -> i64 {
    told(site, "sum(idx_tup_read)::bigint from pg_stat_user_indexes", "instances").await
}

/// How many pages of the indexes of terms were looked at so far.
async fn n_pages(site: &Site) -> i64 {
    told(site, "idx_blks_hit + idx_blks_read from pg_statio_user_tables", "terms").await
}

/// What connections tell when they end.
async fn told(site: &Site, what: &str, table: &str) -> i64 {
    site.end_connections().await;
    let alive =
        format!("select count(*) from pg_stat_activity where application_name = '{}'", site.schema);
    while site.number(&alive).await > 0 {
        tokio::task::yield_now().await;
    }
    let told =
        format!("select {what} where schemaname = '{}' and relname = '{table}'", site.schema);
    site.number(&told).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_planned_for_an_empty_table_does_not_last() {
    let site = Site::new();
    site.node(StoreClock::Database).await.close().await;
    let store = node(&site).await;
    for number in 0..MANY {
        store.commit(bump(&key(&format!("{number:05}")), 1)).await.unwrap();
    }
    let read = n_read(&site).await;
    assert!(read < READ_MAX, "{read} rows were read for {MANY} commits");
}

fn order(number: u64) -> Key {
    Key::new("acme".into(), Kind::Entity, format!("{number:05}").as_str().into())
}

fn definition() -> DefinitionRef {
    DefinitionRef { name: "order".to_owned(), version: 1 }
}

/// Takes an order to `version`, under a term that it did not have before.
fn numbered(number: u64, version: u64) -> Commit {
    let (definition, status) = (Some(definition()), "live".to_owned());
    let facets = Facets { definition, status, ..Facets::default() };
    let mut commit = bump_with(&order(number), version, facets);
    let key = (number + (version - 1) * MANY).to_be_bytes().to_vec();
    let term = Term { path: "number".to_owned(), key };
    commit.writes.iter_mut().for_each(|it| it.terms = Some(vec![term.clone()]));
    commit
}

fn find(number: u64) -> Sift {
    let key = number.to_be_bytes().to_vec();
    let to = Some((number + 1).to_be_bytes().to_vec());
    Sift {
        tenant: "acme".into(),
        kind: Kind::Entity,
        definition: definition(),
        status: Some("live".to_owned()),
        steps: Vec::new(),
        lookup: Some(Lookup { path: "number".to_owned(), spans: vec![Span { from: key, to }] }),
        at: None,
        after: None,
        offset: 0,
        limit: 10,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lookup_begins_with_the_terms_whatever_else_is_stored() {
    let site = Site::new();
    let store = site.node(StoreClock::Database).await;
    for number in 0..100 {
        store.commit(bump(&key(&format!("{number:05}")), 1)).await.unwrap();
    }
    store.close().await;
    let store = node(&site).await;
    for number in 0..MANY {
        store.commit(numbered(number, 1)).await.unwrap();
    }
    let before = n_read(&site).await;
    for number in 0..SOME {
        let found = store.sift(&find(number)).await.unwrap();
        assert_eq!(found.iter().map(|it| &it.key).collect::<Vec<_>>(), [&order(number)]);
    }
    let read = n_read(&site).await - before;
    assert!(read < 1_000, "{read} rows were read for {SOME} lookups");
}

#[tokio::test(flavor = "multi_thread")]
async fn terms_are_replaced_by_the_key_of_their_instance() {
    let site = Site::new();
    site.node(StoreClock::Database).await.close().await;
    let store = node_without_statistics(&site).await;
    let others =
        "insert into terms select 'acme', 1, 'other-' || i, 'number', int8send(i), 'order', 1
        from generate_series(1, 20000) i";
    site.sql().await.batch_execute(others).await.unwrap();
    for number in 0..SOME {
        store.commit(numbered(number, 1)).await.unwrap();
    }
    let before = n_pages(&site).await;
    for number in 0..SOME {
        store.commit(numbered(number, 2)).await.unwrap();
    }
    let read = n_pages(&site).await - before;
    assert!(read < 5_000, "{read} pages were read for {SOME} commits");
}
