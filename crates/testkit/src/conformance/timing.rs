//! A commit that leaves its time to the store happens when it lands: not before the clock says so,
//! and later than anything that happened to the same instances.

use std::{collections::BTreeMap, time::Duration};

use tokio::task::JoinSet;
use waypost_kernel::{Commit, Receipt, Timestamp, Timing};

use super::{
    run::cases,
    sample::{AT, TICK, all_entities, all_orders, both, bump, entity, evolve, key, live, request},
    subject::Subject,
};

cases![
    an_instant_is_what_a_commit_would_be_given,
    what_was_decided_keeps_its_time,
    what_lands_has_one_time_for_all,
    time_goes_up_along_an_instance_while_the_clock_stands,
    what_lands_is_later_than_what_was_decided,
    a_repeated_request_tells_when_it_landed,
    nothing_lands_at_an_instant_that_is_settled,
    an_instant_long_past_is_settled,
    what_is_read_about_a_settled_instant_stays,
];

fn landed(commit: Commit) -> Commit {
    Commit { timing: Timing::Landed, ..commit }
}

/// The time of everything the commit wrote about an instance.
async fn times(subject: &Subject, id: &str) -> (Timestamp, Timestamp) {
    let it = key(id);
    let record = subject.record(&it).await.expect("was written");
    let last = subject.history(&it).await.pop().expect("was told");
    (record.updated_at, last.at)
}

async fn an_instant_is_what_a_commit_would_be_given(subject: Subject) {
    for id in ["o-1", "o-2"] {
        subject.advance(Duration::from_secs(1));
        let at = subject.store.instant().await.expect("tells the time");
        assert_eq!(at, subject.land(landed(bump(&key(id), 1))).await.at);
    }
    assert_eq!(subject.store.instant().await.expect("tells the time"), subject.now());
}

async fn what_was_decided_keeps_its_time(subject: Subject) {
    let receipt = subject.land(bump(&key("o-1"), 1)).await;
    assert_eq!(receipt.at, subject.now());
    assert_eq!(times(&subject, "o-1").await, (AT, AT));
}

async fn what_lands_has_one_time_for_all(subject: Subject) {
    subject.land(landed(bump(&key("o-1"), 1))).await;
    subject.advance(Duration::from_secs(1));
    let mut commit = landed(both(bump(&key("o-1"), 2), bump(&key("o-2"), 1)));
    commit.writes.iter_mut().for_each(|it| it.at = AT + TICK);
    let at = subject.land(commit).await.at;
    assert_eq!(at, subject.now());
    assert_eq!(times(&subject, "o-1").await, (at, at));
    assert_eq!(times(&subject, "o-2").await, (at, at));
    let [first, second] = ["o-1", "o-2"].map(key);
    let begun = subject.record(&first).await.expect("was written").created_at;
    assert_eq!(begun, at - Duration::from_secs(1), "the first time stays");
    assert_eq!(subject.record(&second).await.expect("was written").created_at, at);
}

async fn time_goes_up_along_an_instance_while_the_clock_stands(subject: Subject) {
    let it = key("o-1");
    let mut last = subject.now() - TICK;
    for version in 1..=5 {
        let at = subject.land(landed(bump(&it, version))).await.at;
        assert!(at > last, "{at:?} is not after {last:?}");
        assert_eq!(times(&subject, "o-1").await, (at, at));
        last = at;
    }
    let together = landed(both(bump(&key("o-2"), 1), bump(&it, 6)));
    let at = subject.land(together).await.at;
    assert!(at > last);
    assert_eq!(times(&subject, "o-2").await, (at, at), "it shares the time of the other");
}

async fn what_lands_is_later_than_what_was_decided(subject: Subject) {
    let ahead = subject.now() + Duration::from_secs(9);
    let mut decided = bump(&key("o-1"), 1);
    decided.writes.iter_mut().for_each(|it| it.at = ahead);
    subject.land(decided).await;
    let commit = landed(both(bump(&key("o-2"), 1), bump(&key("o-1"), 2)));
    assert_eq!(subject.land(commit).await.at, ahead + TICK);
}

async fn a_repeated_request_tells_when_it_landed(subject: Subject) {
    let once = || Commit { request: request("r-1", "start"), ..landed(bump(&key("o-1"), 1)) };
    let first = subject.land(once()).await;
    subject.advance(Duration::from_secs(1));
    assert_eq!(subject.land(once()).await, Receipt { repeated: true, ..first });
}

async fn nothing_lands_at_an_instant_that_is_settled(subject: Subject) {
    let it = entity("e-1");
    let begun = subject.land(evolve(&it, 1, live("new"))).await.at;
    for version in 2..=4 {
        subject.advance(TICK);
        let at = subject.now().max(begun);
        subject.store.settle(at).await.expect("settles");
        let before = subject.past(&it, at).await;
        let receipt = subject.land(evolve(&it, version, live("new"))).await;
        assert!(receipt.at > at, "{:?} was settled, and {:?} is given", at, receipt.at);
        assert_eq!(subject.past(&it, at).await, before);
        subject.advance(Duration::from_secs(1));
    }
}

async fn an_instant_long_past_is_settled(subject: Subject) {
    let at = subject.now();
    subject.advance(Duration::from_secs(3_600));
    subject.store.settle(at).await.expect("settles");
    let later = subject.land(evolve(&entity("e-1"), 1, live("new"))).await.at;
    assert_eq!(later, subject.now());
}

async fn what_is_read_about_a_settled_instant_stays(subject: Subject) {
    const WRITERS: u32 = 4;
    const WRITES: u64 = 40;
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let subject = subject.clone();
        writers.spawn(async move {
            let it = entity(&format!("e-{writer}"));
            for version in 1..=WRITES {
                subject.land(evolve(&it, version, live(&format!("s-{}", version % 3)))).await;
            }
        });
    }
    let mut seen = BTreeMap::new();
    // The clock stands while an instant is settled: only the store keeps the writers from it.
    while !writers.is_empty() {
        subject.advance(Duration::from_millis(1));
        let at = subject.now();
        subject.store.settle(at).await.expect("settles");
        let sift = waypost_kernel::Sift { at: Some(at), ..all_orders() };
        let found = subject.store.sift(&sift).await.expect("goes through instances");
        seen.entry(at).or_insert(found);
        writers.try_join_next().transpose().expect("writes");
        tokio::task::yield_now().await;
    }
    for (at, before) in seen {
        let sift = waypost_kernel::Sift { at: Some(at), ..all_orders() };
        let after = subject.store.sift(&sift).await.expect("goes through instances");
        assert_eq!(after, before, "{at:?} has changed");
    }
    let n_counted = subject.store.tally(&all_entities()).await.expect("counts");
    assert_eq!(n_counted.iter().map(|it| it.count).sum::<u64>(), u64::from(WRITERS));
}
