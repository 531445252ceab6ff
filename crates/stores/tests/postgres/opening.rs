//! Opening a store: the schema, and what is said when it does not work.

use tokio::task::JoinSet;
use waypost_kernel::{Store as _, StoreError};
use waypost_stores::{PostgresMigrations, PostgresOptions, PostgresStore, StoreClock};
use waypost_testkit::services;

use crate::site::{Site, bump, key};

async fn refusal(url: &str) -> String {
    let opened = PostgresStore::connect(url, PostgresOptions::default(), StoreClock::Database);
    match opened.await {
        Err(StoreError::Unavailable(text)) => text,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("{url} is accepted"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_that_start_at_once_make_the_schema_once() {
    let site = std::sync::Arc::new(Site::new());
    let mut starting = JoinSet::new();
    for number in 0..6 {
        let site = std::sync::Arc::clone(&site);
        starting.spawn(async move {
            let store = site.node(StoreClock::Database).await;
            store.commit(bump(&key(&format!("first-{number}")), 1)).await.unwrap();
        });
    }
    starting.join_all().await;
    assert_eq!(site.number("select count(*) from migrations").await, 3);
    assert_eq!(site.number("select count(*) from instances").await, 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn how_far_the_schema_is_can_be_read() {
    let site = Site::new();
    let read = async || PostgresMigrations::read(&site.url, Some(&site.schema)).await.unwrap();
    assert_eq!(read().await, PostgresMigrations { applied: vec![], pending: vec![1, 2, 3] });
    drop(site.node(StoreClock::Database).await);
    assert_eq!(read().await, PostgresMigrations { applied: vec![1, 2, 3], pending: vec![] });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_schema_of_another_program_is_left_alone() {
    let site = Site::new();
    drop(site.node(StoreClock::Database).await);
    let change = "update migrations set checksum = 'another'";
    site.sql().await.execute(change, &[]).await.unwrap();
    let opened = PostgresStore::connect(&site.url, site.options(), StoreClock::Database).await;
    assert!(
        matches!(opened.err(), Some(StoreError::Corrupt(text)) if text.contains("migration 1"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_schema_of_the_future_is_left_alone() {
    let site = Site::new();
    drop(site.node(StoreClock::Database).await);
    let change = "insert into migrations (number, name, checksum)
        values (999, 'future', 'x')";
    site.sql().await.execute(change, &[]).await.unwrap();
    let opened = PostgresStore::connect(&site.url, site.options(), StoreClock::Database).await;
    let text = opened.err().unwrap().to_string();
    assert!(text.contains("use a newer waypost"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_writer_that_ends_in_good_order_leaves_its_stream_to_the_next() {
    let site = Site::new();
    for version in 1..=5 {
        let store = site.node(StoreClock::Database).await;
        store.commit(bump(&key("handed-on"), version)).await.unwrap();
        store.close().await;
    }
    assert_eq!(site.number("select count(*) from streams").await, 1);
    assert_eq!(site.number("select count(distinct position) from events").await, 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_not_there_is_named_with_what_to_check() {
    let text = refusal("postgres://postgres@127.0.0.1:1/postgres").await;
    assert!(text.contains("no connection to PostgreSQL at 127.0.0.1:1"), "{text}");
    assert!(text.contains("check that it runs there"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_not_there_is_named() {
    let url = services::postgres().unwrap();
    let (server, _) = url.rsplit_once('/').unwrap();
    let text = refusal(&format!("{server}/nowhere")).await;
    assert!(text.contains("database \"nowhere\" does not exist"), "{text}");
    assert!(text.contains("create it, or correct the URL"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_that_is_not_known_is_told_to_check_the_url() {
    let url = services::postgres().unwrap().replace("postgres@", "nobody@");
    let text = refusal(&url).await;
    assert!(text.contains("check the user and the password"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_forgets_what_it_acknowledged_is_refused() {
    let url = services::postgres().unwrap();
    let text = refusal(&format!("{url}?options=-c%20synchronous_commit%3Doff")).await;
    assert!(text.contains("synchronous_commit is off"), "{text}");
}
