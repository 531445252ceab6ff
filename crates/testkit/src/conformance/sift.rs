//! Going through the instances of a definition by id, now and as of an instant, and counting them.

use std::time::Duration;

use waypost_kernel::{Commit, DefinitionRef, Facets, Key, Kind, Sift, TallyQuery};

use super::{
    run::cases,
    sample::{
        TENANT, TICK, all_entities, all_orders, bump, bump_with, entity, evolve, key_of, large,
        live, orders,
    },
    subject::Subject,
};

cases![
    instances_come_by_id_byte_by_byte,
    instances_come_in_pages,
    pages_of_large_instances_end_early,
    only_instances_of_the_definition_come,
    instances_can_be_sifted_by_status_and_step,
    any_face_can_be_sifted,
    instances_come_as_they_were,
    many_instances_are_gone_through_once_each,
    instances_are_counted_by_definition_and_step,
    instances_are_counted_as_they_were,
];

fn ended(step: &str) -> Facets {
    Facets { status: "ended".to_owned(), ..live(step) }
}

fn by(name: &str, version: i32) -> Facets {
    Facets { definition: Some(DefinitionRef { name: name.to_owned(), version }), ..live("new") }
}

async fn create(subject: &Subject, key: &Key, facets: Facets) {
    subject.land(evolve(key, 1, facets)).await;
}

async fn instances_come_by_id_byte_by_byte(subject: Subject) {
    for id in ["b", "B", "é", "a-1", "z", "a", "Z", "a_1", "10", "9"] {
        create(&subject, &entity(id), live("new")).await;
    }
    let sorted = ["10", "9", "B", "Z", "a", "a-1", "a_1", "b", "z", "é"];
    assert_eq!(subject.sift(&all_orders()).await, sorted);
    let found = subject.store.sift(&all_orders()).await.expect("goes through instances");
    for record in found {
        assert_eq!(subject.record(&record.key).await, Some(record), "they come whole");
    }
}

async fn instances_come_in_pages(subject: Subject) {
    for id in ["a", "b", "c", "d", "e"] {
        create(&subject, &entity(id), live("new")).await;
    }
    let page = async |after: Option<&str>, offset, limit| {
        let after = after.map(Into::into);
        subject.sift(&Sift { after, offset, limit, ..all_orders() }).await
    };
    assert_eq!(page(None, 0, 2).await, ["a", "b"]);
    assert_eq!(page(Some("b"), 0, 2).await, ["c", "d"]);
    assert_eq!(page(Some("bb"), 0, 9).await, ["c", "d", "e"]);
    assert_eq!(page(None, 3, 9).await, ["d", "e"]);
    assert_eq!(page(Some("a"), 1, 1).await, ["c"]);
    assert_eq!(page(Some("e"), 0, 9).await, [""; 0]);
    assert_eq!(page(None, 0, 0).await, [""; 0]);
    let at = Some(subject.now() + Duration::from_secs(1));
    let then = Sift { at, after: Some("a".into()), offset: 1, limit: 2, ..all_orders() };
    assert_eq!(subject.sift(&then).await, ["c", "d"]);
}

async fn pages_of_large_instances_end_early(subject: Subject) {
    for id in ["a", "c", "d"] {
        subject.land(large(evolve(&entity(id), 1, live("new")))).await;
    }
    create(&subject, &entity("b"), live("new")).await;
    // What lands at the same time is told apart by the least of times.
    subject.advance(Duration::from_secs(1));
    for at in [None, Some(subject.now())] {
        let page = async |after: Option<&str>| {
            let after = after.map(Into::into);
            subject.sift(&Sift { after, at, limit: 9, ..all_orders() }).await
        };
        assert_eq!(page(None).await, ["a", "b", "c"]);
        assert_eq!(page(Some("c")).await, ["d"]);
    }
}

async fn only_instances_of_the_definition_come(subject: Subject) {
    create(&subject, &entity("mine"), live("new")).await;
    create(&subject, &entity("newer"), by("order", 2)).await;
    create(&subject, &entity("other"), by("orders", 1)).await;
    create(&subject, &entity("none"), Facets::default()).await;
    create(&subject, &key_of("globex", Kind::Entity, "theirs"), live("new")).await;
    create(&subject, &key_of(TENANT, Kind::Model, "model"), live("new")).await;
    for at in [None, Some(subject.now() + Duration::from_secs(1))] {
        assert_eq!(subject.sift(&Sift { at, ..all_orders() }).await, ["mine"]);
        let definition = DefinitionRef { name: "order".to_owned(), version: 2 };
        assert_eq!(subject.sift(&Sift { at, definition, ..all_orders() }).await, ["newer"]);
        let theirs = Sift { at, tenant: "globex".into(), ..all_orders() };
        assert_eq!(subject.sift(&theirs).await, ["theirs"]);
    }
}

async fn instances_can_be_sifted_by_status_and_step(subject: Subject) {
    let nowhere = Facets { step: None, ..live("") };
    let both = live(&format!("pay{}pack", Facets::STEP_SEPARATOR));
    let facets = [live("pay"), live("pack"), ended("pay"), ended("end"), nowhere, both];
    for (id, facets) in ["a", "b", "c", "d", "e", "f"].iter().zip(facets) {
        create(&subject, &entity(id), facets).await;
    }
    let found = async |status: Option<&str>, steps: &[&str]| {
        let (status, steps) = (status.map(str::to_owned), steps.iter().map(|it| (*it).to_owned()));
        let sift = Sift { status, steps: steps.collect(), ..all_orders() };
        let now = subject.sift(&sift).await;
        let at = Some(subject.now() + Duration::from_secs(1));
        assert_eq!(subject.sift(&Sift { at, ..sift }).await, now);
        now
    };
    assert_eq!(found(Some("live"), &[]).await, ["a", "b", "e", "f"]);
    assert_eq!(found(Some("ended"), &[]).await, ["c", "d"]);
    assert_eq!(found(Some("Live"), &[]).await, [""; 0]);
    assert_eq!(found(None, &["pay"]).await, ["a", "c", "f"]);
    assert_eq!(found(None, &["end", "pack"]).await, ["b", "d", "f"]);
    assert_eq!(found(Some("ended"), &["end", "pack"]).await, ["d"]);
    assert_eq!(found(None, &["pa", "p\u{1f}p"]).await, [""; 0]);
}

async fn any_face_can_be_sifted(subject: Subject) {
    for kind in Kind::ALL {
        for id in ["b", "a", "c"] {
            let facets = if id == "c" { ended("new") } else { live("new") };
            create(&subject, &key_of(TENANT, kind, id), facets).await;
        }
        let sift = Sift { kind, ..all_orders() };
        assert_eq!(subject.sift(&sift).await, ["a", "b", "c"]);
        let status = Some("live".to_owned());
        assert_eq!(subject.sift(&Sift { status, ..sift }).await, ["a", "b"]);
        let tally = subject.tally(&TallyQuery { kind, ..all_entities() }).await;
        assert_eq!(tally, ["order 1 new 3"]);
    }
}

async fn instances_come_as_they_were(subject: Subject) {
    let start = subject.now();
    let step = async |commit: Commit| {
        subject.advance(Duration::from_secs(1));
        subject.land(commit).await;
    };
    step(evolve(&entity("a"), 1, live("pay"))).await;
    step(evolve(&entity("b"), 1, live("pay"))).await;
    step(evolve(&entity("a"), 2, live("pack"))).await;
    step(evolve(&entity("a"), 3, ended("end"))).await;
    step(evolve(&entity("c"), 1, live("pay"))).await;
    step(evolve(&entity("b"), 2, ended("end"))).await;
    let found = async |second: u64, status: Option<&str>, steps: &[&str]| {
        let (status, at) = (status.map(str::to_owned), Some(start + Duration::from_secs(second)));
        let steps = steps.iter().map(|it| (*it).to_owned()).collect();
        let found = subject.store.sift(&Sift { at, status, steps, ..all_orders() }).await;
        let line = |it: waypost_kernel::Record| format!("{} {}", it.key.id, it.version);
        found.expect("goes through instances").into_iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(found(0, None, &[]).await, [""; 0]);
    assert_eq!(found(1, None, &[]).await, ["a 1"]);
    assert_eq!(found(2, None, &["pay"]).await, ["a 1", "b 1"]);
    assert_eq!(found(3, None, &[]).await, ["a 2", "b 1"]);
    assert_eq!(found(3, None, &["pay"]).await, ["b 1"]);
    assert_eq!(found(4, Some("live"), &[]).await, ["b 1"]);
    assert_eq!(found(5, Some("live"), &[]).await, ["b 1", "c 1"]);
    assert_eq!(found(6, Some("ended"), &[]).await, ["a 3", "b 2"]);
    assert_eq!(found(9, None, &[]).await, ["a 3", "b 2", "c 1"]);
    let exact = Sift { at: Some(start + Duration::from_secs(1) - TICK), ..all_orders() };
    assert_eq!(subject.sift(&exact).await, [""; 0]);
}

async fn many_instances_are_gone_through_once_each(subject: Subject) {
    let ids: Vec<String> = (0..300).map(|number| format!("e-{number:03}")).collect();
    for some in ids.chunks(50) {
        let all = some.iter().map(|id| evolve(&entity(id), 1, live("new")));
        let commit = all.reduce(super::sample::both).expect("there are some");
        subject.land(Commit { timing: waypost_kernel::Timing::Landed, ..commit }).await;
    }
    let (mut seen, mut after) = (Vec::new(), None);
    while let page = subject.sift(&Sift { after, limit: 70, ..all_orders() }).await
        && let Some(last) = page.last()
    {
        after = Some(last.as_str().into());
        seen.extend(page);
    }
    assert_eq!(seen, ids);
}

async fn instances_are_counted_by_definition_and_step(subject: Subject) {
    assert_eq!(subject.tally(&all_entities()).await, [""; 0]);
    let nowhere = Facets { step: None, ..live("") };
    let facets = [live("pay"), live("Pack"), live("pay"), ended("end"), nowhere, live("")];
    for (number, facets) in facets.into_iter().enumerate() {
        create(&subject, &entity(&format!("a-{number}")), facets).await;
    }
    create(&subject, &entity("b-1"), by("order", 2)).await;
    create(&subject, &entity("b-2"), by("bill", 10)).await;
    create(&subject, &entity("b-3"), Facets::default()).await;
    create(&subject, &key_of("globex", Kind::Entity, "a-1"), live("pay")).await;
    subject.land(bump(&key_of(TENANT, Kind::Chain, "a-1"), 1)).await;
    let all = [
        "bill 10 new 1",
        "order 1  2",
        "order 1 Pack 1",
        "order 1 end 1",
        "order 1 pay 2",
        "order 2 new 1",
    ];
    assert_eq!(subject.tally(&all_entities()).await, all);
    let definition = Some(orders());
    let mine = TallyQuery { definition, ..all_entities() };
    assert_eq!(subject.tally(&mine).await, &all[1..5]);
    let live = TallyQuery { status: Some("live".to_owned()), ..mine };
    assert_eq!(subject.tally(&live).await, ["order 1  2", "order 1 Pack 1", "order 1 pay 2"]);
}

async fn instances_are_counted_as_they_were(subject: Subject) {
    let (start, second) = (subject.now(), Duration::from_secs(1));
    for commit in [
        evolve(&entity("a"), 1, live("pay")),
        evolve(&entity("b"), 1, live("pay")),
        evolve(&entity("a"), 2, ended("end")),
        bump_with(&entity("b"), 2, live("pack")),
    ] {
        subject.advance(second);
        subject.land(Commit { timing: waypost_kernel::Timing::Landed, ..commit }).await;
    }
    let tally = async |seconds, status: Option<&str>| {
        let (at, status) = (Some(start + second * seconds), status.map(str::to_owned));
        subject.tally(&TallyQuery { at, status, ..all_entities() }).await
    };
    assert_eq!(tally(0, None).await, [""; 0]);
    assert_eq!(tally(1, None).await, ["order 1 pay 1"]);
    assert_eq!(tally(4, None).await, ["order 1 end 1", "order 1 pack 1"]);
    assert_eq!(tally(4, Some("live")).await, ["order 1 pack 1"]);
    // Nobody kept what the second one was, so it is only known as it is.
    assert_eq!(tally(2, None).await, ["order 1 pack 1", "order 1 pay 1"]);
    assert_eq!(tally(2, Some("ended")).await, [""; 0]);
}
