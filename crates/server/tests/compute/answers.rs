//! What the answers of members mean.

use serde_json::{Value as Json, json};
use tonic::Code;
use waypost_api::grpc::cloudevents::cloud_event::Data;
use waypost_documents::document::Value;
use waypost_machines::entity::cascade::{Cause, Reply};
use waypost_server::compute::{ComputeLimits, ComputeOptions};

use crate::{
    member::{Member, event},
    world::{Ask, World, criterion, failure, processor, world, world_with},
};

const REFUSED: Cause = Cause::Refused { is_retryable: false };

/// What becomes of a question that is answered like this.
async fn told(world: &World, ask: Ask, answer: impl AsyncFnOnce(&Member, &str)) -> Reply {
    let mut member = world.join(&[]).await;
    let asking = world.asking(ask);
    let request = member.request().await;
    answer(&member, &request).await;
    let answer = asking.await.unwrap();
    assert_eq!(answer.member, Some(member.id));
    answer.reply
}

async fn processed(world: &World, rest: Json) -> Reply {
    told(world, processor(), async |member, request| member.process(request, rest)).await
}

async fn decided(world: &World, rest: Json) -> Reply {
    told(world, criterion(), async |member, request| member.decide(request, rest)).await
}

fn nothing() -> Reply {
    Reply::Processed { value: None, warnings: Vec::new() }
}

fn refused(is_retryable: bool, message: &str, warnings: &[&str]) -> Reply {
    let warnings = warnings.iter().map(|it| (*it).to_owned()).collect();
    Reply::Failed { cause: Cause::Refused { is_retryable }, message: message.to_owned(), warnings }
}

#[tokio::test]
async fn an_answer_without_a_value_leaves_the_entity_alone() {
    let world = world().await;
    for rest in [
        json!({}),
        json!({ "success": true, "entityId": "another" }),
        json!({ "success": null, "payload": null }),
        json!({ "payload": { "type": "JSON" } }),
        json!({ "payload": { "data": null, "meta": { "state": "ELSEWHERE" } } }),
    ] {
        assert_eq!(processed(&world, rest.clone()).await, nothing(), "{rest}");
    }
}

#[tokio::test]
async fn a_value_comes_back_as_it_was_spelled() {
    let world = world().await;
    let value = r#"{"z":1.10,"a":[12345678901234567890123,1e5],"ä":"\u00e4"}"#;
    for data in [Data::TextData, |text: String| Data::BinaryData(text.into_bytes())] {
        let reply = told(&world, processor(), async |member, request| {
            let text =
                format!(r#"{{"id":"a","requestId":"{request}","payload":{{"data":{value}}}}}"#);
            member.send_event(event("EntityProcessorCalculationResponse", data(text)));
        });
        let Reply::Processed { value: Some(found), warnings } = reply.await else {
            panic!("no value came back")
        };
        assert_eq!(found, Value::parse(value).unwrap());
        assert_eq!(found.to_string(), r#"{"z":1.10,"a":[12345678901234567890123,1e5],"ä":"ä"}"#);
        assert!(warnings.is_empty());
    }
}

#[tokio::test]
async fn a_member_may_say_no_and_why() {
    let world = world().await;
    let rest = json!({ "success": false, "error": { "code": "X", "message": "no stock" } });
    let expected = refused(false, "no stock", &[]);
    assert_eq!(processed(&world, rest.clone()).await, expected);
    assert_eq!(decided(&world, rest).await, expected);
    let error = json!({ "code": "X", "message": "no stock yet", "retryable": true });
    let rest = json!({ "success": false, "error": error, "payload": { "data": 1 } });
    let expected = refused(true, "no stock yet", &[]);
    assert_eq!(processed(&world, rest.clone()).await, expected);
    assert_eq!(decided(&world, rest).await, expected);
    for rest in [json!({ "success": false }), json!({ "success": false, "error": {} })] {
        assert_eq!(processed(&world, rest).await, refused(false, "it gave no reason", &[]));
    }
}

#[tokio::test]
async fn a_criterion_matches_only_if_it_says_so() {
    let world = world().await;
    let matched = |matches, reason: Option<&str>| Reply::Matched {
        matches,
        reason: reason.map(str::to_owned),
        warnings: Vec::new(),
    };
    for (rest, expected) in [
        (json!({ "success": true, "matches": true }), matched(true, None)),
        (json!({ "matches": true }), matched(true, None)),
        (json!({ "matches": false, "reason": "too young" }), matched(false, Some("too young"))),
        (json!({}), matched(false, None)),
        (json!({ "matches": null }), matched(false, None)),
    ] {
        assert_eq!(decided(&world, rest.clone()).await, expected, "{rest}");
    }
}

#[tokio::test]
async fn warnings_are_kept_whatever_the_answer_is() {
    let limits = ComputeLimits { warnings_max: 2, ..ComputeLimits::default() };
    let world = world_with(ComputeOptions { limits, ..ComputeOptions::default() }).await;
    let warnings = vec!["one".to_owned(), "two".to_owned()];
    let reply = processed(&world, json!({ "warnings": ["one", "two"] })).await;
    assert_eq!(reply, Reply::Processed { value: None, warnings: warnings.clone() });
    let reply = decided(&world, json!({ "warnings": ["one", "two"] })).await;
    assert_eq!(reply, Reply::Matched { matches: false, reason: None, warnings });
    let rest = json!({ "success": false, "warnings": ["one", "two", "three", "four"] });
    let expected = refused(false, "it gave no reason", &["one", "two", "and 2 more warnings"]);
    assert_eq!(processed(&world, rest).await, expected);
}

#[tokio::test]
async fn answers_that_make_no_sense_are_refused() {
    let world = world().await;
    let deep = format!("{}{}", "[".repeat(121), "]".repeat(121));
    let deep =
        json!({ "payload": { "data": { "a": serde_json::from_str::<Json>(&deep).unwrap() } } });
    for (rest, wrong) in [
        (json!({ "payload": { "data": [1] } }), "payload.data is not an object"),
        (json!({ "payload": { "data": "text" } }), "payload.data is not an object"),
        (json!({ "payload": [{ "a": 1 }] }), "invalid type: sequence, expected an object"),
        (json!({ "success": "yes" }), "invalid type: string \"yes\", expected a boolean"),
        (json!({ "warnings": [1] }), "invalid type: integer `1`, expected a string"),
        (deep, "payload.data: "),
    ] {
        let reply = processed(&world, rest.clone()).await;
        let Reply::Failed { cause, message, .. } = reply else { panic!("{rest}: {reply:?}") };
        assert_eq!(cause, REFUSED);
        assert!(message.starts_with("the answer makes no sense: "), "{message}");
        assert!(message.contains(wrong), "{message}");
    }
    let reply = decided(&world, json!({ "matches": "true" })).await;
    assert!(matches!(reply, Reply::Failed { cause: REFUSED, .. }), "{reply:?}");
}

#[tokio::test]
async fn an_answer_of_the_other_kind_is_refused() {
    let world = world().await;
    let matches = json!({ "matches": true });
    let reply = told(&world, processor(), async |member, request| member.decide(request, matches));
    let wrong = "the answer makes no sense: a processor was asked and a criterion answered";
    assert_eq!(reply.await, refused(false, wrong, &[]));
    let reply =
        told(&world, criterion(), async |member, request| member.process(request, json!({})));
    let wrong = "the answer makes no sense: a criterion was asked and a processor answered";
    assert_eq!(reply.await, refused(false, wrong, &[]));
}

#[tokio::test]
async fn answers_come_in_any_order() {
    let world = world().await;
    let mut member = world.join(&[]).await;
    let asking: Vec<_> = (0..10)
        .map(|index| world.asking(processor().about(&format!(r#"{{"index":{index}}}"#))))
        .collect();
    let mut asked = Vec::new();
    for _ in 0..10 {
        let (_, payload) = crate::member::read(member.asked().await);
        asked.push((
            payload["requestId"].as_str().unwrap().to_owned(),
            payload["payload"]["data"].clone(),
        ));
    }
    for (request, value) in asked.into_iter().rev() {
        member.process(&request, json!({ "payload": { "data": value } }));
    }
    for (index, asking) in asking.into_iter().enumerate() {
        let reply = asking.await.unwrap().reply;
        let value = Value::parse(&format!(r#"{{"index":{index}}}"#)).unwrap();
        assert_eq!(reply, Reply::Processed { value: Some(value), warnings: Vec::new() });
    }
}

#[tokio::test]
async fn an_answer_that_is_too_large_is_refused_and_the_member_stays() {
    let limits = ComputeLimits { answer_max: 1_000, message_max: 10_000, ..Default::default() };
    let world = world_with(ComputeOptions { limits, ..ComputeOptions::default() }).await;
    let mut member = world.join(&[]).await;
    for (n_bytes, is_too_large) in [(800, false), (1_000, true)] {
        let asking = world.asking(processor());
        let request = member.request().await;
        member.process(&request, json!({ "payload": { "data": { "a": "x".repeat(n_bytes) } } }));
        let answer = asking.await.unwrap();
        match is_too_large {
            true => {
                assert!(failure(&answer).1.ends_with("bytes, which are too many"), "{answer:?}");
            }
            false => assert!(matches!(answer.reply, Reply::Processed { .. }), "{answer:?}"),
        }
    }
    // Beyond that, nobody even reads it.
    let asking = world.asking(processor());
    let request = member.request().await;
    member.process(&request, json!({ "payload": { "data": { "a": "x".repeat(10_000) } } }));
    let (code, message) = member.ending().await;
    assert_eq!(code, Code::InvalidArgument, "{message}");
    assert_eq!(failure(&asking.await.unwrap()).0, Cause::Disconnected);
}

#[tokio::test]
async fn answers_of_ten_megabytes_arrive() {
    let world = world().await;
    let text = "x".repeat((10 << 20) - 200);
    let reply = processed(&world, json!({ "payload": { "data": { "a": text } } })).await;
    assert!(matches!(reply, Reply::Processed { value: Some(_), .. }));
}
