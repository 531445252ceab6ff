//! The index: that it is used, that it survives a broken watch, and that nothing leaks.

use std::{sync::Arc, time::Duration};

use waypost_lifecycle::{ListOptions, Manager, MemoryBucket, MemoryBuckets, Workflow};

use crate::{
    mission::{Mission, indexed, mission},
    site::{Fateful, in_time},
};

async fn site() -> (Manager, Workflow<Mission>, Arc<MemoryBucket>) {
    let buckets = MemoryBuckets::new();
    let manager = Manager::builder(buckets.clone()).create_buckets(1).build();
    let missions = manager.register::<Mission>().await.unwrap();
    (manager, missions, buckets.bucket("MISSIONS").unwrap())
}

async fn listed(missions: &Workflow<Mission>) -> Vec<String> {
    let found = missions.list(&ListOptions::default()).await.unwrap();
    found.into_iter().map(|it| it.entity_id).collect()
}

#[tokio::test]
async fn own_writes_are_in_the_index_before_they_are_answered() {
    let (manager, missions, _) = site().await;
    in_time(indexed(&manager)).await;
    // Nothing else runs on this thread: the watch cannot have told the index.
    missions.create(&mission("a")).await.unwrap();
    assert_eq!(listed(&missions).await, ["a"]);
    manager.delete("drone-survey", "a").await.unwrap();
    assert_eq!(listed(&missions).await, [""; 0]);
}

#[tokio::test]
async fn writes_of_others_come_with_the_watch() {
    let (manager, missions, bucket) = site().await;
    in_time(indexed(&manager)).await;
    let foreign = r#"{"entity_id":"b","phase":"flying","owner":"o","parent":null,"photos":0,
        "battery":null,"serial":"","log":[]}"#;
    bucket.put("mission.b", foreign);
    let wait = async {
        while listed(&missions).await.is_empty() {
            tokio::task::yield_now().await;
        }
    };
    in_time(wait).await;
    assert_eq!(listed(&missions).await, ["b"]);
    let flying = ListOptions::default().in_phase("flying").matching("owner", "o");
    assert_eq!(missions.list(&flying).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_watch_that_breaks_is_begun_again_and_lists_stay_right() {
    let (manager, missions, bucket) = site().await;
    in_time(indexed(&manager)).await;
    missions.create(&mission("a")).await.unwrap();
    bucket.end_watches();
    let wait = async {
        while manager.figures().watches_restarted == 0 {
            tokio::task::yield_now().await;
        }
    };
    in_time(wait).await;
    missions.create(&mission("b")).await.unwrap();
    assert_eq!(listed(&missions).await, ["a", "b"], "read from the bucket meanwhile");
    in_time(indexed(&manager)).await;
    assert_eq!(listed(&missions).await, ["a", "b"]);
    assert_eq!(bucket.n_watches(), 1);
}

#[tokio::test]
async fn a_manager_that_is_gone_watches_nothing() {
    let (manager, missions, bucket) = site().await;
    in_time(indexed(&manager)).await;
    assert_eq!(bucket.n_watches(), 1);
    drop((manager, missions));
    let wait = async {
        while bucket.n_watches() > 0 {
            tokio::task::yield_now().await;
        }
    };
    in_time(wait).await;
}

#[tokio::test]
async fn ten_thousand_watches_that_were_dropped_leave_nothing() {
    let (manager, missions, bucket) = site().await;
    in_time(indexed(&manager)).await;
    for _ in 0..10_000 {
        drop(missions.watch().await.unwrap());
    }
    assert_eq!(bucket.n_watches(), 1, "only the one of the index");
}

#[tokio::test]
async fn without_an_index_lists_are_the_same() {
    let buckets = MemoryBuckets::new();
    let manager = Manager::builder(buckets.clone()).create_buckets(1).without_index().build();
    let missions = manager.register::<Mission>().await.unwrap();
    for id in ["b", "a"] {
        missions.create(&mission(id)).await.unwrap();
    }
    assert!(!manager.is_indexed("drone-survey").unwrap());
    assert_eq!(listed(&missions).await, ["a", "b"]);
    assert_eq!(buckets.bucket("MISSIONS").unwrap().n_watches(), 0);
}

#[tokio::test]
async fn what_cannot_be_read_is_left_out_and_counted() {
    let (manager, missions, bucket) = site().await;
    in_time(indexed(&manager)).await;
    missions.create(&mission("a")).await.unwrap();
    bucket.put("mission.b", "{\"entity_id\":");
    let wait = async {
        while manager.figures().skipped == 0 {
            tokio::task::yield_now().await;
        }
    };
    in_time(wait).await;
    assert_eq!(listed(&missions).await, ["a"]);
    assert!(manager.is_indexed("drone-survey").unwrap(), "it is no reason to read everything");
    assert_eq!(manager.figures().skipped, 1);
}

#[tokio::test(start_paused = true)]
async fn a_bucket_whose_values_go_without_a_word_has_no_index() {
    for forgets in [false, true] {
        let mut buckets = Fateful::over(Arc::new(MemoryBuckets::new()));
        buckets.forgets = forgets;
        let manager = Manager::builder(buckets).create_buckets(8).build();
        let missions = manager.register::<Mission>().await.unwrap();
        missions.create(&mission("m-1")).await.unwrap();
        // The clock only moves on when nobody has anything left to do.
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert_eq!(manager.is_indexed("drone-survey").unwrap(), !forgets);
        assert_eq!(missions.list(&ListOptions::default()).await.unwrap().len(), 1);
    }
}

#[tokio::test]
async fn a_page_is_full_although_the_index_is_late() {
    let (manager, missions, bucket) = site().await;
    in_time(indexed(&manager)).await;
    for id in ["a", "b", "c", "d", "e"] {
        missions.create(&mission(id)).await.unwrap();
    }
    // Nothing else runs on this thread: the watch cannot tell the index what others do.
    let flying = |id: &str| {
        format!(
            r#"{{"entity_id":"{id}","phase":"flying","owner":"ann","parent":null,"photos":0,
            "battery":null,"serial":"","log":[]}}"#
        )
    };
    bucket.put("mission.a", flying("a"));
    bucket.put("mission.c", flying("c"));
    let page = async |offset, limit| {
        let options = ListOptions::default().in_phase("planning").page(offset, limit);
        let found = missions.list(&options).await.unwrap();
        found.into_iter().map(|it| it.entity_id).collect::<Vec<_>>()
    };
    assert_eq!(page(0, 2).await, ["b", "d"]);
    assert_eq!(page(0, 3).await, ["b", "d", "e"], "and not more than there are");
    assert_eq!(page(0, 9).await, ["b", "d", "e"]);
    assert_eq!(page(0, 0).await, ["b", "d", "e"]);
    assert_eq!(page(2, 1).await, ["d"], "what is passed over is not read");
    assert_eq!(page(9, 1).await, [""; 0]);
}
