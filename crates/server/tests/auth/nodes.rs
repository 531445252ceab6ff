//! Several nodes over one store, and a node that comes back.

use serde_json::json;
use waypost_kernel::{Kind, Query};

use crate::{
    forge::{THEIRS, jwk, read},
    world::{World, node, options, world},
};

impl World {
    /// Another node over the same store; or the same one after a restart.
    async fn again(&self) -> Self {
        node(self.clock.clone(), self.store.clone(), options()).await
    }
}

#[tokio::test]
pub(crate) async fn a_restart_forgets_nothing() {
    let before = world().await;
    let (id, secret) = before.client("t-2", &["ROLE_ADMIN"]).await;
    let who = before.administrator("t-2");
    let body = json!({ "keyId": "k", "jwk": jwk(&THEIRS), "audience": "human" });
    before.call(&who, "POST /oauth/keys/trusted", body.to_string()).await;
    let kid = before.call(&who, "POST /oauth/keys/keypair", "").await.text("kid");
    let old = before.sign_in(&id, &secret).await;

    let after = before.again().await;
    assert_eq!(after.call(&old.bearer(), "GET /account", "").await.status, 200);
    let new = after.sign_in(&id, &secret).await;
    assert_eq!(read(&new.text("access_token")).0["kid"], kid.as_str());
    let trusted = after.call(&new.bearer(), "GET /oauth/keys/trusted", "").await;
    assert_eq!(trusted.body[0]["kid"], "k");
}

#[tokio::test]
pub(crate) async fn a_pair_that_was_invalidated_stays_so_after_a_restart() {
    let before = world().await;
    let who = before.administrator("t-2");
    before.call(&who, "POST /oauth/keys/keypair", "").await;
    let other = before.sign_in("first", "p%25w%2Bd").await.bearer();
    let line = format!("POST /oauth/keys/keypair/{}/invalidate", crate::forge::KID);
    assert_eq!(before.call(&other, &line, "").await.status, 200);
    let after = before.again().await;
    assert_eq!(after.call(&who, "GET /account", "").await.status, 401);
    assert_eq!(after.call(&other, "GET /account", "").await.status, 200);
}

#[tokio::test]
pub(crate) async fn what_one_node_makes_the_other_knows() {
    let one = world().await;
    let other = one.again().await;
    // Both have looked into the store a while ago.
    let who = one.administrator("t-2");
    assert_eq!(other.call(&who, "GET /account", "").await.status, 200);
    one.wait(1);
    one.call(&who, "POST /oauth/keys/keypair", "").await;
    let (id, secret) = one.client("t-2", &[]).await;
    let bearer = one.sign_in(&id, &secret).await.bearer();
    assert_eq!(other.call(&bearer, "GET /account", "").await.status, 200);
    assert_eq!(other.sign_in(&id, &secret).await.status, 200);
}

#[tokio::test]
pub(crate) async fn what_one_node_invalidates_the_other_forgets_within_seconds() {
    let one = world().await;
    let other = one.again().await;
    let who = one.administrator("t-2");
    let kid = one.call(&who, "POST /oauth/keys/keypair", "").await.text("kid");
    let bearer = one.sign_in("first", "p%25w%2Bd").await.bearer();
    assert_eq!(other.call(&bearer, "GET /account", "").await.status, 200);
    let line = format!("POST /oauth/keys/keypair/{kid}/invalidate");
    one.call(&who, &line, "").await;
    assert_eq!(one.call(&bearer, "GET /account", "").await.status, 401);
    one.wait(3);
    assert_eq!(other.call(&bearer, "GET /account", "").await.status, 401);
}

#[tokio::test]
pub(crate) async fn secrets_lie_in_the_store_as_hashes_only() {
    let world = world().await;
    let (_, secret) = world.client("t-2", &[]).await;
    let query = Query {
        tenant: "SYSTEM".into(),
        kind: Kind::Register,
        definition: None,
        version: None,
        status: None,
        business_key: None,
        awaits: None,
        step: None,
        from: None,
        until: None,
        before: None,
        offset: 0,
        limit: 100,
    };
    let all = world.store.search(&query).await.unwrap();
    assert_eq!(all.len(), 1);
    let text = all[0].state.as_str();
    assert!(text.contains("Argon2id") || text.contains("argon2id"), "{text}");
    assert!(!text.contains(&secret), "{text}");
}
