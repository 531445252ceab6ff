//! The rules of a bearer token, one by one. Whatever is wrong, the answer is the same.

use aws_lc_rs::{
    encoding::{AsDer as _, PublicKeyX509Der},
    hmac,
    signature::{KeyPair as _, RSA_PKCS1_SHA384, RSA_PSS_SHA256},
};
use axum::{
    body::Body,
    http::{Request, header},
};
use serde_json::{Value, json};
use waypost_server::auth::AuthOptions;

use crate::{
    forge::{
        KID, OURS, THEIRS, claims, encoded, forged, good, head, jwk, read, signed_by, unsigned,
    },
    world::{World, options, world, world_with},
};

impl World {
    /// The token is let in; who it is.
    async fn takes(&self, token: &str) -> Value {
        let answer = self.call(&format!("Bearer {token}"), "GET /account", "").await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.body["userAccountInfo"].clone()
    }

    /// The token is refused like every other.
    async fn refuses(&self, token: &str) {
        self.refuses_header(&format!("Bearer {token}")).await;
    }

    async fn refuses_header(&self, header: &str) {
        let answer = self.call(header, "GET /account", "").await;
        let expected = json!({
            "type": "about:blank", "title": "Unauthorized", "status": 401,
            "detail": "UNAUTHORIZED: authentication failed", "instance": "/api/account",
            "properties": { "errorCode": "UNAUTHORIZED" },
        });
        assert_eq!((answer.status, &answer.body), (401, &expected), "{header}");
        assert_eq!(answer.headers[header::WWW_AUTHENTICATE], "Bearer");
        assert_eq!(answer.headers[header::CONTENT_TYPE], "application/problem+json");
        assert_eq!(answer.headers.len(), 3, "{:?}", answer.headers);
    }

    /// A good token, but for one claim.
    fn but(&self, name: &str, value: impl Into<Value>) -> String {
        let mut claims = claims(self.now());
        claims[name] = value.into();
        good(&claims)
    }

    /// A good token without some claims.
    fn without(&self, names: &[&str]) -> String {
        let mut claims = claims(self.now());
        for name in names {
            claims.as_object_mut().unwrap().remove(*name).unwrap();
        }
        good(&claims)
    }

    /// A token whose header says that, signed with RS256 by the right key.
    fn headed(&self, name: &str, value: impl Into<Value>) -> String {
        let mut head = head();
        head[name] = value.into();
        forged(&head, &claims(self.now()), &OURS)
    }
}

#[tokio::test]
async fn the_issuer_is_whom_the_settings_name() {
    let issuer = "us".to_owned();
    let world = world_with(AuthOptions { issuer, ..options() }).await;
    world.takes(&world.but("iss", "us")).await;
    world.refuses(&world.but("iss", "cyoda")).await;
    world.refuses(&world.without(&["iss"])).await;
    let issued = world.sign_in("first", "p%25w%2Bd").await.text("access_token");
    assert_eq!(world.takes(&issued).await["userId"], "admin");
    assert_eq!(read(&issued).1["iss"], "us");
}

#[tokio::test]
async fn a_good_token_says_who_it_is() {
    let world = world().await;
    let account = world.takes(&good(&claims(world.now()))).await;
    assert_eq!(
        account,
        json!({
            "userId": "u-1", "userName": "u-1", "legalEntity": { "id": "t-1", "name": "t-1" },
            "roles": [{ "id": "ROLE_USER" }],
            "currentSubscription": {
                "id": "unlimited", "legalEntityId": "t-1", "status": "ACTIVE",
                "tierName": "unlimited", "periodFrom": "2020-01-01T00:00:00Z", "limits": [],
            },
        })
    );
}

#[tokio::test]
async fn nobody_comes_in_without_a_token() {
    let world = world().await;
    let token = good(&claims(world.now()));
    for header in ["", "Bearer", "Bearer ", &token, &format!("Basic {token}")] {
        world.refuses_header(header).await;
    }
    world.refuses_header(&format!("Bearer  {token}")).await;
    world.refuses_header(&format!("Bearer {token} x")).await;
    let answer = world.call(&format!("bearer {token}"), "GET /account", "").await;
    assert_eq!(answer.status, 200, "the scheme may be in any case");
}

#[tokio::test]
async fn two_headers_are_none() {
    let world = world().await;
    let bearer = format!("Bearer {}", good(&claims(world.now())));
    let request = Request::get("/api/account").header(header::AUTHORIZATION, &bearer);
    let request = request.header(header::AUTHORIZATION, &bearer).body(Body::empty()).unwrap();
    assert_eq!(world.send(request).await.status, 401);
}

#[tokio::test]
async fn an_unsigned_token_is_refused() {
    let world = world().await;
    for algorithm in ["none", "None", "NONE", "nOnE", ""] {
        let mut head = head();
        head["alg"] = algorithm.into();
        let text = unsigned(&head, &claims(world.now()));
        world.refuses(&format!("{text}.")).await;
        world.refuses(&text).await;
        world.refuses(&signed_by(&text, &OURS, &aws_lc_rs::signature::RSA_PKCS1_SHA256)).await;
    }
}

#[tokio::test]
async fn an_empty_signature_is_refused() {
    let world = world().await;
    let text = unsigned(&head(), &claims(world.now()));
    world.refuses(&format!("{text}.")).await;
    world.refuses(&format!("{text}.{}", encoded([0; 256]))).await;
}

#[tokio::test]
async fn the_public_key_is_no_shared_secret() {
    let world = world().await;
    let mut head = head();
    head["alg"] = "HS256".into();
    let text = unsigned(&head, &claims(world.now()));
    let der: PublicKeyX509Der<'_> = OURS.public_key().as_der().unwrap();
    let pem = format!(
        "-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n",
        base64::Engine::encode(&base64::engine::general_purpose::STANDARD, der.as_ref())
    );
    for secret in [der.as_ref(), pem.as_bytes(), OURS.public_key().as_ref()] {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
        let signature = encoded(hmac::sign(&key, text.as_bytes()));
        world.refuses(&format!("{text}.{signature}")).await;
    }
}

#[tokio::test]
async fn only_rs256_is_spoken() {
    let world = world().await;
    for algorithm in ["RS384", "RS512", "PS256", "ES256", "EdDSA", "rs256", "RS256 ", "HS256"] {
        world.refuses(&world.headed("alg", algorithm)).await;
    }
    let text = unsigned(&head(), &claims(world.now()));
    world.refuses(&signed_by(&text, &OURS, &RSA_PSS_SHA256)).await;
    world.refuses(&signed_by(&text, &OURS, &RSA_PKCS1_SHA384)).await;
}

#[tokio::test]
async fn the_algorithm_must_be_told() {
    let world = world().await;
    world.refuses(&forged(&json!({ "kid": KID }), &claims(world.now()), &OURS)).await;
    world.refuses(&world.headed("alg", Value::Null)).await;
    world.refuses(&world.headed("alg", json!(["RS256"]))).await;
}

#[tokio::test]
async fn the_key_must_be_named_and_known() {
    let world = world().await;
    world.refuses(&forged(&json!({ "alg": "RS256" }), &claims(world.now()), &OURS)).await;
    for kid in ["", "unknown", "../../key", "x' or '1'='1", "/dev/null"] {
        world.refuses(&world.headed("kid", kid)).await;
    }
    world.refuses(&world.headed("kid", 7)).await;
}

#[tokio::test]
async fn a_key_the_token_brings_along_is_not_used() {
    let world = world().await;
    let mut key = jwk(&THEIRS);
    key["kid"] = KID.into();
    for kid in [KID, "theirs"] {
        let head = json!({ "alg": "RS256", "kid": kid, "jwk": key });
        world.refuses(&forged(&head, &claims(world.now()), &THEIRS)).await;
    }
    for (name, value) in [
        ("jwk", jwk(&OURS)),
        ("jku", json!("https://example.invalid/jwks.json")),
        ("x5u", json!("https://example.invalid/key.pem")),
        ("x5c", json!(["AQ=="])),
    ] {
        world.refuses(&world.headed(name, value)).await;
    }
}

#[tokio::test]
async fn an_extension_that_must_be_understood_is_not() {
    let world = world().await;
    world.refuses(&world.headed("crit", json!(["exp"]))).await;
    world.refuses(&world.headed("crit", json!([]))).await;
}

#[tokio::test]
async fn another_key_cannot_sign_under_our_name() {
    let world = world().await;
    world.refuses(&forged(&head(), &claims(world.now()), &THEIRS)).await;
}

#[tokio::test]
async fn what_was_signed_cannot_be_changed() {
    let world = world().await;
    let token = good(&claims(world.now()));
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let mut other = claims(world.now());
    other["user_roles"] = json!(["ROLE_ADMIN"]);
    world.refuses(&format!("{}.{signature}", unsigned(&head(), &other))).await;
    let mut other = head();
    other["typ"] = "at+jwt".into();
    world.refuses(&format!("{}.{signature}", unsigned(&other, &claims(world.now())))).await;
    let cut = signature.get(..signature.len() - 4).unwrap();
    world.refuses(&format!("{signed}.{cut}")).await;
}

#[tokio::test]
async fn a_token_has_three_parts_of_base64url() {
    let world = world().await;
    let token = good(&claims(world.now()));
    let (signed, signature) = token.rsplit_once('.').unwrap();
    for wrong in [
        signed.to_owned(),
        format!("{token}.{signature}"),
        format!("{token}=="),
        format!(".{token}"),
        format!("{token}."),
        format!("{signed}. {signature}"),
        "..".to_owned(),
        "a.b.c".to_owned(),
        format!("{}.{}", encoded("[]"), signature),
        format!("{}.{}.{signature}", encoded("\"RS256\""), encoded("{}")),
    ] {
        world.refuses(&wrong).await;
    }
    let text = format!("{}.{}", encoded(head().to_string()), encoded("not json"));
    world.refuses(&signed_by(&text, &OURS, &aws_lc_rs::signature::RSA_PKCS1_SHA256)).await;
}

#[tokio::test]
async fn a_very_long_token_is_not_looked_at() {
    let world = world().await;
    world.takes(&world.but("pad", "x".repeat(4_000))).await;
    world.refuses(&world.but("pad", "x".repeat(40_000))).await;
}

#[tokio::test]
async fn a_token_ends() {
    let world = world().await;
    let now = world.now();
    world.takes(&world.but("exp", now - 29)).await;
    world.refuses(&world.but("exp", now - 30)).await;
    world.takes(&world.but("exp", 1e12)).await;
    let token = good(&claims(now));
    world.wait(600 + 29);
    world.takes(&token).await;
    world.wait(1);
    world.refuses(&token).await;
}

#[tokio::test]
async fn a_token_says_when_it_ends() {
    let world = world().await;
    world.refuses(&world.without(&["exp"])).await;
    for wrong in [json!(null), json!("9999999999"), json!(true), json!([1])] {
        world.refuses(&world.but("exp", wrong)).await;
    }
}

#[tokio::test]
async fn a_token_says_when_it_was_made() {
    let world = world().await;
    world.refuses(&world.without(&["iat"])).await;
    world.refuses(&world.but("iat", world.now().to_string())).await;
    world.takes(&world.but("iat", world.now() + 30)).await;
    world.refuses(&world.but("iat", world.now() + 31)).await;
}

#[tokio::test]
async fn a_token_may_begin_later() {
    let world = world().await;
    world.takes(&world.but("nbf", world.now() + 30)).await;
    world.refuses(&world.but("nbf", world.now() + 31)).await;
    world.refuses(&world.but("nbf", "soon")).await;
}

#[tokio::test]
async fn only_one_issuer_is_believed() {
    let world = world().await;
    world.refuses(&world.without(&["iss"])).await;
    for wrong in [json!("cyoda "), json!("Cyoda"), json!("cyod"), json!(""), json!(["cyoda"])] {
        world.refuses(&world.but("iss", wrong)).await;
    }
}

#[tokio::test]
async fn a_token_must_be_for_the_audience_that_is_set() {
    let audience = Some("waypost".to_owned());
    let world = world_with(AuthOptions { audience, ..options() }).await;
    world.takes(&world.but("aud", "waypost")).await;
    world.takes(&world.but("aud", json!(["other", "waypost"]))).await;
    world.refuses(&good(&claims(world.now()))).await;
    for wrong in [json!("other"), json!(["other"]), json!([]), json!("waypost "), json!(7)] {
        world.refuses(&world.but("aud", wrong)).await;
    }
    let own = world.sign_in("first", "p%25w%2Bd").await;
    world.refuses(&own.text("access_token")).await;
}

#[tokio::test]
async fn without_an_audience_that_is_set_any_will_do() {
    let world = world().await;
    world.takes(&world.but("aud", "anybody")).await;
}

#[tokio::test]
async fn the_user_is_one_of_two_claims() {
    let world = world().await;
    assert_eq!(world.takes(&world.without(&["sub"])).await["userId"], "u-1");
    assert_eq!(world.takes(&world.without(&["caas_user_id"])).await["userId"], "s-1");
    world.refuses(&world.without(&["sub", "caas_user_id"])).await;
    for wrong in [json!(""), json!(7), json!("a\nb"), json!("x".repeat(256))] {
        world.refuses(&world.but("caas_user_id", wrong)).await;
    }
}

#[tokio::test]
async fn the_tenant_must_be_told() {
    let world = world().await;
    world.refuses(&world.without(&["caas_org_id"])).await;
    for wrong in [json!(""), json!(null), json!(7), json!("a\u{0}b"), json!("x".repeat(256))] {
        world.refuses(&world.but("caas_org_id", wrong)).await;
    }
}

#[tokio::test]
async fn nobody_belongs_to_the_system() {
    let world = world().await;
    world.refuses(&world.but("caas_org_id", "SYSTEM")).await;
}

#[tokio::test]
async fn roles_are_those_of_the_user_or_else_the_scopes() {
    let world = world().await;
    let now = world.now();
    for (user_roles, scopes, expected) in [
        (json!(["A"]), json!(["B"]), json!([{ "id": "A" }])),
        (json!([]), json!(["B"]), json!([{ "id": "B" }])),
        (json!(null), json!(["B", "C"]), json!([{ "id": "B" }, { "id": "C" }])),
        (json!(null), json!(null), json!([])),
    ] {
        let mut claims = claims(now);
        claims["user_roles"] = user_roles;
        claims["scopes"] = scopes;
        assert_eq!(world.takes(&good(&claims)).await["roles"], expected);
    }
    world.refuses(&world.but("user_roles", "ROLE_ADMIN")).await;
    world.refuses(&world.but("scopes", json!([7]))).await;
}

#[tokio::test]
async fn what_does_not_exist_is_not_told_to_those_who_are_not_known() {
    let world = world().await;
    for path in ["/thing", "/nothing", "", "/", "/healthy", "/helper", "/oauth/keys/trusted"] {
        let answer = world.call("", &format!("GET {path}"), "").await;
        assert_eq!(answer.code(), "401 UNAUTHORIZED", "{path}");
        assert_eq!(answer.body["instance"], format!("/api{path}"));
    }
    let known = format!("Bearer {}", good(&claims(world.now())));
    assert_eq!(world.call(&known, "GET /nothing", "").await.status, 404);
    assert_eq!(world.call(&known, "GET /thing", "").await.body, "u-1");
}

#[tokio::test]
async fn some_routes_are_public() {
    let world = world().await;
    for line in ["GET /health", "GET /help/topic", "GET /.well-known/jwks.json"] {
        assert_eq!(world.call("", line, "").await.status, 200, "{line}");
    }
    for line in ["POST /health", "POST /.well-known/jwks.json", "GET /oauth/token"] {
        assert_eq!(world.call("", line, "").await.status, 401, "{line}");
    }
    assert_eq!(world.call("", "POST /oauth/token", "").await.error(), "401 invalid_client");
}

#[tokio::test]
async fn what_is_not_below_the_context_path_is_left_alone() {
    let world = world().await;
    let ask = |path: &str| Request::get(path).body(Body::empty()).unwrap();
    assert_eq!(world.send(ask("/healthz")).await.status, 200);
    assert_eq!(world.send(ask("/apiary")).await.status, 404);
    assert_eq!(world.send(ask("/api")).await.status, 401);
}
