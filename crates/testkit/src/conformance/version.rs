//! Versions count by one, and an instance that has changed since it was read stays as it is.

use waypost_kernel::{Commit, Conflict, EventRecord, Expectation, Facets, Key, Version};

use super::{
    run::cases,
    sample::{both, bump, events, expecting, key, write},
    subject::{Subject, conflict},
};

cases![
    versions_count_by_one,
    a_version_is_neither_skipped_nor_repeated,
    an_instance_begins_at_version_one,
    an_expected_version_must_be_the_current_one,
    an_instance_can_be_expected_to_be_absent,
    an_instance_that_was_only_read_can_be_expected,
    one_instance_can_be_replaced,
    a_commit_writes_an_instance_once,
    what_is_told_of_an_instance_is_told_of_its_write,
];

fn at(key: &Key, version: u64) -> Expectation {
    Expectation::Version { key: key.clone(), version: Version(version) }
}

async fn versions_count_by_one(subject: Subject) {
    let it = key("o-1");
    for version in 1..=5 {
        let receipt = subject.land(bump(&it, version)).await;
        assert_eq!(receipt.version, Version(version));
        assert_eq!(subject.version(&it).await, Version(version));
    }
}

async fn a_version_is_neither_skipped_nor_repeated(subject: Subject) {
    let it = key("o-1");
    subject.land(bump(&it, 1)).await;
    subject.land(bump(&it, 2)).await;
    for wrong in [1, 2, 4, 5] {
        assert_eq!(subject.refused(bump(&it, wrong)).await, Conflict::Version(it.clone()));
    }
    assert_eq!(subject.version(&it).await, Version(2));
    assert_eq!(subject.history(&it).await.len(), 2);
}

async fn an_instance_begins_at_version_one(subject: Subject) {
    let it = key("o-1");
    assert_eq!(subject.refused(bump(&it, 2)).await, Conflict::Version(it.clone()));
    assert_eq!(subject.record(&it).await, None);
    subject.land(bump(&it, 1)).await;
}

async fn an_expected_version_must_be_the_current_one(subject: Subject) {
    let it = key("o-1");
    subject.land(bump(&it, 1)).await;
    subject.land(bump(&it, 2)).await;
    subject.land(expecting(at(&it, 2))).await;
    for wrong in [0, 1, 3] {
        let conflict = subject.refused(expecting(at(&it, wrong))).await;
        assert_eq!(conflict, Conflict::Version(it.clone()));
    }
}

async fn an_instance_can_be_expected_to_be_absent(subject: Subject) {
    let it = key("o-1");
    subject.land(both(expecting(at(&it, 0)), bump(&it, 1))).await;
    let conflict = subject.refused(expecting(at(&it, 0))).await;
    assert_eq!(conflict, Conflict::Version(it));
}

async fn an_instance_that_was_only_read_can_be_expected(subject: Subject) {
    let (read, written) = (key("read"), key("written"));
    subject.land(bump(&read, 1)).await;
    subject.land(both(expecting(at(&read, 1)), bump(&written, 1))).await;
    subject.land(bump(&read, 2)).await;
    let stale = both(expecting(at(&read, 1)), bump(&written, 2));
    assert_eq!(subject.refused(stale).await, Conflict::Version(read));
    assert_eq!(subject.version(&written).await, Version(1));
}

async fn one_instance_can_be_replaced(subject: Subject) {
    let it = key("o-1");
    let replace = async |version| {
        let write = write(&it, version, Facets::default());
        subject.store.replace(write, events(&it, version)).await
    };
    assert_eq!(replace(1).await.expect("is absent").version, Version(1));
    assert_eq!(replace(2).await.expect("is at one").version, Version(2));
    assert_eq!(conflict(replace(2).await), Conflict::Version(it.clone()));
    assert_eq!(conflict(replace(4).await), Conflict::Version(it.clone()));
    assert_eq!(subject.history(&it).await, [events(&it, 1), events(&it, 2)]);
}

async fn a_commit_writes_an_instance_once(subject: Subject) {
    let it = key("o-1");
    for (first, second) in [(1, 1), (1, 2), (2, 1)] {
        let twice = both(bump(&it, first), bump(&it, second));
        assert_eq!(subject.refused(twice).await, Conflict::Version(it.clone()));
        let twice = Commit {
            events: vec![events(&it, first)],
            ..both(bump(&it, first), bump(&it, second))
        };
        assert_eq!(subject.refused(twice).await, Conflict::Version(it.clone()));
    }
    assert_eq!(subject.record(&it).await, None);
    assert_eq!(subject.history(&it).await, []);
    subject.land(both(bump(&it, 1), bump(&key("o-2"), 1))).await;
}

async fn what_is_told_of_an_instance_is_told_of_its_write(subject: Subject) {
    let (it, other) = (key("o-1"), key("o-2"));
    subject.land(bump(&it, 1)).await;
    let told = |records: &[EventRecord]| Commit { events: records.to_vec(), ..bump(&it, 2) };
    let without = |record| Commit { events: vec![record], ..Commit::default() };
    let wrong = [
        (told(&[events(&it, 2), events(&it, 2)]), &it),
        (told(&[events(&it, 1)]), &it),
        (told(&[events(&it, 3)]), &it),
        (told(&[events(&it, 2), events(&other, 1)]), &other),
        (without(events(&it, 2)), &it),
        (without(events(&other, 1)), &other),
    ];
    for (commit, key) in wrong {
        assert_eq!(subject.refused(commit).await, Conflict::Version(key.clone()));
    }
    assert_eq!(subject.version(&it).await, Version(1));
    assert_eq!(subject.history(&it).await, [events(&it, 1)]);
    assert_eq!(subject.history(&other).await, []);
    subject.land(told(&[events(&it, 2)])).await;
}
