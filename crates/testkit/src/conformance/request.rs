//! The same request id gives the same receipt, and what was asked happens once.

use std::time::Duration;

use waypost_kernel::{Commit, Conflict, Cursor, Receipt, Request, TaskChange, Version};

use super::{
    run::cases,
    sample::{
        both, bump, change_task, definition, deploy, key, message, request, schedule, send, task,
        task_ref,
    },
    subject::{MANY, Subject, message_names, names},
};

cases![
    a_repeated_request_gets_the_same_receipt,
    a_repeated_request_changes_nothing,
    a_repeated_request_is_answered_whatever_happened_since,
    a_request_id_stands_for_one_request,
    a_refused_request_may_be_made_again,
    requests_of_other_tenants_are_others,
    a_forgotten_request_is_a_new_one,
    only_old_requests_are_forgotten,
    the_oldest_requests_are_forgotten_first,
    a_receipt_can_be_asked_for_until_it_is_forgotten,
    a_request_without_an_instance_is_remembered_too,
];

fn start(id: &str, digest: &str) -> Commit {
    Commit { request: request(id, digest), ..bump(&key("o-1"), 1) }
}

async fn a_repeated_request_gets_the_same_receipt(subject: Subject) {
    let first = subject.land(start("r-1", "start")).await;
    assert!(!first.repeated);
    for _ in 0..3 {
        let again = subject.land(start("r-1", "start")).await;
        assert_eq!(again, Receipt { repeated: true, ..first.clone() });
    }
}

async fn a_repeated_request_changes_nothing(subject: Subject) {
    let (it, now) = (key("o-1"), subject.now());
    let effects = both(schedule([task(&it, "pack", now)]), send(&it, [message("m-1", now)]));
    let start = || both(start("r-1", "start"), effects.clone());
    subject.land(start()).await;
    subject.land(change_task(TaskChange::Withdraw(task_ref(&it, "pack")))).await;
    subject.land(start()).await;
    assert_eq!(subject.version(&it).await, Version(1));
    assert_eq!(subject.changes(&Cursor::default()).await.len(), 1);
    assert_eq!(names(&subject.tasks(&it).await), [""; 0]);
    let posted = subject.outbox("s-1", Duration::from_secs(1)).await;
    assert_eq!(message_names(&posted), ["m-1"]);
}

async fn a_repeated_request_is_answered_whatever_happened_since(subject: Subject) {
    let it = key("o-1");
    let at = subject.now();
    subject.land(start("r-1", "start")).await;
    subject.advance(Duration::from_secs(1));
    subject.land(bump(&it, 2)).await;
    subject.land(bump(&it, 3)).await;
    let again = subject.land(start("r-1", "start")).await;
    assert_eq!(again, Receipt { key: Some(it), version: Version(1), at, repeated: true });
}

async fn a_request_id_stands_for_one_request(subject: Subject) {
    subject.land(start("r-1", "start")).await;
    let other = Commit { request: request("r-1", "move"), ..bump(&key("o-1"), 2) };
    assert_eq!(subject.refused(other).await, Conflict::Request);
    assert_eq!(subject.version(&key("o-1")).await, Version(1));
    assert!(subject.land(start("r-1", "start")).await.repeated);
}

async fn a_refused_request_may_be_made_again(subject: Subject) {
    let it = key("o-1");
    let second = || Commit { request: request("r-1", "move"), ..bump(&it, 2) };
    assert_eq!(subject.refused(second()).await, Conflict::Version(it.clone()));
    subject.land(bump(&it, 1)).await;
    assert!(!subject.land(second()).await.repeated);
    assert!(subject.land(second()).await.repeated);
}

async fn requests_of_other_tenants_are_others(subject: Subject) {
    subject.land(start("r-1", "start")).await;
    let theirs =
        Request { tenant: "globex".into(), id: "r-1".into(), digest: "something".to_owned() };
    let receipt = subject.land(Commit { request: Some(theirs), ..bump(&key("o-2"), 1) }).await;
    assert_eq!((receipt.key, receipt.repeated), (Some(key("o-2")), false));
}

async fn a_forgotten_request_is_a_new_one(subject: Subject) {
    subject.land(start("r-1", "start")).await;
    subject.advance(Duration::from_secs(1));
    let forgotten = subject.store.forget(subject.now(), MANY).await.expect("forgets");
    assert_eq!(forgotten, 1);
    let again = subject.refused(start("r-1", "start")).await;
    assert_eq!(again, Conflict::Version(key("o-1")));
    let other = Commit { request: request("r-1", "move"), ..bump(&key("o-1"), 2) };
    assert!(!subject.land(other).await.repeated);
}

async fn a_receipt_can_be_asked_for_until_it_is_forgotten(subject: Subject) {
    let ask = async |tenant: &str, id: &str| {
        subject.store.receipt(&tenant.into(), &id.into()).await.expect("answers")
    };
    let tenant = key("o-1").tenant;
    assert_eq!(ask(tenant.as_str(), "r-1").await, None);
    let landed = subject.land(start("r-1", "start")).await;
    assert_eq!(ask(tenant.as_str(), "r-1").await, Some(landed));
    assert_eq!(ask(tenant.as_str(), "r-2").await, None);
    assert_eq!(ask("globex", "r-1").await, None);
    subject.refused(Commit { request: request("r-3", "move"), ..bump(&key("o-1"), 9) }).await;
    assert_eq!(ask(tenant.as_str(), "r-3").await, None, "what was refused has not landed");
    subject.advance(Duration::from_secs(1));
    subject.store.forget(subject.now(), MANY).await.expect("forgets");
    assert_eq!(ask(tenant.as_str(), "r-1").await, None);
}

async fn only_old_requests_are_forgotten(subject: Subject) {
    let at = subject.now();
    for id in ["1", "2", "3"] {
        subject.land(Commit { request: request(id, "none"), ..Commit::default() }).await;
        subject.advance(Duration::from_secs(1));
    }
    let forget = async |before, limit| subject.store.forget(before, limit).await.expect("forgets");
    assert_eq!(forget(at, MANY).await, 0, "a request made at that very instant stays");
    assert_eq!(forget(at + Duration::from_secs(1), MANY).await, 1);
    assert_eq!(forget(at + Duration::from_secs(9), 0).await, 0);
    assert_eq!(forget(at + Duration::from_secs(9), 1).await, 1);
    assert_eq!(forget(at + Duration::from_secs(9), MANY).await, 1);
    assert_eq!(forget(at + Duration::from_secs(9), MANY).await, 0);
}

async fn the_oldest_requests_are_forgotten_first(subject: Subject) {
    let make = async |id| {
        subject.land(Commit { request: request(id, "none"), ..Commit::default() }).await.repeated
    };
    for id in ["c", "a", "d", "b"] {
        assert!(!make(id).await);
        subject.advance(Duration::from_secs(1));
    }
    assert_eq!(subject.store.forget(subject.now(), 2).await.expect("forgets"), 2);
    assert!(make("d").await && make("b").await, "the younger two are remembered");
    assert!(!make("c").await && !make("a").await);
}

async fn a_request_without_an_instance_is_remembered_too(subject: Subject) {
    let once = || Commit { request: request("r-1", "deploy"), ..deploy([definition("order", 1)]) };
    let first = subject.land(once()).await;
    assert_eq!((&first.key, first.version, first.repeated), (&None, Version::ABSENT, false));
    assert_eq!(subject.land(once()).await, Receipt { repeated: true, ..first });
}
