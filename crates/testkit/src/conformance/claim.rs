//! Work is handed out to those who want it, longest ready first, and to nobody twice.

use std::time::Duration;

use waypost_kernel::{Claim, Kind, Task, TaskChange};

use super::{
    run::cases,
    sample::{
        LEASE, TENANT, TICK, change_task, claim, key, key_of, lease, schedule, task, task_in,
        task_ref,
    },
    subject::{Subject, names},
};

cases![
    a_claimed_task_carries_its_lease,
    a_task_is_claimed_once,
    a_task_is_not_handed_out_before_it_is_ready,
    the_longest_ready_comes_first_across_queues,
    equally_ready_tasks_come_by_name,
    a_claim_takes_no_more_than_it_asks_for,
    a_claim_gets_the_queues_it_asks_for,
    a_claim_gets_the_families_it_asks_for,
    a_claim_for_nothing_gets_nothing,
    a_claim_stays_within_its_tenant_and_face,
    tasks_are_listed_held_or_free,
    scheduling_again_replaces_and_frees,
    a_withdrawn_task_is_gone,
    a_released_task_keeps_its_place,
];

async fn a_claimed_task_carries_its_lease(subject: Subject) {
    let (it, now) = (key("o-1"), subject.now());
    subject.land(schedule([task(&it, "pack", now)])).await;
    let held = Task { lease: Some(lease("c-1", now)), ..task(&it, "pack", now) };
    assert_eq!(subject.claim(claim("c-1")).await, std::slice::from_ref(&held));
    assert_eq!(subject.tasks(&it).await, [held]);
}

async fn a_task_is_claimed_once(subject: Subject) {
    let it = key("o-1");
    subject.land(schedule([task(&it, "pack", subject.now())])).await;
    assert_eq!(names(&subject.claim(claim("c-1")).await), ["pack"]);
    assert_eq!(subject.claim(claim("c-2")).await, []);
    subject.advance(LEASE * 2);
    assert_eq!(subject.claim(claim("c-3")).await, [], "not even when its lease has lapsed");
}

async fn a_task_is_not_handed_out_before_it_is_ready(subject: Subject) {
    let wait = Duration::from_secs(5);
    subject.land(schedule([task(&key("o-1"), "pack", subject.now() + wait)])).await;
    assert_eq!(subject.claim(claim("c-1")).await, []);
    subject.advance(wait - TICK);
    assert_eq!(subject.claim(claim("c-2")).await, []);
    subject.advance(TICK);
    assert_eq!(names(&subject.claim(claim("c-3")).await), ["pack"]);
}

async fn the_longest_ready_comes_first_across_queues(subject: Subject) {
    let now = subject.now();
    let ago = |seconds| now - Duration::from_secs(seconds);
    let tasks = [
        task_in(&key("o-1"), "third", "pack", ago(3)),
        task_in(&key("o-2"), "first", "ship", ago(9)),
        task_in(&key("o-3"), "fourth", "ship", ago(1)),
        task_in(&key("o-4"), "second", "pack", ago(7)),
        task_in(&key("o-5"), "not yet", "pack", now + TICK),
    ];
    subject.land(schedule(tasks)).await;
    let two = subject.claim(Claim { limit: 2, ..claim("c-1") }).await;
    assert_eq!(names(&two), ["first", "second"]);
    assert_eq!(names(&subject.claim(claim("c-2")).await), ["third", "fourth"]);
}

/// Names are compared byte by byte: capitals before small letters, whatever the locale.
async fn equally_ready_tasks_come_by_name(subject: Subject) {
    let now = subject.now();
    let tasks = [("b", "1"), ("a", "é"), ("B", "1"), ("a", "z"), ("a", "Z"), ("é", "1")];
    subject.land(schedule(tasks.map(|(id, name)| task(&key(id), name, now)))).await;
    let came = subject.claim(claim("c-1")).await;
    let came: Vec<_> = came.iter().map(|it| (it.at.key.id.as_str(), it.at.id.as_str())).collect();
    assert_eq!(came, [("B", "1"), ("a", "Z"), ("a", "z"), ("a", "é"), ("b", "1"), ("é", "1")]);
}

async fn a_claim_takes_no_more_than_it_asks_for(subject: Subject) {
    let now = subject.now();
    subject.land(schedule(["1", "2", "3"].map(|id| task(&key("o-1"), id, now)))).await;
    let none = subject.claim(Claim { limit: 0, ..claim("c-1") }).await;
    assert_eq!(none, []);
    let two = subject.claim(Claim { limit: 2, ..claim("c-2") }).await;
    assert_eq!(names(&two), ["1", "2"]);
    let rest = subject.claim(Claim { limit: u32::MAX, ..claim("c-3") }).await;
    assert_eq!(names(&rest), ["3"]);
}

fn some(names: &[&str]) -> Option<Vec<String>> {
    Some(names.iter().map(|&name| name.to_owned()).collect())
}

async fn a_claim_gets_the_queues_it_asks_for(subject: Subject) {
    let (it, now) = (key("o-1"), subject.now());
    subject.land(schedule(["a", "b", "c", "d"].map(|it_is| task_in(&it, it_is, it_is, now)))).await;
    let queues = some(&["d", "unknown", "b", "b"]);
    assert_eq!(names(&subject.claim(Claim { queues, ..claim("c-1") }).await), ["b", "d"]);
    assert_eq!(names(&subject.claim(claim("c-2")).await), ["a", "c"]);
}

async fn a_claim_gets_the_families_it_asks_for(subject: Subject) {
    let (it, now) = (key("o-1"), subject.now());
    let of = |id: &str, family: &str, queue: &str| Task {
        family: family.to_owned(),
        ..task_in(&it, id, queue, now)
    };
    let tasks = [
        of("1", "orders", "pack"),
        of("2", "orders", "ship"),
        of("3", "returns", "pack"),
        of("4", "returns", "ship"),
    ];
    subject.land(schedule(tasks)).await;
    let (families, queues) = (some(&["returns"]), some(&["pack"]));
    let both = subject.claim(Claim { families, queues, ..claim("c-1") }).await;
    assert_eq!(names(&both), ["3"]);
    let families = some(&["returns", "orders", "orders"]);
    let rest = subject.claim(Claim { families, ..claim("c-2") }).await;
    assert_eq!(names(&rest), ["1", "2", "4"]);
}

async fn a_claim_for_nothing_gets_nothing(subject: Subject) {
    subject.land(schedule([task(&key("o-1"), "pack", subject.now())])).await;
    assert_eq!(subject.claim(Claim { queues: some(&[]), ..claim("c-1") }).await, []);
    assert_eq!(subject.claim(Claim { families: some(&[]), ..claim("c-2") }).await, []);
    assert_eq!(names(&subject.claim(claim("c-3")).await), ["pack"]);
}

async fn a_claim_stays_within_its_tenant_and_face(subject: Subject) {
    let now = subject.now();
    let tasks = [
        task(&key("o-1"), "ours", now),
        task(&key_of("globex", Kind::Chain, "o-1"), "theirs", now),
        task(&key_of(TENANT, Kind::Process, "o-1"), "of another face", now),
    ];
    subject.land(schedule(tasks)).await;
    assert_eq!(names(&subject.claim(claim("c-1")).await), ["ours"]);
    let theirs = subject.claim(Claim { tenant: "globex".into(), ..claim("c-2") }).await;
    assert_eq!(names(&theirs), ["theirs"]);
    let other = subject.claim(Claim { kind: Kind::Process, ..claim("c-3") }).await;
    assert_eq!(names(&other), ["of another face"]);
}

async fn tasks_are_listed_held_or_free(subject: Subject) {
    let (first, second, now) = (key("o-1"), key("o-2"), subject.now());
    let later = now + Duration::from_secs(60);
    let tasks = [
        task(&first, "held", now),
        task(&first, "later", later),
        task(&second, "later", later),
        task(&key("o-3"), "elsewhere", later),
    ];
    subject.land(schedule(tasks)).await;
    subject.claim(claim("c-1")).await;
    let keys = [second, key("missing"), first];
    let mut listed = subject.store.tasks(&keys).await.expect("lists tasks");
    listed.sort_by(|a, b| a.at.cmp(&b.at));
    assert_eq!(names(&listed), ["held", "later", "later"]);
    let held: Vec<_> = listed.iter().map(|it| it.lease.is_some()).collect();
    assert_eq!(held, [true, false, false]);
    assert_eq!(subject.store.tasks(&[]).await.expect("lists tasks"), []);
}

async fn scheduling_again_replaces_and_frees(subject: Subject) {
    let (it, now) = (key("o-1"), subject.now());
    subject.land(schedule([task_in(&it, "1", "pack", now)])).await;
    subject.claim(claim("c-1")).await;
    let again = task_in(&it, "1", "ship", now + LEASE);
    subject.land(schedule([again.clone()])).await;
    assert_eq!(subject.tasks(&it).await, std::slice::from_ref(&again));
    assert_eq!(subject.claim(claim("c-2")).await, []);
    subject.advance(LEASE);
    let queues = some(&["pack"]);
    assert_eq!(subject.claim(Claim { queues, ..claim("c-3") }).await, []);
    let held = Task { lease: Some(lease("c-4", subject.now())), ..again };
    assert_eq!(subject.claim(claim("c-4")).await, [held]);
}

async fn a_withdrawn_task_is_gone(subject: Subject) {
    let (it, now) = (key("o-1"), subject.now());
    subject.land(schedule(["free", "held"].map(|id| task(&it, id, now)))).await;
    subject.land(change_task(TaskChange::Withdraw(task_ref(&it, "free")))).await;
    assert_eq!(names(&subject.claim(claim("c-1")).await), ["held"]);
    subject.land(change_task(TaskChange::Withdraw(task_ref(&it, "held")))).await;
    assert_eq!(subject.tasks(&it).await, []);
    subject.land(change_task(TaskChange::Withdraw(task_ref(&it, "never there")))).await;
    subject.advance(LEASE * 2);
    assert_eq!(subject.lapsed().await, [""; 0]);
}

async fn a_released_task_keeps_its_place(subject: Subject) {
    let now = subject.now();
    let (first, second) = (key("o-1"), key("o-2"));
    let tasks = [task(&first, "older", now - TICK), task(&second, "newer", now)];
    subject.land(schedule(tasks)).await;
    assert_eq!(names(&subject.claim(Claim { limit: 1, ..claim("c-1") }).await), ["older"]);
    subject.land(change_task(TaskChange::Release(task_ref(&first, "older")))).await;
    subject.land(change_task(TaskChange::Release(task_ref(&first, "never there")))).await;
    assert_eq!(subject.tasks(&first).await, [task(&first, "older", now - TICK)]);
    assert_eq!(names(&subject.claim(claim("c-2")).await), ["older", "newer"]);
}
