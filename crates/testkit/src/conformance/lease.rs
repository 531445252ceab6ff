//! A lease is exclusive, proved by its token, good up to its last instant and lapsed after it.

use std::time::Duration;

use waypost_kernel::{
    Claim, Commit, Conflict, Expectation, Key, Lease, Task, TaskChange, TaskRef, Timestamp, Version,
};

use super::{
    run::cases,
    sample::{
        LEASE, TICK, both, bump, change_task, claim, expecting, held, key, lapsed, lease, schedule,
        task, task_ref,
    },
    subject::{MANY, Subject, names},
};

cases![
    a_lease_is_good_up_to_and_including_its_last_instant,
    a_lease_has_lapsed_only_after_its_last_instant,
    a_lapsed_lease_never_completes,
    a_lease_is_proved_by_its_token_and_its_worker,
    a_lapse_is_proved_by_its_token,
    a_task_nobody_holds_is_free,
    a_lapsed_task_is_not_free,
    a_task_is_open_while_nobody_else_holds_it,
    a_task_is_open_to_its_holder_while_the_lease_is_good,
    a_task_that_is_not_there_is_not_open,
    lapsed_leases_come_longest_first,
    a_lapsed_task_waits_until_it_is_scheduled_again,
    an_extended_lease_is_good_for_longer,
    extending_what_is_not_held_does_nothing,
    a_released_lease_is_not_held_any_more,
    the_lease_on_a_replaced_task_is_not_held_any_more,
    a_task_is_completed_once,
    a_lease_may_be_endless,
    a_task_may_be_scheduled_with_its_lease,
    a_restored_lease_ends_as_any_other,
];

/// One task, held by the claim `c-1` from now on.
async fn hold(subject: &Subject) -> (Key, TaskRef) {
    let it = key("o-1");
    let scheduled = schedule([task(&it, "pack", subject.now())]);
    subject.land(both(bump(&it, 1), scheduled)).await;
    assert_eq!(names(&subject.claim(claim("c-1")).await), ["pack"]);
    let task = task_ref(&it, "pack");
    (it, task)
}

/// What a worker commits when its work is done.
fn complete(key: &Key, task: &TaskRef, token: &str) -> Commit {
    let done = change_task(TaskChange::Withdraw(task.clone()));
    both(both(expecting(held(task, token)), bump(key, 2)), done)
}

async fn a_lease_is_good_up_to_and_including_its_last_instant(subject: Subject) {
    let (it, task) = hold(&subject).await;
    subject.land(expecting(held(&task, "c-1"))).await;
    subject.advance(LEASE);
    assert_eq!(subject.lapsed().await, [""; 0]);
    subject.land(complete(&it, &task, "c-1")).await;
    assert_eq!(subject.tasks(&it).await, []);
}

async fn a_lease_has_lapsed_only_after_its_last_instant(subject: Subject) {
    let (_, task) = hold(&subject).await;
    let claimed_at = subject.now();
    for wait in [Duration::ZERO, LEASE] {
        subject.advance(wait);
        let conflict = subject.refused(expecting(lapsed(&task, "c-1"))).await;
        assert_eq!(conflict, Conflict::NotLapsed(task.clone()));
    }
    assert_eq!(subject.now(), claimed_at + LEASE);
    subject.advance(TICK);
    assert_eq!(subject.lapsed().await, ["pack"]);
    subject.land(expecting(lapsed(&task, "c-1"))).await;
}

async fn a_lapsed_lease_never_completes(subject: Subject) {
    let (it, task) = hold(&subject).await;
    subject.advance(LEASE + TICK);
    let conflict = subject.refused(complete(&it, &task, "c-1")).await;
    assert_eq!(conflict, Conflict::Lease(task));
    assert_eq!(subject.version(&it).await, Version(1));
    assert_eq!(names(&subject.tasks(&it).await), ["pack"]);
}

async fn a_lease_is_proved_by_its_token_and_its_worker(subject: Subject) {
    let (it, task) = hold(&subject).await;
    let none = task_ref(&it, "never there");
    let worker = |worker: &str| Expectation::Lease {
        task: task.clone(),
        token: "c-1".into(),
        worker: worker.into(),
    };
    let lost = Conflict::Lease(task.clone());
    assert_eq!(subject.refused(expecting(held(&task, "c-2"))).await, lost);
    assert_eq!(subject.refused(expecting(worker("bob"))).await, lost);
    assert_eq!(subject.refused(expecting(held(&none, "c-1"))).await, Conflict::Lease(none));
    subject.land(expecting(worker("ann"))).await;
}

async fn a_lapse_is_proved_by_its_token(subject: Subject) {
    let (it, task) = hold(&subject).await;
    subject.advance(LEASE + TICK);
    let none = task_ref(&it, "never there");
    let conflict = subject.refused(expecting(lapsed(&task, "c-2"))).await;
    assert_eq!(conflict, Conflict::NotLapsed(task.clone()));
    let conflict = subject.refused(expecting(lapsed(&none, "c-1"))).await;
    assert_eq!(conflict, Conflict::NotLapsed(none));
    subject.land(change_task(TaskChange::Release(task.clone()))).await;
    let conflict = subject.refused(expecting(lapsed(&task, "c-1"))).await;
    assert_eq!(conflict, Conflict::NotLapsed(task));
}

async fn a_task_nobody_holds_is_free(subject: Subject) {
    let (it, now) = (key("o-1"), subject.now());
    let task_is = task_ref(&it, "pack");
    let free = || expecting(Expectation::Free { task: task_is.clone() });
    subject.land(free()).await;
    subject.land(schedule([task(&it, "pack", now)])).await;
    subject.land(free()).await;
    subject.claim(claim("c-1")).await;
    assert_eq!(subject.refused(free()).await, Conflict::Held(task_is.clone()));
    subject.land(change_task(TaskChange::Release(task_is.clone()))).await;
    subject.land(free()).await;
}

async fn a_lapsed_task_is_not_free(subject: Subject) {
    let (_, task) = hold(&subject).await;
    subject.advance(LEASE + TICK);
    let conflict = subject.refused(expecting(Expectation::Free { task: task.clone() })).await;
    assert_eq!(conflict, Conflict::Held(task));
}

fn open(task: &TaskRef, worker: &str) -> Commit {
    expecting(Expectation::Open { task: task.clone(), worker: worker.into() })
}

async fn a_task_is_open_while_nobody_else_holds_it(subject: Subject) {
    let it = key("o-1");
    let task_is = task_ref(&it, "pack");
    subject.land(schedule([task(&it, "pack", subject.now() + LEASE)])).await;
    subject.land(open(&task_is, "ann")).await;
    subject.land(open(&task_is, "bob")).await;
    subject.advance(LEASE);
    subject.claim(claim("c-1")).await;
    let lost = Conflict::Lease(task_is.clone());
    assert_eq!(subject.refused(both(bump(&it, 1), open(&task_is, "bob"))).await, lost);
    assert_eq!(subject.version(&it).await, Version::ABSENT);
    subject.land(change_task(TaskChange::Release(task_is.clone()))).await;
    subject.land(both(bump(&it, 1), open(&task_is, "bob"))).await;
}

async fn a_task_is_open_to_its_holder_while_the_lease_is_good(subject: Subject) {
    let (_, task) = hold(&subject).await;
    subject.land(open(&task, "ann")).await;
    subject.advance(LEASE);
    subject.land(open(&task, "ann")).await;
    subject.advance(TICK);
    for worker in ["ann", "bob"] {
        let conflict = subject.refused(open(&task, worker)).await;
        assert_eq!(conflict, Conflict::Lease(task.clone()), "a lapsed lease is for nobody");
    }
    subject.land(change_task(TaskChange::Release(task.clone()))).await;
    subject.claim(claim("c-2")).await;
    subject.land(open(&task, "ann")).await;
}

async fn a_task_that_is_not_there_is_not_open(subject: Subject) {
    let (it, task) = hold(&subject).await;
    let none = task_ref(&it, "never there");
    assert_eq!(subject.refused(open(&none, "ann")).await, Conflict::Lease(none));
    subject.land(change_task(TaskChange::Withdraw(task.clone()))).await;
    assert_eq!(subject.refused(open(&task, "ann")).await, Conflict::Lease(task));
}

async fn lapsed_leases_come_longest_first(subject: Subject) {
    let now = subject.now();
    let ids = ["c", "a", "b"];
    subject.land(schedule(ids.map(|id| task(&key("o-1"), id, now)))).await;
    for (id, seconds) in [("1", 30), ("2", 10), ("3", 20)] {
        let lease = Duration::from_secs(seconds);
        subject.claim(Claim { limit: 1, lease, ..claim(id) }).await;
    }
    let at = |seconds| now + Duration::from_secs(seconds);
    let listed = async |now: Timestamp, limit| {
        names(&subject.store.lapsed(now, limit).await.expect("lists leases"))
    };
    assert_eq!(listed(at(10), MANY).await, [""; 0]);
    assert_eq!(listed(at(10) + TICK, MANY).await, ["b"]);
    assert_eq!(listed(at(60), MANY).await, ["b", "c", "a"]);
    assert_eq!(listed(at(60), 2).await, ["b", "c"]);
}

async fn a_lapsed_task_waits_until_it_is_scheduled_again(subject: Subject) {
    let (it, task_is) = hold(&subject).await;
    subject.advance(LEASE + TICK);
    assert_eq!(subject.claim(claim("c-2")).await, []);
    assert_eq!(subject.lapsed().await, ["pack"]);
    let again = schedule([task(&it, "pack", subject.now())]);
    subject.land(both(expecting(lapsed(&task_is, "c-1")), again)).await;
    assert_eq!(subject.lapsed().await, [""; 0]);
    assert_eq!(names(&subject.claim(claim("c-3")).await), ["pack"]);
    let late = subject.refused(complete(&it, &task_is, "c-1")).await;
    assert_eq!(late, Conflict::Lease(task_is.clone()));
    subject.land(complete(&it, &task_is, "c-3")).await;
}

async fn an_extended_lease_is_good_for_longer(subject: Subject) {
    let (it, task) = hold(&subject).await;
    subject.advance(LEASE);
    let until = subject.now() + LEASE;
    let extend = change_task(TaskChange::Extend { task: task.clone(), until });
    subject.land(both(expecting(held(&task, "c-1")), extend)).await;
    let ends: Vec<_> = subject.tasks(&it).await.into_iter().map(|it| it.lease).collect();
    assert_eq!(ends, [Some(lease("c-1", until - LEASE))]);
    subject.advance(LEASE);
    assert_eq!(subject.lapsed().await, [""; 0]);
    subject.land(expecting(held(&task, "c-1"))).await;
    subject.advance(TICK);
    assert_eq!(subject.lapsed().await, ["pack"]);
}

async fn extending_what_is_not_held_does_nothing(subject: Subject) {
    let (it, now) = (key("o-1"), subject.now());
    let free = task(&it, "pack", now);
    subject.land(schedule([free.clone()])).await;
    for id in ["pack", "never there"] {
        let (task, until) = (task_ref(&it, id), now + LEASE);
        subject.land(change_task(TaskChange::Extend { task, until })).await;
    }
    assert_eq!(subject.tasks(&it).await, [free]);
    assert_eq!(names(&subject.claim(claim("c-1")).await), ["pack"]);
}

async fn a_released_lease_is_not_held_any_more(subject: Subject) {
    let (it, task) = hold(&subject).await;
    subject.land(change_task(TaskChange::Release(task.clone()))).await;
    let conflict = subject.refused(complete(&it, &task, "c-1")).await;
    assert_eq!(conflict, Conflict::Lease(task.clone()));
    assert_eq!(names(&subject.claim(claim("c-2")).await), ["pack"]);
    let conflict = subject.refused(complete(&it, &task, "c-1")).await;
    assert_eq!(conflict, Conflict::Lease(task.clone()));
    subject.land(complete(&it, &task, "c-2")).await;
}

async fn the_lease_on_a_replaced_task_is_not_held_any_more(subject: Subject) {
    let (it, task_is) = hold(&subject).await;
    subject.land(schedule([task(&it, "pack", subject.now())])).await;
    let conflict = subject.refused(complete(&it, &task_is, "c-1")).await;
    assert_eq!(conflict, Conflict::Lease(task_is));
}

async fn a_task_is_completed_once(subject: Subject) {
    let (it, task) = hold(&subject).await;
    subject.land(complete(&it, &task, "c-1")).await;
    let conflict = subject.refused(complete(&it, &task, "c-1")).await;
    assert_eq!(conflict, Conflict::Lease(task));
    assert_eq!(subject.version(&it).await, Version(2));
}

async fn a_lease_may_be_endless(subject: Subject) {
    let it = key("o-1");
    subject.land(schedule([task(&it, "pack", subject.now())])).await;
    subject.claim(Claim { lease: Duration::MAX, ..claim("c-1") }).await;
    subject.advance(Duration::from_secs(100 * 365 * 24 * 3600));
    subject.land(expecting(held(&task_ref(&it, "pack"), "c-1"))).await;
    assert_eq!(subject.lapsed().await, [""; 0]);
}

async fn a_task_may_be_scheduled_with_its_lease(subject: Subject) {
    let it = key("o-1");
    let task_is = task_ref(&it, "pack");
    let hold = lease("c-1", subject.now());
    let held_task = Task { lease: Some(hold), ..task(&it, "pack", subject.now()) };
    subject.land(schedule([held_task.clone()])).await;
    assert_eq!(subject.tasks(&it).await, [held_task]);
    assert_eq!(subject.claim(claim("c-2")).await, [], "it is held");
    let figures = subject.store.figures().await.expect("counts");
    assert_eq!((figures.tasks_ready, figures.tasks_leased), (0, 1));
    assert_eq!(
        subject.refused(expecting(held(&task_is, "c-2"))).await,
        Conflict::Lease(task_is.clone())
    );
    subject.land(expecting(held(&task_is, "c-1"))).await;
    subject.land(open(&task_is, "ann")).await;
}

async fn a_restored_lease_ends_as_any_other(subject: Subject) {
    let (it, task_is) = hold(&subject).await;
    let until = subject.now() + LEASE * 2;
    let again = || Task {
        lease: Some(Lease { token: "c-9".into(), worker: "bob".into(), until }),
        ..task(&it, "pack", subject.now())
    };
    subject.land(schedule([again()])).await;
    let lost = Conflict::Lease(task_is.clone());
    assert_eq!(subject.refused(expecting(held(&task_is, "c-1"))).await, lost);
    subject.advance(LEASE * 2);
    assert_eq!(subject.lapsed().await, [""; 0]);
    subject.advance(TICK);
    assert_eq!(subject.lapsed().await, ["pack"]);
    subject.land(expecting(lapsed(&task_is, "c-9"))).await;
    subject.land(change_task(TaskChange::Release(task_is))).await;
    assert_eq!(names(&subject.claim(claim("c-2")).await), ["pack"]);
}
