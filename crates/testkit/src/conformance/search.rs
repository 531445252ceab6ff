//! A search finds what matches all it asks for, newest first, page by page.

use waypost_kernel::{DefinitionRef, Facets, Kind, Query};

use super::{
    run::cases,
    sample::{TENANT, bump, bump_with, key, key_of},
    subject::{MANY, Subject},
};

cases![
    a_search_finds_the_newest_first,
    a_search_finds_by_definition,
    a_search_finds_by_status,
    a_search_finds_by_business_key,
    a_search_finds_by_awaited_event,
    a_search_wants_everything_at_once,
    a_search_shows_instances_as_they_are,
    a_search_goes_on_before_the_last_one_seen,
    a_search_comes_in_pages,
    a_search_stays_within_its_tenant_and_face,
    ids_are_compared_byte_by_byte,
];

fn all() -> Query {
    Query {
        tenant: TENANT.into(),
        kind: Kind::Chain,
        definition: None,
        status: None,
        business_key: None,
        awaits: None,
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

fn facets(definition: &str, version: u32, status: &str) -> Facets {
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
