//! What members are asked, word for word.

use std::time::Duration;

use expect_test::{Expect, expect};
use serde_json::Value;
use waypost_api::grpc::cloudevents::CloudEvent;
use waypost_engine::entity::Caller;
use waypost_server::compute::{ComputeError, ComputeOptions, Members, Ticket, TicketError};
use waypost_testkit::clock::SimClock;

use crate::{
    member::{attribute, request, text},
    world::{Ask, World, caller, criterion, processor, selector, world, world_with},
};

/// What a member receives for this.
async fn received(world: &World, ask: Ask) -> CloudEvent {
    let mut member = world.join(&[]).await;
    let asking = world.asking(ask);
    let event = member.asked().await;
    asking.abort();
    event
}

async fn check(ask: Ask, kind: &str, expected: Expect) {
    let event = received(&world().await, ask).await;
    assert_eq!(event.r#type, kind);
    assert_eq!((event.source.as_str(), event.spec_version.as_str()), ("cyoda", "1.0"));
    let id = request(&event);
    assert_eq!(uuid::Uuid::parse_str(&id).unwrap().get_version_num(), 1);
    assert_ne!(event.id, id);
    // Line by line, and in its own words: a value that was parsed may not be what was sent.
    let text = text(&event).replace(&id, "$request").replace(",\"", ",\n\"");
    expected.assert_eq(&text);
}

#[tokio::test]
async fn a_processor_is_told_everything_it_needs() {
    check(
        processor(),
        "EntityProcessorCalculationRequest",
        expect![[r#"
            {"id":"$request",
            "requestId":"$request",
            "entityId":"e-1",
            "processorId":"reserve-stock",
            "processorName":"reserve-stock",
            "workflow":{"id":"order-lifecycle",
            "name":"order-lifecycle"},
            "transition":{"id":"SUBMIT",
            "name":"SUBMIT",
            "stateFrom":"NEW",
            "stateTo":"SUBMITTED"},
            "transactionId":"t-1",
            "success":true,
            "payload":{"type":"JSON",
            "data":{"z":1.10,
            "a":12345678901234567890123},
            "meta":{"id":"e-1",
            "modelKey":{"name":"order",
            "version":1},
            "state":"NEW",
            "creationDate":"2026-05-28T20:26:40Z",
            "lastUpdateTime":"2026-05-28T20:27:40.12Z",
            "transactionId":"t-1"}}}"#]],
    )
    .await;
}

#[tokio::test]
async fn the_criterion_of_a_transition_is_told_which() {
    check(
        criterion(),
        "EntityCriteriaCalculationRequest",
        expect![[r#"
            {"id":"$request",
            "requestId":"$request",
            "entityId":"e-1",
            "criteriaId":"is-eligible",
            "criteriaName":"is-eligible",
            "target":"TRANSITION",
            "workflow":{"id":"order-lifecycle",
            "name":"order-lifecycle"},
            "transition":{"id":"SUBMIT",
            "name":"SUBMIT",
            "stateFrom":"NEW",
            "stateTo":"SUBMITTED"},
            "transactionId":"t-1",
            "success":true,
            "payload":{"type":"JSON",
            "data":{"z":1.10,
            "a":12345678901234567890123},
            "meta":{"id":"e-1",
            "modelKey":{"name":"order",
            "version":1},
            "state":"NEW",
            "creationDate":"2026-05-28T20:26:40Z",
            "lastUpdateTime":"2026-05-28T20:27:40.12Z",
            "transactionId":"t-1"}}}"#]],
    )
    .await;
}

#[tokio::test]
async fn what_is_not_there_is_not_sent_and_what_is_to_be_passed_on_is_a_text() {
    let mut ask = selector();
    ask.call.terms.attach_entity = false;
    ask.call.terms.context = r#"{"warehouse":7}"#.to_owned();
    check(
        ask,
        "EntityCriteriaCalculationRequest",
        expect![[r#"
            {"id":"$request",
            "requestId":"$request",
            "entityId":"e-1",
            "criteriaId":"is-eligible",
            "criteriaName":"is-eligible",
            "target":"WORKFLOW",
            "workflow":{"id":"order-lifecycle",
            "name":"order-lifecycle"},
            "transactionId":"t-1",
            "success":true,
            "parameters":"{\"warehouse\":7}"}"#]],
    )
    .await;
}

#[tokio::test]
async fn a_processor_without_the_entity_is_told_what_to_do_with_it() {
    let mut ask = processor();
    ask.call.terms.attach_entity = false;
    ask.call.terms.context = "warehouse=7".to_owned();
    let event = received(&world().await, ask).await;
    let payload: Value = serde_json::from_str(text(&event)).unwrap();
    assert_eq!(payload["parameters"], "warehouse=7");
    assert_eq!(payload.get("payload"), None);
}

#[tokio::test]
async fn members_are_told_on_whose_behalf_they_are_asked() {
    let world = world().await;
    for (roles, kind, claims) in [
        (vec!["ROLE_ADMIN", "ROLE_M2M"], "service_account", Some("ROLE_ADMIN,ROLE_M2M")),
        (vec!["ROLE_USER"], "user", Some("ROLE_USER")),
        (vec![], "user", None),
    ] {
        let roles = roles.into_iter().map(str::to_owned).collect();
        let ask = processor().by(Caller { user: "u-1".to_owned(), roles, ..caller() });
        let event = received(&world, ask).await;
        assert_eq!(attribute(&event, "authtype").as_deref(), Some(kind));
        assert_eq!(attribute(&event, "authid").as_deref(), Some("u-1"));
        assert_eq!(attribute(&event, "authclaims").as_deref(), claims);
    }
}

#[tokio::test]
async fn members_get_a_ticket_for_the_transaction() {
    let node = "node-7".to_owned();
    let world = world_with(ComputeOptions { node, ..ComputeOptions::default() }).await;
    for ask in [processor(), criterion()] {
        let ticket = attribute(&received(&world, ask).await, "cyodatxtoken").unwrap();
        let Ticket { node, transaction, layer, until } = world.members.verify(&ticket).unwrap();
        assert_eq!((node.as_str(), transaction.as_str(), layer), ("node-7", "t-1", 3));
        assert!((1_780_000_090..=1_780_000_091).contains(&until), "{until}");
        assert_eq!(world.members.verify(&format!("{ticket}A")), Err(TicketError::Invalid));
    }
}

#[tokio::test]
async fn a_ticket_is_good_for_as_long_as_the_question_may_take() {
    let world = world().await;
    let short = attribute(&received(&world, processor()).await, "cyodatxtoken").unwrap();
    let ask = processor().within(Duration::from_secs(300));
    let long = attribute(&received(&world, ask).await, "cyodatxtoken").unwrap();
    world.clock.advance(Duration::from_secs(300));
    assert_eq!(world.members.verify(&short), Err(TicketError::Expired));
    assert!(world.members.verify(&long).is_ok());
    world.clock.advance(Duration::from_secs(10));
    assert_eq!(world.members.verify(&long), Err(TicketError::Expired));
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let members = |options| Members::new(options, std::sync::Arc::new(SimClock::default()));
    let secret = |n| ComputeOptions { secret: Some(vec![7; n]), ..ComputeOptions::default() };
    let error = members(secret(31)).err().unwrap();
    let text = "the secret for transactions has 31 bytes; it needs at least 32";
    assert_eq!(error.to_string(), text);
    assert!(members(secret(32)).is_ok());
    let options = ComputeOptions { keep_alive_every: Duration::ZERO, ..ComputeOptions::default() };
    let error = members(options).err().unwrap();
    assert_eq!(error, ComputeError::Zero("the interval of keep-alives"));
    let mut options = ComputeOptions::default();
    options.limits.queue_max = 0;
    assert!(matches!(members(options), Err(ComputeError::Zero(_))));
}
