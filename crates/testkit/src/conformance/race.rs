//! The promises hold when many ask at once.

use std::{collections::BTreeSet, sync::Arc};

use tokio::{sync::Barrier, task::JoinSet};
use waypost_kernel::{
    Claim, Commit, Conflict, Facets, Key, Receipt, StoreError, TaskChange, Version,
};

use super::{
    run::cases,
    sample::{
        LEASE, both, bump, bump_with, change_task, claim, definition, deploy, expecting, held, key,
        message, request, schedule, send, task, task_ref,
    },
    subject::{Subject, conflict},
};

cases![
    one_of_many_starts_wins,
    many_moves_take_every_version_once,
    moves_of_the_same_instances_in_other_orders_all_land,
    a_refused_commit_spoils_no_neighbor,
    one_of_many_equal_requests_lands,
    one_of_many_gets_the_unique_key,
    one_of_many_deployments_lands,
    many_claims_share_no_task,
    one_of_many_completions_lands,
    many_senders_share_no_message,
];

const RACERS: u32 = 64;

/// Lets everybody do the same at once, and gathers what they say.
async fn race<T, F>(subject: &Subject, run: impl Fn(Subject, u32) -> F) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let start = Arc::new(Barrier::new(RACERS as usize));
    let mut racers = JoinSet::new();
    for racer in 0..RACERS {
        let (start, running) = (start.clone(), run(subject.clone(), racer));
        racers.spawn(async move {
            start.wait().await;
            running.await
        });
    }
    racers.join_all().await
}

/// The receipts of those that landed and the conflicts of those that did not.
fn split(answers: Vec<Result<Receipt, StoreError>>) -> (Vec<Receipt>, Vec<Conflict>) {
    let (landed, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
    (landed.into_iter().flatten().collect(), refused.into_iter().map(conflict).collect())
}

/// Moves the instances on together, however often it takes; says which version the first has then.
/// Whoever is refused was overtaken, and each of the others overtakes once.
async fn move_on(subject: &Subject, keys: &[Key]) -> Version {
    for _ in 0..RACERS {
        let mut commit = Commit::default();
        for key in keys {
            commit = both(commit, bump(key, subject.version(key).await.next().0));
        }
        match subject.store.commit(commit).await {
            Ok(receipt) => return receipt.version,
            Err(error) => assert!(matches!(conflict::<()>(Err(error)), Conflict::Version(_))),
        }
    }
    unreachable!("everybody else has landed")
}

async fn one_of_many_starts_wins(subject: Subject) {
    let it = key("o-1");
    let start = bump(&it, 1);
    let answers = race(&subject, |subject, _| {
        let start = start.clone();
        async move { subject.store.commit(start).await }
    })
    .await;
    let (landed, refused) = split(answers);
    assert_eq!((landed.len(), refused.len()), (1, RACERS as usize - 1));
    assert!(refused.iter().all(|conflict| *conflict == Conflict::Version(it.clone())));
    assert_eq!(subject.history(&it).await.len(), 1);
}

async fn many_moves_take_every_version_once(subject: Subject) {
    let it = key("o-1");
    let taken =
        race(&subject, |subject, _| async move { move_on(&subject, &[key("o-1")]).await }).await;
    let taken: BTreeSet<_> = taken.into_iter().map(|version| version.0).collect();
    assert_eq!(taken, (1..=u64::from(RACERS)).collect());
    assert_eq!(subject.version(&it).await, Version(u64::from(RACERS)));
    let history: Vec<_> = subject.history(&it).await.iter().map(|it| it.version.0).collect();
    assert_eq!(history, taken.into_iter().collect::<Vec<_>>());
}

async fn moves_of_the_same_instances_in_other_orders_all_land(subject: Subject) {
    let ids = ["a", "b", "c"];
    race(&subject, |subject, racer| async move {
        let mut keys = ids.map(key);
        keys.rotate_left(racer as usize % ids.len());
        let [first, second, _] = keys;
        move_on(&subject, &[first, second]).await
    })
    .await;
    let mut moves = 0;
    for id in ids {
        moves += subject.version(&key(id)).await.0;
    }
    assert_eq!(moves, u64::from(RACERS) * 2);
}

async fn a_refused_commit_spoils_no_neighbor(subject: Subject) {
    let answers = race(&subject, |subject, racer| async move {
        let it = key(&racer.to_string());
        let version = if racer % 2 == 0 { 1 } else { 2 };
        subject.store.commit(bump(&it, version)).await
    })
    .await;
    let (landed, refused) = split(answers);
    assert_eq!((landed.len(), refused.len()), (RACERS as usize / 2, RACERS as usize / 2));
    for racer in 0..RACERS {
        let version = subject.version(&key(&racer.to_string())).await;
        assert_eq!(version, if racer % 2 == 0 { Version(1) } else { Version::ABSENT });
    }
}

async fn one_of_many_equal_requests_lands(subject: Subject) {
    let answers = race(&subject, |subject, _| async move {
        let start = bump(&key("o-1"), 1);
        subject.store.commit(Commit { request: request("r-1", "start"), ..start }).await
    })
    .await;
    let (landed, refused) = split(answers);
    assert_eq!(refused, []);
    assert_eq!(landed.iter().filter(|it| !it.repeated).count(), 1);
    assert!(landed.iter().all(|it| it.version == Version(1)));
}

async fn one_of_many_gets_the_unique_key(subject: Subject) {
    let answers = race(&subject, |subject, racer| async move {
        let unique_key = Some("basket".to_owned());
        let facets = Facets { unique_key, ..Facets::default() };
        subject.store.commit(bump_with(&key(&racer.to_string()), 1, facets)).await
    })
    .await;
    let (landed, refused) = split(answers);
    assert_eq!(landed.len(), 1);
    let winner = landed.into_iter().find_map(|it| it.key).expect("an instance was written");
    assert!(refused.iter().all(|conflict| *conflict == Conflict::Unique(winner.clone())));
}

async fn one_of_many_deployments_lands(subject: Subject) {
    let answers = race(&subject, |subject, _| async move {
        subject.store.commit(deploy([definition("order", 1)])).await
    })
    .await;
    let (landed, refused) = split(answers);
    assert_eq!(landed.len(), 1);
    let taken = Conflict::Definition("order".to_owned(), 1);
    assert!(refused.iter().all(|conflict| *conflict == taken));
}

async fn many_claims_share_no_task(subject: Subject) {
    const TASKS: usize = 500;
    let now = subject.now();
    let tasks =
        (0..TASKS).map(|index| task(&key(&format!("o-{}", index % 7)), &index.to_string(), now));
    subject.land(schedule(tasks)).await;
    let claimed = race(&subject, |subject, racer| async move {
        let mut claimed = Vec::new();
        for round in 0..TASKS {
            let token = format!("{racer}-{round}");
            let tasks = subject.claim(Claim { limit: 3, ..claim(&token) }).await;
            assert!(tasks.iter().all(|it| {
                it.lease.as_ref().is_some_and(|it| it.token == token.as_str().into())
            }));
            if tasks.is_empty() {
                break;
            }
            claimed.extend(tasks);
        }
        claimed
    })
    .await;
    // Who finds every free task in somebody else's hands may go home early.
    let rest = subject.claim(Claim { limit: u32::MAX, ..claim("rest") }).await;
    let claimed: Vec<_> = claimed.into_iter().flatten().chain(rest).collect();
    let distinct: BTreeSet<_> = claimed.iter().map(|it| it.at.clone()).collect();
    assert_eq!((claimed.len(), distinct.len()), (TASKS, TASKS));
}

async fn one_of_many_completions_lands(subject: Subject) {
    let it = key("o-1");
    subject.land(both(bump(&it, 1), schedule([task(&it, "pack", subject.now())]))).await;
    subject.claim(claim("c-1")).await;
    let answers = race(&subject, |subject, _| async move {
        let it = key("o-1");
        let task = task_ref(&it, "pack");
        let done = change_task(TaskChange::Withdraw(task.clone()));
        subject.store.commit(both(both(expecting(held(&task, "c-1")), bump(&it, 2)), done)).await
    })
    .await;
    let (landed, refused) = split(answers);
    assert_eq!(landed.len(), 1);
    let lost = Conflict::Lease(task_ref(&it, "pack"));
    assert!(refused.iter().all(|conflict| *conflict == lost));
    assert_eq!(subject.version(&it).await, Version(2));
}

async fn many_senders_share_no_message(subject: Subject) {
    const MESSAGES: usize = 200;
    let now = subject.now();
    let messages = (0..MESSAGES).map(|index| message(&index.to_string(), now));
    subject.land(send(&key("o-1"), messages)).await;
    let taken = race(&subject, |subject, racer| async move {
        let token = format!("s-{racer}").as_str().into();
        subject.store.outbox(token, LEASE, 5).await.expect("takes messages")
    })
    .await;
    let rest = subject.outbox("rest", LEASE).await;
    let taken: Vec<_> = taken.into_iter().flatten().chain(rest).collect();
    let distinct: BTreeSet<_> = taken.iter().map(|it| it.message.id.clone()).collect();
    assert_eq!((taken.len(), distinct.len()), (MESSAGES, MESSAGES));
}
