//! History is dense, in order, and read page by page.

use waypost_kernel::{EventRecord, Json, Kind, Version};

use super::{
    run::cases,
    sample::{AT, TICK, both, bump, events, key, key_of},
    subject::Subject,
};

cases![
    history_is_dense_and_in_order,
    history_comes_in_pages,
    history_is_kept_as_it_was_told,
    a_refused_commit_leaves_no_gap_in_history,
    nothing_has_no_history,
];

async fn history_is_dense_and_in_order(subject: Subject) {
    let (first, second) = (key("o-1"), key("o-2"));
    for version in 1..=12 {
        subject.land(both(bump(&first, version), bump(&second, version))).await;
    }
    let told: Vec<_> = (1..=12).map(|version| events(&first, version)).collect();
    assert_eq!(subject.history(&first).await, told);
    let theirs = key_of("globex", Kind::Chain, "o-1");
    assert_eq!(subject.history(&theirs).await, []);
}

async fn history_comes_in_pages(subject: Subject) {
    let it = key("o-1");
    for version in 1..=5 {
        subject.land(bump(&it, version)).await;
    }
    let page = async |after, limit| {
        let page = subject.store.history(&it, Version(after), limit).await.expect("reads history");
        page.into_iter().map(|it| it.version.0).collect::<Vec<_>>()
    };
    assert_eq!(page(0, 2).await, [1, 2]);
    assert_eq!(page(2, 2).await, [3, 4]);
    assert_eq!(page(4, 2).await, [5]);
    assert_eq!(page(5, 2).await, [0; 0]);
    assert_eq!(page(9, 2).await, [0; 0]);
    assert_eq!(page(3, u32::MAX).await, [4, 5]);
    assert_eq!(page(0, 0).await, [0; 0]);
}

async fn history_is_kept_as_it_was_told(subject: Subject) {
    let it = key("o-1");
    let told = EventRecord {
        at: AT + TICK,
        events: Json::parse(r#"[{"b":1.50,"a":"é"}, "x"]"#).expect("is a document"),
        ..events(&it, 1)
    };
    let mut commit = bump(&it, 1);
    commit.events = vec![told.clone()];
    subject.land(commit).await;
    assert_eq!(subject.history(&it).await, [told]);
}

async fn a_refused_commit_leaves_no_gap_in_history(subject: Subject) {
    let it = key("o-1");
    subject.land(bump(&it, 1)).await;
    subject.refused(bump(&it, 1)).await;
    subject.refused(bump(&it, 3)).await;
    subject.land(bump(&it, 2)).await;
    assert_eq!(subject.history(&it).await, [events(&it, 1), events(&it, 2)]);
}

async fn nothing_has_no_history(subject: Subject) {
    assert_eq!(subject.history(&key("o-1")).await, []);
}
