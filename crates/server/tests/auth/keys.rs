//! The server's own pairs of keys.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use waypost_kernel::Store;
use waypost_stores::MemoryStore;
use waypost_testkit::{clock::SimClock, faults::Refusing};

use crate::{
    forge::{KID, OURS, jwk, read},
    world::{Answer, World, node, options, world},
};

impl World {
    async fn key(&self, line: &str) -> Answer {
        self.call(&self.administrator("t-1"), line, "").await
    }

    /// Makes a pair: its name.
    async fn pair(&self) -> String {
        let made = self.key("POST /oauth/keys/keypair").await;
        assert_eq!(made.status, 201, "{made:?}");
        made.text("kid")
    }

    /// Which keys others are told to verify with.
    async fn published(&self) -> Vec<String> {
        let answer = self.call("", "GET /.well-known/jwks.json", "").await;
        let keys = answer.body["keys"].as_array().unwrap();
        keys.iter().map(|it| it["kid"].as_str().unwrap().to_owned()).collect()
    }

    /// A token, and which pair signed it.
    async fn token(&self) -> (String, String) {
        let answer = self.sign_in("first", "p%25w%2Bd").await;
        let (head, _) = read(&answer.text("access_token"));
        (answer.bearer(), head["kid"].as_str().unwrap().to_owned())
    }

    async fn is_known(&self, bearer: &str) -> bool {
        self.call(bearer, "GET /account", "").await.status == 200
    }
}

#[tokio::test]
pub(crate) async fn others_can_verify() {
    let world = world().await;
    let answer = world.call("", "GET /.well-known/jwks.json", "").await;
    let (n, e) = (jwk(&OURS)["n"].clone(), jwk(&OURS)["e"].clone());
    let key = json!({ "kty": "RSA", "kid": KID, "use": "sig", "alg": "RS256", "n": n, "e": e });
    assert_eq!(answer.body, json!({ "keys": [key] }));
}

#[tokio::test]
pub(crate) async fn the_newest_active_pair_signs() {
    let world = world().await;
    assert_eq!(world.key("GET /oauth/keys/keypair/current").await.text("kid"), KID);
    let one = world.key("POST /oauth/keys/keypair").await;
    let at = "2026-05-28T20:26:40Z";
    let kid = one.text("kid");
    assert_eq!(one.body, json!({ "kid": kid, "active": true, "createdAt": at }));
    assert_eq!(kid.len(), 32);
    assert!(kid.chars().all(|it| it.is_ascii_hexdigit()));
    assert_eq!(world.key("GET /oauth/keys/keypair/current").await.body, one.body);
    world.wait(1);
    let other = world.pair().await;
    assert_eq!(world.token().await.1, other);
    assert_eq!(world.published().await, [other.as_str(), kid.as_str(), KID]);
    let off = format!("POST /oauth/keys/keypair/{other}/invalidate");
    assert_eq!(world.key(&off).await.status, 200);
    assert_eq!(world.token().await.1, kid);
    assert_eq!(world.key("GET /oauth/keys/keypair/current").await.text("kid"), kid);
}

#[tokio::test]
pub(crate) async fn a_pair_that_is_invalidated_stops_verifying() {
    let world = world().await;
    let kid = world.pair().await;
    let (bearer, by) = world.token().await;
    assert_eq!(by, kid);
    assert!(world.is_known(&bearer).await);
    for (what, expected) in [("invalidate", false), ("reactivate", true)] {
        let answer = world.key(&format!("POST /oauth/keys/keypair/{kid}/{what}")).await;
        assert_eq!((answer.status, answer.body), (200, Value::String(String::new())));
        assert_eq!(world.is_known(&bearer).await, expected, "{what}");
        assert_eq!(world.published().await.contains(&kid), expected, "{what}");
    }
}

#[tokio::test]
pub(crate) async fn a_pair_that_is_deleted_is_gone() {
    let world = world().await;
    let kid = world.pair().await;
    let (bearer, _) = world.token().await;
    let line = format!("DELETE /oauth/keys/keypair/{kid}");
    assert_eq!(world.key(&line).await.status, 204);
    assert!(!world.is_known(&bearer).await);
    assert_eq!(world.key(&line).await.code(), "404 KEY_NOT_FOUND");
}

#[tokio::test]
pub(crate) async fn a_pair_that_is_not_there_is_not_found() {
    let world = world().await;
    for line in [
        "DELETE /oauth/keys/keypair/x",
        "POST /oauth/keys/keypair/x/invalidate",
        "POST /oauth/keys/keypair/x/reactivate",
    ] {
        assert_eq!(world.key(line).await.code(), "404 KEY_NOT_FOUND", "{line}");
    }
}

#[tokio::test]
pub(crate) async fn what_cannot_be_a_name_is_not_there() {
    let world = world().await;
    for (line, expected) in [
        ("DELETE /oauth/keys/keypair/%00", "404 KEY_NOT_FOUND"),
        ("POST /oauth/keys/keypair/%00/invalidate", "404 KEY_NOT_FOUND"),
        ("POST /oauth/keys/keypair/%00/reactivate", "404 KEY_NOT_FOUND"),
        ("DELETE /oauth/keys/trusted/%00", "404 KEY_NOT_FOUND"),
        ("POST /oauth/keys/trusted/%00/invalidate", "404 KEY_NOT_FOUND"),
        ("POST /oauth/keys/trusted/%00/reactivate", "404 KEY_NOT_FOUND"),
        ("DELETE /clients/%00", "404 CLIENT_NOT_FOUND"),
        ("PUT /clients/%00/secret", "404 CLIENT_NOT_FOUND"),
        ("DELETE /account/m2m/%00", "404 CLIENT_NOT_FOUND"),
        ("POST /account/m2m/%00/secret/reset", "404 CLIENT_NOT_FOUND"),
    ] {
        assert_eq!(world.key(line).await.code(), expected, "{line}");
    }
}

#[tokio::test]
pub(crate) async fn the_pair_of_the_settings_can_be_relieved() {
    let world = world().await;
    let (bearer, by) = world.token().await;
    assert_eq!(by, KID);
    let new = world.pair().await;
    let (other, _) = world.token().await;
    let answer = world.key(&format!("DELETE /oauth/keys/keypair/{KID}")).await;
    assert_eq!(answer.code(), "409 CONFLICT");
    let off = format!("/oauth/keys/keypair/{KID}/invalidate");
    assert_eq!(world.call(&other, &format!("POST {off}"), "").await.status, 200);
    assert!(!world.is_known(&bearer).await);
    assert_eq!(world.published().await, [new]);
    let on = format!("POST /oauth/keys/keypair/{KID}/reactivate");
    assert_eq!(world.call(&other, &on, "").await.status, 200);
    assert!(world.is_known(&bearer).await);
}

#[tokio::test]
pub(crate) async fn the_last_active_pair_stays() {
    let world = world().await;
    let off = format!("POST /oauth/keys/keypair/{KID}/invalidate");
    assert_eq!(world.key(&off).await.code(), "409 CONFLICT");
    let kid = world.pair().await;
    let (bearer, _) = world.token().await;
    assert_eq!(world.key(&off).await.status, 200);
    for line in [
        format!("POST /oauth/keys/keypair/{kid}/invalidate"),
        format!("DELETE /oauth/keys/keypair/{kid}"),
    ] {
        assert_eq!(world.call(&bearer, &line, "").await.code(), "409 CONFLICT");
    }
    assert!(world.is_known(&bearer).await);
}

/// What becomes of `line` if another node lands `other` in between.
async fn overtaken(line: &str, other: &str) -> (World, Answer) {
    let clock = Arc::new(SimClock::default());
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new(Arc::clone(&clock) as _));
    let there = node(Arc::clone(&clock), Arc::clone(&store), options()).await;
    let made = there.pair().await;
    let (line, other) = (line.replace('#', &made), other.replace('#', &made));
    let slow = Arc::new(Refusing::new(store));
    let here = node(clock, Arc::clone(&slow) as _, options()).await;
    let first = Mutex::new(Some((there, other)));
    slow.refuse(move |_| {
        if let Some((there, other)) = first.lock().unwrap().take() {
            let landed = move || block_on(async { there.key(&other).await.status });
            assert!(std::thread::spawn(landed).join().unwrap() < 300);
        }
        false
    });
    let answer = here.key(&line).await;
    (here, answer)
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

#[tokio::test]
async fn of_two_who_take_the_last_pairs_at_a_time_one_is_refused() {
    let (off, delete) = ("POST /oauth/keys/keypair/#/invalidate", "DELETE /oauth/keys/keypair/#");
    let own = format!("POST /oauth/keys/keypair/{KID}/invalidate");
    for (line, other) in [(off, &*own), (delete, &own), (&own, off), (&own, delete)] {
        let (world, answer) = overtaken(line, other).await;
        assert_eq!(answer.code(), "409 CONFLICT", "{line} {other}");
        // So long this node goes by what it has read before.
        world.wait(4);
        assert_eq!(world.published().await.len(), 1, "{line} {other}");
        assert_eq!(world.token().await.1, world.published().await[0]);
    }
}

#[tokio::test]
pub(crate) async fn a_pair_is_left_when_all_are_taken_at_a_time() {
    for what in ["POST /oauth/keys/keypair/#/invalidate", "DELETE /oauth/keys/keypair/#"] {
        let world = world().await;
        let made = world.pair().await;
        let (one, other) =
            (what.replace('#', &made), format!("POST /oauth/keys/keypair/{KID}/invalidate"));
        let (one, other) = tokio::join!(world.key(&one), world.key(&other));
        let codes = [one, other].map(|it| if it.status < 300 { "done".into() } else { it.code() });
        let expected = ["409 CONFLICT", "done"];
        assert!(expected.iter().all(|it| codes.contains(&(*it).to_owned())), "{codes:?}");
        assert_eq!(world.published().await.len(), 1);
    }
}

#[tokio::test]
pub(crate) async fn keys_and_clients_are_for_administrators() {
    let world = world().await;
    let (id, secret) = world.client("t-1", &["ROLE_M2M"]).await;
    let bearer = world.sign_in(&id, &secret).await.bearer();
    for line in [
        "POST /oauth/keys/keypair",
        "GET /oauth/keys/keypair/current",
        "DELETE /oauth/keys/keypair/x",
        "POST /oauth/keys/keypair/x/invalidate",
        "POST /oauth/keys/keypair/x/reactivate",
        "GET /oauth/keys/trusted",
        "POST /oauth/keys/trusted",
        "DELETE /oauth/keys/trusted/x",
        "POST /oauth/keys/trusted/x/invalidate",
        "POST /oauth/keys/trusted/x/reactivate",
        "GET /account/m2m",
        "POST /account/m2m",
        "DELETE /account/m2m/x",
        "POST /account/m2m/x/secret/reset",
        "GET /clients",
        "POST /clients",
        "DELETE /clients/x",
        "PUT /clients/x/secret",
        "GET /admin/trace-sampler",
        "POST /admin/trace-sampler",
        "GET /admin/log-level",
        "POST /admin/log-level",
    ] {
        assert_eq!(world.call(&bearer, line, "").await.code(), "403 FORBIDDEN", "{line}");
        assert_eq!(world.call("", line, "").await.code(), "401 UNAUTHORIZED", "{line}");
    }
    assert_eq!(world.call(&bearer, "GET /account", "").await.status, 200);
}

#[tokio::test]
pub(crate) async fn reserved_paths_say_so() {
    let world = world().await;
    for line in [
        "GET /account/subscriptions",
        "GET /oauth/oidc/providers",
        "POST /oauth/oidc/providers",
        "POST /oauth/oidc/providers/reload",
        "PUT /oauth/oidc/providers/x",
        "DELETE /oauth/oidc/providers/x",
        "POST /oauth/oidc/providers/x/invalidate",
        "POST /oauth/oidc/providers/x/reactivate",
    ] {
        assert_eq!(world.key(line).await.code(), "501 NOT_IMPLEMENTED", "{line}");
        assert_eq!(world.call("", line, "").await.code(), "401 UNAUTHORIZED", "{line}");
    }
}
