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
];

fn all() -> DefinitionQuery {
    DefinitionQuery {
        tenant: TENANT.into(),
        kind: Kind::Chain,
        name: None,
        version: None,
        offset: 0,
        limit: MANY,
    }
}

async fn found(subject: &Subject, query: DefinitionQuery) -> Vec<(String, u32)> {
    let found = subject.store.definitions(&query).await.expect("reads definitions");
    found.into_iter().map(|it| (it.which.name, it.which.version)).collect()
}

fn list(names: &[(&str, u32)]) -> Vec<(String, u32)> {
    names.iter().map(|&(name, version)| (name.to_owned(), version)).collect()
}

async fn deployed(subject: &Subject, names: &[(&str, u32)]) {
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
