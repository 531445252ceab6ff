//! Where nobody is asked who they are.

use serde_json::json;
use waypost_server::auth::AuthOptions;

use crate::world::world_with;

#[tokio::test]
async fn everybody_is_the_same_user() {
    let world = world_with(AuthOptions::default()).await;
    for who in ["", "Bearer nonsense", "Basic nonsense"] {
        let answer = world.call(who, "GET /account", "").await;
        let account = &answer.body["userAccountInfo"];
        assert_eq!(account["userId"], "mock-user-001");
        assert_eq!(account["userName"], "Mock User");
        assert_eq!(account["legalEntity"], json!({ "id": "mock-tenant", "name": "Mock Tenant" }));
        assert_eq!(account["roles"], json!([{ "id": "ROLE_ADMIN" }, { "id": "ROLE_M2M" }]));
    }
    assert_eq!(world.call("", "GET /thing", "").await.body, "Mock User");
}

#[tokio::test]
async fn the_roles_of_everybody_can_be_set() {
    for (mock_roles, expected) in [
        (vec!["ROLE_X".to_owned()], json!([{ "id": "ROLE_X" }])),
        (Vec::new(), json!([{ "id": "ROLE_ADMIN" }, { "id": "ROLE_M2M" }])),
    ] {
        let world = world_with(AuthOptions { mock_roles, ..AuthOptions::default() }).await;
        let answer = world.call("", "GET /account", "").await;
        assert_eq!(answer.body["userAccountInfo"]["roles"], expected);
    }
}

#[tokio::test]
async fn there_are_no_tokens_keys_and_clients() {
    let world = world_with(AuthOptions::default()).await;
    for line in [
        "POST /oauth/token",
        "GET /.well-known/jwks.json",
        "POST /oauth/keys/keypair",
        "GET /oauth/keys/keypair/current",
        "GET /oauth/keys/trusted",
        "DELETE /oauth/keys/trusted/x",
        "GET /account/m2m",
        "POST /account/m2m",
        "GET /clients",
        "PUT /clients/x/secret",
        "GET /account/subscriptions",
        // This world has no log.
        "GET /admin/log-level",
        "POST /admin/log-level",
        "GET /oauth/oidc/providers",
    ] {
        assert_eq!(world.call("", line, "").await.code(), "501 NOT_IMPLEMENTED", "{line}");
    }
}
