//! Instances are found by the terms they were last given.

use std::time::Duration;

use waypost_kernel::{Commit, DefinitionRef, Facets, Key, Kind, Lookup, Sift, Span, Term};

use super::{
    run::cases,
    sample::{TENANT, all_orders, entity, evolve, key_of, live},
    subject::Subject,
};

cases![
    an_instance_is_found_by_a_key_in_the_span,
    keys_compare_byte_by_byte,
    any_span_will_do_and_each_instance_comes_once,
    terms_are_replaced_as_a_whole,
    a_write_that_says_nothing_of_terms_leaves_them,
    terms_of_other_definitions_do_not_count,
    a_lookup_goes_with_other_wishes_and_in_pages,
    a_lookup_about_the_past_is_ignored,
    commits_that_land_together_leave_the_last_terms,
    the_longest_term_has_room,
];

fn term(path: &str, key: &[u8]) -> Term {
    Term { path: path.to_owned(), key: key.to_vec() }
}

/// Takes an entity to `version`, with these terms.
fn with(key: &Key, version: u64, terms: Vec<Term>) -> Commit {
    let mut commit = evolve(key, version, live("new"));
    commit.writes.iter_mut().for_each(|it| it.terms = Some(terms.clone()));
    commit
}

fn span(from: &[u8], to: Option<&[u8]>) -> Span {
    Span { from: from.to_vec(), to: to.map(<[u8]>::to_vec) }
}

fn wish(path: &str, spans: Vec<Span>) -> Sift {
    Sift { lookup: Some(Lookup { path: path.to_owned(), spans }), ..all_orders() }
}

async fn found(subject: &Subject, path: &str, spans: &[Span]) -> Vec<String> {
    subject.sift(&wish(path, spans.to_vec())).await
}

async fn an_instance_is_found_by_a_key_in_the_span(subject: Subject) {
    for (id, key) in [("a", "30"), ("b", "10"), ("c", "20")] {
        subject.land(with(&entity(id), 1, vec![term("total", key.as_bytes())])).await;
    }
    subject.land(evolve(&entity("d"), 1, live("new"))).await;
    assert_eq!(found(&subject, "total", &[span(b"10", Some(b"30"))]).await, ["b", "c"]);
    assert_eq!(found(&subject, "total", &[span(b"20", None)]).await, ["a", "c"]);
    assert_eq!(found(&subject, "total", &[span(b"", None)]).await, ["a", "b", "c"]);
    assert_eq!(found(&subject, "total", &[span(b"20", Some(b"20"))]).await, [""; 0]);
    assert_eq!(found(&subject, "other", &[span(b"", None)]).await, [""; 0]);
    assert_eq!(found(&subject, "total", &[]).await, [""; 0]);
}

async fn keys_compare_byte_by_byte(subject: Subject) {
    let keys: [&[u8]; 6] = [&[], &[0], &[0, 0], &[0x7f], &[0x80], &[0xff, 0xff]];
    for (number, key) in keys.into_iter().enumerate() {
        let it = entity(&number.to_string());
        subject.land(with(&it, 1, vec![term("", key)])).await;
    }
    assert_eq!(found(&subject, "", &[span(&[], Some(&[0]))]).await, ["0"]);
    assert_eq!(found(&subject, "", &[span(&[0], Some(&[0x80]))]).await, ["1", "2", "3"]);
    assert_eq!(found(&subject, "", &[span(&[0x7f, 1], None)]).await, ["4", "5"]);
    assert_eq!(found(&subject, "", &[span(&[0xff, 0xff], None)]).await, ["5"]);
}

async fn any_span_will_do_and_each_instance_comes_once(subject: Subject) {
    let tags = |tags: &[&str]| tags.iter().map(|it| term("tag", it.as_bytes())).collect();
    subject.land(with(&entity("b"), 1, tags(&["red", "blue", "red"]))).await;
    subject.land(with(&entity("a"), 1, tags(&["red"]))).await;
    subject.land(with(&entity("c"), 1, tags(&["green"]))).await;
    let one = |tag: &str| span(tag.as_bytes(), Some(format!("{tag}\0").as_bytes()));
    assert_eq!(found(&subject, "tag", &[span(b"", None)]).await, ["a", "b", "c"]);
    assert_eq!(found(&subject, "tag", &[one("blue"), one("red")]).await, ["a", "b"]);
    assert_eq!(found(&subject, "tag", &[one("green"), one("blue")]).await, ["b", "c"]);
    assert_eq!(found(&subject, "tag", &[one("re"), one("black")]).await, [""; 0]);
}

async fn terms_are_replaced_as_a_whole(subject: Subject) {
    let it = entity("a");
    let all = span(b"", None);
    subject.land(with(&it, 1, vec![term("x", b"1"), term("y", b"2"), term("z", b"3")])).await;
    subject.land(with(&it, 2, vec![term("y", b"2"), term("z", b"4"), term("w", b"5")])).await;
    assert_eq!(found(&subject, "x", std::slice::from_ref(&all)).await, [""; 0]);
    assert_eq!(found(&subject, "y", &[span(b"2", Some(b"3"))]).await, ["a"]);
    assert_eq!(found(&subject, "z", &[span(b"3", Some(b"4"))]).await, [""; 0]);
    assert_eq!(found(&subject, "z", &[span(b"4", Some(b"5"))]).await, ["a"]);
    assert_eq!(found(&subject, "w", std::slice::from_ref(&all)).await, ["a"]);
    subject.refused(with(&it, 2, vec![term("v", b"1")])).await;
    subject.land(with(&it, 3, Vec::new())).await;
    for path in ["v", "w", "x", "y", "z"] {
        assert_eq!(found(&subject, path, std::slice::from_ref(&all)).await, [""; 0]);
    }
}

async fn a_write_that_says_nothing_of_terms_leaves_them(subject: Subject) {
    let it = entity("a");
    subject.land(with(&it, 1, vec![term("x", b"1")])).await;
    subject.land(evolve(&it, 2, live("paid"))).await;
    assert_eq!(found(&subject, "x", &[span(b"1", None)]).await, ["a"]);
}

async fn terms_of_other_definitions_do_not_count(subject: Subject) {
    let run_by = |name: &str, version| {
        let definition = Some(DefinitionRef { name: name.to_owned(), version });
        Facets { definition, ..live("new") }
    };
    let others = [
        (entity("newer"), run_by("order", 2)),
        (entity("other"), run_by("bill", 1)),
        (entity("none"), Facets::default()),
        (key_of("globex", Kind::Entity, "theirs"), run_by("order", 1)),
        (key_of(TENANT, Kind::Register, "kept"), run_by("order", 1)),
        (entity("mine"), run_by("order", 1)),
    ];
    for (key, facets) in others {
        let mut commit = with(&key, 1, vec![term("x", b"1")]);
        commit.writes.iter_mut().for_each(|it| it.facets = facets.clone());
        subject.land(commit).await;
    }
    let sift = wish("x", vec![span(b"", None)]);
    assert_eq!(subject.sift(&sift).await, ["mine"]);
    let kept = Sift { kind: Kind::Register, ..sift.clone() };
    assert_eq!(subject.sift(&kept).await, ["kept"]);
    let newer = Sift { definition: DefinitionRef { name: "order".to_owned(), version: 2 }, ..sift };
    assert_eq!(subject.sift(&newer).await, ["newer"]);
}

async fn a_lookup_goes_with_other_wishes_and_in_pages(subject: Subject) {
    for number in 0..20_u8 {
        let mut commit = with(&entity(&format!("e-{number:02}")), 1, vec![term("n", &[number])]);
        let step = if number % 2 == 0 { "even" } else { "odd" };
        commit.writes.iter_mut().for_each(|it| it.facets = live(step));
        subject.land(commit).await;
    }
    let sift = Sift { steps: vec!["odd".to_owned()], ..wish("n", vec![span(&[4], Some(&[16]))]) };
    let all = ["e-05", "e-07", "e-09", "e-11", "e-13", "e-15"];
    assert_eq!(subject.sift(&sift).await, all);
    let page = Sift { after: Some("e-05".into()), offset: 1, limit: 3, ..sift.clone() };
    assert_eq!(subject.sift(&page).await, &all[2..5]);
    let none = Sift { status: Some("ended".to_owned()), ..sift };
    assert_eq!(subject.sift(&none).await, [""; 0]);
}

async fn a_lookup_about_the_past_is_ignored(subject: Subject) {
    subject.land(with(&entity("a"), 1, vec![term("x", b"1")])).await;
    subject.land(with(&entity("b"), 1, Vec::new())).await;
    let at = Some(subject.now() + Duration::from_secs(1));
    let sift = Sift { at, ..wish("x", vec![span(b"1", None)]) };
    assert_eq!(subject.sift(&sift).await, ["a", "b"]);
}

async fn commits_that_land_together_leave_the_last_terms(subject: Subject) {
    let it = entity("a");
    for round in 0..5 {
        let next = |version, terms| subject.store.commit(with(&it, round * 3 + version, terms));
        let first = next(1, vec![term("x", b"1"), term("y", b"1")]);
        let second = next(2, vec![term("x", b"2"), term("y", b"1")]);
        let third = subject.store.commit(evolve(&it, round * 3 + 3, live("new")));
        let landed = tokio::join!(first, second, third);
        assert!(landed.0.is_ok() && landed.1.is_ok() && landed.2.is_ok(), "{landed:?}");
        assert_eq!(found(&subject, "x", &[span(b"1", Some(b"2"))]).await, [""; 0]);
        assert_eq!(found(&subject, "x", &[span(b"2", Some(b"3"))]).await, ["a"]);
        assert_eq!(found(&subject, "y", &[span(b"1", Some(b"2"))]).await, ["a"]);
    }
}

async fn the_longest_term_has_room(subject: Subject) {
    // Not the same byte over and over: what compresses well proves nothing.
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    };
    let key: Vec<u8> = (0..Term::BYTES_MAX - 4).map(|_| next()).collect();
    subject.land(with(&entity("a"), 1, vec![term("path", &key)])).await;
    assert_eq!(found(&subject, "path", &[span(&key, None)]).await, ["a"]);
}
