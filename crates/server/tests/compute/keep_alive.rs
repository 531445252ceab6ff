//! Each side shows the other that it is still there.

use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, sleep};
use tonic::Code;
use waypost_api::grpc::cloudevents::cloud_event::Data;
use waypost_machines::entity::cascade::Cause;
use waypost_server::compute::ComputeOptions;

use crate::{
    member::{event, read},
    world::{failure, processor, timeless},
};

const KEEP_ALIVE: &str = "CalculationMemberKeepAliveEvent";

fn silent() -> (Code, String) {
    (Code::DeadlineExceeded, "the member has been silent for too long".to_owned())
}

#[tokio::test]
async fn the_server_shows_that_it_is_there_until_the_member_does_not() {
    let world = timeless(ComputeOptions::default()).await;
    let mut member = world.join(&[]).await;
    let began_at = Instant::now();
    for seconds in [10, 20] {
        let (kind, payload) = read(member.next().await.unwrap());
        assert_eq!(kind, KEEP_ALIVE);
        let id = &member.id;
        assert_eq!(payload, json!({ "id": id, "memberId": id, "success": true }));
        assert_eq!(began_at.elapsed().as_secs(), seconds);
    }
    assert_eq!(member.next().await.unwrap_err(), silent());
    assert_eq!(began_at.elapsed().as_secs(), 30);
    assert_eq!(failure(&world.ask(&processor()).await).0, Cause::NoMember);
}

#[tokio::test]
async fn how_often_and_how_long_can_be_set() {
    let options = ComputeOptions {
        keep_alive_every: Duration::from_secs(2),
        keep_alive_timeout: Duration::from_secs(3),
        ..ComputeOptions::default()
    };
    let world = timeless(options).await;
    let mut member = world.join(&[]).await;
    let began_at = Instant::now();
    assert_eq!(member.next().await.unwrap().r#type, KEEP_ALIVE);
    assert_eq!(member.next().await.unwrap_err(), silent());
    assert_eq!(began_at.elapsed().as_secs(), 4);
}

#[tokio::test]
async fn whatever_a_member_sends_shows_that_it_is_there() {
    let world = timeless(ComputeOptions::default()).await;
    let mut member = world.join(&[]).await;
    for (kind, text) in [
        (KEEP_ALIVE, r#"{"id":"k","memberId":"m"}"#),
        (KEEP_ALIVE, r#"{"id":"k"}"#),
        ("EventAckResponse", r#"{"id":"k","sourceEventId":"c"}"#),
        ("EntityProcessorCalculationResponse", r#"{"requestId":"unknown"}"#),
        ("SomethingElse", "nonsense"),
    ] {
        sleep(Duration::from_secs(29)).await;
        member.send_event(event(kind, Data::TextData(text.to_owned())));
    }
    sleep(Duration::from_secs(29)).await;
    let asking = world.asking(processor());
    member.request().await;
    asking.abort();
    assert_eq!(member.ending().await, silent());
}

#[tokio::test]
async fn a_member_that_returns_every_keep_alive_hears_one_in_each_interval() {
    let world = timeless(ComputeOptions::default()).await;
    let mut member = world.join(&[]).await;
    let began_at = Instant::now();
    for _ in 0..20 {
        let event = member.next().await.unwrap();
        assert_eq!(event.r#type, KEEP_ALIVE);
        for _ in 0..3 {
            member.send_event(event.clone());
        }
    }
    assert_eq!(began_at.elapsed().as_secs(), 200);
}

#[tokio::test]
async fn a_member_that_acknowledges_every_keep_alive_stays() {
    let world = timeless(ComputeOptions::default()).await;
    let mut member = world.join(&[]).await;
    let began_at = Instant::now();
    for _ in 0..10 {
        let keep_alive = member.next().await.unwrap();
        assert_eq!(keep_alive.r#type, KEEP_ALIVE);
        let acknowledged = json!({"id": "a", "sourceEventId": keep_alive.id}).to_string();
        member.send_event(event("EventAckResponse", Data::TextData(acknowledged)));
    }
    assert_eq!(began_at.elapsed().as_secs(), 100);
    let asking = world.asking(processor());
    member.request().await;
    asking.abort();
}

#[tokio::test]
async fn a_member_that_is_given_up_leaves_nobody_waiting() {
    let world = timeless(ComputeOptions::default()).await;
    let mut member = world.join(&[]).await;
    let began_at = Instant::now();
    let answer = world.ask(&processor().within(Duration::from_secs(300))).await;
    assert_eq!(failure(&answer).0, Cause::Disconnected);
    assert_eq!(began_at.elapsed().as_secs(), 30);
    assert_eq!(member.ending().await, silent());
}
