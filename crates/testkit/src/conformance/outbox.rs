//! A message is sent at least once: taken under a lease, and gone only when a sender says so.

use std::time::Duration;

use waypost_kernel::{
    ClaimId, Commit, Delivery, Key, Kind, MessageChange, MessageRef, Posted, Timestamp,
};

use super::{
    run::cases,
    sample::{LEASE, TICK, key, key_of, message, send},
    subject::{Subject, message_names},
};

cases![
    a_message_is_taken_by_one_sender,
    a_sent_message_leaves_the_outbox,
    a_failed_message_comes_back_at_its_time,
    every_failure_is_counted,
    a_dead_message_does_not_come_back,
    a_message_whose_sender_disappeared_comes_back,
    a_late_word_of_a_former_sender_changes_nothing,
    a_late_word_counts_while_nobody_else_has_the_message,
    a_word_about_a_message_nobody_took_changes_nothing,
    messages_come_in_the_order_they_occurred,
    messages_come_in_order_however_many_there_are,
    a_message_is_ready_at_once_whenever_it_occurred,
    a_message_sent_twice_is_kept_once,
    messages_of_all_tenants_are_sent,
];

fn settle(key: &Key, id: &str, token: &str, delivery: Delivery) -> Commit {
    let message = MessageRef { key: key.clone(), id: id.into() };
    let settle = MessageChange::Settle { message, token: ClaimId::from(token), delivery };
    Commit { messages: vec![settle], ..Commit::default() }
}

fn failed(retry_at: Timestamp) -> Delivery {
    Delivery::Failed { retry_at, error: "no answer".to_owned() }
}

fn dead() -> Delivery {
    Delivery::Dead { error: "no such place".to_owned() }
}

/// One message in the outbox.
async fn posted(subject: &Subject) -> (Key, Posted) {
    let (it, message) = (key("o-1"), message("m-1", subject.now()));
    subject.land(send(&it, [message.clone()])).await;
    (it.clone(), Posted { key: it, message, attempts: 0, lapsed: false })
}

async fn a_message_is_taken_by_one_sender(subject: Subject) {
    let (_, message) = posted(&subject).await;
    assert_eq!(subject.outbox("s-1", LEASE).await, [message]);
    assert_eq!(subject.outbox("s-2", LEASE).await, []);
    subject.advance(LEASE);
    assert_eq!(subject.outbox("s-3", LEASE).await, [], "the lease is good at its last instant");
}

async fn a_sent_message_leaves_the_outbox(subject: Subject) {
    let (it, _) = posted(&subject).await;
    subject.outbox("s-1", LEASE).await;
    subject.land(settle(&it, "m-1", "s-1", Delivery::Sent)).await;
    subject.advance(LEASE * 2);
    assert_eq!(subject.outbox("s-2", LEASE).await, []);
}

async fn a_failed_message_comes_back_at_its_time(subject: Subject) {
    let (it, message) = posted(&subject).await;
    subject.outbox("s-1", LEASE).await;
    let wait = Duration::from_secs(7);
    subject.land(settle(&it, "m-1", "s-1", failed(subject.now() + wait))).await;
    subject.advance(wait - TICK);
    assert_eq!(subject.outbox("s-2", LEASE).await, []);
    subject.advance(TICK);
    assert_eq!(subject.outbox("s-3", LEASE).await, [Posted { attempts: 1, ..message }]);
}

async fn every_failure_is_counted(subject: Subject) {
    let (it, message) = posted(&subject).await;
    for attempts in 0..5 {
        let token = format!("s-{attempts}");
        let taken = subject.outbox(&token, LEASE).await;
        assert_eq!(taken, [Posted { attempts, ..message.clone() }]);
        subject.land(settle(&it, "m-1", &token, failed(subject.now()))).await;
    }
}

async fn a_dead_message_does_not_come_back(subject: Subject) {
    let (it, _) = posted(&subject).await;
    subject.outbox("s-1", LEASE).await;
    subject.land(settle(&it, "m-1", "s-1", dead())).await;
    subject.advance(LEASE * 2);
    assert_eq!(subject.outbox("s-2", LEASE).await, []);
    let figures = subject.store.figures().await.expect("counts");
    assert_eq!((figures.messages_dead, figures.messages_pending), (1, 0));
}

async fn a_message_whose_sender_disappeared_comes_back(subject: Subject) {
    let (_, message) = posted(&subject).await;
    subject.outbox("s-1", LEASE).await;
    subject.advance(LEASE + TICK);
    let lapsed = Posted { lapsed: true, ..message };
    assert_eq!(subject.outbox("s-2", LEASE).await, std::slice::from_ref(&lapsed));
    subject.advance(LEASE + TICK);
    assert_eq!(subject.outbox("s-3", LEASE).await, [lapsed]);
}

async fn a_late_word_of_a_former_sender_changes_nothing(subject: Subject) {
    let (it, message) = posted(&subject).await;
    subject.outbox("s-1", LEASE).await;
    subject.advance(LEASE + TICK);
    subject.outbox("s-2", LEASE).await;
    for delivery in [Delivery::Sent, failed(subject.now()), dead()] {
        subject.land(settle(&it, "m-1", "s-1", delivery)).await;
    }
    assert_eq!(subject.outbox("s-3", LEASE).await, [], "the new sender still has it");
    subject.advance(LEASE + TICK);
    assert_eq!(subject.outbox("s-4", LEASE).await, [Posted { lapsed: true, ..message }]);
}

async fn a_late_word_counts_while_nobody_else_has_the_message(subject: Subject) {
    let (it, _) = posted(&subject).await;
    subject.outbox("s-1", LEASE).await;
    subject.advance(LEASE * 2);
    subject.land(settle(&it, "m-1", "s-1", Delivery::Sent)).await;
    assert_eq!(subject.outbox("s-2", LEASE).await, []);
}

async fn a_word_about_a_message_nobody_took_changes_nothing(subject: Subject) {
    let (it, message) = posted(&subject).await;
    subject.land(settle(&it, "m-1", "s-1", Delivery::Sent)).await;
    subject.land(settle(&it, "never there", "s-1", Delivery::Sent)).await;
    assert_eq!(subject.outbox("s-2", LEASE).await, std::slice::from_ref(&message));
    let now = subject.now();
    subject.land(settle(&it, "m-1", "s-2", failed(now))).await;
    subject.land(settle(&it, "m-1", "s-2", Delivery::Sent)).await;
    assert_eq!(subject.outbox("s-3", LEASE).await, [Posted { attempts: 1, ..message }]);
}

async fn messages_come_in_the_order_they_occurred(subject: Subject) {
    let now = subject.now();
    let ago = |seconds| now - Duration::from_secs(seconds);
    subject.land(send(&key("o-1"), [message("third", ago(2)), message("first", ago(9))])).await;
    subject.land(send(&key("o-2"), [message("fourth", ago(1)), message("second", ago(5))])).await;
    let two = subject.store.outbox("s-1".into(), LEASE, 2).await.expect("takes messages");
    assert_eq!(message_names(&two), ["first", "second"]);
    assert_eq!(message_names(&subject.outbox("s-2", LEASE).await), ["third", "fourth"]);
}

async fn messages_come_in_order_however_many_there_are(subject: Subject) {
    let now = subject.now();
    let many: Vec<_> = (0..2_000).map(|number| message(&format!("m-{number:04}"), now)).collect();
    for half in many.chunks(1_000).rev() {
        subject.land(send(&key("o-1"), half.iter().rev().cloned())).await;
        subject.advance(TICK);
    }
    subject.land(send(&key("o-2"), [message("oldest", now - TICK)])).await;
    let take = async |token: &str, limit| {
        let taken = subject.store.outbox(token.into(), LEASE, limit).await;
        message_names(&taken.expect("takes messages"))
    };
    assert_eq!(take("s-1", 3).await, ["oldest", "m-0000", "m-0001"]);
    let next: Vec<_> = (2..1_500).map(|number| format!("m-{number:04}")).collect();
    assert_eq!(take("s-2", 1_498).await, next);
    assert_eq!(take("s-3", 1).await, ["m-1500"]);
}

async fn a_message_is_ready_at_once_whenever_it_occurred(subject: Subject) {
    let now = subject.now();
    let occurred =
        [message("later", now + LEASE), message("now", now), message("ago", now - LEASE)];
    subject.land(send(&key("o-1"), occurred)).await;
    assert_eq!(message_names(&subject.outbox("s-1", LEASE).await), ["ago", "now", "later"]);
}

async fn a_message_sent_twice_is_kept_once(subject: Subject) {
    let (it, first) = posted(&subject).await;
    subject.land(send(&it, [message("m-1", subject.now() - LEASE)])).await;
    assert_eq!(subject.outbox("s-1", LEASE).await, [first], "the first stays as it is");
    subject.land(send(&it, [message("m-1", subject.now())])).await;
    assert_eq!(subject.outbox("s-2", LEASE).await, [], "nor is its lease forgotten");
    let other = key("o-2");
    subject.land(send(&other, [message("m-1", subject.now())])).await;
    assert_eq!(message_names(&subject.outbox("s-3", LEASE).await), ["m-1"]);
}

async fn messages_of_all_tenants_are_sent(subject: Subject) {
    let now = subject.now();
    let theirs = key_of("globex", Kind::Process, "o-1");
    subject.land(send(&key("o-1"), [message("m-1", now - TICK)])).await;
    subject.land(send(&theirs, [message("m-1", now)])).await;
    let taken = subject.outbox("s-1", LEASE).await;
    let keys: Vec<_> = taken.into_iter().map(|it| it.key).collect();
    assert_eq!(keys, [key("o-1"), theirs]);
}
