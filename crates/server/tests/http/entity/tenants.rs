//! Tenants: what belongs to one is not there for another.

use aws_lc_rs::{
    rand::SystemRandom,
    signature::{RSA_PKCS1_SHA256, RsaKeyPair},
};
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use serde_json::{Value, json};
use waypost_engine::Settings;
use waypost_kernel::Clock as _;
use waypost_server::{
    EntityOptions, Options,
    auth::{AuthOptions, Mode},
};

use crate::world::{World, world_with};

/// A key for tests alone, and the name that follows from it.
const KEY: &str = include_str!("../../auth/signing.pem");
const KID: &str = "8a83437081a70b712e0dede5392902b4";

const ALL: &str = r#"{"type":"group","operator":"AND","conditions":[]}"#;

/// Has everybody say who they are.
pub(crate) fn jwt() -> AuthOptions {
    let signing_key = Some(KEY.to_owned());
    AuthOptions { mode: Mode::Jwt, signing_key, ..AuthOptions::default() }
}

async fn asking() -> World {
    let entity = EntityOptions { auth: jwt(), ..EntityOptions::default() };
    world_with(Options { entity, ..Options::default() }, Settings::default()).await
}

/// What somebody of a tenant sends with everything.
fn of(world: &World, tenant: &str) -> [String; 1] {
    [format!("Authorization: {}", bearer(world, tenant, &[]))]
}

/// What says that somebody is of a tenant, and what they may do.
pub(crate) fn bearer(world: &World, tenant: &str, roles: &[&str]) -> String {
    let body: String = KEY.lines().filter(|it| !it.starts_with('-')).collect();
    let pair = RsaKeyPair::from_pkcs8(&STANDARD.decode(body).unwrap()).unwrap();
    let now = world.clock.now().as_micros() / 1_000_000;
    let head = json!({ "alg": "RS256", "typ": "JWT", "kid": KID });
    let user = format!("user of {tenant}");
    let claims = json!({
        "iss": "cyoda", "sub": user, "caas_org_id": tenant, "iat": now, "exp": now + 600,
        "user_roles": roles,
    });
    let encoded = |it: Value| URL_SAFE_NO_PAD.encode(it.to_string());
    let text = format!("{}.{}", encoded(head), encoded(claims));
    let mut signature = vec![0; pair.public_modulus_len()];
    let random = SystemRandom::new();
    pair.sign(&RSA_PKCS1_SHA256, &random, text.as_bytes(), &mut signature).unwrap();
    format!("Bearer {text}.{}", URL_SAFE_NO_PAD.encode(signature))
}

async fn prepare(world: &World, who: &[String], sample: &str) {
    for line in [
        format!("POST /api/model/import/JSON/SAMPLE_DATA/m/1 {sample}"),
        "PUT /api/model/m/1/lock".to_owned(),
        format!("POST /api/entity/JSON/m/1 {sample}"),
    ] {
        let answer = world.say(&line, who).await;
        assert_eq!(answer.status, 200, "{line} {}", answer.text);
    }
}

#[tokio::test]
async fn nothing_of_one_tenant_is_there_for_another() {
    let world = asking().await;
    let (ours, theirs) = (of(&world, "ours"), of(&world, "theirs"));
    prepare(&world, &ours, r#"{"a":1}"#).await;
    let workflows = r#"{"workflows":[{"name":"w","initialState":"S","states":{"S":{}}}]}"#;
    let import = format!("POST /api/model/m/1/workflow/import {workflows}");
    assert_eq!(world.say(&import, &ours).await.status, 200);
    let begun = world.say(&format!("POST /api/search/async/m/1 {ALL}"), &ours).await;
    let search = begun.json().as_str().unwrap().to_owned();
    let mut seen = String::new();
    for line in [
        "GET /api/model/",
        "GET /api/model/export/SIMPLE_VIEW/m/1",
        "PUT /api/model/m/1/unlock",
        "DELETE /api/model/m/1",
        "GET /api/model/m/1/workflow/export",
        "GET /api/model/m/1/indexes",
        "GET /api/entity/#2",
        "GET /api/entity/m/1",
        r##"PUT /api/entity/JSON/#2 {"a":2}"##,
        r##"PUT /api/entity/JSON/#2/UPDATE {"a":2}"##,
        r##"PUT /api/entity/JSON [{"id":"#2","payload":"{}"}]"##,
        r#"POST /api/entity/JSON/m/1 {"a":2}"#,
        "DELETE /api/entity/#2",
        "DELETE /api/entity/m/1",
        "GET /api/entity/#2/changes",
        "GET /api/entity/#2/transitions",
        "GET /api/platform-api/entity/fetch/transitions?entityClass=m.1&entityId=#2",
        "GET /api/entity/stats",
        "GET /api/entity/stats/states",
        "GET /api/entity/stats/m/1",
        &format!("POST /api/search/direct/m/1 {ALL}"),
        &format!("POST /api/search/async/m/1 {ALL}"),
        &format!("GET /api/search/async/{search}"),
        &format!("GET /api/search/async/{search}/status"),
        &format!("PUT /api/search/async/{search}/cancel"),
        "GET /api/audit/entity/#2",
        "GET /api/audit/entity/#2/workflow/#1/finished",
    ] {
        let answer = world.say(line, &theirs).await;
        let shown = if answer.status == 200 { answer.text.clone() } else { answer.code() };
        let path = line.split(' ').take(2).collect::<Vec<_>>().join(" ").replace(&search, "SEARCH");
        seen += &format!("{path}\n    {} {}\n", answer.status, shown.trim());
    }
    expect_test::expect_file!["stories/nothing_of_one_tenant_is_there_for_another.txt"]
        .assert_eq(&seen);
    assert_eq!(world.say("GET /api/entity/#2", &ours).await.json()["data"], json!({ "a": 1 }));
}

#[tokio::test]
async fn two_tenants_may_give_the_same_name_to_different_things() {
    let world = asking().await;
    let (ours, theirs) = (of(&world, "ours"), of(&world, "theirs"));
    prepare(&world, &ours, r#"{"a":1}"#).await;
    prepare(&world, &theirs, r#"{"b":"x"}"#).await;
    let found = async |who: &[String]| {
        let list = world.say("GET /api/entity/m/1", who).await.json();
        assert_eq!(list.as_array().unwrap().len(), 1);
        list[0]["data"].clone()
    };
    assert_eq!(found(&ours).await, json!({ "a": 1 }));
    assert_eq!(found(&theirs).await, json!({ "b": "x" }));
    assert_eq!(world.say("DELETE /api/entity/m/1", &theirs).await.status, 200);
    assert_eq!(found(&ours).await, json!({ "a": 1 }));
    let audit = world.say("GET /api/audit/entity/#2?eventType=EntityChange", &ours).await.json();
    let actor = json!({"id": "user of ours", "name": "user of ours", "legalId": "ours"});
    assert_eq!(audit["items"][0]["actor"], actor);
}

#[tokio::test]
async fn nobody_is_let_in_unknown() {
    let world = asking().await;
    for line in [
        "GET /api/model/",
        "GET /api/nothing",
        "GET /api",
        r#"POST /api/entity/JSON/m/1 {"a":1}"#,
        &format!("POST /api/search/direct/m/1 {ALL}"),
    ] {
        let answer = world.say(line, &[]).await;
        assert_eq!((answer.status, answer.code().as_str()), (401, "UNAUTHORIZED"), "{line}");
    }
    assert_eq!(world.say("GET /api/health", &[]).await.status, 200);
    assert_eq!(world.get("/v1/chains/instances").await.status(), 200);
}
