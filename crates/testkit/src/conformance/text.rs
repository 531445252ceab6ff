//! What goes in comes out: every text, every document, character by character.

use waypost_kernel::{
    Claim, Commit, Definition, DefinitionQuery, DefinitionRef, Expectation, Facets, Json, Key,
    Kind, Lease, Message, Posted, Query, Request, Task, Tenant, Timer, Version,
};

use super::{
    run::cases,
    sample::{
        LEASE, arm, both, bump, bump_with, claim, definition, deploy, expecting, key, key_of,
        message, schedule, send, task, task_ref, timer,
    },
    subject::{MANY, Subject},
};

cases![
    names_survive,
    facets_survive,
    tasks_survive,
    timers_survive,
    messages_survive,
    definitions_survive,
    requests_are_told_apart,
    documents_survive_as_they_were_written,
    large_documents_survive,
];

/// Texts that have tripped someone: empty, quotes, wildcards, controls, other scripts, and pairs
/// that look the same and are not.
const TEXTS: [&str; 16] = [
    "",
    " ",
    "it's \"quoted\"",
    "back\\slash",
    "100%_$1?",
    "two\nlines\tand\ra tab",
    "null",
    "NULL",
    "0",
    "00",
    "{\"a\":[1,2]}",
    "a,b:c/d",
    "'; drop table tasks; --",
    "naïve",
    "nai\u{308}ve",
    "漢字 עברית 😀 \u{feff}",
];

const DOCUMENTS: [&str; 10] = [
    r#"{"b":1,"a":2,"b":3}"#,
    r#"{ "spaced" : [ 1 , 2 ] }"#,
    r"[1.0,1.10,-0,1e400,0.1e-7,123456789012345678901234567890]",
    r#""\u0041\u0000\/ is not A/""#,
    r#"{"":{"":[]}}"#,
    r#""漢字 😀 it's""#,
    "null",
    "true",
    "0",
    r#""""#,
];

fn json(text: &str) -> Json {
    Json::parse(text).expect("is a document")
}

async fn names_survive(subject: Subject) {
    for tenant in TEXTS {
        let keys = TEXTS.map(|id| key_of(tenant, Kind::Entity, id));
        let commits = keys.iter().map(|key| bump(key, 1));
        let commit = commits.reduce(both).expect("there are texts");
        subject.land(commit).await;
        let found = subject.store.load(&keys).await.expect("loads");
        let found: Vec<_> = found.into_iter().flatten().map(|it| it.key).collect();
        assert_eq!(found, keys);
    }
}

async fn facets_survive(subject: Subject) {
    for (index, text) in TEXTS.into_iter().enumerate() {
        let some = || Some(text.to_owned());
        let facets = Facets {
            definition: Some(DefinitionRef { name: text.to_owned(), version: i32::MIN }),
            status: text.to_owned(),
            step: some(),
            awaits: some(),
            business_key: some(),
            unique_key: some(),
        };
        let it = key(&index.to_string());
        subject.land(bump_with(&it, 1, facets.clone())).await;
        let query = Query {
            tenant: it.tenant.clone(),
            kind: it.kind,
            definition: some(),
            version: None,
            status: some(),
            business_key: some(),
            awaits: some(),
            step: some(),
            from: None,
            until: None,
            before: None,
            offset: 0,
            limit: MANY,
        };
        let found = subject.store.search(&query).await.expect("searches");
        let found: Vec<_> = found.into_iter().map(|it| (it.key, it.facets)).collect();
        assert_eq!(found, [(it, facets)]);
    }
}

async fn tasks_survive(subject: Subject) {
    let now = subject.now();
    for text in TEXTS {
        let it = key_of(text, Kind::Chain, text);
        let new = Task {
            family: text.to_owned(),
            queue: text.to_owned(),
            version: Version(u64::from(u32::MAX) * 7),
            ..task(&it, text, now)
        };
        subject.land(schedule([new.clone()])).await;
        let claimed = subject
            .claim(Claim {
                tenant: text.into(),
                worker: text.into(),
                families: Some(vec![text.to_owned()]),
                queues: Some(vec![text.to_owned()]),
                ..claim(text)
            })
            .await;
        let lease = Lease { token: text.into(), worker: text.into(), until: now + LEASE };
        assert_eq!(claimed, [Task { lease: Some(lease), ..new }]);
        assert_eq!(subject.tasks(&it).await, claimed);
        let (task, token, worker) = (task_ref(&it, text), text.into(), text.into());
        subject.land(expecting(Expectation::Lease { task, token, worker })).await;
    }
}

async fn timers_survive(subject: Subject) {
    let now = subject.now();
    let mut timers = TEXTS.map(|text| timer(&key(text), text, now)).to_vec();
    timers.sort_by(|a, b| a.at.cmp(&b.at));
    subject.land(arm(timers.clone())).await;
    let mut due = subject.store.due(now, MANY).await.expect("lists timers");
    due.sort_by(|a, b| a.at.cmp(&b.at));
    assert_eq!(due, timers);
}

async fn messages_survive(subject: Subject) {
    let it = key("o-1");
    for text in TEXTS {
        let message = Message {
            event_type: text.to_owned(),
            headers: TEXTS.map(|name| (name.to_owned(), text.to_owned())).into(),
            ..message(text, subject.now())
        };
        subject.land(send(&it, [message.clone()])).await;
        let posted = Posted { key: it.clone(), message, attempts: 0, lapsed: false };
        assert_eq!(subject.outbox(text, LEASE).await, [posted]);
    }
}

async fn definitions_survive(subject: Subject) {
    let definitions = TEXTS.map(|text| Definition {
        tenant: Tenant::from(text),
        body: json(DOCUMENTS.first().copied().expect("there are documents")),
        ..definition(text, 1)
    });
    subject.land(deploy(definitions.clone())).await;
    for definition in definitions {
        let query = DefinitionQuery {
            tenant: definition.tenant.clone(),
            kind: definition.kind,
            name: Some(definition.which.name.clone()),
            version: Some(1),
            keyword: Some(definition.which.name.clone()),
            latest_only: false,
            offset: 0,
            limit: 1,
        };
        let found = subject.store.definitions(&query).await.expect("reads definitions");
        assert_eq!(found, [definition]);
    }
}

async fn requests_are_told_apart(subject: Subject) {
    let of = |tenant: &str, id: &str| {
        let (tenant, id, digest) = (tenant.into(), id.into(), id.to_owned());
        Commit { request: Some(Request { tenant, id, digest }), ..Commit::default() }
    };
    for repeated in [false, true] {
        for tenant in TEXTS {
            for id in TEXTS {
                assert_eq!(subject.land(of(tenant, id)).await.repeated, repeated);
            }
        }
    }
}

/// Writes the document wherever one can be written, and reads it back.
async fn check_document(subject: &Subject, it: &Key, document: &Json) {
    let now = subject.now();
    let mut commit = bump(it, 1);
    commit.writes.iter_mut().for_each(|write| write.state = document.clone());
    commit.events.iter_mut().for_each(|record| record.events = document.clone());
    subject.land(commit).await;
    assert_eq!(subject.record(it).await.map(|it| it.state).as_ref(), Some(document));
    assert_eq!(subject.history(it).await.first().map(|it| &it.events), Some(document));

    let late = Timer { command: document.clone(), ..timer(it, "late", now) };
    subject.land(arm([late.clone()])).await;
    let due = subject.store.due(now, MANY).await.expect("lists timers");
    assert!(due.contains(&late));

    let notice = Message { payload: document.clone(), ..message("m-1", now) };
    subject.land(send(it, [notice])).await;
    let posted = subject.outbox("s-1", LEASE).await;
    assert_eq!(posted.first().map(|it| &it.message.payload), Some(document));
}

async fn documents_survive_as_they_were_written(subject: Subject) {
    for (index, text) in DOCUMENTS.into_iter().enumerate() {
        check_document(&subject, &key(&index.to_string()), &json(text)).await;
    }
}

async fn large_documents_survive(subject: Subject) {
    const MEBIBYTE: usize = 1 << 20;
    let large = Json::of(&"é😀 ".repeat(MEBIBYTE / 7));
    assert!(large.as_str().len() > MEBIBYTE - 16);
    check_document(&subject, &key("o-1"), &large).await;
}
