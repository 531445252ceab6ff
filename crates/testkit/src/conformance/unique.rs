//! No two instances of a tenant and face hold the same unique key at a time.

use waypost_kernel::{Commit, Conflict, Facets, Key, Kind, Version};

use super::{
    run::cases,
    sample::{TENANT, both, bump, bump_with, key, key_of},
    subject::Subject,
};

cases![
    a_unique_key_is_held_by_one,
    a_unique_key_is_kept_from_version_to_version,
    a_dropped_unique_key_can_be_taken,
    an_exchanged_unique_key_can_be_taken,
    a_unique_key_does_not_reach_beyond_its_tenant_and_face,
    instances_without_a_unique_key_do_not_meet,
    a_commit_refused_for_its_unique_key_changes_nothing,
    a_unique_key_is_taken_once_in_a_commit,
];

fn holding(key: &Key, version: u64, unique: &str) -> Commit {
    let unique_key = Some(unique.to_owned());
    bump_with(key, version, Facets { unique_key, ..Facets::default() })
}

async fn a_unique_key_is_held_by_one(subject: Subject) {
    let (first, second) = (key("o-1"), key("o-2"));
    subject.land(holding(&first, 1, "basket")).await;
    let conflict = subject.refused(holding(&second, 1, "basket")).await;
    assert_eq!(conflict, Conflict::Unique(first));
    assert_eq!(subject.record(&second).await, None);
    subject.land(holding(&second, 1, "Basket")).await;
}

async fn a_unique_key_is_kept_from_version_to_version(subject: Subject) {
    let (first, second) = (key("o-1"), key("o-2"));
    for version in 1..=3 {
        subject.land(holding(&first, version, "basket")).await;
        let conflict = subject.refused(holding(&second, 1, "basket")).await;
        assert_eq!(conflict, Conflict::Unique(first.clone()));
    }
}

async fn a_dropped_unique_key_can_be_taken(subject: Subject) {
    let (first, second) = (key("o-1"), key("o-2"));
    subject.land(holding(&first, 1, "basket")).await;
    subject.land(bump(&first, 2)).await;
    subject.land(holding(&second, 1, "basket")).await;
    let conflict = subject.refused(holding(&first, 3, "basket")).await;
    assert_eq!(conflict, Conflict::Unique(second));
    subject.land(bump(&first, 3)).await;
}

async fn an_exchanged_unique_key_can_be_taken(subject: Subject) {
    let (first, second) = (key("o-1"), key("o-2"));
    subject.land(holding(&first, 1, "basket")).await;
    subject.land(holding(&first, 2, "parcel")).await;
    subject.land(holding(&second, 1, "basket")).await;
    let conflict = subject.refused(holding(&second, 2, "parcel")).await;
    assert_eq!(conflict, Conflict::Unique(first));
}

async fn a_unique_key_does_not_reach_beyond_its_tenant_and_face(subject: Subject) {
    let everywhere = [
        key("o-1"),
        key_of("globex", Kind::Chain, "o-1"),
        key_of(TENANT, Kind::Process, "o-1"),
        key_of(TENANT, Kind::Entity, "o-1"),
    ];
    for key in everywhere {
        subject.land(holding(&key, 1, "basket")).await;
    }
}

async fn instances_without_a_unique_key_do_not_meet(subject: Subject) {
    subject.land(both(bump(&key("o-1"), 1), bump(&key("o-2"), 1))).await;
    subject.land(holding(&key("o-3"), 1, "")).await;
    let conflict = subject.refused(holding(&key("o-4"), 1, "")).await;
    assert_eq!(conflict, Conflict::Unique(key("o-3")), "an empty key is a key");
    subject.land(bump(&key("o-4"), 1)).await;
}

async fn a_commit_refused_for_its_unique_key_changes_nothing(subject: Subject) {
    let (first, second, third) = (key("o-1"), key("o-2"), key("o-3"));
    subject.land(holding(&first, 1, "basket")).await;
    let conflict = subject.refused(both(bump(&third, 1), holding(&second, 1, "basket"))).await;
    assert_eq!(conflict, Conflict::Unique(first));
    assert_eq!(subject.version(&third).await, Version::ABSENT);
    assert_eq!(subject.version(&second).await, Version::ABSENT);
}

async fn a_unique_key_is_taken_once_in_a_commit(subject: Subject) {
    let (first, second) = (key("o-1"), key("o-2"));
    let twice = both(holding(&first, 1, "basket"), holding(&second, 1, "basket"));
    assert_eq!(subject.refused(twice).await, Conflict::Unique(first.clone()));
    assert_eq!(subject.version(&first).await, Version::ABSENT);
    assert_eq!(subject.version(&second).await, Version::ABSENT);
    let theirs = key_of("globex", Kind::Chain, "o-2");
    let apart = both(holding(&first, 1, "basket"), holding(&second, 1, "parcel"));
    subject.land(both(apart, holding(&theirs, 1, "basket"))).await;
}
