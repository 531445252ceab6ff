//! What a node can be started with.

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use waypost_server::auth::{AuthOptions, Authenticator, Bootstrap, Mode};
use waypost_stores::MemoryStore;
use waypost_testkit::clock::SimClock;

use crate::{
    forge::{KID, SIGNING, SIGNING_PKCS1},
    world::{options, world_with},
};

async fn refused(options: AuthOptions) -> String {
    let store = Arc::new(MemoryStore::new(Arc::new(SimClock::default())));
    Authenticator::new(options, store).await.err().unwrap()
}

#[tokio::test]
async fn the_key_can_be_packed_in_several_ways() {
    for key in [SIGNING, SIGNING_PKCS1, &STANDARD.encode(SIGNING), &STANDARD.encode(SIGNING_PKCS1)]
    {
        let world = world_with(AuthOptions { signing_key: Some(key.into()), ..options() }).await;
        let answer = world.call("", "GET /.well-known/jwks.json", "").await;
        assert_eq!(answer.body["keys"][0]["kid"], KID);
    }
}

#[tokio::test]
async fn a_key_that_will_not_do_is_refused() {
    let weak = include_str!("weak.pem");
    let elliptic = include_str!("elliptic.pem");
    let broken = SIGNING.replace("MII", "AAA");
    for key in ["nonsense", weak, elliptic, &broken] {
        let reason = refused(AuthOptions { signing_key: Some(key.into()), ..options() }).await;
        assert!(reason.starts_with("the signing key "), "{reason}");
        assert!(!reason.contains(key), "{reason}");
    }
}

#[tokio::test]
async fn settings_are_checked() {
    let reason = refused(AuthOptions { signing_key: None, ..options() }).await;
    assert!(reason.contains("needs a signing key"), "{reason}");
    let bootstrap = Bootstrap { secret: None, ..options().bootstrap };
    let reason = refused(AuthOptions { bootstrap, ..options() }).await;
    assert!(reason.contains("no secret"), "{reason}");
    let strict = AuthOptions { mode: Mode::Mock, require_jwt: true, ..options() };
    assert!(refused(strict).await.contains("mock"));
}

#[tokio::test]
async fn a_node_can_do_without_a_first_client() {
    let world = world_with(AuthOptions { bootstrap: Bootstrap::default(), ..options() }).await;
    assert_eq!(world.sign_in("first", "p%25w%2Bd").await.error(), "401 invalid_client");
    assert_eq!(world.sign_in("", "").await.error(), "401 invalid_client");
}
