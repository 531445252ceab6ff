//! Keys a tenant trusts.

use serde_json::{Value, json};

use crate::{
    forge::{THEIRS, jwk},
    world::{Answer, World, world},
};

impl World {
    async fn trusts(&self, tenant: &str, body: &Value) -> Answer {
        let who = self.administrator(tenant);
        self.call(&who, "POST /oauth/keys/trusted", body.to_string()).await
    }

    async fn trusted(&self, tenant: &str) -> Value {
        let who = self.administrator(tenant);
        self.call(&who, "GET /oauth/keys/trusted", "").await.body
    }
}

fn key(id: &str) -> Value {
    json!({ "keyId": id, "jwk": jwk(&THEIRS), "audience": "human" })
}

#[tokio::test]
pub(crate) async fn a_key_is_trusted_and_listed() {
    let world = world().await;
    assert_eq!(world.trusted("t-1").await, json!([]));
    let answer = world.trusts("t-1", &key("b")).await;
    let at = "2026-05-28T20:26:40Z";
    let shown = json!({ "kid": "b", "audience": "human", "active": true, "validFrom": at });
    assert_eq!((answer.status, &answer.body), (201, &shown));
    let mut dated = key("a");
    dated["validFrom"] = "2026-01-01T01:00:00+01:00".into();
    dated["validTo"] = "2027-01-01T00:00:00.5Z".into();
    let answer = world.trusts("t-1", &dated).await;
    let other = json!({
        "kid": "a", "audience": "human", "active": true,
        "validFrom": "2026-01-01T00:00:00Z", "validTo": "2027-01-01T00:00:00.5Z",
    });
    assert_eq!(answer.body, other);
    assert_eq!(world.trusted("t-1").await, json!([other, shown]));
}

#[tokio::test]
pub(crate) async fn the_same_name_again_replaces_the_key() {
    let world = world().await;
    world.trusts("t-1", &key("k")).await;
    let off = world.administrator("t-1");
    world.call(&off, "POST /oauth/keys/trusted/k/invalidate", "").await;
    assert_eq!(world.trusted("t-1").await[0]["active"], false);
    let mut other = key("k");
    other["audience"] = "machine".into();
    assert_eq!(world.trusts("t-1", &other).await.status, 201);
    let all = world.trusted("t-1").await;
    assert_eq!(all.as_array().unwrap().len(), 1);
    assert_eq!(all[0]["audience"], "machine");
    assert_eq!(all[0]["active"], true);
}

#[tokio::test]
pub(crate) async fn a_key_is_deleted() {
    let world = world().await;
    world.trusts("t-1", &key("k")).await;
    let who = world.administrator("t-1");
    assert_eq!(world.call(&who, "DELETE /oauth/keys/trusted/k", "").await.status, 204);
    assert_eq!(world.trusted("t-1").await, json!([]));
    for line in [
        "DELETE /oauth/keys/trusted/k",
        "POST /oauth/keys/trusted/k/invalidate",
        "POST /oauth/keys/trusted/k/reactivate",
    ] {
        let answer = world.call(&who, line, "").await;
        assert_eq!(answer.code(), "404 KEY_NOT_FOUND", "{line}");
    }
}

#[tokio::test]
pub(crate) async fn each_tenant_has_its_own() {
    let world = world().await;
    world.trusts("t-1", &key("k")).await;
    assert_eq!(world.trusted("t-2").await, json!([]));
    let other = world.administrator("t-2");
    for line in [
        "DELETE /oauth/keys/trusted/k",
        "POST /oauth/keys/trusted/k/invalidate",
        "POST /oauth/keys/trusted/k/reactivate",
    ] {
        let theirs = world.call(&other, line, "").await;
        let nobodys = world.call(&other, &line.replace("trusted/k", "trusted/x"), "").await;
        assert_eq!(theirs.code(), "404 KEY_NOT_FOUND", "{line}");
        assert_eq!(theirs.body["detail"], nobodys.body["detail"]);
    }
    world.trusts("t-2", &key("k")).await;
    assert_eq!(world.call(&other, "DELETE /oauth/keys/trusted/k", "").await.status, 204);
    assert_eq!(world.trusted("t-1").await[0]["kid"], "k");
}

#[tokio::test]
pub(crate) async fn what_is_no_key_is_refused() {
    let world = world().await;
    let mut wrong = Vec::new();
    for (place, value) in [
        ("/keyId", json!("")),
        ("/keyId", json!("a/b")),
        ("/keyId", json!("a\nb")),
        ("/jwk/kty", json!("EC")),
        ("/jwk/n", json!("AQAB")),
        ("/jwk/n", json!("?")),
        ("/jwk/n", json!("A".repeat(20_000))),
        ("/jwk/e", json!("AA")),
        ("/jwk/e", json!("")),
        ("/jwk", json!("x")),
        ("/audience", json!(7)),
    ] {
        let mut body = key("k");
        *body.pointer_mut(place).unwrap() = value;
        wrong.push(body.to_string());
    }
    for (name, value) in [
        ("validFrom", json!("yesterday")),
        ("validTo", json!("2026-05-28")),
        ("validTo", json!("2026-05-28T20:26:40Z")),
        ("issuers", json!("them")),
    ] {
        let mut body = key("k");
        body[name] = value;
        wrong.push(body.to_string());
    }
    wrong.extend(["".into(), "{".into(), "[]".into(), "{}".into()]);
    wrong.push(format!("{}{}", key("k"), " ".repeat(1 << 20)));
    let who = world.administrator("t-1");
    for body in wrong {
        let answer = world.call(&who, "POST /oauth/keys/trusted", body.clone()).await;
        let shown = body.get(..200).unwrap_or(&body);
        assert_eq!(answer.code(), "400 BAD_REQUEST", "{shown}");
        assert_eq!(answer.body["instance"], "/api/oauth/keys/trusted");
    }
    assert_eq!(world.trusted("t-1").await, json!([]));
}

#[tokio::test]
pub(crate) async fn there_is_an_end_to_trust() {
    let world = world().await;
    for index in 0..100 {
        assert_eq!(world.trusts("t-1", &key(&format!("k-{index}"))).await.status, 201);
    }
    assert_eq!(world.trusts("t-1", &key("k-100")).await.code(), "400 BAD_REQUEST");
    assert_eq!(world.trusts("t-1", &key("k-99")).await.status, 201, "the same is no more");
    assert_eq!(world.trusts("t-2", &key("k-100")).await.status, 201);
}
