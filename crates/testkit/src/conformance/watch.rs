//! A watch shows what is, then everything that follows, without a gap.

use std::{collections::BTreeMap, time::Duration};

use waypost_kernel::{Cursor, EventRecord, InstanceId, Key, Kind, Scope};

use super::{
    run::cases,
    sample::{TENANT, both, bump, events, key, key_of},
    subject::{MANY, Subject, face},
};

cases![
    a_watch_shows_what_is_there,
    a_watch_shows_each_instance_in_order,
    a_watch_of_one_instance_shows_that_one,
    a_watch_stays_within_its_tenant_and_face,
    a_watch_can_go_on_from_any_cursor,
    a_cursor_survives_as_text,
    a_watch_from_the_head_shows_only_what_comes,
    a_watch_takes_no_more_than_it_asks_for,
    a_watch_without_patience_returns_at_once,
    a_watch_in_vain_comes_to_an_end,
    a_waiting_watch_is_woken_by_a_commit,
    a_waiting_watch_sleeps_through_what_does_not_concern_it,
    a_watch_during_commits_misses_nothing,
];

/// Longer than a store takes to tell of a commit: whoever waits this long was not woken.
const PATIENCE: Duration = Duration::from_secs(30);

fn only(key: &Key) -> Scope {
    Scope { instance: Some(key.id.clone()), ..face() }
}

/// Reads from `cursor` to the end, `limit` at a time.
async fn follow(subject: &Subject, scope: &Scope, limit: u32) -> Vec<EventRecord> {
    let (mut cursor, mut seen) = (Cursor::default(), Vec::new());
    while let page = subject.store.watch(scope, &cursor, limit, Duration::ZERO).await
        && let page = page.expect("watches")
        && let Some(last) = page.last()
    {
        cursor = last.cursor.clone();
        seen.extend(page.into_iter().map(|it| it.record));
    }
    seen
}

/// What was seen of each instance, in the order it was seen.
fn by_instance(seen: &[EventRecord]) -> BTreeMap<InstanceId, Vec<u64>> {
    let mut versions: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for record in seen {
        versions.entry(record.key.id.clone()).or_default().push(record.version.0);
    }
    versions
}

/// Every version of every instance, once and in order.
fn complete(instances: &[(&str, u64)]) -> BTreeMap<InstanceId, Vec<u64>> {
    instances.iter().map(|&(id, versions)| (id.into(), (1..=versions).collect())).collect()
}

/// Three instances, changed alone and together, in both orders.
async fn moved(subject: &Subject) -> BTreeMap<InstanceId, Vec<u64>> {
    let [a, b, c] = ["a", "b", "c"].map(key);
    for round in 0..6 {
        subject.land(both(bump(&a, 3 * round + 1), bump(&b, 3 * round + 1))).await;
        subject.land(both(bump(&b, 3 * round + 2), bump(&a, 3 * round + 2))).await;
        subject.land(bump(&a, 3 * round + 3)).await;
        subject.land(both(bump(&c, round + 1), bump(&b, 3 * round + 3))).await;
    }
    complete(&[("a", 18), ("b", 18), ("c", 6)])
}

async fn a_watch_shows_what_is_there(subject: Subject) {
    let it = key("o-1");
    assert_eq!(subject.changes(&Cursor::default()).await, []);
    subject.land(bump(&it, 1)).await;
    subject.land(bump(&it, 2)).await;
    let seen = subject.changes(&Cursor::default()).await;
    let records: Vec<_> = seen.iter().map(|it| it.record.clone()).collect();
    assert_eq!(records, [events(&it, 1), events(&it, 2)]);
    let last = seen.last().expect("two were seen");
    assert_eq!(subject.changes(&last.cursor).await, []);
    subject.land(bump(&it, 3)).await;
    let next: Vec<_> =
        subject.changes(&last.cursor).await.into_iter().map(|it| it.record).collect();
    assert_eq!(next, [events(&it, 3)]);
}

async fn a_watch_shows_each_instance_in_order(subject: Subject) {
    let expected = moved(&subject).await;
    for limit in [1, 2, 7, MANY] {
        let seen = follow(&subject, &face(), limit).await;
        assert_eq!(by_instance(&seen), expected, "read {limit} at a time");
    }
}

async fn a_watch_of_one_instance_shows_that_one(subject: Subject) {
    let expected = moved(&subject).await;
    for id in ["a", "b", "c"] {
        for limit in [1, 5, MANY] {
            let seen = by_instance(&follow(&subject, &only(&key(id)), limit).await);
            let id = InstanceId::from(id);
            assert_eq!(seen.keys().collect::<Vec<_>>(), [&id]);
            assert_eq!(seen.get(&id), expected.get(&id), "read {limit} at a time");
        }
    }
    assert_eq!(follow(&subject, &only(&key("missing")), MANY).await, []);
}

async fn a_watch_stays_within_its_tenant_and_face(subject: Subject) {
    let theirs = key_of("globex", Kind::Chain, "o-1");
    let process = key_of(TENANT, Kind::Process, "o-1");
    subject.land(both(both(bump(&theirs, 1), bump(&process, 1)), bump(&key("o-1"), 1))).await;
    assert_eq!(follow(&subject, &face(), MANY).await, [events(&key("o-1"), 1)]);
    assert_eq!(follow(&subject, &only(&key("o-1")), MANY).await, [events(&key("o-1"), 1)]);
    let globex = Scope { tenant: "globex".into(), ..face() };
    assert_eq!(follow(&subject, &globex, MANY).await, [events(&theirs, 1)]);
    let processes = Scope { kind: Kind::Process, ..face() };
    assert_eq!(follow(&subject, &processes, MANY).await, [events(&process, 1)]);
}

async fn a_watch_can_go_on_from_any_cursor(subject: Subject) {
    let expected = moved(&subject).await;
    for scope in [face(), only(&key("b"))] {
        let all = subject.store.watch(&scope, &Cursor::default(), MANY, Duration::ZERO).await;
        let all = all.expect("watches");
        for (index, change) in all.iter().enumerate() {
            let mut seen: Vec<_> = all.iter().take(index + 1).map(|it| it.record.clone()).collect();
            let rest = subject.store.watch(&scope, &change.cursor, MANY, Duration::ZERO).await;
            seen.extend(rest.expect("watches").into_iter().map(|it| it.record));
            for (id, versions) in by_instance(&seen) {
                assert_eq!(expected.get(&id), Some(&versions), "going on after {index}");
            }
            assert_eq!(seen.len(), all.len(), "going on after {index}");
        }
    }
}

async fn a_cursor_survives_as_text(subject: Subject) {
    moved(&subject).await;
    for change in subject.changes(&Cursor::default()).await {
        assert_eq!(change.cursor.to_string().parse(), Ok(change.cursor));
    }
}

async fn a_watch_from_the_head_shows_only_what_comes(subject: Subject) {
    let empty = subject.store.head(&face()).await.expect("has a head");
    moved(&subject).await;
    let head = subject.store.head(&face()).await.expect("has a head");
    subject.land(bump(&key("late"), 1)).await;
    let store = &subject.store;
    let watch = |cursor: Cursor| async move {
        let found = store.watch(&face(), &cursor, MANY, Duration::ZERO).await;
        found.expect("watches").into_iter().map(|it| it.record).collect::<Vec<_>>()
    };
    assert_eq!(watch(head).await, [events(&key("late"), 1)]);
    assert_eq!(watch(empty).await.len(), 18 + 18 + 6 + 1);
}

async fn a_watch_takes_no_more_than_it_asks_for(subject: Subject) {
    moved(&subject).await;
    for limit in [0, 1, 4] {
        let page = subject.store.watch(&face(), &Cursor::default(), limit, Duration::ZERO).await;
        assert_eq!(page.expect("watches").len(), limit as usize);
    }
}

async fn a_watch_without_patience_returns_at_once(subject: Subject) {
    let seen = subject.store.watch(&face(), &Cursor::default(), 1, Duration::ZERO).await;
    assert_eq!(seen, Ok(Vec::new()));
}

async fn a_watch_in_vain_comes_to_an_end(subject: Subject) {
    let wait = Duration::from_millis(20);
    let seen = subject.store.watch(&face(), &Cursor::default(), 1, wait).await;
    assert_eq!(seen, Ok(Vec::new()));
}

async fn a_waiting_watch_is_woken_by_a_commit(subject: Subject) {
    let it = key("o-1");
    subject.land(bump(&it, 1)).await;
    for (scope, version) in [(face(), 2), (only(&it), 3)] {
        let there = subject.store.watch(&scope, &Cursor::default(), MANY, Duration::ZERO).await;
        let there = there.expect("watches");
        let cursor = there.last().expect("some were seen").cursor.clone();
        let waiting = {
            let subject = subject.clone();
            tokio::spawn(async move { subject.store.watch(&scope, &cursor, 1, PATIENCE).await })
        };
        tokio::task::yield_now().await;
        subject.land(bump(&it, version)).await;
        let seen = waiting.await.expect("does not panic").expect("watches");
        let records: Vec<_> = seen.into_iter().map(|it| it.record).collect();
        assert_eq!(records, [events(&it, version)]);
    }
}

async fn a_waiting_watch_sleeps_through_what_does_not_concern_it(subject: Subject) {
    let (it, other) = (key("o-1"), key("o-2"));
    let waiting = {
        let (subject, scope) = (subject.clone(), only(&it));
        tokio::spawn(
            async move { subject.store.watch(&scope, &Cursor::default(), 1, PATIENCE).await },
        )
    };
    for version in 1..=5 {
        subject.land(bump(&other, version)).await;
    }
    subject.land(bump(&it, 1)).await;
    let seen = waiting.await.expect("does not panic").expect("watches");
    let records: Vec<_> = seen.into_iter().map(|it| it.record).collect();
    assert_eq!(records, [events(&it, 1)]);
}

async fn a_watch_during_commits_misses_nothing(subject: Subject) {
    const MOVES: u32 = 25;
    let ids = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let movers: Vec<_> = ids
        .map(|id| {
            let (subject, it) = (subject.clone(), key(id));
            tokio::spawn(async move {
                for version in 1..=u64::from(MOVES) {
                    subject.land(bump(&it, version)).await;
                }
            })
        })
        .into_iter()
        .collect();
    let (mut cursor, mut seen) = (Cursor::default(), Vec::new());
    while seen.len() < ids.len() * MOVES as usize {
        let page = subject.store.watch(&face(), &cursor, 16, PATIENCE).await.expect("watches");
        cursor = page.last().expect("there is more to come").cursor.clone();
        seen.extend(page.into_iter().map(|it| it.record));
    }
    for mover in movers {
        mover.await.expect("every move lands");
    }
    assert_eq!(by_instance(&seen), complete(&ids.map(|id| (id, u64::from(MOVES)))));
}
