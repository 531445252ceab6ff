//! Members that break the rules harm nobody but themselves.

use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, timeout};
use tonic::Code;
use waypost_api::grpc::cloudevents::{CloudEvent, cloud_event::Data};
use waypost_machines::entity::cascade::{Cause, Reply};
use waypost_server::compute::{ComputeLimits, ComputeOptions};

use crate::{
    member::event,
    world::{failure, large, patient, processor, timeless, world},
};

const RESPONSE: &str = "EntityProcessorCalculationResponse";
const UNASKED: &str = r#"waypost_compute_ignored_total{reason="unasked"}"#;
const MALFORMED: &str = r#"waypost_compute_ignored_total{reason="malformed"}"#;
const UNKNOWN: &str = r#"waypost_compute_ignored_total{reason="unknown_type"}"#;

#[tokio::test]
async fn the_first_answer_counts() {
    let world = world().await;
    let mut member = world.join(&[]).await;
    let asking = world.asking(processor());
    let request = member.request().await;
    member.process(&request, json!({ "warnings": ["first"] }));
    member.process(&request, json!({ "success": false }));
    member.process("never asked", json!({}));
    let warnings = vec!["first".to_owned()];
    assert_eq!(asking.await.unwrap().reply, Reply::Processed { value: None, warnings });
    world.until(UNASKED, 2).await;
}

#[tokio::test]
async fn nobody_can_answer_for_another() {
    let world = world().await;
    let mut member = world.join(&["a"]).await;
    let others = [world.join(&["b"]).await, world.join_as(Some("Bearer t ROLE_M2M"), &["a"]).await];
    let asking = world.asking(processor().tagged(&["a"]));
    let request = member.request().await;
    for other in &others {
        other.process(&request, json!({ "success": false }));
    }
    world.until(UNASKED, 2).await;
    member.process(&request, json!({}));
    assert!(matches!(asking.await.unwrap().reply, Reply::Processed { .. }));
}

#[tokio::test]
async fn what_cannot_be_read_is_ignored() {
    let world = world().await;
    let mut member = world.join(&[]).await;
    let asking = world.asking(processor());
    let request = member.request().await;
    let text = |text: &str| event(RESPONSE, Data::TextData(text.to_owned()));
    let malformed = [
        text(""),
        text("null"),
        text("[]"),
        text("{}"),
        text(r#"{"requestId":7}"#),
        text(&format!(r#"["{request}"]"#)),
        text(&format!(r#"{{"requestId":"{request}""#)),
        event(RESPONSE, Data::BinaryData(vec![0xff, 0xfe])),
        event(RESPONSE, Data::ProtoData(Default::default())),
        CloudEvent { data: None, ..text("") },
    ];
    let n_malformed = malformed.len() as u64;
    for event in malformed {
        member.send_event(event);
    }
    for kind in ["", "CalculationMemberJoinEvent", "EntityCreateRequest"] {
        member.send_event(event(kind, Data::TextData("{}".to_owned())));
    }
    world.until(MALFORMED, n_malformed).await;
    world.until(UNKNOWN, 3).await;
    member.process(&request, json!({}));
    assert!(matches!(asking.await.unwrap().reply, Reply::Processed { .. }));
}

#[tokio::test]
async fn a_flood_drowns_nobody() {
    let world = world().await;
    let (flooding, mut member) = (world.join(&["a"]).await, world.join(&["b"]).await);
    let junk = "x".repeat(1_000);
    for _ in 0..5_000 {
        flooding.process("unknown", json!({ "payload": { "data": { "junk": junk } } }));
    }
    for _ in 0..100 {
        let asking = world.asking(processor().tagged(&["b"]));
        let request = member.request().await;
        member.process(&request, json!({}));
        assert!(matches!(asking.await.unwrap().reply, Reply::Processed { .. }));
    }
    world.until(UNASKED, 5_000).await;
}

#[tokio::test]
async fn a_member_that_dies_fails_all_its_questions_at_once() {
    let world = world().await;
    let mut member = world.join(&[]).await;
    let waiting: Vec<_> = (0..5).map(|_| world.asking(processor())).collect();
    for _ in 0..5 {
        member.request().await;
    }
    drop(member);
    for waiting in waiting {
        let answer = timeout(Duration::from_secs(10), waiting).await.unwrap().unwrap();
        let text = "the member went away before it answered";
        assert_eq!(failure(&answer), (Cause::Disconnected, text));
    }
    world.until("waypost_compute_members", 0).await;
    let answer = world.ask(&processor()).await;
    assert_eq!(failure(&answer), (Cause::NoMember, "no compute member is connected"));
}

#[tokio::test]
async fn a_member_that_does_not_read_is_passed_over() {
    let world = timeless(patient()).await;
    let mut member = world.join(&[]).await;
    let ask = large();
    // What fits in between is sent, and waits for an answer.
    let sent: Vec<_> = (0..3).map(|_| world.asking(ask.clone())).collect();
    let began_at = Instant::now();
    let (mut n_unsent, mut n_late) = (0, 0);
    for sent in sent {
        match failure(&sent.await.unwrap()).0 {
            Cause::NotSent => n_unsent += 1,
            Cause::TimedOut => n_late += 1,
            cause @ (Cause::NoMember
            | Cause::Disconnected
            | Cause::Unreachable
            | Cause::Refused { .. }) => panic!("{cause:?}"),
        }
    }
    assert!(n_unsent > 0 && n_late > 0, "{n_unsent} not sent, {n_late} late");
    assert_eq!(began_at.elapsed().as_secs(), 30);
    let answer = world.ask(&processor()).await;
    assert_eq!(failure(&answer), (Cause::NoMember, "every compute member is busy"));
    // Once it reads it is as good as before. What was taken back meanwhile never reaches it.
    for _ in 0..n_late {
        member.request().await;
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let asking = world.asking(processor().about("{}"));
    let request = member.request().await;
    member.process(&request, json!({}));
    assert!(matches!(asking.await.unwrap().reply, Reply::Processed { .. }));
}

#[tokio::test]
async fn a_member_that_never_reads_again_is_given_up() {
    let limits = ComputeLimits { queue_max: 4, ..ComputeLimits::default() };
    let world = timeless(ComputeOptions { limits, ..ComputeOptions::default() }).await;
    let mut member = world.join(&[]).await;
    let ask = large().within(Duration::from_secs(1));
    for _ in 0..20 {
        let waiting: Vec<_> = (0..4).map(|_| world.asking(ask.clone())).collect();
        for waiting in waiting {
            waiting.await.unwrap();
        }
        member.send("CalculationMemberKeepAliveEvent", json!({ "id": "k" }));
        tokio::time::sleep(Duration::from_secs(5)).await;
    }
    world.until("waypost_compute_members", 0).await;
    let text = "the member has not read its stream for too long".to_owned();
    assert_eq!(member.ending().await, (Code::DeadlineExceeded, text));
}
