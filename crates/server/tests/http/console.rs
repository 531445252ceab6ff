//! The console: what is served where, and what browsers are told about it.

use crate::world::{World, world};

async fn page(world: &World) -> String {
    world.get("/").await.text().await.unwrap()
}

/// The first file of this kind that the page needs.
fn file(page: &str, ending: &str) -> String {
    let files = page.split('"').filter(|it| it.starts_with("/console/assets/"));
    files.into_iter().find(|it| it.ends_with(ending)).unwrap().to_owned()
}

#[tokio::test]
async fn every_place_of_the_console_is_its_page() {
    let world = world().await;
    let page = page(&world).await;
    for path in ["/console", "/console/instances", "/console/processes/a%20b?tab=history"] {
        let response = world.get(path).await;
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(response.headers()["content-type"], "text/html; charset=utf-8");
        assert_eq!(response.headers()["cache-control"], "no-cache");
        assert_eq!(response.text().await.unwrap(), page, "{path}");
    }
}

#[tokio::test]
async fn browsers_load_nothing_from_elsewhere_and_keep_what_never_changes() {
    let world = world().await;
    let page = page(&world).await;
    for (ending, kind) in
        [(".js", "text/javascript; charset=utf-8"), (".css", "text/css; charset=utf-8")]
    {
        let response = world.get(&file(&page, ending)).await;
        assert_eq!(response.headers()["content-type"], kind);
        assert_eq!(response.headers()["cache-control"], "public, max-age=31536000, immutable");
        let policy = response.headers()["content-security-policy"].to_str().unwrap();
        assert!(
            policy.starts_with("default-src 'self';") && !policy.contains("unsafe"),
            "{policy}"
        );
    }
}

#[tokio::test]
async fn scripts_travel_packed_to_those_who_can_unpack() {
    let world = world().await;
    let script = file(&page(&world).await, ".js");
    let url = format!("http://{}{script}", world.address);
    let fetch = async |accepted: &str| {
        let request = world.client.get(&url).header("accept-encoding", accepted);
        let response = request.send().await.unwrap();
        let encoding = response.headers().get("content-encoding").cloned();
        (encoding, response.bytes().await.unwrap())
    };
    let (encoding, packed) = fetch("br, gzip;q=0.8").await;
    assert_eq!(encoding.unwrap(), "gzip");
    assert!(packed.starts_with(&[0x1f, 0x8b]), "has no sign of gzip");
    for accepted in ["identity", "br", "x-gzip-like"] {
        let (encoding, plain) = fetch(accepted).await;
        assert_eq!(encoding, None, "{accepted}");
        assert!(plain.len() > 2 * packed.len(), "{accepted}");
    }
}

#[tokio::test]
async fn what_is_not_there_is_told_as_such() {
    let world = world().await;
    // A page of another version must not get a page where it asks for a script.
    for path in ["/console/assets/index-old.js", "/v1/nothing", "/consoles", "/instances"] {
        let response = world.get(path).await;
        assert_eq!(response.status(), 404, "{path}");
        assert_eq!(response.headers()["content-type"], "application/problem+json", "{path}");
        let problem: waypost_api::Problem = response.json().await.unwrap();
        assert_eq!(problem.code, "ROUTE_NOT_FOUND", "{path}");
    }
    assert_eq!(world.post("/console/instances", "{}").await.status(), 405);
}
