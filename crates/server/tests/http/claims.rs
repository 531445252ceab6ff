//! Claims that wait, and what becomes of them when somebody goes away.

use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use waypost_api::chain::{ClaimResponse, InstanceDetail, StepStatus};
use waypost_server::Options;

use crate::world::{World, world, world_with};

const ORDER: &str = r#"{"workflowType":"order"}"#;
const WAIT: &str = r#"{"workerId":"w","waitMs":30000}"#;

async fn until_work_is_waited_for(world: &World) {
    // A claim is counted when it has begun; there is no other way to see it from outside.
    loop {
        let metrics = world.get("/metrics").await.text().await.unwrap();
        if metrics.contains("waypost_http_claims_waiting 1") {
            return;
        }
    }
}

async fn status(world: &World) -> StepStatus {
    let detail: InstanceDetail = world.get("/v1/chains/instances/i-1").await.json().await.unwrap();
    detail.steps[0].status
}

#[tokio::test]
async fn a_claim_that_waits_gets_work_as_soon_as_there_is_some() {
    let world = world().await.with_order().await;
    let waiting = async {
        let response = world.post("/v1/chains/claim", WAIT).await;
        response.json::<ClaimResponse>().await.unwrap()
    };
    let start = async {
        until_work_is_waited_for(&world).await;
        world.post("/v1/chains/instances", ORDER).await
    };
    let (claimed, _) = tokio::join!(waiting, start);
    assert_eq!(claimed.tasks[0].step_type, "VALIDATE");
}

#[tokio::test]
async fn a_claim_that_finds_nothing_in_time_is_empty() {
    let world = world().await.with_order().await;
    let response = world.post("/v1/chains/claim", r#"{"workerId":"w","waitMs":20}"#).await;
    assert_eq!(response.text().await.unwrap(), r#"{"tasks":[]}"#);
}

#[tokio::test]
async fn a_client_that_goes_away_leaves_no_step_held() {
    let world = world().await.with_order().await;
    let mut connection = world.connect().await;
    let head = format!(
        "POST /v1/chains/claim HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{WAIT}",
        WAIT.len()
    );
    connection.write_all(head.as_bytes()).await.unwrap();
    until_work_is_waited_for(&world).await;
    drop(connection);
    world.post("/v1/chains/instances", ORDER).await;
    // The claim may have taken the step before it knew; then it gives it back.
    let free = async { while status(&world).await != StepStatus::Ready {} };
    tokio::time::timeout(Duration::from_secs(20), free).await.unwrap();
    let claimed = async {
        loop {
            let response = world.post("/v1/chains/claim", r#"{"workerId":"v"}"#).await;
            let claimed: ClaimResponse = response.json().await.unwrap();
            if let Some(task) = claimed.tasks.into_iter().next() {
                return task.attempts;
            }
        }
    };
    assert_eq!(tokio::time::timeout(Duration::from_secs(20), claimed).await.unwrap(), 0);
}

#[tokio::test]
async fn a_server_that_stops_lets_claims_return_and_finishes() {
    let metrics = Some("127.0.0.1:0".parse().unwrap());
    let options = Options { metrics, ..Options::default() };
    let world = world_with(options, waypost_engine::Settings::default()).await;
    let beside = format!("http://{}", world.metrics.unwrap());
    let waiting = async {
        let response = world.post("/v1/chains/claim", WAIT).await;
        (response.status().as_u16(), response.text().await.unwrap())
    };
    let stop = async {
        loop {
            let metrics = world.client.get(format!("{beside}/metrics")).send().await.unwrap();
            if metrics.text().await.unwrap().contains("waypost_http_claims_waiting 1") {
                break;
            }
        }
        world.stop.cancel();
        let ready = world.client.get(format!("{beside}/readyz")).send().await;
        ready.map(|it| it.status().as_u16())
    };
    let (answer, ready) = tokio::join!(waiting, stop);
    assert_eq!(answer, (200, r#"{"tasks":[]}"#.to_owned()));
    assert_eq!(ready.unwrap(), 503);
    world.running.await.unwrap().unwrap();
    assert!(tokio::net::TcpStream::connect(world.address).await.is_err());
}
