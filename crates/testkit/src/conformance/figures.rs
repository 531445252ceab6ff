//! Numbers for operators are right, and cheap when there is too much to count.

use std::time::Duration;

use waypost_kernel::{Claim, Commit, Facets, Figures, QueueFigures, Timestamp};

use super::{
    run::cases,
    sample::{
        LEASE, TENANT, TICK, arm, both, bump, bump_with, claim, key, message, request, schedule,
        send, task, task_in, timer,
    },
    subject::{MANY, Subject},
};

cases![
    an_empty_store_has_nothing_pending,
    ready_and_leased_tasks_are_counted,
    free_tasks_are_counted_by_queue,
    waiting_instances_are_counted,
    due_timers_are_counted,
    waiting_messages_are_counted,
    commits_and_refusals_are_counted,
    what_changes_something_is_counted,
    counting_stops_when_there_is_too_much,
];

async fn figures(subject: &Subject) -> Figures {
    subject.store.figures().await.expect("counts")
}

/// What is pending, without what has been done.
fn pending(figures: &Figures) -> Figures {
    Figures { commits: 0, groups: 0, refused: 0, ..figures.clone() }
}

async fn an_empty_store_has_nothing_pending(subject: Subject) {
    assert_eq!(pending(&figures(&subject).await), Figures::default());
}

async fn ready_and_leased_tasks_are_counted(subject: Subject) {
    let (it, now) = (key("o-1"), subject.now());
    let ago = |seconds| now - Duration::from_secs(seconds);
    let tasks = [
        task(&it, "1", ago(9)),
        task(&it, "2", ago(5)),
        task(&it, "3", now),
        task(&it, "4", now + TICK),
    ];
    subject.land(schedule(tasks)).await;
    let counted = async || {
        let figures = figures(&subject).await;
        (figures.tasks_ready, figures.tasks_leased, figures.oldest_ready_at)
    };
    assert_eq!(counted().await, (3, 0, Some(ago(9))));
    subject.claim(Claim { limit: 1, ..claim("c-1") }).await;
    assert_eq!(counted().await, (2, 1, Some(ago(5))));
    subject.advance(LEASE * 2);
    assert_eq!(counted().await, (3, 1, Some(ago(5))), "a lapsed lease is still a lease");
    subject.claim(claim("c-2")).await;
    assert_eq!(counted().await, (0, 4, None));
}

async fn free_tasks_are_counted_by_queue(subject: Subject) {
    let (it, now) = (key("o-1"), subject.now());
    let (ago, later) = (now - LEASE, now + LEASE);
    let tasks = [
        task_in(&it, "1", "b", now),
        task_in(&it, "2", "b", ago),
        task_in(&it, "3", "b", later),
        task_in(&it, "4", "a", later),
    ];
    subject.land(schedule(tasks)).await;
    let counted = async |limit| {
        let found = subject.store.queues(&TENANT.into(), limit).await.expect("counts");
        let shown = |it: QueueFigures| (it.queue, it.ready, it.first_at);
        found.into_iter().map(shown).collect::<Vec<_>>()
    };
    let (a, b) = ("a".to_owned(), "b".to_owned());
    assert_eq!(counted(MANY).await, [(a.clone(), 0, later), (b.clone(), 2, ago)]);
    assert_eq!(counted(1).await, [(a.clone(), 0, later)]);
    subject.claim(Claim { limit: 1, ..claim("c-1") }).await;
    assert_eq!(counted(MANY).await, [(a, 0, later), (b, 1, now)]);
    let elsewhere = subject.store.queues(&"elsewhere".into(), MANY).await.expect("counts");
    assert!(elsewhere.is_empty());
}

async fn waiting_instances_are_counted(subject: Subject) {
    let awaits = || Facets { awaits: Some("paid".to_owned()), ..Facets::default() };
    subject.land(bump_with(&key("o-1"), 1, awaits())).await;
    subject.land(bump_with(&key("o-2"), 1, awaits())).await;
    subject.land(bump(&key("o-3"), 1)).await;
    assert_eq!(figures(&subject).await.awaiting, 2);
    subject.land(bump(&key("o-1"), 2)).await;
    assert_eq!(figures(&subject).await.awaiting, 1);
}

async fn due_timers_are_counted(subject: Subject) {
    let (it, now) = (key("o-1"), subject.now());
    let timers = [timer(&it, "1", now - LEASE), timer(&it, "2", now), timer(&it, "3", now + TICK)];
    subject.land(arm(timers)).await;
    assert_eq!(figures(&subject).await.timers_due, 2);
    subject.advance(TICK);
    assert_eq!(figures(&subject).await.timers_due, 3);
}

async fn waiting_messages_are_counted(subject: Subject) {
    let (it, now) = (key("o-1"), subject.now());
    let counted = async || {
        let figures = figures(&subject).await;
        (figures.messages_pending, figures.oldest_message_at)
    };
    let older: Timestamp = now - LEASE;
    subject.land(send(&it, [message("m-1", now), message("m-2", older)])).await;
    assert_eq!(counted().await, (2, Some(older)));
    subject.outbox("s-1", LEASE).await;
    assert_eq!(counted().await, (2, Some(older)), "what is being sent is not sent yet");
}

async fn commits_and_refusals_are_counted(subject: Subject) {
    let before = figures(&subject).await;
    for version in 1..=4 {
        subject.land(bump(&key("o-1"), version)).await;
    }
    subject.refused(bump(&key("o-1"), 1)).await;
    let after = figures(&subject).await;
    assert_eq!(after.commits - before.commits, 4);
    assert_eq!(after.refused - before.refused, 1);
    assert!(after.groups > before.groups);
}

async fn what_changes_something_is_counted(subject: Subject) {
    let (it, now) = (key("o-1"), subject.now());
    let work = both(schedule([task(&it, "1", now)]), send(&it, [message("m-1", now)]));
    let start = || Commit { request: request("r-1", "start"), ..both(bump(&it, 1), work.clone()) };
    let before = figures(&subject).await;
    let counted = async || {
        let after = figures(&subject).await;
        (after.commits - before.commits, after.groups - before.groups)
    };
    subject.land(start()).await;
    assert_eq!(counted().await, (1, 1));
    // The first finds something to do, the second finds nothing more.
    for _ in 0..2 {
        subject.claim(claim("c-1")).await;
        assert_eq!(counted().await, (2, 2), "a claim");
    }
    for _ in 0..2 {
        subject.outbox("s-1", LEASE).await;
        assert_eq!(counted().await, (3, 3), "messages taken");
    }
    assert!(subject.land(start()).await.repeated);
    subject.refused(bump(&it, 1)).await;
    assert_eq!(counted().await, (3, 3), "neither a repetition nor a refusal");
    for _ in 0..2 {
        subject.store.forget(now + TICK, MANY).await.expect("forgets");
        assert_eq!(counted().await, (4, 4), "requests forgotten");
    }
}

async fn counting_stops_when_there_is_too_much(subject: Subject) {
    let (it, now) = (key("o-1"), subject.now());
    let many = 0..Figures::COUNT_MAX + 10;
    let tasks = schedule(many.clone().map(|index| task(&it, &index.to_string(), now)));
    let timers = arm(many.map(|index| timer(&it, &index.to_string(), now)));
    subject.land(Commit { timers: timers.timers, ..tasks }).await;
    let figures = figures(&subject).await;
    let most = u64::from(Figures::COUNT_MAX);
    assert_eq!((figures.tasks_ready, figures.timers_due), (most, most));
}
