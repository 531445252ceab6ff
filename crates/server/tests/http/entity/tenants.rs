//! Tenants: what belongs to one is not there for another.

use std::collections::BTreeSet;

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
    [format!("Authorization: {}", bearer(world, tenant, &["ROLE_ADMIN"]))]
}

/// What says that somebody is of a tenant, and what they may do.
pub(crate) fn bearer(world: &World, tenant: &str, roles: &[&str]) -> String {
    bearer_of(world, &format!("user of {tenant}"), tenant, roles)
}

/// The same for one of several users.
fn bearer_of(world: &World, user: &str, tenant: &str, roles: &[&str]) -> String {
    let body: String = KEY.lines().filter(|it| !it.starts_with('-')).collect();
    let pair = RsaKeyPair::from_pkcs8(&STANDARD.decode(body).unwrap()).unwrap();
    let now = world.clock.now().as_micros() / 1_000_000;
    let head = json!({ "alg": "RS256", "typ": "JWT", "kid": KID });
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

/// What belongs to the server, and therefore to no tenant: its own pairs of keys, its log, its
/// traces.
const OF_ALL: [&str; 10] = [
    "GET /api/admin/log-level",
    "POST /api/admin/log-level",
    "GET /api/admin/trace-sampler",
    "POST /api/admin/trace-sampler",
    "GET /api/.well-known/jwks.json",
    "POST /api/oauth/keys/keypair",
    "GET /api/oauth/keys/keypair/current",
    "DELETE /api/oauth/keys/keypair/{kid}",
    "POST /api/oauth/keys/keypair/{kid}/invalidate",
    "POST /api/oauth/keys/keypair/{kid}/reactivate",
];

/// A key that may be trusted, named by somebody.
const TRUSTED: &str =
    r#"{"keyId":"NAME","audience":"","jwk":{"kty":"RSA","e":"AQAB","n":"MODULUS"}}"#;

/// Every operation by its route, and how somebody else tries it on what is ours: the model `m`, the
/// entity `#2`, the message `#5`, the search `SEARCH`, the client `CLIENT` and the trusted key
/// `ours`.
const OPERATIONS: [(&str, &str); 62] = [
    ("GET /api/account", "/api/account"),
    ("POST /api/oauth/token", "/api/oauth/token?grant_type=client_credentials"),
    ("GET /api/clients", "/api/clients"),
    ("PUT /api/clients/{clientId}/secret", "/api/clients/CLIENT/secret"),
    ("DELETE /api/clients/{clientId}", "/api/clients/CLIENT"),
    ("POST /api/clients", "/api/clients"),
    ("GET /api/account/m2m", "/api/account/m2m"),
    ("POST /api/account/m2m/{clientId}/secret/reset", "/api/account/m2m/CLIENT/secret/reset"),
    ("DELETE /api/account/m2m/{clientId}", "/api/account/m2m/CLIENT"),
    ("POST /api/account/m2m", r#"/api/account/m2m {"tenantId":"ours","userId":"u","roles":[]}"#),
    ("GET /api/oauth/keys/trusted", "/api/oauth/keys/trusted"),
    ("DELETE /api/oauth/keys/trusted/{kid}", "/api/oauth/keys/trusted/ours"),
    ("POST /api/oauth/keys/trusted/{kid}/invalidate", "/api/oauth/keys/trusted/ours/invalidate"),
    ("POST /api/oauth/keys/trusted/{kid}/reactivate", "/api/oauth/keys/trusted/ours/reactivate"),
    ("POST /api/oauth/keys/trusted", "/api/oauth/keys/trusted KEY"),
    ("GET /api/health", "/api/health"),
    ("GET /api/help", "/api/help"),
    ("GET /api/help/{topic}", "/api/help/search"),
    ("GET /api/model/", "/api/model/"),
    (
        "GET /api/model/export/{converter}/{entityName}/{modelVersion}",
        "/api/model/export/SIMPLE_VIEW/m/1",
    ),
    ("POST /api/model/validate/{entityName}/{modelVersion}", r#"/api/model/validate/m/1 {"a":1}"#),
    ("PUT /api/model/{entityName}/{modelVersion}/lock", "/api/model/u/1/lock"),
    ("PUT /api/model/{entityName}/{modelVersion}/unlock", "/api/model/m/1/unlock"),
    (
        "POST /api/model/{entityName}/{modelVersion}/changeLevel/{changeLevel}",
        "/api/model/m/1/changeLevel/STRUCTURAL",
    ),
    ("DELETE /api/model/{entityName}/{modelVersion}", "/api/model/u/1"),
    ("GET /api/model/{entityName}/{modelVersion}/indexes", "/api/model/m/1/indexes"),
    (
        "PUT /api/model/{entityName}/{modelVersion}/indexes",
        r#"/api/model/u/1/indexes {"paths":["$.u"]}"#,
    ),
    (
        "GET /api/model/{entityName}/{modelVersion}/workflow/export",
        "/api/model/m/1/workflow/export",
    ),
    ("GET /api/entity/{idOrFormat}", "/api/entity/#2"),
    ("GET /api/entity/{nameOrFormat}/{versionOrId}", "/api/entity/m/1"),
    ("PUT /api/entity/{nameOrFormat}/{versionOrId}", r##"/api/entity/JSON/#2 {"a":2}"##),
    (
        "PUT /api/entity/{format}/{nameOrId}/{versionOrTransition}",
        r##"/api/entity/JSON/#2/T {"a":2}"##,
    ),
    ("PUT /api/entity/{idOrFormat}", r##"/api/entity/JSON [{"id":"#2","payload":"{}"}]"##),
    (
        "POST /api/entity/{format}/{nameOrId}/{versionOrTransition}",
        r#"/api/entity/JSON/m/1 {"a":2}"#,
    ),
    (
        "POST /api/entity/{idOrFormat}",
        r#"/api/entity/JSON [{"model":{"name":"m","version":1},"payload":"{}"}]"#,
    ),
    ("DELETE /api/entity/{idOrFormat}", "/api/entity/#2"),
    ("DELETE /api/entity/{nameOrFormat}/{versionOrId}", "/api/entity/m/1"),
    ("GET /api/entity/{entityId}/changes", "/api/entity/#2/changes"),
    ("GET /api/entity/{entityId}/diagram.{format}", "/api/entity/#2/diagram.txt"),
    ("GET /api/entity/{entityId}/explain", "/api/entity/#2/explain"),
    ("POST /api/entity/{entityId}/what-if", "/api/entity/#2/what-if {}"),
    ("GET /api/entity/{entityId}/diff", "/api/entity/#2/diff?from=2100-01-01"),
    (
        "GET /api/model/{entityName}/{modelVersion}/workflow/diagram.{format}",
        "/api/model/m/1/workflow/diagram.txt",
    ),
    ("GET /api/entity/{entityId}/transitions", "/api/entity/#2/transitions"),
    (
        "GET /api/platform-api/entity/fetch/transitions",
        "/api/platform-api/entity/fetch/transitions?entityClass=m.1&entityId=#2",
    ),
    ("GET /api/entity/stats", "/api/entity/stats"),
    ("GET /api/entity/stats/states", "/api/entity/stats/states"),
    ("GET /api/entity/stats/{entityName}/{modelVersion}", "/api/entity/stats/m/1"),
    ("GET /api/entity/stats/states/{entityName}/{modelVersion}", "/api/entity/stats/states/m/1"),
    (
        "POST /api/search/direct/{entityName}/{modelVersion}",
        r#"/api/search/direct/m/1 {"type":"group","operator":"AND"}"#,
    ),
    (
        "POST /api/search/async/{entityName}/{modelVersion}",
        r#"/api/search/async/m/1 {"type":"group","operator":"AND"}"#,
    ),
    ("GET /api/search/async/{jobId}", "/api/search/async/SEARCH"),
    ("GET /api/search/async/{jobId}/status", "/api/search/async/SEARCH/status"),
    ("PUT /api/search/async/{jobId}/cancel", "/api/search/async/SEARCH/cancel"),
    ("GET /api/audit/entity/{entityId}", "/api/audit/entity/#2"),
    (
        "GET /api/audit/entity/{entityId}/workflow/{transactionId}/finished",
        "/api/audit/entity/#2/workflow/#1/finished",
    ),
    ("GET /api/message/{messageId}", "/api/message/#5"),
    ("DELETE /api/message/{messageId}", "/api/message/#5"),
    ("DELETE /api/message", r##"/api/message ["#5"]"##),
    // What they make is theirs, whatever it is called.
    ("POST /api/message/new/{subject}", r#"/api/message/new/s {"payload":2}"#),
    (
        "POST /api/model/import/{dataFormat}/{converter}/{entityName}/{modelVersion}",
        r#"/api/model/import/JSON/SAMPLE_DATA/u/1 {"b":"x"}"#,
    ),
    (
        "POST /api/model/{entityName}/{modelVersion}/workflow/import",
        r#"/api/model/m/1/workflow/import {"importMode":"REPLACE","workflows":[{"name":"v","initialState":"S","states":{"S":{}}}]}"#,
    ),
];

/// Everything below the context path that the server says it does.
async fn documented(world: &World) -> BTreeSet<String> {
    let document: Value = world.get("/openapi.json").await.json().await.unwrap();
    let paths = document["paths"].as_object().unwrap().iter();
    let is_below = |item: &Value| item.get("servers").is_none();
    let operations = paths.filter(|(_, item)| is_below(item)).flat_map(|(path, item)| {
        let methods = item.as_object().unwrap().keys();
        methods
            .filter(|it| ["get", "put", "post", "delete"].contains(&it.as_str()))
            .map(move |it| format!("{} /api{path}", it.to_uppercase()))
    });
    operations.collect()
}

/// What is not called the same each time.
struct Names {
    search: String,
    client: String,
}

impl Names {
    fn in_line(&self, line: &str) -> String {
        let line = line.replace("SEARCH", &self.search).replace("CLIENT", &self.client);
        line.replace("KEY", &trusted("ours"))
    }
}

fn trusted(name: &str) -> String {
    let modulus = URL_SAFE_NO_PAD.encode([0xff; 256]);
    TRUSTED.replace("NAME", name).replace("MODULUS", &modulus)
}

/// Names and secrets that are made up anew each time.
fn masked(text: &str) -> String {
    let is_made_up = |it: &&str| it.len() >= 32 && it.bytes().all(|it| it.is_ascii_hexdigit());
    let parts = text.split('"').map(|it| if is_made_up(&it) { "…" } else { it });
    parts.collect::<Vec<_>>().join("\"")
}

/// All that is ours, as we see it.
async fn ours(world: &World, who: &[String], names: &Names) -> String {
    let mut seen = String::new();
    for (route, line) in OPERATIONS {
        let is_read = route.starts_with("GET ") || route.starts_with("POST /api/search/direct");
        if is_read {
            let method = route.split(' ').next().unwrap();
            let line = format!("{method} {}", names.in_line(line));
            let answer = world.say(&line, who).await;
            assert_eq!(answer.status, 200, "{line} {}", answer.text);
            seen += &format!("{line}\n{}\n", answer.text);
        }
    }
    for line in ["GET /api/model/export/SIMPLE_VIEW/u/1", "GET /api/model/u/1/indexes"] {
        seen += &world.say(line, who).await.text;
    }
    seen
}

#[tokio::test]
pub(crate) async fn nothing_of_one_tenant_is_there_for_another() {
    let world = asking().await;
    let tried = OPERATIONS.iter().map(|it| it.0).chain(OF_ALL);
    let tried: BTreeSet<_> = tried.map(ToOwned::to_owned).collect();
    assert_eq!(documented(&world).await, tried, "an operation that nobody has tried");
    let (us, them) = (of(&world, "ours"), of(&world, "theirs"));
    let workflow = r#"{"workflows":[{"name":"w","initialState":"S","states":{"S":{"transitions":[{"name":"T","next":"S","manual":true}]}}}]}"#;
    for line in [
        r#"POST /api/model/import/JSON/SAMPLE_DATA/u/1 {"u":1}"#.to_owned(),
        r#"POST /api/model/import/JSON/SAMPLE_DATA/m/1 {"a":1}"#.to_owned(),
        "PUT /api/model/m/1/lock".to_owned(),
        format!("POST /api/model/m/1/workflow/import {workflow}"),
        r#"POST /api/entity/JSON/m/1 {"a":1}"#.to_owned(),
        r##"PUT /api/entity/JSON/#2/T {"a":1}"##.to_owned(),
    ] {
        let answer = world.say(&line, &us).await;
        assert_eq!(answer.status, 200, "{line} {}", answer.text);
    }
    let kind = "Content-Type: application/json".to_owned();
    let letter = [us[0].clone(), kind.clone()];
    let kept = world.say(r#"POST /api/message/new/s {"payload":1}"#, &letter).await;
    assert_eq!(kept.json()[0]["entityIds"][0], "00000005-0000-1000-8000-000000000000");
    let begun = world.say(&format!("POST /api/search/async/m/1 {ALL}"), &us).await;
    let search = begun.json().as_str().unwrap().to_owned();
    super::search::ended_of(&world, &search, &us).await;
    let made = world.say("POST /api/clients", &us).await;
    let client = made.json()["clientId"].as_str().unwrap().to_owned();
    let line = format!("POST /api/oauth/keys/trusted {}", trusted("ours"));
    assert_eq!(world.say(&line, &us).await.status, 201);
    let names = Names { search, client };
    let before = ours(&world, &us, &names).await;
    assert!(before.contains(&names.client) && before.contains("\"kid\":\"ours\""), "{before}");
    let mut seen = String::new();
    let sender = [them[0].clone(), kind];
    for (route, line) in OPERATIONS {
        let method = route.split(' ').next().unwrap();
        let line = format!("{method} {}", names.in_line(line));
        let answer = world.say(&line, &sender).await;
        let shown = match (answer.status, route.contains("help")) {
            (_, true) => String::new(),
            (200 | 201, false) => masked(&super::play::abridged(&answer.text)),
            (_, false) => answer.code(),
        };
        let line = format!("    {} {}", answer.status, shown.trim());
        seen += &format!("{route}\n{}\n", line.trim_end());
    }
    super::play::compare_file(
        "tests/http/entity/tenants/nothing_of_one_tenant_is_there_for_another.txt",
        &seen,
    );
    assert_eq!(ours(&world, &us, &names).await, before);
}

#[tokio::test]
pub(crate) async fn two_tenants_may_give_the_same_name_to_different_things() {
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
pub(crate) async fn what_was_written_is_told_with_who_wrote_it() {
    let world = asking().await;
    let by = |user| [format!("Authorization: {}", bearer_of(&world, user, "ours", &[]))];
    let (ada, ben, cleo) = (by("ada"), by("ben"), by("cleo"));
    prepare(&world, &ada, r#"{"a":1}"#).await;
    let changed = world.say(r##"PUT /api/entity/JSON/#2 {"a":2}"##, &ben).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    assert_eq!(world.say("DELETE /api/entity/#2", &cleo).await.status, 200);
    // Whoever asks is none of those who wrote.
    let asker = by("dan");
    let changes = world.say("GET /api/entity/#2/changes", &asker).await.json();
    let told: Vec<_> = changes.as_array().unwrap().iter().map(|it| &it["user"]).collect();
    assert_eq!(told, ["cleo", "ben", "ada"]);
    let line = "GET /api/audit/entity/#2?eventType=EntityChange";
    let audit = world.say(line, &asker).await.json();
    let actors: Vec<_> =
        audit["items"].as_array().unwrap().iter().map(|it| it["actor"].clone()).collect();
    let actor = |name: &str| json!({"id": name, "name": name, "legalId": "ours"});
    assert_eq!(actors, ["cleo", "ben", "ada"].map(actor));
}

#[tokio::test]
pub(crate) async fn nobody_is_let_in_unknown() {
    let world = asking().await;
    for line in [
        "GET /api/model/",
        "GET /api/nothing",
        "GET /api",
        "POST /api/model/m/1/workflow/import {}",
        "GET /api/model/m/1/workflow/export",
        "GET /api/message/#1",
        "GET /api/audit/entity/#1",
        r#"POST /api/entity/JSON/m/1 {"a":1}"#,
        &format!("POST /api/search/direct/m/1 {ALL}"),
    ] {
        let answer = world.say(line, &[]).await;
        assert_eq!((answer.status, answer.code().as_str()), (401, "UNAUTHORIZED"), "{line}");
    }
    assert_eq!(world.say("GET /api/health", &[]).await.status, 200);
    assert_eq!(world.get("/healthz").await.status(), 200);
    assert_eq!(world.get("/v1/chains/instances").await.status(), 401);
}
