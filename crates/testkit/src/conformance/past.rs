//! What an instance was stays readable, if whoever replaces it says so.

use std::time::Duration;

use waypost_kernel::{Facets, Record, Timestamp, Version, may_go_on};

use super::{
    run::cases,
    sample::{AT, TICK, bump, bump_with, entity, evolve, key, large, live, orders},
    subject::Subject,
};

cases![
    an_instance_is_known_as_it_was_at_any_instant,
    a_version_is_kept_whole,
    pasts_come_in_the_order_asked_for,
    an_instance_whose_past_is_not_kept_is_known_as_it_is,
    versions_come_newest_first_in_pages,
    pages_of_large_versions_end_early,
    commits_that_land_together_keep_every_version,
    what_is_refused_keeps_nothing,
];

/// Three versions, a second apart, and when each began.
async fn grown(subject: &Subject, id: &str) -> [Timestamp; 3] {
    let mut times = [AT; 3];
    for (version, at) in (1..).zip(&mut times) {
        subject.advance(Duration::from_secs(1));
        *at = subject.land(evolve(&entity(id), version, live(&format!("s-{version}")))).await.at;
    }
    times
}

fn numbers(records: &[Record]) -> Vec<u64> {
    records.iter().map(|it| it.version.0).collect()
}

async fn an_instance_is_known_as_it_was_at_any_instant(subject: Subject) {
    let it = entity("e-1");
    let times = grown(&subject, "e-1").await;
    let at = async |at| subject.past(&it, at).await.map(|it| it.version.0);
    for (version, begun) in (1..).zip(times) {
        let before = Some(version - 1).filter(|it| *it > 0);
        assert_eq!(at(begun - TICK).await, before);
        assert_eq!(at(begun).await, Some(version));
        assert_eq!(at(begun + TICK).await, Some(version));
    }
    assert_eq!(subject.past(&entity("e-2"), subject.now()).await, None);
    assert_eq!(subject.past(&key("e-1"), subject.now()).await, None, "another face");
}

async fn a_version_is_kept_whole(subject: Subject) {
    let it = entity("e-1");
    let first = Facets {
        definition: Some(orders()),
        status: "waiting".to_owned(),
        step: Some("pay".to_owned()),
        awaits: Some("paid".to_owned()),
        business_key: Some("customer-7".to_owned()),
        unique_key: Some("basket-7".to_owned()),
    };
    let few = Facets { status: "done".to_owned(), ..Facets::default() };
    let mut kept = Vec::new();
    for (version, facets) in (1..).zip([first, few, live("end")]) {
        let at = subject.land(evolve(&it, version, facets)).await.at;
        subject.advance(Duration::from_secs(1));
        kept.push((at, subject.record(&it).await.expect("was written")));
    }
    for (at, record) in &kept {
        assert_eq!(subject.past(&it, *at).await.as_ref(), Some(record));
    }
    let newest_first: Vec<Record> = kept.into_iter().rev().map(|(_, record)| record).collect();
    assert_eq!(subject.versions(&it).await, newest_first);
}

async fn pasts_come_in_the_order_asked_for(subject: Subject) {
    let [_, second, _] = grown(&subject, "a").await;
    grown(&subject, "b").await;
    let asked = ["b", "a", "missing", "a"].map(entity);
    let found = subject.store.past(&asked, second).await.expect("looks back");
    let found: Vec<_> = found.iter().map(|it| it.as_ref().map(|it| it.version.0)).collect();
    assert_eq!(found, [None, Some(2), None, Some(2)]);
    assert_eq!(subject.store.past(&[], second).await.expect("looks back"), []);
}

async fn an_instance_whose_past_is_not_kept_is_known_as_it_is(subject: Subject) {
    let it = key("o-1");
    subject.land(bump(&it, 1)).await;
    let mut second = bump(&it, 2);
    second.writes.iter_mut().for_each(|it| it.at = AT + TICK);
    subject.land(second).await;
    assert_eq!(subject.past(&it, AT - TICK).await, None, "it was not there");
    let now = subject.record(&it).await;
    assert_eq!(subject.past(&it, AT).await, now);
    assert_eq!(subject.past(&it, AT + TICK).await, now);
    assert_eq!(numbers(&subject.versions(&it).await), [2]);
}

async fn versions_come_newest_first_in_pages(subject: Subject) {
    let it = entity("e-1");
    grown(&subject, "e-1").await;
    grown(&subject, "e-0").await;
    subject.land(evolve(&it, 4, live("s-4"))).await;
    let page = async |before: Option<u64>, limit| {
        let found = subject.store.versions(&it, before.map(Version), limit).await;
        numbers(&found.expect("looks back"))
    };
    assert_eq!(page(None, 9).await, [4, 3, 2, 1]);
    assert_eq!(page(None, 2).await, [4, 3]);
    assert_eq!(page(Some(3), 9).await, [2, 1]);
    assert_eq!(page(Some(3), 1).await, [2]);
    assert_eq!(page(Some(1), 9).await, [0; 0]);
    assert_eq!(page(None, 0).await, [0; 0]);
    assert_eq!(subject.versions(&entity("e-2")).await, []);
}

async fn pages_of_large_versions_end_early(subject: Subject) {
    let it = entity("e-1");
    for version in 1..=4 {
        subject.land(large(evolve(&it, version, live("new")))).await;
    }
    subject.land(evolve(&it, 5, live("new"))).await;
    let page = async |before: Option<u64>| {
        let found = subject.store.versions(&it, before.map(Version), 100).await;
        let found = found.expect("looks back");
        (numbers(&found), may_go_on(&found, 100))
    };
    assert_eq!(page(None).await, (vec![5, 4, 3], true));
    assert_eq!(page(Some(3)).await, (vec![2, 1], true));
    assert_eq!(page(Some(2)).await, (vec![1], false));
}

async fn commits_that_land_together_keep_every_version(subject: Subject) {
    let it = entity("e-1");
    let [first, second, third, fourth] =
        [1, 2, 3, 4].map(|version| subject.store.commit(evolve(&it, version, live("new"))));
    let landed = tokio::join!(first, second, third, fourth);
    let times = [landed.0, landed.1, landed.2, landed.3].map(|it| it.expect("lands").at);
    assert!(times.is_sorted_by(|one, next| one < next), "{times:?}");
    assert_eq!(numbers(&subject.versions(&it).await), [4, 3, 2, 1]);
    for (version, at) in (1..).zip(times) {
        assert_eq!(subject.past(&it, at).await.map(|it| it.version), Some(Version(version)));
    }
    // One of them in the middle need not be kept.
    let (keeping, not) = (evolve(&it, 5, live("new")), bump_with(&it, 6, live("new")));
    let (one, other) = tokio::join!(subject.store.commit(keeping), subject.store.commit(not));
    assert!(one.is_ok() && other.is_ok());
    assert_eq!(numbers(&subject.versions(&it).await), [6, 4, 3, 2, 1]);
}

async fn what_is_refused_keeps_nothing(subject: Subject) {
    let it = entity("e-1");
    subject.land(evolve(&it, 1, live("new"))).await;
    subject.refused(evolve(&it, 3, live("new"))).await;
    subject.refused(evolve(&it, 1, live("new"))).await;
    assert_eq!(numbers(&subject.versions(&it).await), [1]);
}
