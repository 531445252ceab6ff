//! The endpoint that issues tokens.

use std::time::Duration;

use axum::http::header;
use futures_util::{StreamExt as _, stream::FuturesUnordered};
use serde_json::{Value, json};
use waypost_server::auth::AuthOptions;

use crate::{
    forge::{KID, OURS, THEIRS, claims, forged, head, jwk, read},
    world::{Answer, World, basic, options, world, world_with},
};

const EXCHANGE: &str = "grant_type=urn:ietf:params:oauth:grant-type:token-exchange\
                        &subject_token_type=urn:ietf:params:oauth:token-type:jwt";

const CREDENTIALS: &str = "grant_type=client_credentials";

/// Id and secret of the client of the settings, as a form would carry them.
fn first() -> String {
    basic("first", "p%25w%2Bd")
}

impl World {
    /// Trusts the other key, for these issuers.
    async fn trust(&self, tenant: &str, more: Value) {
        let mut body = json!({ "keyId": "theirs", "jwk": jwk(&THEIRS), "audience": "human" });
        for (name, value) in more.as_object().unwrap() {
            body[name] = value.clone();
        }
        let who = self.administrator(tenant);
        let answer = self.call(&who, "POST /oauth/keys/trusted", body.to_string()).await;
        assert_eq!(answer.status, 201, "{answer:?}");
    }

    /// Shows a token and asks for another.
    async fn exchange(&self, subject: &str) -> Answer {
        let form = format!("{EXCHANGE}&subject_token={subject}");
        self.call(&first(), "POST /oauth/token", form).await
    }
}

/// What a token of somebody else says.
fn subject(world: &World) -> Value {
    let now = world.now();
    json!({
        "iss": "them", "sub": "jane", "caas_org_id": "t-1", "user_roles": ["ROLE_CLERK"],
        "iat": now, "exp": now + 60,
    })
}

fn theirs(claims: &Value) -> String {
    forged(&json!({ "alg": "RS256", "kid": "theirs" }), claims, &THEIRS)
}

#[tokio::test]
pub(crate) async fn a_client_gets_a_token_for_itself() {
    let world = world().await;
    let answer = world.call(&first(), "POST /oauth/token", CREDENTIALS).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.body.as_object().unwrap().len(), 3);
    assert_eq!(answer.body["token_type"], "Bearer");
    assert_eq!(answer.body["expires_in"], 3600);
    let (head, mut claims) = read(&answer.text("access_token"));
    assert_eq!(head, json!({ "alg": "RS256", "typ": "JWT", "kid": KID }));
    let id = claims.as_object_mut().unwrap().remove("jti").unwrap();
    assert_eq!(id.as_str().unwrap().len(), 36);
    let now = world.now();
    let expected = json!({
        "sub": "first", "iss": "cyoda", "caas_user_id": "admin", "caas_org_id": "t-1",
        "scopes": ["ROLE_ADMIN", "ROLE_M2M"], "caas_tier": "unlimited",
        "exp": now + 3600, "iat": now,
    });
    assert_eq!(claims, expected);
    let who = world.call(&answer.bearer(), "GET /account", "").await;
    assert_eq!(who.body["userAccountInfo"]["userId"], "admin");
    assert_eq!(who.body["userAccountInfo"]["roles"][1]["id"], "ROLE_M2M");
}

#[tokio::test]
pub(crate) async fn a_token_ends_after_the_time_that_is_set() {
    let expiry = Duration::from_secs(600);
    let world = world_with(AuthOptions { expiry, ..options() }).await;
    let answer = world.call(&first(), "POST /oauth/token", CREDENTIALS).await;
    assert_eq!(answer.body["expires_in"], 600);
    let (_, claims) = read(&answer.text("access_token"));
    assert_eq!(claims["exp"], world.now() + 600);
    let bearer = answer.bearer();
    world.wait(600 + 29);
    assert_eq!(world.call(&bearer, "GET /account", "").await.status, 200);
    world.wait(1);
    assert_eq!(world.call(&bearer, "GET /account", "").await.status, 401);
}

#[tokio::test]
pub(crate) async fn fields_may_be_in_the_query() {
    let world = world().await;
    let line = format!("POST /oauth/token?{CREDENTIALS}");
    assert_eq!(world.call(&first(), &line, "").await.status, 200);
}

#[tokio::test]
pub(crate) async fn a_client_that_is_not_known_gets_nothing() {
    let world = world().await;
    let (id, secret) = world.client("t-1", &[]).await;
    let good = basic(&id, &secret);
    for who in [
        String::new(),
        "Basic".into(),
        "Basic ?".into(),
        "Basic Zmlyc3Q=".into(),
        good.replace("Basic", "Bearer"),
        basic(&id, ""),
        basic("", ""),
        basic(&id, &secret[1..]),
        basic(&id, &secret.to_uppercase()),
        basic("nobody", &secret),
        basic("first", &secret),
        basic("first", "p%w+d"),
        basic("a%00b", "x"),
    ] {
        let answer = world.call(&who, "POST /oauth/token", CREDENTIALS).await;
        assert_eq!(answer.error(), "401 invalid_client", "{who}");
        assert_eq!(answer.body.as_object().unwrap().len(), 1);
        assert!(answer.headers.contains_key(header::WWW_AUTHENTICATE));
    }
    assert_eq!(world.call(&good, "POST /oauth/token", CREDENTIALS).await.status, 200);
}

#[tokio::test]
pub(crate) async fn there_are_two_grants() {
    let world = world().await;
    for form in ["", "grant_type=", "grant_type=password", "grant_type=CLIENT_CREDENTIALS"] {
        let answer = world.call(&first(), "POST /oauth/token", form).await;
        assert_eq!(answer.error(), "400 unsupported_grant_type", "{form}");
    }
}

#[tokio::test]
pub(crate) async fn a_body_that_is_too_large_is_not_read() {
    let world = world().await;
    let fits = format!("{CREDENTIALS}&pad={}", "x".repeat((1 << 20) - 100));
    assert_eq!(world.call(&first(), "POST /oauth/token", fits).await.status, 200);
    let large = format!("{CREDENTIALS}&pad={}", "x".repeat(1 << 20));
    let answer = world.call(&first(), "POST /oauth/token", large).await;
    assert_eq!(answer.error(), "400 invalid_request");
}

#[tokio::test]
pub(crate) async fn a_client_acts_on_behalf_of_a_user() {
    let world = world().await;
    world.trust("t-1", json!({ "issuers": ["them"] })).await;
    let answer = world.exchange(&theirs(&subject(&world))).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.body["issued_token_type"], "urn:ietf:params:oauth:token-type:jwt");
    let (_, mut claims) = read(&answer.text("access_token"));
    claims.as_object_mut().unwrap().remove("jti").unwrap();
    let now = world.now();
    let expected = json!({
        "sub": "jane", "iss": "cyoda", "caas_user_id": "jane", "caas_org_id": "t-1",
        "user_roles": ["ROLE_CLERK"], "caas_tier": "unlimited", "act": { "sub": "first" },
        "exp": now + 3600, "iat": now,
    });
    assert_eq!(claims, expected);
    let who = world.call(&answer.bearer(), "GET /account", "").await;
    assert_eq!(who.body["userAccountInfo"]["userId"], "jane");
}

#[tokio::test]
pub(crate) async fn roles_of_a_user_may_have_another_name() {
    let world = world().await;
    world.trust("t-1", json!({})).await;
    let mut claims = subject(&world);
    claims.as_object_mut().unwrap().remove("user_roles").unwrap();
    claims["roles"] = json!(["ROLE_BOSS"]);
    let (_, claims) = read(&world.exchange(&theirs(&claims)).await.text("access_token"));
    assert_eq!(claims["user_roles"], json!(["ROLE_BOSS"]));
}

#[tokio::test]
pub(crate) async fn a_subject_token_must_be_named_as_one() {
    let world = world().await;
    world.trust("t-1", json!({})).await;
    let token = theirs(&subject(&world));
    let (grant, kind) = EXCHANGE.split_once('&').unwrap();
    for form in [
        format!("{grant}&subject_token={token}"),
        format!("{grant}&subject_token_type=jwt&subject_token={token}"),
        format!("{grant}&{kind}"),
        format!("{grant}&{kind}&subject_token="),
    ] {
        let answer = world.call(&first(), "POST /oauth/token", form).await;
        assert_eq!(answer.error(), "400 invalid_grant");
        assert!(answer.body["error_description"].is_string());
    }
}

#[tokio::test]
pub(crate) async fn a_subject_token_must_be_signed_by_a_trusted_key() {
    let world = world().await;
    world.trust("t-1", json!({})).await;
    let claims = subject(&world);
    for token in [
        forged(&json!({ "alg": "RS256", "kid": "theirs" }), &claims, &OURS),
        forged(&json!({ "alg": "RS256", "kid": "others" }), &claims, &THEIRS),
        forged(&json!({ "alg": "RS256" }), &claims, &THEIRS),
        forged(&json!({ "alg": "none", "kid": "theirs" }), &claims, &THEIRS),
        forged(&head(), &claims, &OURS),
        "x".to_owned(),
    ] {
        assert_eq!(world.exchange(&token).await.error(), "400 invalid_grant");
    }
}

#[tokio::test]
pub(crate) async fn a_subject_token_must_be_of_a_trusted_issuer() {
    let world = world().await;
    world.trust("t-1", json!({ "issuers": ["them", "us"] })).await;
    for (issuer, expected) in
        [(json!("us"), 200), (json!("others"), 400), (json!(""), 400), (json!(null), 400)]
    {
        let mut claims = subject(&world);
        claims["iss"] = issuer;
        assert_eq!(world.exchange(&theirs(&claims)).await.status, expected);
    }
}

#[tokio::test]
pub(crate) async fn a_subject_token_must_be_good_now() {
    let world = world().await;
    world.trust("t-1", json!({})).await;
    let now = world.now();
    for (name, value, expected) in [
        ("exp", json!(now - 29), 200),
        ("exp", json!(now - 30), 400),
        ("exp", json!(null), 400),
        ("nbf", json!(now + 31), 400),
        ("iat", json!(now + 31), 400),
        ("sub", json!(null), 400),
        ("sub", json!(""), 400),
    ] {
        let mut claims = subject(&world);
        claims[name] = value;
        assert_eq!(world.exchange(&theirs(&claims)).await.status, expected, "{name}");
    }
}

#[tokio::test]
pub(crate) async fn a_client_cannot_act_for_users_of_other_tenants() {
    let world = world().await;
    world.trust("t-1", json!({})).await;
    for tenant in [json!("t-2"), json!(null), json!("")] {
        let mut claims = subject(&world);
        claims["caas_org_id"] = tenant;
        assert_eq!(world.exchange(&theirs(&claims)).await.error(), "403 access_denied");
    }
}

#[tokio::test]
pub(crate) async fn a_key_another_tenant_trusts_counts_for_nothing() {
    let world = world().await;
    world.trust("t-2", json!({})).await;
    let answer = world.exchange(&theirs(&subject(&world))).await;
    assert_eq!(answer.error(), "400 invalid_grant");
}

#[tokio::test]
pub(crate) async fn a_trusted_key_counts_while_it_is_valid() {
    let world = world().await;
    let more = json!({
        "validFrom": "2026-05-28T20:26:50Z", "validTo": "2026-05-28T20:27:00Z",
    });
    world.trust("t-1", more).await;
    let token = theirs(&subject(&world));
    for expected in [400, 200, 400] {
        assert_eq!(world.exchange(&token).await.status, expected);
        world.wait(10);
    }
}

#[tokio::test]
pub(crate) async fn a_trusted_key_can_be_switched_off_and_on() {
    let world = world().await;
    world.trust("t-1", json!({})).await;
    let token = theirs(&subject(&world));
    for (what, expected) in [("invalidate", 400), ("reactivate", 200)] {
        let line = format!("POST /oauth/keys/trusted/theirs/{what}");
        let answer = world.call(&world.administrator("t-1"), &line, "").await;
        assert_eq!((answer.status, answer.body), (200, Value::String(String::new())));
        assert_eq!(world.exchange(&token).await.status, expected);
    }
}

#[tokio::test]
pub(crate) async fn a_trusted_key_does_not_let_anybody_in() {
    let world = world().await;
    world.trust("t-1", json!({})).await;
    let token = forged(&json!({ "alg": "RS256", "kid": "theirs" }), &claims(world.now()), &THEIRS);
    let answer = world.call(&format!("Bearer {token}"), "GET /account", "").await;
    assert_eq!(answer.status, 401);
}

#[tokio::test]
pub(crate) async fn whoever_comes_on_top_of_too_many_is_told_to_come_back() {
    let world = world().await;
    let who = first();
    let mut asked: FuturesUnordered<_> =
        (0..100).map(|_| world.call(&who, "POST /oauth/token", CREDENTIALS)).collect();
    let refused = loop {
        let answer = asked.next().await.expect("nobody was sent away");
        if answer.status != 200 {
            break answer;
        }
    };
    assert_eq!(refused.error(), "503 temporarily_unavailable");
    assert_eq!(refused.headers[header::RETRY_AFTER], "1");
}
