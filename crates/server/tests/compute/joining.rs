//! Members come and go.

use std::sync::Arc;

use serde_json::json;
use tonic::{Code, Request};
use waypost_api::grpc::{
    DESCRIPTORS,
    cloudevents::{CloudEvent, cloud_event::Data},
};
use waypost_machines::entity::cascade::Cause;
use waypost_server::compute::{ComputeLimits, ComputeOptions};

use crate::{
    member::{event, read},
    world::{TENANT, failure, processor, timeless, world, world_with},
};

const JOIN: &str = "CalculationMemberJoinEvent";

#[tokio::test]
async fn a_member_is_greeted_with_its_id_and_its_tenant() {
    let world = world().await;
    let mut member = world.open(None).await.unwrap();
    member.send(JOIN, json!({ "id": "j" }));
    let greet = member.next().await.unwrap();
    assert_eq!((greet.source.as_str(), greet.spec_version.as_str()), ("cyoda", "1.0"));
    assert_eq!(uuid::Uuid::parse_str(&greet.id).unwrap().get_version_num(), 4);
    let (kind, greet) = read(greet);
    assert_eq!(kind, "CalculationMemberGreetEvent");
    let id = greet["memberId"].as_str().unwrap();
    assert_eq!(uuid::Uuid::parse_str(id).unwrap().get_version_num(), 4);
    let expected =
        json!({ "id": id, "memberId": id, "joinedLegalEntityId": TENANT, "success": true });
    assert_eq!(greet, expected);
}

#[tokio::test]
async fn only_callers_that_are_known_as_programs_can_be_members() {
    let world = world().await;
    let stranger = world.open(Some("Basic x")).await.err().unwrap();
    assert_eq!(stranger.code(), Code::Unauthenticated);
    let person = world.open(Some("Bearer t ROLE_ADMIN")).await.err().unwrap();
    assert_eq!(person.code(), Code::PermissionDenied);
    assert_eq!(person.message(), "compute members need the role ROLE_M2M");
    assert!(world.open(Some("Bearer t ROLE_M2M")).await.is_ok());
}

#[tokio::test]
async fn the_first_event_must_be_a_join_that_can_be_read() {
    let world = world().await;
    let text = |text: &str| event(JOIN, Data::TextData(text.to_owned()));
    let nothing = CloudEvent { data: None, ..text("") };
    let other = event("EventAckResponse", Data::TextData(r#"{"id":"j"}"#.to_owned()));
    for (first, wrong) in [
        (other, r#"the first event must be CalculationMemberJoinEvent, not "EventAckResponse""#),
        (text("{}"), "the payload is malformed: missing field `id` at line 1 column 2"),
        (text(r#"["j"]"#), "the payload is not a JSON object"),
        (text("{"), "the payload is malformed: EOF while parsing an object at line 1 column 1"),
        (
            text(r#"{"id":"j","tags":"a"}"#),
            "the payload is malformed: invalid type: string \"a\", expected a sequence at line 1 column 20",
        ),
        (event(JOIN, Data::BinaryData(vec![0xff])), "the payload is not UTF-8"),
        (event(JOIN, Data::ProtoData(Default::default())), "the payload is not JSON"),
        (nothing, "there is no payload"),
    ] {
        let mut member = world.open(None).await.unwrap();
        member.send_event(first);
        assert_eq!(member.next().await.unwrap_err(), (Code::InvalidArgument, wrong.to_owned()));
    }
    let mut member = world.open(None).await.unwrap();
    member.outgoing = None;
    let wrong = "the stream ended before a join".to_owned();
    assert_eq!(member.next().await.unwrap_err(), (Code::InvalidArgument, wrong));
}

#[tokio::test]
async fn a_join_may_come_in_bytes() {
    let world = world().await;
    let mut member = world.open(None).await.unwrap();
    member.send_event(event(JOIN, Data::BinaryData(br#"{"id":"j","tags":null}"#.to_vec())));
    assert_eq!(member.next().await.unwrap().r#type, "CalculationMemberGreetEvent");
}

#[tokio::test]
async fn only_the_own_tenant_can_be_joined() {
    let world = world().await;
    for (tenant, code) in [
        (json!("other"), Some(Code::PermissionDenied)),
        (json!("Own"), Some(Code::PermissionDenied)),
        (json!("own"), None),
        (json!(""), None),
        (json!(null), None),
    ] {
        let mut member = world.open(Some("Bearer own ROLE_M2M")).await.unwrap();
        member.send(JOIN, json!({ "id": "j", "joinedLegalEntityId": tenant }));
        let first = member.next().await;
        assert_eq!(first.as_ref().err().map(|(found, _)| *found), code, "{tenant}");
        if let Ok(greet) = first {
            assert_eq!(read(greet).1["joinedLegalEntityId"], "own");
        }
    }
}

#[tokio::test]
async fn a_stream_without_a_join_is_ended_after_a_while() {
    let world = timeless(ComputeOptions::default()).await;
    let began_at = tokio::time::Instant::now();
    let mut member = world.open(None).await.unwrap();
    let expected = (Code::DeadlineExceeded, "no join has come".to_owned());
    assert_eq!(member.next().await.unwrap_err(), expected);
    assert_eq!(began_at.elapsed().as_secs(), 10);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_overtakes_the_greet() {
    let world = Arc::new(world().await);
    let asking = tokio::spawn({
        let world = Arc::clone(&world);
        async move {
            loop {
                world.asking(processor());
                tokio::task::yield_now().await;
            }
        }
    });
    for _ in 0..50 {
        // Looks at the first event, and at who is asked afterwards.
        let mut member = world.join(&[]).await;
        let asked = member.asked().await;
        assert_eq!(asked.r#type, "EntityProcessorCalculationRequest");
    }
    asking.abort();
}

#[tokio::test]
async fn an_orderly_end_is_no_error() {
    let world = world().await;
    let mut member = world.join(&[]).await;
    world.until("waypost_compute_members", 1).await;
    let asking = world.asking(processor());
    member.asked().await;
    member.outgoing = None;
    assert_eq!(member.ending().await, (Code::Ok, String::new()));
    assert_eq!(failure(&asking.await.unwrap()).0, Cause::Disconnected);
    world.until("waypost_compute_members", 0).await;
}

#[tokio::test]
async fn each_stream_is_a_member_of_its_own() {
    let world = world().await;
    let (first, second) = (world.join(&["a"]).await, world.join(&["a"]).await);
    assert_ne!(first.id, second.id);
    drop(first);
    world.until("waypost_compute_members", 1).await;
    let again = world.join(&["a"]).await;
    assert_ne!(again.id, second.id);
}

#[tokio::test]
async fn members_and_tags_are_limited() {
    let limits = ComputeLimits { members_max: 2, tags_max: 2, tag_max: 3, ..Default::default() };
    let world = world_with(ComputeOptions { limits, ..ComputeOptions::default() }).await;
    for (tags, wrong) in [
        (vec!["a", "b", "c"], "a member has at most 2 tags, not 3"),
        (vec!["long"], "a tag has at most 3 bytes"),
    ] {
        let mut member = world.open(None).await.unwrap();
        member.send(JOIN, json!({ "id": "j", "tags": tags }));
        assert_eq!(member.next().await.unwrap_err(), (Code::InvalidArgument, wrong.to_owned()));
    }
    let _inside = (world.join(&[]).await, world.join(&["abc"]).await);
    let mut third = world.open(None).await.unwrap();
    third.send(JOIN, json!({ "id": "j" }));
    let wrong = "the tenant has 2 compute members already; close some first".to_owned();
    assert_eq!(third.next().await.unwrap_err(), (Code::ResourceExhausted, wrong));
    // Others have places of their own.
    world.join_as(Some("Bearer other ROLE_M2M"), &[]).await;
}

#[tokio::test]
async fn streams_end_when_the_server_stops() {
    let world = world().await;
    let mut member = world.join(&[]).await;
    let asking = world.asking(processor());
    member.asked().await;
    world.members.close();
    let expected = (Code::Unavailable, "the server is stopping; join another one".to_owned());
    assert_eq!(member.ending().await, expected);
    assert_eq!(failure(&asking.await.unwrap()).0, Cause::Disconnected);
    let mut late = world.open(None).await.unwrap();
    assert_eq!(late.ending().await, expected);
}

#[tokio::test]
async fn the_other_methods_know_who_calls() {
    let world = world().await;
    let mut client = world.client();
    let request = || {
        let mut request = Request::new(event("Anything", Data::TextData("{}".to_owned())));
        request.metadata_mut().insert("authorization", "Bearer t".parse().unwrap());
        request
    };
    let one = client.entity_model_manage(request()).await.unwrap().into_inner();
    assert_eq!(one.source, "entityModelManage for mock-user-001 of t");
    let one = client.entity_manage(request()).await.unwrap().into_inner();
    assert_eq!(one.source, "entityManage for mock-user-001 of t");
    let one = client.entity_search(request()).await.unwrap().into_inner();
    assert_eq!(one.source, "entitySearch for mock-user-001 of t");
    let mut many = client.entity_manage_collection(request()).await.unwrap().into_inner();
    for _ in 0..2 {
        let one = many.message().await.unwrap().unwrap();
        assert_eq!(one.source, "entityManageCollection for mock-user-001 of t");
    }
    assert_eq!(many.message().await.unwrap(), None);
    let mut many = client.entity_search_collection(request()).await.unwrap().into_inner();
    let one = many.message().await.unwrap().unwrap();
    assert_eq!(one.source, "entitySearchCollection for mock-user-001 of t");
}

#[tokio::test]
async fn the_other_methods_are_closed_to_strangers_and_take_ten_megabytes() {
    let world = world().await;
    let mut client = world.client();
    let large = "x".repeat(10 << 20);
    let event = event("Anything", Data::TextData(large));
    let mut strange = Request::new(event.clone());
    strange.metadata_mut().insert("authorization", "Basic x".parse().unwrap());
    let refused = client.entity_manage(strange).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated);
    assert_eq!(client.entity_manage(event.clone()).await.unwrap().into_inner().data, event.data);
}

#[test]
fn the_protocol_describes_itself() {
    let described = String::from_utf8_lossy(DESCRIPTORS);
    for name in ["CloudEventsService", "startStreaming", "org.cyoda.cloud.api.grpc"] {
        assert!(described.contains(name), "{name}");
    }
}
