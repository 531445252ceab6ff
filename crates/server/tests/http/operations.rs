//! Health, metrics, documents, and the headers every answer has.

use std::net::SocketAddr;

use expect_test::expect;
use reqwest::{Method, Response};
use waypost_engine::Settings;
use waypost_server::{Bearer, Options};

use crate::world::{World, world, world_with};

async fn status_and_text(response: Response) -> String {
    let status = response.status().as_u16();
    format!("{status} {}", response.text().await.unwrap())
}

#[tokio::test]
async fn health_and_version_are_told() {
    let world = world().await;
    for (path, expected) in [
        ("/healthz", r#"200 {"status":"ok"}"#),
        ("/livez", r#"200 {"status":"ok"}"#),
        ("/readyz", r#"200 {"status":"ok"}"#),
        (
            "/version",
            concat!(r#"200 {"name":"waypost","version":""#, env!("CARGO_PKG_VERSION"), "\"}"),
        ),
    ] {
        assert_eq!(status_and_text(world.get(path).await).await, expected, "{path}");
    }
}

async fn metrics(world: &World, address: SocketAddr) -> String {
    let response = world.client.get(format!("http://{address}/metrics")).send().await.unwrap();
    assert_eq!(response.status(), 200);
    let kind = response.headers()["content-type"].to_str().unwrap();
    assert!(kind.starts_with("application/openmetrics-text"), "{kind}");
    response.text().await.unwrap()
}

#[tokio::test]
async fn metrics_tell_of_engine_store_and_requests() {
    let world = world().await.with_order().await;
    world.post("/v1/chains/instances", r#"{"workflowType":"order"}"#).await;
    world.get("/nowhere").await;
    let text = metrics(&world, world.address).await;
    let mut lines: Vec<_> = text
        .lines()
        .filter(|it| it.starts_with("waypost_") && !it.contains("_seconds"))
        .filter(|it| !it.contains("delay"))
        .collect();
    // Label sets come in no particular order.
    lines.sort_unstable();
    expect![[r#"
        waypost_awaiting 0.0
        waypost_chain_starts_total 1
        waypost_http_claims_waiting 0
        waypost_http_connections 1
        waypost_http_requests_total{method="GET",route="none",status="404"} 1
        waypost_http_requests_total{method="POST",route="/v1/chains/definitions",status="201"} 1
        waypost_http_requests_total{method="POST",route="/v1/chains/instances",status="201"} 1
        waypost_http_requests_under_way 0
        waypost_http_subscribers 0
        waypost_http_writes_under_way 0
        waypost_leases_lapsed_total 0
        waypost_leases_lost_total 0
        waypost_outbox_dead 0.0
        waypost_outbox_pending 0.0
        waypost_retries_exhausted_total 0
        waypost_store_commits_total 2
        waypost_store_groups_total 2
        waypost_store_refused_total 0
        waypost_store_up 1.0
        waypost_tasks_claimed_total 0
        waypost_tasks_leased 0.0
        waypost_tasks_ready 1.0
        waypost_timers_due 0.0
        waypost_timers_fired_total 0
        waypost_turn_conflicts_total 0
        waypost_turns_total 1"#]]
    .assert_eq(&lines.join("\n"));
    assert!(text.ends_with("# EOF\n"));
    assert!(text.contains("http_requests_duration_seconds_bucket"));
    assert!(text.contains("waypost_tasks_ready_oldest_seconds"));
}

#[tokio::test]
async fn metrics_with_an_address_of_their_own_are_not_on_the_main_one() {
    let metrics_address = Some("127.0.0.1:0".parse().unwrap());
    let options = Options { metrics: metrics_address, ..Options::default() };
    let world = world_with(options, Settings::default()).await;
    assert_eq!(world.get("/metrics").await.status(), 404);
    let beside = world.metrics.unwrap();
    assert!(metrics(&world, beside).await.contains("waypost_store_up 1"));
    for (path, expected) in [("/livez", "ok"), ("/readyz", "ready")] {
        let told = world.client.get(format!("http://{beside}{path}")).send().await.unwrap();
        assert_eq!(told.headers()["content-type"], "text/plain; charset=utf-8", "{path}");
        assert_eq!(status_and_text(told).await, format!("200 {expected}"), "{path}");
    }
    let elsewhere = world.client.get(format!("http://{beside}/v1/chains/instances"));
    assert_eq!(elsewhere.send().await.unwrap().status(), 404);
}

#[tokio::test]
async fn metrics_are_for_those_who_show_what_was_set() {
    for metrics in [None, Some("127.0.0.1:0".parse().unwrap())] {
        let metrics_bearer = Some(Bearer::new("sesame"));
        let options = Options { metrics, metrics_bearer, ..Options::default() };
        let world = world_with(options, Settings::default()).await;
        let address = world.metrics.unwrap_or(world.address);
        assert_eq!(address == world.address, metrics.is_none());
        are_for_those_who_show(&world, address).await;
    }
}

async fn are_for_those_who_show(world: &World, address: SocketAddr) {
    let url = format!("http://{address}/metrics");
    for (shown, expected) in [
        (None, 401),
        (Some("Bearer other"), 401),
        (Some("Bearer sesam"), 401),
        (Some("Basic sesame"), 401),
        (Some("sesame"), 401),
        (Some("Bearer sesame"), 200),
        (Some("bearer sesame"), 200),
    ] {
        let request = world.client.get(&url);
        let request = shown.into_iter().fold(request, |it, text| it.header("authorization", text));
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), expected, "{shown:?}");
        if expected == 401 {
            let scheme = &response.headers()["www-authenticate"];
            assert_eq!(scheme, "Bearer realm=\"cyoda metrics\"");
            assert!(response.text().await.unwrap().contains("\"errorCode\":\"UNAUTHORIZED\""));
        }
    }
    let ready = world.client.get(format!("http://{address}/readyz")).send().await.unwrap();
    assert_eq!(ready.status(), 200);
}

#[tokio::test]
async fn every_answer_has_its_headers() {
    let world = world().await;
    for (path, caching) in
        [("/v1/chains/instances", "no-store"), ("/x", "no-store"), ("/docs", "no-cache")]
    {
        let response = world.get(path).await;
        let headers = response.headers();
        assert_eq!(headers["x-request-id"], "r", "{path}");
        assert_eq!(headers["x-content-type-options"], "nosniff", "{path}");
        assert_eq!(headers["cache-control"], caching, "{path}");
    }
    let url = format!("http://{}/healthz", world.address);
    let nameless = world.client.get(&url).send().await.unwrap();
    assert_eq!(nameless.headers()["x-request-id"].len(), 32);
    let forged = world.client.get(&url).header("x-request-id", "a b\"").send().await.unwrap();
    assert_eq!(forged.headers()["x-request-id"].len(), 32);
}

#[tokio::test]
async fn methods_are_told_apart() {
    let world = world().await;
    let head = world.send(Method::HEAD, "/v1/chains/instances", "").await;
    assert_eq!(head.status(), 200);
    let options = world.send(Method::OPTIONS, "/v1/chains/instances", "").await;
    assert_eq!(options.status(), 204);
    let allow = options.headers()["allow"].to_str().unwrap().to_owned();
    assert!(allow.contains("GET") && allow.contains("POST"), "{allow}");
    let wrong = world.send(Method::PUT, "/v1/chains/claim", "").await;
    assert_eq!(wrong.status(), 405);
    assert_eq!(wrong.headers()["allow"], "POST");
    let problem: waypost_api::Problem = wrong.json().await.unwrap();
    assert_eq!(problem.code, "METHOD_NOT_ALLOWED");
}

#[tokio::test]
async fn pages_of_other_sites_may_not_change_anything() {
    let world = world().await;
    let url = format!("http://{}/v1/chains/instances/i-1/cancel", world.address);
    for (site, expected) in
        [("cross-site", 403), ("same-site", 403), ("same-origin", 404), ("none", 404)]
    {
        let request = world.client.post(&url).header("sec-fetch-site", site);
        assert_eq!(request.send().await.unwrap().status(), expected, "{site}");
    }
}

#[tokio::test]
async fn documents_are_served_and_need_nothing_from_elsewhere() {
    let world = world().await;
    for (path, kind) in [
        ("/", "text/html; charset=utf-8"),
        ("/docs", "text/html; charset=utf-8"),
        ("/docs/app.js", "text/javascript; charset=utf-8"),
        ("/docs/style.css", "text/css; charset=utf-8"),
        ("/docs/errors", "text/markdown; charset=utf-8"),
        ("/docs/errors/LEASE_LOST", "text/markdown; charset=utf-8"),
        ("/openapi.json", "application/json"),
    ] {
        let response = world.get(path).await;
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(response.headers()["content-type"], kind, "{path}");
        if kind.starts_with("text/html") {
            let policy = response.headers()["content-security-policy"].to_str().unwrap();
            let is_strict = policy.starts_with("default-src 'none'") || path == "/";
            assert!(is_strict && !policy.contains("unsafe"), "{policy}");
        }
        let text = response.text().await.unwrap();
        assert!(!text.contains("https://"), "{path}");
        assert!(!text.contains("<script>") && !text.contains("style="), "{path}");
    }
}

#[tokio::test]
async fn the_page_of_a_problem_is_where_its_type_says() {
    let world = world().await;
    let problem: waypost_api::Problem = world.get("/x").await.json().await.unwrap();
    let page = world.get(&problem.kind).await.text().await.unwrap();
    assert!(page.starts_with("# ROUTE_NOT_FOUND\n"), "{page}");
}

#[tokio::test]
async fn people_are_shown_pages_where_programs_get_markdown() {
    let world = world().await;
    for (path, expected) in [
        ("/docs/errors", r#"<a href="/docs/errors/LEASE_LOST">LEASE_LOST</a>"#),
        ("/docs/errors/LEASE_LOST", "<h1>LEASE_LOST</h1>"),
    ] {
        let url = format!("http://{}{path}", world.address);
        let request = world.client.get(url).header("accept", "text/html,*/*;q=0.8");
        let response = request.send().await.unwrap();
        assert_eq!(response.headers()["content-type"], "text/html; charset=utf-8", "{path}");
        let text = response.text().await.unwrap();
        assert!(text.contains(expected), "{text}");
    }
}
