//! An instance that is erased is gone with everything that was known of it, but its messages.

use waypost_kernel::{
    Commit, Conflict, Cursor, Expectation, Key, Lookup, Sift, Span, Term, Version,
};

use super::{
    run::cases,
    sample::{
        LEASE, all_orders, arm, both, bump, bump_with, claim, entity, events, evolve, expecting,
        key, key_of, live, message, schedule, send, task, timer,
    },
    subject::{Subject, face, message_names, names},
};

cases![
    everything_of_an_instance_is_erased,
    others_stay,
    what_does_not_exist_is_forgotten_already,
    an_erased_instance_may_begin_anew,
    a_unique_key_is_free_again,
    whatever_else_is_said_of_an_erased_instance_goes_with_it,
    an_instance_is_not_both_written_and_erased,
    a_refused_commit_erases_nothing,
    commits_that_land_together_erase_in_order,
    watchers_miss_nothing_that_follows,
];

fn erase(key: &Key) -> Commit {
    Commit { erased: vec![key.clone()], ..Commit::default() }
}

fn by_term() -> Sift {
    let spans = vec![Span { from: Vec::new(), to: None }];
    Sift { lookup: Some(Lookup { path: "x".to_owned(), spans }), ..all_orders() }
}

/// An entity with one of everything and a past.
async fn full(subject: &Subject, it: &Key) {
    let (now, id) = (subject.now(), it.id.as_str());
    let mut first = evolve(it, 1, live("new"));
    first.writes.iter_mut().for_each(|it| {
        it.terms = Some(vec![Term { path: "x".to_owned(), key: b"1".to_vec() }]);
    });
    let timing = first.timing;
    let parts = [
        schedule([task(it, "pack", now)]),
        arm([timer(it, &format!("late {id}"), now)]),
        send(it, [message(&format!("m {id}"), now)]),
    ];
    let commit = parts.into_iter().fold(first, both);
    subject.land(Commit { timing, ..commit }).await;
    subject.land(evolve(it, 2, live("paid"))).await;
}

async fn everything_of_an_instance_is_erased(subject: Subject) {
    let it = entity("e-1");
    full(&subject, &it).await;
    let before = subject.now();
    subject.land(erase(&it)).await;
    assert_eq!(subject.record(&it).await, None);
    assert_eq!(subject.history(&it).await, []);
    assert_eq!(subject.versions(&it).await, []);
    assert_eq!(subject.past(&it, before).await, None);
    assert_eq!(subject.sift(&by_term()).await, [""; 0]);
    assert_eq!(subject.sift(&all_orders()).await, [""; 0]);
    assert_eq!(subject.tasks(&it).await, []);
    assert_eq!(subject.due().await, [""; 0]);
    assert_eq!(message_names(&subject.outbox("s-1", LEASE).await), ["m e-1"]);
}

async fn others_stay(subject: Subject) {
    let (it, other) = (entity("e-1"), entity("e-10"));
    let theirs = key_of("globex", it.kind, "e-1");
    for key in [&it, &other, &theirs] {
        full(&subject, key).await;
    }
    subject.land(erase(&it)).await;
    for key in [&other, &theirs] {
        assert_eq!(subject.version(key).await, Version(2));
        assert_eq!(subject.history(key).await.len(), 2);
        assert_eq!(subject.versions(key).await.len(), 2);
        assert_eq!(names(&subject.tasks(key).await), ["pack"]);
    }
    assert_eq!(subject.sift(&by_term()).await, ["e-10"]);
    assert_eq!(subject.due().await, ["late e-10", "late e-1"]);
}

async fn what_does_not_exist_is_forgotten_already(subject: Subject) {
    let receipt = subject.land(erase(&entity("e-1"))).await;
    assert_eq!((receipt.key, receipt.version), (None, Version::ABSENT));
    let twice = both(erase(&entity("e-1")), erase(&entity("e-2")));
    subject.land(twice).await;
}

async fn an_erased_instance_may_begin_anew(subject: Subject) {
    let it = entity("e-1");
    full(&subject, &it).await;
    subject.land(erase(&it)).await;
    let gone = Expectation::Version { key: it.clone(), version: Version::ABSENT };
    subject.land(expecting(gone)).await;
    assert_eq!(subject.refused(evolve(&it, 3, live("new"))).await, Conflict::Version(it.clone()));
    subject.land(evolve(&it, 1, live("new"))).await;
    subject.land(evolve(&it, 2, live("new"))).await;
    assert_eq!(subject.history(&it).await.len(), 2);
    assert_eq!(subject.versions(&it).await.len(), 2);
    assert_eq!(subject.sift(&by_term()).await, [""; 0], "what it was found by is forgotten");
    assert_eq!(subject.tasks(&it).await, []);
}

async fn a_unique_key_is_free_again(subject: Subject) {
    let facets = || waypost_kernel::Facets { unique_key: Some("u".to_owned()), ..live("new") };
    let (first, second) = (entity("e-1"), entity("e-2"));
    subject.land(bump_with(&first, 1, facets())).await;
    let early = both(erase(&first), bump_with(&second, 1, facets()));
    assert_eq!(subject.refused(early).await, Conflict::Unique(first.clone()));
    subject.land(erase(&first)).await;
    subject.land(bump_with(&second, 1, facets())).await;
}

async fn whatever_else_is_said_of_an_erased_instance_goes_with_it(subject: Subject) {
    let (it, now) = (key("o-1"), subject.now());
    subject.land(bump(&it, 1)).await;
    let parts = [schedule([task(&it, "pack", now)]), arm([timer(&it, "late", now)])];
    subject.land(parts.into_iter().fold(erase(&it), both)).await;
    assert_eq!(subject.record(&it).await, None);
    assert_eq!(subject.claim(claim("c-1")).await, []);
    assert_eq!(subject.due().await, [""; 0]);
}

async fn an_instance_is_not_both_written_and_erased(subject: Subject) {
    let it = key("o-1");
    subject.land(bump(&it, 1)).await;
    let conflict = Conflict::Version(it.clone());
    assert_eq!(subject.refused(both(erase(&it), bump(&it, 2))).await, conflict);
    assert_eq!(subject.refused(both(erase(&it), erase(&it))).await, conflict);
    assert_eq!(subject.version(&it).await, Version(1));
}

async fn a_refused_commit_erases_nothing(subject: Subject) {
    let it = entity("e-1");
    full(&subject, &it).await;
    let stale = Expectation::Version { key: it.clone(), version: Version(1) };
    let conflict = subject.refused(both(expecting(stale), erase(&it))).await;
    assert_eq!(conflict, Conflict::Version(it.clone()));
    assert_eq!(subject.version(&it).await, Version(2));
    assert_eq!(subject.history(&it).await.len(), 2);
}

async fn commits_that_land_together_erase_in_order(subject: Subject) {
    for id in ["e-1", "e-2", "e-3"] {
        let it = entity(id);
        let now = subject.now();
        let timed = both(evolve(&it, 1, live("new")), arm([timer(&it, id, now)]));
        let at_version = |version| Expectation::Version { key: it.clone(), version };
        let gone = both(expecting(at_version(Version(2))), erase(&it));
        let landed = tokio::join!(
            subject.store.commit(timed),
            subject.store.commit(evolve(&it, 2, live("paid"))),
            subject.store.commit(Commit { writes: Vec::new(), ..gone }),
            subject
                .store
                .commit(both(evolve(&it, 1, live("anew")), schedule([task(&it, id, now)]))),
            subject.store.commit(evolve(&it, 2, live("again"))),
        );
        assert!(landed.0.is_ok() && landed.1.is_ok() && landed.2.is_ok(), "{landed:?}");
        assert!(landed.3.is_ok() && landed.4.is_ok(), "{landed:?}");
        let record = subject.record(&it).await.expect("has begun anew");
        assert_eq!((record.version, record.facets), (Version(2), live("again")));
        assert_eq!(subject.history(&it).await.len(), 2);
        assert_eq!(subject.versions(&it).await.len(), 2);
        assert_eq!(names(&subject.tasks(&it).await), [id]);
        assert_eq!(subject.due().await, [""; 0]);
        let (erased, again) = tokio::join!(
            subject.store.commit(erase(&it)),
            subject.store.commit(evolve(&it, 3, live("late")))
        );
        assert!(erased.is_ok() && again.is_err());
        assert_eq!(subject.record(&it).await, None);
    }
}

async fn watchers_miss_nothing_that_follows(subject: Subject) {
    let (it, other) = (key("o-1"), key("o-2"));
    subject.land(bump(&other, 1)).await;
    subject.land(bump(&it, 1)).await;
    let seen = subject.changes(&Cursor::default()).await;
    let cursor = &seen.last().expect("two things happened").cursor;
    let head = subject.store.head(&face()).await.expect("reads the head");
    for version in 2..=4 {
        subject.land(erase(&it)).await;
        assert_eq!(subject.changes(&Cursor::default()).await.len(), version - 1);
        subject.land(bump(&other, version as u64)).await;
        subject.land(bump(&it, 1)).await;
    }
    let expected = [events(&other, 2), events(&other, 3), events(&other, 4), events(&it, 1)];
    for cursor in [cursor, &head] {
        let later = subject.changes(cursor).await;
        let later: Vec<_> = later.into_iter().map(|it| it.record).collect();
        assert_eq!(later, expected);
    }
}
