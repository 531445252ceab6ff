//! Versions count by one, and an instance that has changed since it was read stays as it is.

use waypost_kernel::{Conflict, Expectation, Facets, Key, Version};

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
