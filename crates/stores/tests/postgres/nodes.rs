//! Several nodes at once.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use tokio::task::JoinSet;
use waypost_kernel::{Conflict, Facets, Hint, Request, Store as _, StoreError, TaskRef, Version};
use waypost_stores::{PostgresOptions, PostgresStore, StoreClock};

use crate::site::{Site, bump, bump_with, claim, key, load, schedule, task};

#[tokio::test(flavor = "multi_thread")]
async fn of_two_nodes_that_race_for_an_instance_one_wins_each_time() {
    let [first, second] = Site::new().two_nodes().await;
    let key = key("contested");
    for version in 1..=40 {
        let (one, other) = (bump(&key, version), bump(&key, version));
        let outcomes = tokio::join!(first.commit(one), second.commit(other));
        let lost = match outcomes {
            (Ok(_), Err(error)) | (Err(error), Ok(_)) => error,
            outcomes => panic!("{outcomes:?}"),
        };
        assert_eq!(lost, StoreError::Conflict(Conflict::Version(key.clone())));
        assert_eq!(load(&first, &key).await.unwrap().version, Version(version));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_starts_with_one_unique_key_one_wins_and_the_other_learns_who() {
    let nodes = Site::new().two_nodes().await;
    for round in 0..20 {
        let start = |id: &str| {
            let unique_key = Some(format!("order-{round}"));
            bump_with(&key(id), 1, Facets { unique_key, ..Facets::default() })
        };
        let ids = [format!("a-{round}"), format!("b-{round}")];
        // Neighbors that land in the same groups must not notice.
        let mut neighbors = JoinSet::new();
        for (index, node) in nodes.iter().enumerate() {
            for number in 0..8 {
                let commit = bump(&key(&format!("n-{round}-{index}-{number}")), 1);
                let node = Arc::clone(node);
                neighbors.spawn(async move { node.commit(commit).await });
            }
        }
        let [first, second] = &nodes;
        let outcomes = tokio::join!(first.commit(start(&ids[0])), second.commit(start(&ids[1])));
        let (lost, holder) = match outcomes {
            (Ok(_), Err(error)) => (error, &ids[0]),
            (Err(error), Ok(_)) => (error, &ids[1]),
            outcomes => panic!("{outcomes:?}"),
        };
        assert_eq!(lost, StoreError::Conflict(Conflict::Unique(key(holder))));
        assert!(neighbors.join_all().await.iter().all(Result::is_ok));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_sent_to_two_nodes_lands_once() {
    let [first, second] = Site::new().two_nodes().await;
    for round in 0..20 {
        let request = Request {
            tenant: "acme".into(),
            id: format!("request-{round}").into(),
            digest: "same".to_owned(),
        };
        let mut commit = bump(&key(&format!("asked-{round}")), 1);
        commit.request = Some(request);
        let outcomes = tokio::join!(first.commit(commit.clone()), second.commit(commit));
        let (one, other) = (outcomes.0.unwrap(), outcomes.1.unwrap());
        assert_ne!(one.repeated, other.repeated);
        assert_eq!((one.key, one.version), (other.key, other.version));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn claims_of_two_nodes_never_overlap_and_leave_nothing() {
    const TASKS: usize = 600;
    let nodes = Site::new().two_nodes().await;
    let tasks = (0..TASKS).map(|number| {
        let mut task = task(&key("busy"), &format!("task-{number:04}"));
        task.queue = format!("queue-{}", number % 3);
        task
    });
    nodes[0].commit(schedule(tasks)).await.unwrap();
    let mut workers = JoinSet::new();
    for worker in 0..8 {
        let node = Arc::clone(&nodes[worker % 2]);
        workers.spawn(async move {
            let mut taken: Vec<TaskRef> = Vec::new();
            for round in 0.. {
                let token = format!("claim-{worker}-{round}");
                let tasks = node.claim(claim(&token, 7, Duration::from_mins(10))).await.unwrap();
                if tasks.is_empty() {
                    break;
                }
                taken.extend(tasks.into_iter().map(|it| it.at));
            }
            taken
        });
    }
    let taken: Vec<TaskRef> = workers.join_all().await.into_iter().flatten().collect();
    assert_eq!(taken.len(), TASKS);
    assert_eq!(taken.into_iter().collect::<BTreeSet<_>>().len(), TASKS);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hint_crosses_nodes() {
    let [first, second] = Site::new().two_nodes().await;
    let (sender, mut hints) = tokio::sync::mpsc::unbounded_channel();
    second.listen(Arc::new(move |hint: &Hint| drop(sender.send(hint.clone()))));
    // The other node may not be listening yet, so it is told until it has heard.
    let heard = async {
        for number in 0.. {
            let task = task(&key("elsewhere"), &format!("task-{number}"));
            first.commit(schedule([task])).await.unwrap();
            let next = tokio::time::timeout(Duration::from_millis(200), hints.recv());
            if let Ok(hint) = next.await {
                return hint.unwrap();
            }
        }
        unreachable!("it never gives up")
    };
    let hint = tokio::time::timeout(Duration::from_secs(30), heard).await.unwrap();
    let Hint::Work { tenant, queue, family, .. } = hint else { panic!("{hint:?}") };
    assert_eq!((tenant.as_str(), queue.as_str(), family.as_str()), ("acme", "pack", "orders"));
}

#[tokio::test(flavor = "multi_thread")]
async fn commits_that_wait_together_land_together() {
    let site = Site::new();
    let store = Arc::new(site.node(StoreClock::Database).await);
    let mut callers = JoinSet::new();
    for number in 0..400 {
        let store = Arc::clone(&store);
        let commit = bump(&key(&format!("one-{number}")), 1);
        callers.spawn(async move { store.commit(commit).await });
    }
    assert!(callers.join_all().await.iter().all(Result::is_ok));
    let figures = store.figures().await.unwrap();
    assert_eq!(figures.commits, 400);
    assert!(figures.groups < 200, "{} groups", figures.groups);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_in_a_group_spoils_nobody() {
    let site = Site::new();
    let options = PostgresOptions { lanes: 1, ..site.options() };
    let store = PostgresStore::connect(&site.url, options, StoreClock::Database).await.unwrap();
    let store = Arc::new(store);
    let mut callers = JoinSet::new();
    for number in 0..200 {
        let store = Arc::clone(&store);
        // Every second one names a version that cannot be.
        let commit = bump(&key(&format!("one-{number:03}")), 1 + number % 2);
        callers.spawn(async move { (number % 2 == 0, store.commit(commit).await.is_ok()) });
    }
    assert!(callers.join_all().await.iter().all(|(right, landed)| right == landed));
    assert_eq!(store.figures().await.unwrap().refused, 100);
}
