//! A timer is due at its time and not before, until it is disarmed.

use std::time::Duration;

use waypost_kernel::{
    Commit, Conflict, Expectation, Json, Kind, Timer, TimerChange, TimerRef, Timestamp,
};

use super::{
    run::cases,
    sample::{TICK, arm, both, expecting, key, key_of, timer, timer_ref},
    subject::{MANY, Subject},
};

cases![
    a_timer_is_due_at_its_time_and_not_before,
    a_due_timer_stays_until_it_is_disarmed,
    timers_come_longest_due_first,
    arming_again_replaces,
    a_disarmed_timer_is_gone,
    an_armed_timer_can_be_expected,
    a_timer_fires_for_one_commit_only,
    timers_of_all_tenants_come_due,
    a_timer_may_be_due_at_the_end_of_time,
];

fn armed(timer: &TimerRef, due_at: Timestamp) -> Commit {
    expecting(Expectation::Armed { timer: timer.clone(), due_at })
}

fn disarm(timer: &TimerRef) -> Commit {
    Commit { timers: vec![TimerChange::Disarm(timer.clone())], ..Commit::default() }
}

async fn a_timer_is_due_at_its_time_and_not_before(subject: Subject) {
    let wait = Duration::from_secs(5);
    let late = timer(&key("o-1"), "late", subject.now() + wait);
    subject.land(arm([late.clone()])).await;
    subject.advance(wait - TICK);
    assert_eq!(subject.due().await, [""; 0]);
    subject.advance(TICK);
    assert_eq!(subject.store.due(subject.now(), 1).await.expect("lists timers"), [late]);
}

async fn a_due_timer_stays_until_it_is_disarmed(subject: Subject) {
    let it = key("o-1");
    subject.land(arm([timer(&it, "late", subject.now())])).await;
    assert_eq!(subject.due().await, ["late"]);
    subject.advance(Duration::from_secs(3600));
    assert_eq!(subject.due().await, ["late"]);
}

async fn timers_come_longest_due_first(subject: Subject) {
    let now = subject.now();
    let ago = |seconds| now - Duration::from_secs(seconds);
    let timers = [
        timer(&key("o-1"), "second", ago(5)),
        timer(&key("o-2"), "third", ago(1)),
        timer(&key("o-3"), "first", ago(9)),
        timer(&key("o-4"), "not yet", now + TICK),
    ];
    subject.land(arm(timers)).await;
    assert_eq!(subject.due().await, ["first", "second", "third"]);
    let two = subject.store.due(now, 2).await.expect("lists timers");
    let two: Vec<_> = two.iter().map(|it| it.at.id.as_str()).collect();
    assert_eq!(two, ["first", "second"]);
    assert_eq!(subject.store.due(now, 0).await.expect("lists timers"), []);
}

async fn arming_again_replaces(subject: Subject) {
    let (it, now) = (key("o-1"), subject.now());
    subject.land(arm([timer(&it, "late", now)])).await;
    let again = Timer { command: Json::of("again"), ..timer(&it, "late", now + TICK) };
    subject.land(arm([again.clone()])).await;
    assert_eq!(subject.due().await, [""; 0]);
    subject.advance(TICK);
    assert_eq!(subject.store.due(subject.now(), MANY).await.expect("lists timers"), [again]);
}

async fn a_disarmed_timer_is_gone(subject: Subject) {
    let (it, now) = (key("o-1"), subject.now());
    subject.land(arm(["1", "2"].map(|id| timer(&it, id, now)))).await;
    subject.land(disarm(&timer_ref(&it, "1"))).await;
    subject.land(disarm(&timer_ref(&it, "never there"))).await;
    assert_eq!(subject.due().await, ["2"]);
}

async fn an_armed_timer_can_be_expected(subject: Subject) {
    let (it, now) = (key("o-1"), subject.now());
    let late = timer_ref(&it, "late");
    let disarmed = Conflict::Disarmed(late.clone());
    assert_eq!(subject.refused(armed(&late, now)).await, disarmed);
    subject.land(arm([timer(&it, "late", now)])).await;
    subject.land(armed(&late, now)).await;
    assert_eq!(subject.refused(armed(&late, now + TICK)).await, disarmed);
    assert_eq!(subject.refused(armed(&late, now - TICK)).await, disarmed);
    subject.land(arm([timer(&it, "late", now + TICK)])).await;
    assert_eq!(subject.refused(armed(&late, now)).await, disarmed);
    subject.land(armed(&late, now + TICK)).await;
}

async fn a_timer_fires_for_one_commit_only(subject: Subject) {
    let (it, now) = (key("o-1"), subject.now());
    let late = timer_ref(&it, "late");
    subject.land(arm([timer(&it, "late", now)])).await;
    let fire = || both(armed(&late, now), disarm(&late));
    subject.land(fire()).await;
    assert_eq!(subject.refused(fire()).await, Conflict::Disarmed(late.clone()));
}

async fn timers_of_all_tenants_come_due(subject: Subject) {
    let now = subject.now();
    let theirs = key_of("globex", Kind::Process, "o-1");
    let timers = [timer(&key("o-1"), "late", now - TICK), timer(&theirs, "late", now)];
    subject.land(arm(timers.clone())).await;
    subject.land(disarm(&timer_ref(&key_of("globex", Kind::Chain, "o-1"), "late"))).await;
    assert_eq!(subject.store.due(now, MANY).await.expect("lists timers"), timers);
}

async fn a_timer_may_be_due_at_the_end_of_time(subject: Subject) {
    let (it, never) = (key("o-1"), Timestamp::from_micros(i64::MAX));
    subject.land(arm([timer(&it, "never", never)])).await;
    assert_eq!(subject.due().await, [""; 0]);
    subject.land(armed(&timer_ref(&it, "never"), never)).await;
}
