//! What people look at: jobs of an instance, its past, what has failed and why, who is there.

use std::time::Duration;

use serde_json::Value;
use waypost_engine::Settings;
use waypost_server::{EntityOptions, Options};

use crate::world::{World, world, world_with};

/// Two branches, one of which is tried twice; then somebody decides where to go.
const CLAIM: &str = r#"{"id":"claim","name":"Claim","steps":[
    {"id":"split","name":"Split","type":"PARALLEL_GATEWAY","parallelNextSteps":["check","note"],"joinStep":"both"},
    {"id":"check","name":"Check","type":"SERVICE_TASK","jobType":"check","retryCount":1,"nextStep":"both"},
    {"id":"note","name":"Note","type":"TRANSFORMATION","transformations":{"noted":"true"},"nextStep":"both"},
    {"id":"both","name":"Both","type":"JOIN_GATEWAY","nextStep":"ask"},
    {"id":"ask","name":"Ask","type":"USER_TASK","nextStep":"route","boundaryEvents":[
        {"type":"TIMER","duration":"PT1H","interrupting":false,"targetStepId":"late"}]},
    {"id":"route","name":"Route","type":"DECISION","conditionalNextSteps":{"answer == 'yes'":"end","answer == 'no'":"late"}},
    {"id":"late","name":"Late","type":"SERVICE_TASK","jobType":"late","nextStep":"end"},
    {"id":"end","name":"End","type":"END"}]}"#;

async fn json(world: &World, path: &str) -> Value {
    let response = world.get(path).await;
    let status = response.status();
    let text = response.text().await.unwrap();
    assert!(status.is_success(), "{path}: {status} {text}");
    serde_json::from_str(&text).unwrap()
}

async fn start(world: &World, definition: &str) -> String {
    let path = format!("/v1/definitions/{definition}/instances");
    let started: Value = world.post(&path, "{}").await.json().await.unwrap();
    started["id"].as_str().unwrap().to_owned()
}

async fn with_claim() -> (World, String) {
    let world = world().await;
    assert_eq!(world.post("/v1/definitions", CLAIM).await.status(), 201);
    let id = start(&world, "claim").await;
    (world, id)
}

/// Takes the next job of a type; says its id.
async fn poll(world: &World, worker: &str, kind: &str) -> String {
    let poll = format!(r#"{{"workerId":"{worker}","jobTypes":["{kind}"],"maxJobs":1}}"#);
    let polled: Value = world.post("/v1/jobs/poll", &poll).await.json().await.unwrap();
    polled["jobs"][0]["id"].as_str().unwrap().to_owned()
}

async fn report(world: &World, job: &str, deed: &str, body: &str) {
    let reported = world.post(&format!("/v1/jobs/{job}/{deed}"), body).await;
    assert!(reported.status().is_success());
}

/// Fails the next check, once and for all.
async fn fail(world: &World, error: &str) {
    let job = poll(world, "ann", "check").await;
    let body = format!(r#"{{"workerId":"ann","errorMessage":{error:?},"retryable":false}}"#);
    report(world, &job, "fail", &body).await;
}

fn told(page: &Value, members: &[&str]) -> Vec<String> {
    let row = |it: &Value| {
        let cells = members
            .iter()
            .map(|name| it[*name].as_str().map_or_else(|| it[*name].to_string(), str::to_owned));
        cells.collect::<Vec<_>>().join(" ")
    };
    page["items"].as_array().unwrap().iter().map(row).collect()
}

#[tokio::test]
async fn the_jobs_of_an_instance_tell_who_tried_and_what_came_of_it() {
    let (world, id) = with_claim().await;
    let path = format!("/v1/instances/{id}/jobs");
    let jobs = async || {
        let page = json(&world, &path).await;
        told(&page, &["attemptNumber", "status", "workerId", "errorMessage"])
    };
    assert_eq!(jobs().await, ["1 AVAILABLE null null"]);
    let job = poll(&world, "ann", "check").await;
    assert_eq!(jobs().await, ["1 LOCKED ann null"]);
    let held = json(&world, &path).await;
    assert!(held["items"][0]["lockExpiresAt"].is_string(), "{held}");
    report(&world, &job, "fail", r#"{"workerId":"ann","errorMessage":"rain","retryable":true}"#)
        .await;
    assert_eq!(jobs().await, ["1 FAILED ann rain", "2 AVAILABLE null null"]);
    poll(&world, "bob", "check").await;
    world.clock.advance(Duration::from_secs(3_600));
    world.engine.sweeps().leases(world.engine.store().now()).await.unwrap();
    let lost = ["1 FAILED ann rain", "2 LEASE_EXPIRED null null", "3 AVAILABLE null null"];
    assert_eq!(jobs().await, lost);
    let job = poll(&world, "eve", "check").await;
    report(&world, &job, "complete", r#"{"workerId":"eve"}"#).await;
    assert_eq!(jobs().await.last().unwrap(), "3 COMPLETED eve null");
    let paged = json(&world, &format!("{path}?pageSize=1&page=1")).await;
    assert_eq!(told(&paged, &["status"]), ["LEASE_EXPIRED"]);
    assert_eq!(paged["total"], 3);
    assert_eq!(world.get("/v1/instances/none/jobs").await.status(), 404);
}

#[tokio::test]
async fn jobs_that_nobody_needs_any_more_and_those_of_a_failed_instance_are_told_apart() {
    let (world, id) = with_claim().await;
    let status = async || {
        json(&world, &format!("/v1/instances/{id}/jobs")).await["items"][0]["status"].clone()
    };
    world.post(&format!("/v1/instances/{id}/cancel"), "{}").await;
    assert_eq!(status().await, "WITHDRAWN");
    let other = start(&world, "claim").await;
    fail(&world, "rain").await;
    let page = json(&world, &format!("/v1/instances/{other}/jobs")).await;
    assert_eq!(told(&page, &["status", "errorMessage"]), ["FAILED rain"]);
}

/// The ways that were gone, of the picture at `path`.
async fn taken(world: &World, path: &str) -> Vec<String> {
    let picture = json(world, path).await;
    let edges = picture["edges"].as_array().unwrap().iter().filter(|it| it["taken"] == true);
    let mut ways: Vec<String> = edges
        .map(|it| format!("{} {} {}", it["from"], it["to"], it["style"]).replace('"', ""))
        .collect();
    ways.sort_unstable();
    ways
}

#[tokio::test]
async fn a_picture_tells_which_ways_were_gone_and_not_only_which_steps_were_visited() {
    let (world, id) = with_claim().await;
    let path = format!("/v1/instances/{id}/diagram.json");
    let begun =
        ["(start) split normal", "note both normal", "split check normal", "split note normal"];
    assert_eq!(taken(&world, &path).await, begun);
    let job = poll(&world, "ann", "check").await;
    world.clock.advance(Duration::from_secs(10));
    report(&world, &job, "complete", r#"{"workerId":"ann"}"#).await;
    world.clock.advance(Duration::from_secs(7_200));
    world.engine.sweeps().timers(world.engine.store().now()).await.unwrap();
    let late = ["ask late timer", "both ask normal", "check both normal"];
    let ways = taken(&world, &path).await;
    assert!(late.iter().all(|it| ways.contains(&(*it).to_owned())), "{ways:?}");
    let answer = r#"{"variables":{"answer":"yes"}}"#;
    let done = world.post(&format!("/v1/instances/{id}/user-tasks/ask/complete"), answer).await;
    assert!(done.status().is_success());
    let ways = taken(&world, &path).await;
    assert!(ways.contains(&"route end normal".to_owned()), "{ways:?}");
    assert!(!ways.contains(&"route late normal".to_owned()), "both were visited: {ways:?}");
    // The past is as it was.
    let then = taken(&world, &format!("{path}?version=1")).await;
    assert_eq!(then, begun);
}

#[tokio::test]
async fn what_is_tried_again_goes_on_with_the_ways_that_were_left() {
    let world = world().await;
    let steps = r#"{"id":"twice","name":"Twice","steps":[
        {"id":"pick","name":"Pick","type":"DECISION","conditionalNextSteps":{"size == 1":"end"}},
        {"id":"end","name":"End","type":"END"}]}"#;
    world.post("/v1/definitions", steps).await;
    let id = start(&world, "twice").await;
    let path = format!("/v1/instances/{id}/diagram.json");
    assert_eq!(taken(&world, &path).await, ["(start) pick normal"]);
    world
        .post(&format!("/v1/instances/{id}/steps/pick/retry"), r#"{"variables":{"size":1}}"#)
        .await;
    assert_eq!(taken(&world, &path).await, ["(start) pick normal", "pick end normal"]);
}

#[tokio::test]
async fn a_picture_and_an_explanation_are_of_any_moment() {
    let (world, id) = with_claim().await;
    world.clock.advance(Duration::from_secs(60));
    let job = poll(&world, "ann", "check").await;
    report(&world, &job, "complete", r#"{"workerId":"ann"}"#).await;
    world.clock.advance(Duration::from_secs(60));
    let root = format!("/v1/instances/{id}");
    let now = json(&world, &format!("{root}/explain")).await;
    assert_eq!(now["status"], "WAITING");
    let then = json(&world, &format!("{root}/explain?at=2026-05-28T20:27:00Z")).await;
    assert_eq!(then["status"], "ACTIVE");
    let summary = then["summary"].as_str().unwrap();
    assert!(summary.contains("a worker for jobs of type \"check\""), "{summary}");
    assert!(summary.contains("was not kept"), "nobody knows who asked then: {summary}");
    let here = async |path: String| {
        let picture = json(&world, &path).await;
        let nodes = picture["nodes"].as_array().unwrap().iter();
        let here = nodes.filter(|it| it["mark"]["here"].as_u64().unwrap_or(0) > 0);
        here.map(|it| it["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(here(format!("{root}/diagram.json")).await, ["ask"]);
    let at = "at=2026-05-28T20:27:00Z";
    assert_eq!(here(format!("{root}/diagram.json?{at}")).await, ["check", "both"]);
    for (path, status) in [
        ("explain?at=2020-01-01", 404),
        ("diagram.json?version=9", 404),
        ("explain?version=x", 400),
        ("diagram.json?at=1&version=1", 400),
    ] {
        assert_eq!(world.get(&format!("{root}/{path}")).await.status(), status, "{path}");
    }
}

#[tokio::test]
async fn lines_of_texts_are_told_with_the_picture() {
    let (world, _) = with_claim().await;
    let picture = json(&world, "/v1/definitions/claim/diagram.json").await;
    let nodes = picture["nodes"].as_array().unwrap();
    let check = nodes.iter().find(|it| it["id"] == "check").unwrap();
    assert_eq!(check["labelLines"], serde_json::json!(["Check"]));
    assert_eq!(check["detailLines"], serde_json::json!(["check · 1 retry"]));
    let edges = picture["edges"].as_array().unwrap();
    let route = edges.iter().find(|it| it["from"] == "route" && it["to"] == "end").unwrap();
    assert_eq!(route["labelLines"], serde_json::json!(["answer == 'yes'"]));
    assert_eq!(route["taken"], false);
}

#[tokio::test]
async fn failures_are_put_together_by_cause() {
    let world = world().await.with_order().await;
    world.post("/v1/definitions", CLAIM).await;
    for error in ["no answer in 30 s", "no answer in 7 s", "not found"] {
        start(&world, "claim").await;
        fail(&world, error).await;
        world.clock.advance(Duration::from_secs(60));
    }
    world.post("/v1/chains/instances", r#"{"workflowType":"order","bizKey":"o"}"#).await;
    let claimed =
        world.post("/v1/chains/claim", r#"{"workerId":"w","max":1,"leaseMs":60000}"#).await;
    let claimed: Value = claimed.json().await.unwrap();
    let token = claimed["tasks"][0]["leaseToken"].as_str().unwrap();
    let dead = r#"{"workerId":"w","result":{"kind":"DEAD","error":"broken"}}"#;
    let reported = world.post(&format!("/v1/chains/tasks/{token}/result"), dead).await;
    assert!(reported.status().is_success());
    let page = json(&world, "/v1/incidents").await;
    let shown = told(&page, &["face", "definition", "step", "count", "error"]);
    assert_eq!(shown[0], "process claim check 2 no answer in 7 s");
    assert!(shown.contains(&"process claim check 1 not found".to_owned()), "{shown:?}");
    assert!(shown.contains(&"chain order VALIDATE 1 broken".to_owned()), "{shown:?}");
    assert_eq!(page["isCut"], false);
    let first = &page["items"][0];
    assert_eq!(first["firstAt"], "2026-05-28T20:26:40.000000Z");
    assert_eq!(first["lastAt"], "2026-05-28T20:27:40.000000Z");
    let cause = first["id"].as_str().unwrap();
    let those = json(&world, &format!("/v1/incidents/{cause}")).await;
    assert_eq!(told(&those, &["error"]), ["no answer in 7 s", "no answer in 30 s"]);
    let none = json(&world, "/v1/incidents/0123").await;
    assert_eq!(told(&none, &["error"]), [""; 0]);
}

#[tokio::test]
async fn what_waits_and_who_comes_for_it_is_listed() {
    let (world, _) = with_claim().await;
    world.clock.advance(Duration::from_secs(5));
    start(&world, "claim").await;
    let queues = json(&world, "/v1/queues").await;
    let shown = told(&queues, &["face", "queue", "definition", "ready", "firstAt"]);
    assert_eq!(shown, ["process check claim 2 2026-05-28T20:26:40.000000Z"]);
    poll(&world, "ann", "check").await;
    world.post("/v1/jobs/poll", r#"{"workerId":"bob","jobTypes":["a","b"]}"#).await;
    let workers = json(&world, "/v1/workers").await;
    let workers = serde_json::json!({ "items": workers["workers"] });
    let shown = told(&workers, &["workerId", "queues", "askedAt", "held"]);
    let at = "2026-05-28T20:26:45.000000Z";
    assert_eq!(shown, [format!("ann [\"check\"] {at} 1"), format!("bob [\"a\",\"b\"] {at} 0")]);
    assert!(workers["items"][0]["leasedUntil"].is_string(), "{workers}");
    let overview = json(&world, "/v1/overview").await;
    assert_eq!(overview["queues"][0]["ready"], 1);
}

#[tokio::test]
async fn what_began_and_ended_is_told_minute_by_minute() {
    let (world, id) = with_claim().await;
    world.post("/v1/instances?dryRun=true", r#"{"definitionId":"claim"}"#).await;
    world.clock.advance(Duration::from_secs(60));
    fail(&world, "rain").await;
    let retry = format!("/v1/instances/{id}/steps/check/retry");
    assert!(world.post(&retry, "{}").await.status().is_success());
    fail(&world, "rain").await;
    let overview = json(&world, "/v1/overview").await;
    let rates = serde_json::json!({ "items": overview["rates"] });
    assert_eq!(
        told(&rates, &["face", "from", "started", "completed", "failed"]),
        ["process 2026-05-28T20:26:00.000000Z 1 0 0", "process 2026-05-28T20:27:00.000000Z 0 0 2",]
    );
}

#[tokio::test]
async fn instances_are_counted_by_version_key_step_and_time() {
    let (world, _) = with_claim().await;
    world.clock.advance(Duration::from_secs(60));
    world.post("/v1/definitions", &CLAIM.replace("Claim", "Claim again")).await;
    let body = r#"{"definitionId":"claim","businessKey":"k"}"#;
    assert_eq!(world.post("/v1/instances", body).await.status(), 201);
    let active = async |query: &str| {
        let counts = json(&world, &format!("/v1/counts?face=process&{query}")).await;
        let counts = counts["counts"].as_array().unwrap().clone();
        assert_eq!(counts.len(), 5, "every status is there");
        counts[0]["count"].as_u64().unwrap()
    };
    for (query, expected) in [
        ("definition=claim", 2),
        ("definition=claim&version=2", 1),
        ("definition=claim&version=3", 0),
        ("businessKey=k", 1),
        ("step=check", 2),
        ("step=ask", 0),
        ("startedAfter=2026-05-28T20:27:00Z", 1),
        ("startedBefore=2026-05-28T20:27:00Z", 1),
    ] {
        assert_eq!(active(query).await, expected, "{query}");
    }
    let listed = json(&world, "/v1/instances?definitionId=claim&definitionVersion=1").await;
    assert_eq!(listed["total"], 1);
    let chains = json(&world, "/v1/counts?face=chain").await;
    assert_eq!(chains["counts"].as_array().unwrap().len(), 4);
    for path in ["/v1/counts", "/v1/counts?face=x", "/v1/counts?face=chain&version=x"] {
        assert_eq!(world.get(path).await.status(), 400, "{path}");
    }
}

#[tokio::test]
async fn chains_are_listed_by_version_and_time() {
    let world = world().await.with_order().await;
    world.post("/v1/chains/instances", r#"{"workflowType":"order"}"#).await;
    world.clock.advance(Duration::from_secs(60));
    let second = crate::world::ORDER.replace("\"workflowVersion\":1", "\"workflowVersion\":2");
    world.post("/v1/chains/definitions", &second).await;
    world.post("/v1/chains/instances", r#"{"workflowType":"order"}"#).await;
    let listed = async |query: &str| {
        let page = json(&world, &format!("/v1/chains/instances?{query}")).await;
        told(&page, &["instanceId"])
    };
    assert_eq!(listed("workflowType=order&workflowVersion=1").await, ["i-1"]);
    assert_eq!(listed("workflowVersion=2").await, ["i-2"]);
    assert_eq!(listed("startedAfter=2026-05-28T20:27:00Z").await, ["i-2"]);
    assert_eq!(listed("startedBefore=2026-05-28T20:27:00Z").await, ["i-1"]);
}

#[tokio::test]
async fn the_console_is_told_where_everything_is() {
    let usual = world().await;
    let roots = json(&usual, "/v1/console").await;
    assert_eq!(roots, serde_json::json!({ "entities": "/api" }));
    let entity = EntityOptions { context_path: "/else/where/".to_owned(), ..Default::default() };
    let options = Options { entity, ..Options::default() };
    let moved = world_with(options, Settings::default()).await;
    assert_eq!(json(&moved, "/v1/console").await["entities"], "/else/where");
}
