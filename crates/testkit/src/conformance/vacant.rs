//! A commit can expect that no instance runs by a definition.

use waypost_kernel::{Commit, Conflict, DefinitionRef, Expectation, Facets, Key, Kind, Version};

use super::{
    run::cases,
    sample::{TENANT, both, bump, bump_with, entity, expecting, key_of, live, orders},
    subject::Subject,
};

cases![
    nothing_runs_by_a_definition_that_nobody_used,
    a_definition_that_is_used_is_not_vacant,
    other_definitions_and_statuses_do_not_count,
    a_definition_is_vacant_again_when_all_have_left,
    of_a_creation_and_a_vacancy_only_one_lands,
    those_who_only_read_an_instance_land_together,
];

fn vacant_of(kind: Kind) -> Expectation {
    let (tenant, status) = (TENANT.into(), "live".to_owned());
    Expectation::Vacant { tenant, kind, definition: orders(), status }
}

fn vacant() -> Expectation {
    vacant_of(Kind::Entity)
}

fn at(key: &Key, version: u64) -> Expectation {
    Expectation::Version { key: key.clone(), version: Version(version) }
}

/// The model that the sample entities are made by.
fn model() -> Key {
    key_of(TENANT, Kind::Model, "order")
}

async fn nothing_runs_by_a_definition_that_nobody_used(subject: Subject) {
    subject.land(both(expecting(vacant()), bump(&model(), 1))).await;
    // What the commit itself writes does not count.
    subject.land(both(expecting(vacant()), bump_with(&entity("e-1"), 1, live("new")))).await;
}

async fn a_definition_that_is_used_is_not_vacant(subject: Subject) {
    for kind in Kind::ALL {
        let it = key_of(TENANT, kind, "i-1");
        subject.land(both(expecting(vacant_of(kind)), bump_with(&it, 1, live("new")))).await;
        let commit = both(expecting(vacant_of(kind)), bump(&key_of(TENANT, kind, "i-2"), 1));
        assert_eq!(subject.refused(commit).await, Conflict::Occupied(orders()));
        assert_eq!(subject.version(&key_of(TENANT, kind, "i-2")).await, Version::ABSENT);
    }
}

async fn other_definitions_and_statuses_do_not_count(subject: Subject) {
    let run_by = |name: &str, version| {
        let definition = Some(DefinitionRef { name: name.to_owned(), version });
        Facets { definition, ..live("new") }
    };
    subject.land(bump_with(&entity("e-1"), 1, run_by("order", 2))).await;
    subject.land(bump_with(&entity("e-2"), 1, run_by("bill", 1))).await;
    let ended = Facets { status: "ended".to_owned(), ..live("new") };
    subject.land(bump_with(&entity("e-3"), 1, ended)).await;
    subject.land(bump_with(&key_of("globex", Kind::Entity, "e-4"), 1, live("new"))).await;
    subject.land(bump_with(&key_of(TENANT, Kind::Chain, "e-5"), 1, live("new"))).await;
    subject.land(expecting(vacant())).await;
}

async fn a_definition_is_vacant_again_when_all_have_left(subject: Subject) {
    let (first, second) = (entity("e-1"), entity("e-2"));
    subject.land(both(bump_with(&first, 1, live("new")), bump_with(&second, 1, live("new")))).await;
    let ended = Facets { status: "ended".to_owned(), ..live("new") };
    subject.land(bump_with(&first, 2, ended)).await;
    subject.refused(expecting(vacant())).await;
    // Leaving in the same commit is too late.
    let leaving = Commit { erased: vec![second.clone()], ..expecting(vacant()) };
    assert_eq!(subject.refused(leaving).await, Conflict::Occupied(orders()));
    subject.land(Commit { erased: vec![second], ..Commit::default() }).await;
    subject.land(expecting(vacant())).await;
}

async fn of_a_creation_and_a_vacancy_only_one_lands(subject: Subject) {
    subject.land(bump(&model(), 1)).await;
    let mut version = 1;
    for round in 0..30 {
        let it = entity(&format!("e-{round}"));
        let create = both(expecting(at(&model(), version)), bump_with(&it, 1, live("new")));
        let close = both(expecting(vacant()), bump(&model(), version + 1));
        let outcomes = if round % 2 == 0 {
            tokio::join!(subject.store.commit(create), subject.store.commit(close))
        } else {
            let (closed, created) =
                tokio::join!(subject.store.commit(close), subject.store.commit(create));
            (created, closed)
        };
        let (created, closed) = (outcomes.0.is_ok(), outcomes.1.is_ok());
        assert_ne!(created, closed, "{outcomes:?}");
        version += u64::from(closed);
        subject.land(Commit { erased: vec![it], ..Commit::default() }).await;
    }
}

async fn those_who_only_read_an_instance_land_together(subject: Subject) {
    subject.land(bump(&model(), 1)).await;
    let mut creating = tokio::task::JoinSet::new();
    for number in 0..100 {
        let subject = subject.clone();
        creating.spawn(async move {
            let it = entity(&format!("e-{number}"));
            let commit = both(expecting(at(&model(), 1)), bump_with(&it, 1, live("new")));
            subject.store.commit(commit).await
        });
    }
    assert!(creating.join_all().await.iter().all(Result::is_ok));
    subject.land(both(expecting(at(&model(), 1)), bump(&model(), 2))).await;
    let late = both(expecting(at(&model(), 1)), bump_with(&entity("late"), 1, live("new")));
    assert_eq!(subject.refused(late).await, Conflict::Version(model()));
}
