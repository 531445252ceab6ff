//! A search finds what matches all it asks for, newest first, page by page.

use waypost_kernel::{DefinitionRef, Facets, Kind, Query};

use super::{
    run::cases,
    sample::{AT, TENANT, TICK, bump, bump_with, key, key_of},
    subject::{MANY, Subject},
};

cases![
    a_search_finds_the_newest_first,
    a_search_finds_by_definition,
    a_search_finds_by_version,
    a_search_finds_by_status,
    a_search_finds_by_business_key,
    a_search_finds_by_awaited_event,
    a_search_wants_everything_at_once,
    a_search_shows_instances_as_they_are,
    a_search_goes_on_before_the_last_one_seen,
    a_search_comes_in_pages,
    a_search_stays_within_its_tenant_and_face,
    ids_are_compared_byte_by_byte,
    a_search_finds_by_step,
    a_step_is_found_only_by_its_whole_name,
    a_search_finds_by_when_it_began,
    a_count_is_about_all_pages,
];

fn all() -> Query {
    Query {
        tenant: TENANT.into(),
        kind: Kind::Chain,
        definition: None,
        version: None,
        status: None,
        business_key: None,
        awaits: None,
        step: None,
        from: None,
        until: None,
        before: None,
        offset: 0,
        limit: MANY,
    }
}

async fn found(subject: &Subject, query: Query) -> Vec<String> {
    let found = subject.store.search(&query).await.expect("searches");
    found.into_iter().map(|it| it.key.id.as_str().to_owned()).collect()
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn facets(definition: &str, version: i32, status: &str) -> Facets {
    let definition = Some(DefinitionRef { name: definition.to_owned(), version });
    Facets { definition, status: status.to_owned(), ..Facets::default() }
}

/// Five orders that differ in what a search can ask about.
async fn stored(subject: &Subject) {
    let instances = [
        ("1", facets("order", 1, "running")),
        ("2", Facets { business_key: some("ann"), ..facets("order", 2, "done") }),
        ("3", Facets { awaits: some("paid"), ..facets("order", 2, "waiting") }),
        (
            "4",
            Facets {
                awaits: some("paid"),
                business_key: some("ann"),
                ..facets("return", 2, "waiting")
            },
        ),
        ("5", Facets { business_key: some("bob"), ..Facets::default() }),
    ];
    for (id, facets) in instances {
        subject.land(bump_with(&key(id), 1, facets)).await;
    }
}

async fn a_search_finds_the_newest_first(subject: Subject) {
    for id in ["2", "3", "1"] {
        subject.land(bump(&key(id), 1)).await;
    }
    assert_eq!(found(&subject, all()).await, ["3", "2", "1"]);
    subject.land(bump(&key("1"), 2)).await;
    assert_eq!(found(&subject, all()).await, ["3", "2", "1"], "a change makes nothing newer");
}

async fn a_search_finds_by_definition(subject: Subject) {
    stored(&subject).await;
    let by = |definition| Query { definition: some(definition), ..all() };
    assert_eq!(found(&subject, by("order")).await, ["3", "2", "1"]);
    assert_eq!(found(&subject, by("return")).await, ["4"]);
    assert_eq!(found(&subject, by("Order")).await, [""; 0]);
}

async fn a_search_finds_by_version(subject: Subject) {
    stored(&subject).await;
    let by = |version| Query { version: Some(version), ..all() };
    assert_eq!(found(&subject, by(1)).await, ["1"]);
    assert_eq!(found(&subject, by(2)).await, ["4", "3", "2"]);
    let both = Query { definition: some("order"), ..by(2) };
    assert_eq!(found(&subject, both.clone()).await, ["3", "2"]);
    assert_eq!(subject.store.count(&both).await.expect("counts"), 2);
    assert_eq!(found(&subject, by(3)).await, [""; 0], "no definition has no version");
}

async fn a_search_finds_by_status(subject: Subject) {
    stored(&subject).await;
    let by = |status| Query { status: some(status), ..all() };
    assert_eq!(found(&subject, by("waiting")).await, ["4", "3"]);
    assert_eq!(found(&subject, by("")).await, ["5"]);
    subject.land(bump_with(&key("4"), 2, facets("return", 2, "done"))).await;
    assert_eq!(found(&subject, by("waiting")).await, ["3"]);
    assert_eq!(found(&subject, by("done")).await, ["4", "2"]);
}

async fn a_search_finds_by_business_key(subject: Subject) {
    stored(&subject).await;
    let by = |business_key| Query { business_key: some(business_key), ..all() };
    assert_eq!(found(&subject, by("ann")).await, ["4", "2"]);
    assert_eq!(found(&subject, by("")).await, [""; 0], "no key is not an empty key");
    subject.land(bump(&key("4"), 2)).await;
    assert_eq!(found(&subject, by("ann")).await, ["2"]);
}

async fn a_search_finds_by_awaited_event(subject: Subject) {
    stored(&subject).await;
    let by = |awaits| Query { awaits: some(awaits), ..all() };
    assert_eq!(found(&subject, by("paid")).await, ["4", "3"]);
    subject.land(bump(&key("3"), 2)).await;
    assert_eq!(found(&subject, by("paid")).await, ["4"]);
    assert_eq!(found(&subject, by("sent")).await, [""; 0]);
}

async fn a_search_wants_everything_at_once(subject: Subject) {
    stored(&subject).await;
    let query = Query {
        definition: some("return"),
        status: some("waiting"),
        business_key: some("ann"),
        awaits: some("paid"),
        ..all()
    };
    assert_eq!(found(&subject, query.clone()).await, ["4"]);
    let one_off = [
        Query { definition: some("order"), ..query.clone() },
        Query { status: some("done"), ..query.clone() },
        Query { business_key: some("bob"), ..query.clone() },
        Query { awaits: some("sent"), ..query },
    ];
    for query in one_off {
        assert_eq!(found(&subject, query).await, [""; 0]);
    }
}

async fn a_search_shows_instances_as_they_are(subject: Subject) {
    stored(&subject).await;
    subject.land(bump_with(&key("3"), 2, facets("order", 2, "done"))).await;
    for record in subject.store.search(&all()).await.expect("searches") {
        assert_eq!(subject.record(&record.key).await, Some(record));
    }
}

async fn a_search_goes_on_before_the_last_one_seen(subject: Subject) {
    stored(&subject).await;
    let before = |id: &str| Query { before: Some(id.into()), ..all() };
    assert_eq!(found(&subject, before("4")).await, ["3", "2", "1"]);
    assert_eq!(found(&subject, Query { limit: 1, ..before("4") }).await, ["3"]);
    assert_eq!(found(&subject, before("2.5")).await, ["2", "1"], "it need not be there");
    let waiting = Query { status: some("waiting"), ..before("4") };
    assert_eq!(found(&subject, waiting).await, ["3"]);
    assert_eq!(found(&subject, before("1")).await, [""; 0]);
}

async fn a_search_comes_in_pages(subject: Subject) {
    stored(&subject).await;
    let page = async |offset, limit| found(&subject, Query { offset, limit, ..all() }).await;
    assert_eq!(page(0, 2).await, ["5", "4"]);
    assert_eq!(page(2, 2).await, ["3", "2"]);
    assert_eq!(page(4, u32::MAX).await, ["1"]);
    assert_eq!(page(5, 2).await, [""; 0]);
    assert_eq!(page(0, 0).await, [""; 0]);
    let query = Query { definition: some("order"), offset: 1, limit: 1, ..all() };
    assert_eq!(found(&subject, query).await, ["2"]);
}

async fn a_search_stays_within_its_tenant_and_face(subject: Subject) {
    subject.land(bump(&key("ours"), 1)).await;
    subject.land(bump(&key_of("globex", Kind::Chain, "theirs"), 1)).await;
    subject.land(bump(&key_of(TENANT, Kind::Process, "process"), 1)).await;
    assert_eq!(found(&subject, all()).await, ["ours"]);
    let theirs = Query { tenant: "globex".into(), ..all() };
    assert_eq!(found(&subject, theirs).await, ["theirs"]);
    let process = Query { kind: Kind::Process, status: some("running"), ..all() };
    assert_eq!(found(&subject, process).await, ["process"]);
}

async fn ids_are_compared_byte_by_byte(subject: Subject) {
    for id in ["a", "B", "é", "b", "A", "10", "9", "a b", "a-b"] {
        subject.land(bump(&key(id), 1)).await;
    }
    let sorted = ["é", "b", "a-b", "a b", "a", "B", "A", "9", "10"];
    assert_eq!(found(&subject, all()).await, sorted);
    let before = Query { before: Some("a".into()), ..all() };
    assert_eq!(found(&subject, before).await, ["B", "A", "9", "10"]);
}

fn at_step(step: &str) -> Facets {
    Facets { step: some(step), ..facets("order", 1, "running") }
}

async fn a_search_finds_by_step(subject: Subject) {
    let steps = ["pay", "pack\u{1f}pay", "pay\u{1f}send\u{1f}pack", "send"];
    for (id, step) in ["1", "2", "3", "4"].into_iter().zip(steps) {
        subject.land(bump_with(&key(id), 1, at_step(step))).await;
    }
    subject.land(bump(&key("5"), 1)).await;
    let by = |step| Query { step: some(step), ..all() };
    assert_eq!(found(&subject, by("pay")).await, ["3", "2", "1"]);
    assert_eq!(found(&subject, by("pack")).await, ["3", "2"]);
    assert_eq!(found(&subject, by("send")).await, ["4", "3"]);
    let running = Query { definition: some("order"), limit: 1, offset: 1, ..by("pay") };
    assert_eq!(found(&subject, running).await, ["2"]);
    subject.land(bump_with(&key("3"), 2, at_step("send"))).await;
    assert_eq!(found(&subject, by("pay")).await, ["2", "1"]);
}

async fn a_step_is_found_only_by_its_whole_name(subject: Subject) {
    let steps = ["pay_all\u{1f}pack", "p%y", "", "a\u{1f}\u{1f}b", "Pay", "é"];
    for (id, step) in ["1", "2", "3", "4", "5", "6"].into_iter().zip(steps) {
        subject.land(bump_with(&key(id), 1, at_step(step))).await;
    }
    let by = async |step| found(&subject, Query { step: some(step), ..all() }).await;
    for nobody in [
        "pay",
        "all",
        "p",
        "%",
        "_",
        "pay%",
        "pay_al_",
        "pack\u{1f}",
        "a\u{1f}\u{1f}b",
        "\u{1f}",
        "e",
    ] {
        assert_eq!(by(nobody).await, [""; 0], "{nobody:?}");
    }
    assert_eq!(by("pay_all").await, ["1"]);
    assert_eq!(by("p%y").await, ["2"]);
    assert_eq!(by("").await, ["4", "3"], "an empty name is a name");
    assert_eq!(by("é").await, ["6"]);
}

async fn a_search_finds_by_when_it_began(subject: Subject) {
    for (id, ticks) in [("1", 0), ("2", 1), ("3", 1), ("4", 2)] {
        let mut commit = bump(&key(id), 1);
        commit.writes.iter_mut().for_each(|write| write.at = AT + TICK * ticks);
        subject.land(commit).await;
    }
    let between = async |from: Option<u32>, until: Option<u32>| {
        let at = |ticks: Option<u32>| ticks.map(|it| AT + TICK * it);
        found(&subject, Query { from: at(from), until: at(until), ..all() }).await
    };
    assert_eq!(between(Some(1), None).await, ["4", "3", "2"], "from that instant on");
    assert_eq!(between(None, Some(1)).await, ["1"], "until just before");
    assert_eq!(between(Some(1), Some(2)).await, ["3", "2"]);
    assert_eq!(between(Some(1), Some(1)).await, [""; 0]);
    let mut later = bump(&key("1"), 2);
    later.writes.iter_mut().for_each(|write| write.at = AT + TICK * 2);
    subject.land(later).await;
    assert_eq!(between(Some(2), None).await, ["4"], "a change is not a beginning");
}

async fn a_count_is_about_all_pages(subject: Subject) {
    stored(&subject).await;
    subject.land(bump_with(&key("6"), 1, Facets { awaits: some("paid"), ..at_step("pay") })).await;
    subject.land(bump(&key_of("globex", Kind::Chain, "theirs"), 1)).await;
    let queries = [
        all(),
        Query { definition: some("order"), ..all() },
        Query { status: some("waiting"), ..all() },
        Query { definition: some("order"), status: some("waiting"), ..all() },
        Query { business_key: some("ann"), ..all() },
        Query { awaits: some("paid"), ..all() },
        Query { step: some("pay"), ..all() },
        Query { from: Some(AT), until: Some(AT + TICK), ..all() },
        Query { until: Some(AT), ..all() },
    ];
    let counted = [6, 4, 2, 1, 2, 3, 1, 6, 0];
    for (query, expected) in queries.into_iter().zip(counted) {
        let found = found(&subject, query.clone()).await.len() as u64;
        let paged = Query { before: Some("4".into()), offset: 1, limit: 1, ..query };
        let count = subject.store.count(&paged).await.expect("counts");
        assert_eq!((count, found), (expected, expected), "{paged:?}");
    }
}
