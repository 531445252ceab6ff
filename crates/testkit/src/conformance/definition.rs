//! A definition is deployed once and stays as it is.

use waypost_kernel::{Conflict, Definition, DefinitionQuery, Kind, Version};

use super::{
    run::cases,
    sample::{TENANT, both, bump, definition, deploy, key},
    subject::{MANY, Subject},
};

cases![
    a_definition_is_read_as_it_was_deployed,
    a_name_and_version_is_taken_once,
    a_definition_is_deployed_once_in_a_commit,
    a_definition_is_found_by_name_and_version,
    definitions_come_by_name_and_newest_first,
    definitions_come_in_pages,
    definitions_stay_within_their_tenant_and_face,
    only_the_latest_of_each_name_may_be_asked_for,
    a_definition_is_found_by_a_part_of_its_name,
    definitions_are_counted_on_all_pages,
];

fn all() -> DefinitionQuery {
    DefinitionQuery {
        tenant: TENANT.into(),
        kind: Kind::Chain,
        name: None,
        version: None,
        keyword: None,
        latest_only: false,
        offset: 0,
        limit: MANY,
    }
}

async fn found(subject: &Subject, query: DefinitionQuery) -> Vec<(String, i32)> {
    let found = subject.store.definitions(&query).await.expect("reads definitions");
    found.into_iter().map(|it| (it.which.name, it.which.version)).collect()
}

fn list(names: &[(&str, i32)]) -> Vec<(String, i32)> {
    names.iter().map(|&(name, version)| (name.to_owned(), version)).collect()
}

async fn deployed(subject: &Subject, names: &[(&str, i32)]) {
    subject.land(deploy(names.iter().map(|&(name, version)| definition(name, version)))).await;
}

async fn a_definition_is_read_as_it_was_deployed(subject: Subject) {
    subject.land(deploy([definition("order", 1), definition("order", 2)])).await;
    let found = subject.store.definitions(&all()).await.expect("reads definitions");
    assert_eq!(found, [definition("order", 2), definition("order", 1)]);
}

async fn a_name_and_version_is_taken_once(subject: Subject) {
    deployed(&subject, &[("order", 1)]).await;
    let again = both(bump(&key("o-1"), 1), deploy([definition("order", 1)]));
    assert_eq!(subject.refused(again).await, Conflict::Definition("order".to_owned(), 1));
    assert_eq!(subject.version(&key("o-1")).await, Version::ABSENT);
    let mixed = deploy([definition("order", 2), definition("order", 1)]);
    assert_eq!(subject.refused(mixed).await, Conflict::Definition("order".to_owned(), 1));
    assert_eq!(found(&subject, all()).await, list(&[("order", 1)]));
    deployed(&subject, &[("order", 2), ("return", 1)]).await;
}

async fn a_definition_is_deployed_once_in_a_commit(subject: Subject) {
    let twice = deploy([definition("order", 1), definition("order", 2), definition("order", 1)]);
    assert_eq!(subject.refused(twice).await, Conflict::Definition("order".to_owned(), 1));
    assert_eq!(found(&subject, all()).await, []);
}

async fn a_definition_is_found_by_name_and_version(subject: Subject) {
    deployed(&subject, &[("a", 1), ("a", 2), ("b", 1), ("b", 2), ("b", 3)]).await;
    let name = Some("b".to_owned());
    let named = DefinitionQuery { name: name.clone(), ..all() };
    assert_eq!(found(&subject, named).await, list(&[("b", 3), ("b", 2), ("b", 1)]));
    let one = DefinitionQuery { name, version: Some(2), ..all() };
    assert_eq!(found(&subject, one).await, list(&[("b", 2)]));
    let version = DefinitionQuery { version: Some(1), ..all() };
    assert_eq!(found(&subject, version).await, list(&[("a", 1), ("b", 1)]));
    let none = DefinitionQuery { name: Some("B".to_owned()), ..all() };
    assert_eq!(found(&subject, none).await, []);
    let newest = DefinitionQuery { name: Some("b".to_owned()), limit: 1, ..all() };
    assert_eq!(found(&subject, newest).await, list(&[("b", 3)]));
}

async fn definitions_come_by_name_and_newest_first(subject: Subject) {
    deployed(&subject, &[("b", 1), ("a", 9), ("B", 1), ("é", 1), ("a", 10), ("", 1)]).await;
    let sorted = list(&[("", 1), ("B", 1), ("a", 10), ("a", 9), ("b", 1), ("é", 1)]);
    assert_eq!(found(&subject, all()).await, sorted);
}

async fn definitions_come_in_pages(subject: Subject) {
    deployed(&subject, &[("a", 1), ("a", 2), ("b", 1), ("c", 1)]).await;
    let page =
        async |offset, limit| found(&subject, DefinitionQuery { offset, limit, ..all() }).await;
    assert_eq!(page(0, 2).await, list(&[("a", 2), ("a", 1)]));
    assert_eq!(page(1, 2).await, list(&[("a", 1), ("b", 1)]));
    assert_eq!(page(3, u32::MAX).await, list(&[("c", 1)]));
    assert_eq!(page(4, 2).await, []);
    assert_eq!(page(0, 0).await, []);
}

async fn definitions_stay_within_their_tenant_and_face(subject: Subject) {
    let theirs = Definition { tenant: "globex".into(), ..definition("order", 1) };
    let process = Definition { kind: Kind::Process, ..definition("order", 1) };
    let deployed = [definition("order", 1), theirs.clone(), process.clone()];
    subject.land(deploy(deployed)).await;
    assert_eq!(found(&subject, all()).await, list(&[("order", 1)]));
    let query = DefinitionQuery { tenant: "globex".into(), ..all() };
    assert_eq!(subject.store.definitions(&query).await.expect("reads definitions"), [theirs]);
    let query = DefinitionQuery { kind: Kind::Process, ..all() };
    assert_eq!(subject.store.definitions(&query).await.expect("reads definitions"), [process]);
}

async fn only_the_latest_of_each_name_may_be_asked_for(subject: Subject) {
    deployed(&subject, &[("a", 9), ("a", 10), ("ab", 1), ("b", 2), ("b", 1)]).await;
    let theirs = Definition { tenant: "globex".into(), ..definition("b", 7) };
    let process = Definition { kind: Kind::Process, ..definition("b", 8) };
    subject.land(deploy([theirs, process])).await;
    let latest = || DefinitionQuery { latest_only: true, ..all() };
    assert_eq!(found(&subject, latest()).await, list(&[("a", 10), ("ab", 1), ("b", 2)]));
    let page = DefinitionQuery { offset: 1, limit: 1, ..latest() };
    assert_eq!(found(&subject, page).await, list(&[("ab", 1)]));
    let named = DefinitionQuery { name: Some("b".to_owned()), ..latest() };
    assert_eq!(found(&subject, named).await, list(&[("b", 2)]));
    let outdated = DefinitionQuery { version: Some(1), ..latest() };
    assert_eq!(found(&subject, outdated).await, list(&[("ab", 1)]), "others are not the latest");
}

async fn a_definition_is_found_by_a_part_of_its_name(subject: Subject) {
    deployed(&subject, &[("Order_in", 1), ("reorder", 1), ("reorder", 2), ("É-100%", 1)]).await;
    let by = async |keyword: &str| {
        let keyword = Some(keyword.to_owned());
        found(&subject, DefinitionQuery { keyword, ..all() }).await
    };
    let orders = list(&[("Order_in", 1), ("reorder", 2), ("reorder", 1)]);
    assert_eq!(by("order").await, orders);
    assert_eq!(by("ORDER").await, orders);
    assert_eq!(by("_").await, list(&[("Order_in", 1)]));
    assert_eq!(by("%").await, list(&[("É-100%", 1)]));
    assert_eq!(by("É").await, list(&[("É-100%", 1)]));
    assert_eq!(by("é").await, [], "only A to Z match in both cases");
    assert_eq!(by("").await.len(), 4);
    let keyword = Some("re".to_owned());
    let latest = DefinitionQuery { keyword, latest_only: true, ..all() };
    assert_eq!(found(&subject, latest).await, list(&[("reorder", 2)]));
}

async fn definitions_are_counted_on_all_pages(subject: Subject) {
    deployed(&subject, &[("a", 1), ("a", 2), ("b", 1), ("c", 1)]).await;
    let count = async |query: DefinitionQuery| {
        let page = DefinitionQuery { offset: 1, limit: 1, ..query };
        subject.store.count_definitions(&page).await.expect("counts")
    };
    assert_eq!(count(all()).await, 4);
    assert_eq!(count(DefinitionQuery { latest_only: true, ..all() }).await, 3);
    assert_eq!(count(DefinitionQuery { name: Some("a".to_owned()), ..all() }).await, 2);
    assert_eq!(count(DefinitionQuery { keyword: Some("C".to_owned()), ..all() }).await, 1);
    assert_eq!(count(DefinitionQuery { tenant: "globex".into(), ..all() }).await, 0);
}
