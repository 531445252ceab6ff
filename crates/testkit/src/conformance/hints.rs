//! Those who listen are told after a commit that there may be something for them.

use std::{sync::Arc, time::Duration};

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use waypost_kernel::{Hint, Kind, Task, TaskChange};

use super::{
    run::cases,
    sample::{
        LEASE, TENANT, arm, both, bump, change_task, claim, key, lease, message, schedule, send,
        task_in, task_ref, timer,
    },
    subject::Subject,
};

cases![
    new_work_is_hinted_at,
    work_that_is_given_back_is_hinted_at,
    a_timer_is_hinted_at,
    a_message_is_hinted_at,
    everyone_who_listens_is_told,
    what_is_hinted_at_is_there,
    a_refused_commit_is_not_hinted_at,
    work_under_a_lease_is_not_hinted_at,
];

/// Longer than a hint takes on its way: one that has not come by then was lost.
const PATIENCE: Duration = Duration::from_secs(30);

fn listen(subject: &Subject) -> UnboundedReceiver<Hint> {
    let (sender, receiver) = unbounded_channel();
    // Nobody reads any more once the case has ended; a hint may come later than that.
    subject.store.listen(Arc::new(move |hint| drop(sender.send(hint.clone()))));
    receiver
}

/// Waits for a hint and returns those that came before it.
async fn told(hints: &mut UnboundedReceiver<Hint>, wanted: &Hint) -> Vec<Hint> {
    let mut before = Vec::new();
    let look = async {
        while let Some(hint) = hints.recv().await
            && hint != *wanted
        {
            before.push(hint);
        }
    };
    tokio::time::timeout(PATIENCE, look).await.expect("the hint comes");
    before
}

fn work(subject: &Subject, queue: &str) -> Hint {
    Hint::Work {
        tenant: TENANT.into(),
        kind: Kind::Chain,
        family: "orders".to_owned(),
        queue: queue.to_owned(),
        ready_at: subject.now(),
    }
}

async fn new_work_is_hinted_at(subject: Subject) {
    let mut hints = listen(&subject);
    subject.land(schedule([task_in(&key("o-1"), "1", "pack", subject.now())])).await;
    told(&mut hints, &work(&subject, "pack")).await;
}

async fn work_that_is_given_back_is_hinted_at(subject: Subject) {
    let it = key("o-1");
    let tasks = ["pack", "send"].map(|queue| task_in(&it, queue, queue, subject.now()));
    subject.land(schedule(tasks)).await;
    let (pack, send) = (work(&subject, "pack"), work(&subject, "send"));
    assert_eq!(subject.claim(claim("c-1")).await.len(), 2);
    subject.advance(LEASE);
    let mut hints = listen(&subject);
    for id in ["never there", "send"] {
        subject.land(change_task(TaskChange::Release(task_ref(&it, id)))).await;
    }
    let before = told(&mut hints, &send).await;
    assert!(!before.contains(&pack), "that one is still held");
}

async fn a_timer_is_hinted_at(subject: Subject) {
    let mut hints = listen(&subject);
    let due_at = subject.now() + LEASE;
    subject.land(arm([timer(&key("o-1"), "late", due_at)])).await;
    told(&mut hints, &Hint::Timer { due_at }).await;
}

async fn a_message_is_hinted_at(subject: Subject) {
    let mut hints = listen(&subject);
    subject.land(send(&key("o-1"), [message("m-1", subject.now())])).await;
    told(&mut hints, &Hint::Message).await;
}

async fn everyone_who_listens_is_told(subject: Subject) {
    let (mut first, mut second) = (listen(&subject), listen(&subject));
    subject.land(send(&key("o-1"), [message("m-1", subject.now())])).await;
    told(&mut first, &Hint::Message).await;
    told(&mut second, &Hint::Message).await;
}

async fn what_is_hinted_at_is_there(subject: Subject) {
    let mut hints = listen(&subject);
    let it = key("o-1");
    let commit = both(bump(&it, 1), schedule([task_in(&it, "1", "pack", subject.now())]));
    let landing = {
        let subject = subject.clone();
        tokio::spawn(async move { subject.land(commit).await })
    };
    told(&mut hints, &work(&subject, "pack")).await;
    assert_eq!(subject.tasks(&it).await.len(), 1, "a hint never runs ahead of its commit");
    landing.await.expect("lands");
}

async fn a_refused_commit_is_not_hinted_at(subject: Subject) {
    let mut hints = listen(&subject);
    let (it, now) = (key("o-1"), subject.now());
    subject.refused(both(bump(&it, 2), schedule([task_in(&it, "1", "refused", now)]))).await;
    subject.land(both(bump(&it, 1), schedule([task_in(&it, "1", "landed", now)]))).await;
    let before = told(&mut hints, &work(&subject, "landed")).await;
    assert!(!before.contains(&work(&subject, "refused")));
}

async fn work_under_a_lease_is_not_hinted_at(subject: Subject) {
    let mut hints = listen(&subject);
    let (it, now) = (key("o-1"), subject.now());
    let held = Task { lease: Some(lease("c-1", now)), ..task_in(&it, "1", "held", now) };
    subject.land(schedule([held, task_in(&it, "2", "free", now)])).await;
    let before = told(&mut hints, &work(&subject, "free")).await;
    assert!(!before.contains(&work(&subject, "held")));
}
