//! A commit is all or nothing.

use std::time::Duration;

use waypost_kernel::{
    Commit, Conflict, Cursor, DefinitionQuery, DefinitionRef, Expectation, Facets, Kind, Receipt,
    TaskChange, TimerChange, Timestamp, Version,
};

use super::{
    run::cases,
    sample::{
        AT, LEASE, TENANT, arm, both, bump, bump_with, claim, definition, deploy, expecting, key,
        key_of, message, request, schedule, send, task, task_in, task_ref, timer, timer_ref, write,
    },
    subject::{MANY, Subject, message_names, names},
};

cases![
    a_commit_lands_with_everything_in_it,
    a_refused_commit_leaves_no_trace,
    a_commit_over_many_instances_is_all_or_nothing,
    a_commit_may_be_empty,
    instances_come_in_the_order_asked_for,
    an_instance_keeps_its_first_time_and_shows_its_last,
    facets_are_replaced_as_a_whole,
    changes_to_one_task_apply_in_order,
    a_task_may_take_the_place_of_another,
    changes_to_one_timer_apply_in_order,
    tenants_and_faces_do_not_meet,
];

/// One of everything.
fn full(now: Timestamp) -> Commit {
    let (first, second) = (key("o-1"), key("o-2"));
    let parts = [
        bump(&second, 1),
        schedule([task(&first, "pack", now)]),
        arm([timer(&first, "late", now)]),
        send(&first, [message("m-1", now)]),
        deploy([definition("order", 1)]),
    ];
    let commit = parts.into_iter().fold(bump(&first, 1), both);
    Commit { request: request("r-1", "start"), ..commit }
}

fn definitions() -> DefinitionQuery {
    DefinitionQuery {
        tenant: TENANT.into(),
        kind: Kind::Chain,
        name: None,
        version: None,
        keyword: None,
        latest_only: false,
        offset: 0,
        limit: MANY,
    }
}

async fn a_commit_lands_with_everything_in_it(subject: Subject) {
    let (first, now) = (key("o-1"), subject.now());
    let receipt = subject.land(full(now)).await;
    let expected =
        Receipt { key: Some(first.clone()), version: Version(1), at: now, repeated: false };
    assert_eq!(receipt, expected);

    let record = subject.record(&first).await.expect("was written");
    let written = write(&first, 1, Facets { status: "running".to_owned(), ..Facets::default() });
    assert_eq!((record.key, record.version), (first.clone(), Version(1)));
    assert_eq!((record.state, record.facets), (written.state, written.facets));
    assert_eq!(subject.version(&key("o-2")).await, Version(1));
    assert_eq!(subject.history(&first).await.len(), 1);
    assert_eq!(subject.changes(&Cursor::default()).await.len(), 2);
    assert_eq!(subject.tasks(&first).await, [task(&first, "pack", now)]);
    assert_eq!(subject.due().await, ["late"]);
    assert_eq!(message_names(&subject.outbox("s-1", LEASE).await), ["m-1"]);
    let deployed = subject.store.definitions(&definitions()).await.expect("reads definitions");
    assert_eq!(deployed, [definition("order", 1)]);
}

async fn a_refused_commit_leaves_no_trace(subject: Subject) {
    let (first, now) = (key("o-1"), subject.now());
    let unmet = expecting(Expectation::Version { key: key("o-3"), version: Version(1) });
    let conflict = subject.refused(both(full(now), unmet)).await;
    assert_eq!(conflict, Conflict::Version(key("o-3")));

    assert_eq!(subject.record(&first).await, None);
    assert_eq!(subject.record(&key("o-2")).await, None);
    assert_eq!(subject.history(&first).await, []);
    assert_eq!(subject.changes(&Cursor::default()).await, []);
    assert_eq!(subject.tasks(&first).await, []);
    assert_eq!(subject.claim(claim("c-1")).await, []);
    assert_eq!(subject.due().await, [""; 0]);
    assert_eq!(subject.outbox("s-1", LEASE).await, []);
    assert_eq!(subject.store.definitions(&definitions()).await.expect("reads definitions"), []);
    let receipt = subject.land(full(now)).await;
    assert!(!receipt.repeated, "the request of a refused commit is not remembered");
}

async fn a_commit_over_many_instances_is_all_or_nothing(subject: Subject) {
    let (first, second, third) = (key("o-1"), key("o-2"), key("o-3"));
    subject.land(bump(&second, 1)).await;
    let stale = both(both(bump(&first, 1), bump(&third, 1)), bump(&second, 1));
    assert_eq!(subject.refused(stale).await, Conflict::Version(second.clone()));
    assert_eq!(subject.version(&first).await, Version::ABSENT);
    assert_eq!(subject.version(&third).await, Version::ABSENT);

    let receipt =
        subject.land(both(both(bump(&third, 1), bump(&first, 1)), bump(&second, 2))).await;
    assert_eq!(receipt.key, Some(third), "the receipt is about the first instance written");
    assert_eq!(subject.version(&second).await, Version(2));
}

async fn a_commit_may_be_empty(subject: Subject) {
    let receipt = subject.land(Commit::default()).await;
    let at = subject.now();
    assert_eq!(receipt, Receipt { key: None, version: Version::ABSENT, at, repeated: false });
    assert_eq!(subject.changes(&Cursor::default()).await, []);
}

async fn instances_come_in_the_order_asked_for(subject: Subject) {
    for id in ["a", "b", "c"] {
        subject.land(bump(&key(id), 1)).await;
    }
    let asked = ["c", "missing", "a", "c", "b"].map(key);
    let found = subject.store.load(&asked).await.expect("loads");
    let found: Vec<_> = found.into_iter().map(|it| it.map(|it| it.key)).collect();
    let [c, _, a, _, b] = asked;
    assert_eq!(found, [Some(c.clone()), None, Some(a), Some(c), Some(b)]);
    assert_eq!(subject.store.load(&[]).await.expect("loads"), []);
}

async fn an_instance_keeps_its_first_time_and_shows_its_last(subject: Subject) {
    let it = key("o-1");
    subject.land(bump(&it, 1)).await;
    let mut second = bump(&it, 2);
    let later = AT + Duration::from_micros(1_500_001);
    second.writes.iter_mut().for_each(|write| write.at = later);
    subject.land(second).await;
    let record = subject.record(&it).await.expect("was written");
    assert_eq!((record.created_at, record.updated_at), (AT, later));
}

async fn facets_are_replaced_as_a_whole(subject: Subject) {
    let it = key("o-1");
    let all = Facets {
        definition: Some(DefinitionRef { name: "order".to_owned(), version: 3 }),
        status: "waiting".to_owned(),
        step: Some("pay".to_owned()),
        awaits: Some("paid".to_owned()),
        business_key: Some("customer-7".to_owned()),
        unique_key: Some("basket-7".to_owned()),
    };
    subject.land(bump_with(&it, 1, all.clone())).await;
    assert_eq!(subject.record(&it).await.expect("was written").facets, all);
    let few = Facets { status: "done".to_owned(), ..Facets::default() };
    subject.land(bump_with(&it, 2, few.clone())).await;
    assert_eq!(subject.record(&it).await.expect("was written").facets, few);
}

async fn changes_to_one_task_apply_in_order(subject: Subject) {
    let (it, now) = (key("o-1"), subject.now());
    let put = |id: &str| TaskChange::Schedule(task(&it, id, now));
    let take = |id: &str| TaskChange::Withdraw(task_ref(&it, id));
    let tasks = vec![put("gone"), take("gone"), take("there"), put("there")];
    subject.land(Commit { tasks, ..bump(&it, 1) }).await;
    assert_eq!(names(&subject.tasks(&it).await), ["there"]);
}

async fn a_task_may_take_the_place_of_another(subject: Subject) {
    let (it, now) = (key("o-1"), subject.now());
    let put = |id: &str| TaskChange::Schedule(task_in(&it, id, "send", now));
    let take = |id: &str| TaskChange::Withdraw(task_ref(&it, id));
    let there = ["pack", "bill"].map(|id| task(&it, id, now));
    subject.land(schedule(there)).await;
    subject.claim(claim("c-1")).await;
    // Onto a name that is taken, from one that is not there, and onto its own.
    let tasks = vec![
        take("pack"),
        put("bill"),
        take("never there"),
        put("file"),
        take("file"),
        put("file"),
    ];
    subject.land(Commit { tasks, ..bump(&it, 1) }).await;
    let left = ["bill", "file"].map(|id| task_in(&it, id, "send", now));
    assert_eq!(subject.tasks(&it).await, left, "free, and in another queue");
    assert_eq!(subject.lapsed().await, [""; 0]);
    let figures = subject.store.figures().await.expect("counts");
    assert_eq!((figures.tasks_ready, figures.tasks_leased), (2, 0));
    assert_eq!(names(&subject.claim(claim("c-2")).await), ["bill", "file"]);
}

async fn changes_to_one_timer_apply_in_order(subject: Subject) {
    let (it, now) = (key("o-1"), subject.now());
    let arm = |id: &str| TimerChange::Arm(timer(&it, id, now));
    let disarm = |id: &str| TimerChange::Disarm(timer_ref(&it, id));
    let timers = vec![arm("gone"), disarm("gone"), disarm("there"), arm("there")];
    subject.land(Commit { timers, ..bump(&it, 1) }).await;
    assert_eq!(subject.due().await, ["there"]);
}

async fn tenants_and_faces_do_not_meet(subject: Subject) {
    let ours = key("o-1");
    let theirs = key_of("globex", Kind::Chain, "o-1");
    let other_face = key_of(TENANT, Kind::Process, "o-1");
    subject.land(bump(&ours, 1)).await;
    subject.land(bump(&ours, 2)).await;
    subject.land(bump(&theirs, 1)).await;
    assert_eq!(subject.record(&other_face).await, None);
    subject.land(bump(&other_face, 1)).await;
    assert_eq!(subject.version(&ours).await, Version(2));
    assert_eq!(subject.version(&theirs).await, Version(1));
    assert_eq!(subject.history(&theirs).await.len(), 1);
    assert_eq!(subject.changes(&Cursor::default()).await.len(), 2);
}
