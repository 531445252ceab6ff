//! What a node says of itself, and for how long.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;
use waypost_kernel::{Kind, Store as _};
use waypost_server::{
    cluster::{Cluster, ClusterError, ClusterOptions},
    compute::{ComputeOptions, Members},
};

use super::pair::{PATIENCE, SECRET, Shared, pair, patient};

#[tokio::test]
async fn a_node_tells_where_it_is_and_whom_it_can_ask() {
    let pair = pair(patient()).await;
    let (http, grpc) = (pair.second.world.address, pair.second.world.grpc.unwrap());
    let told = |members: Value| json!({"http": format!("http://{http}"), "grpc": format!("http://{grpc}"), "members": members});
    pair.shared.until("second", |it| it == Some(&told(json!({})))).await;
    let one = pair.second.join(&["b", "a"]).await;
    let _same = pair.second.join(&["a", "b"]).await;
    let none = pair.second.join(&[]).await;
    let members = told(json!({"mock-tenant": [[], ["a", "b"]]}));
    pair.shared.until("second", |it| it == Some(&members)).await;
    drop(one);
    drop(none);
    let members = told(json!({"mock-tenant": [["a", "b"]]}));
    pair.shared.until("second", |it| it == Some(&members)).await;
    pair.first.until_figure("waypost_cluster_peers", 1).await;
}

#[tokio::test]
async fn a_node_that_stops_is_forgotten_at_once() {
    let pair = pair(patient()).await;
    pair.second.world.stop.cancel();
    pair.shared.until("second", |it| it.is_none()).await;
    timeout(PATIENCE, pair.second.world.running).await.unwrap().unwrap().unwrap();
    assert!(pair.shared.told("first").await.is_some());
}

#[tokio::test]
async fn a_node_says_again_and_again_that_it_is_there() {
    let shared = Shared::new().await;
    let _node = shared.node("first", SECRET, patient()).await;
    shared.until("first", |it| it.is_some()).await;
    shared.clock.advance(Duration::from_secs(3));
    let now = shared.store.now();
    timeout(PATIENCE, async {
        while shared.told("first").await.unwrap().updated_at < now {
            tokio::task::yield_now().await;
        }
    })
    .await
    .unwrap();
}

#[tokio::test]
async fn what_an_earlier_run_has_left_is_taken_over() {
    let shared = Shared::new().await;
    shared.pretend("first", "127.0.0.1:1".parse().unwrap()).await;
    let node = shared.node("first", SECRET, patient()).await;
    let http = format!("http://{}", node.world.address);
    shared.until("first", |it| it.is_some_and(|it| it["http"] == http)).await;
}

#[tokio::test]
async fn a_node_that_is_gone_for_an_hour_is_forgotten_by_whoever_sees_it() {
    let shared = Shared::new().await;
    let now = shared.store.now();
    shared.pretend_at("old", "127.0.0.1:1".parse().unwrap(), now).await;
    shared.clock.advance(Duration::from_secs(3_600));
    shared.pretend("young", "127.0.0.1:1".parse().unwrap()).await;
    let node = shared.node("first", SECRET, patient()).await;
    shared.until("first", |it| it.is_some()).await;
    assert!(shared.told("old").await.is_some());
    shared.clock.advance(Duration::from_secs(1));
    shared.until("old", |it| it.is_none()).await;
    assert!(shared.told("young").await.is_some());
    drop(node);
}

#[tokio::test]
async fn a_store_that_fails_does_not_end_the_node() {
    let shared = Shared::new().await;
    shared.store.refuse(|commit| commit.writes.iter().any(|it| it.key.kind == Kind::Register));
    let node = shared.node("first", SECRET, patient()).await;
    assert_eq!(node.world.get("/livez").await.status().as_u16(), 200);
    assert!(shared.told("first").await.is_none());
    shared.store.refuse(|_| false);
    shared.until("first", |it| it.is_some()).await;
}

#[tokio::test]
async fn a_node_without_an_address_is_nowhere_to_be_found() {
    let hall = crate::calls::hall::hall().await;
    let _line = hall.join(&[]).await;
    assert_eq!(hall.world.post("/internal/dispatch/processor", "{}").await.status().as_u16(), 404);
    let store = hall.world.engine.store();
    let found = store.load(&[Shared::key("node")]).await.unwrap();
    assert_eq!(found, [None]);
    assert_eq!(store.figures().await.unwrap().commits, 0);
}

#[tokio::test]
async fn a_node_that_others_could_not_trust_or_find_is_refused() {
    let shared = Shared::new().await;
    let tried = |node: &str, secret: Option<&[u8]>, address: &str| {
        let (node, secret) = (node.to_owned(), secret.map(<[u8]>::to_vec));
        let options = ComputeOptions { node, secret, ..ComputeOptions::default() };
        let members = Members::new(options, shared.clock.clone()).unwrap();
        let options = ClusterOptions::new(address);
        Cluster::new(options, members, shared.store.clone()).err()
    };
    let good = "http://10.0.0.5:8080";
    assert_eq!(tried("n", Some(SECRET), good), None);
    assert_eq!(tried("n", None, good), Some(ClusterError::NoSecret));
    assert_eq!(tried("a b", Some(SECRET), good), Some(ClusterError::Name("a b".to_owned())));
    let address = Some(ClusterError::Address("10.0.0.5".to_owned()));
    assert_eq!(tried("n", Some(SECRET), "10.0.0.5"), address);
}
