//! Rows are found by their keys, whatever the database believed about its tables when it planned.

use waypost_kernel::{DefinitionRef, Facets, Key, Kind, Lookup, Sift, Span, Store as _, Term};
use waypost_stores::{PostgresOptions, PostgresStore, StoreClock};

use crate::site::{Site, bump, bump_with, key};

/// So many that reading all of them for each is far more than reading one.
const MANY: u64 = 1_500;

/// What is read if it is not all of them each time: plans are renewed now and then, not always.
const READ_MAX: i64 = 150_000;

/// A node whose commits all go one way, and the statistics as they are now until the end.
async fn node(site: &Site) -> PostgresStore {
    let client = site.sql().await;
    for table in ["instances", "terms"] {
        let keep = format!("alter table {table} set (autovacuum_enabled = false)");
        client.batch_execute(&keep).await.unwrap();
        client.batch_execute(&format!("vacuum analyze {table}")).await.unwrap();
    }
    let options = PostgresOptions { lanes: 1, ..site.options() };
    PostgresStore::connect(&site.url, options, StoreClock::Database).await.unwrap()
}

/// How many rows of instances were looked at so far. Connections tell it when they end.
async fn n_read(site: &Site) -> i64 {
    site.end_connections().await;
    let alive =
        format!("select count(*) from pg_stat_activity where application_name = '{}'", site.schema);
    while site.number(&alive).await > 0 {
        tokio::task::yield_now().await;
    }
    let read = format!(
        "select sum(idx_tup_read)::bigint from pg_stat_user_indexes
        where schemaname = '{}' and relname = 'instances'",
        site.schema
    );
    site.number(&read).await
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
    let facets = || {
        let (definition, status) = (Some(definition()), "live".to_owned());
        Facets { definition, status, ..Facets::default() }
    };
    for number in 0..MANY {
        let mut commit = bump_with(&order(number), 1, facets());
        let term = Term { path: "number".to_owned(), key: number.to_be_bytes().to_vec() };
        commit.writes.iter_mut().for_each(|it| it.terms = Some(vec![term.clone()]));
        store.commit(commit).await.unwrap();
    }
    let before = n_read(&site).await;
    for number in 0..200 {
        let found = store.sift(&find(number)).await.unwrap();
        assert_eq!(found.iter().map(|it| &it.key).collect::<Vec<_>>(), [&order(number)]);
    }
    let read = n_read(&site).await - before;
    assert!(read < 1_000, "{read} rows were read for 200 lookups");
}
