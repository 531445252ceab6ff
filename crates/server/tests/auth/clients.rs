//! Programs that may ask for tokens.

use serde_json::{Value, json};

use crate::{
    forge::read,
    world::{World, world},
};

impl World {
    async fn clients(&self, tenant: &str) -> Vec<Value> {
        let answer = self.call(&self.administrator(tenant), "GET /clients", "").await;
        answer.body.as_array().unwrap().clone()
    }
}

#[tokio::test]
pub(crate) async fn a_client_is_made_and_signs_in() {
    let world = world().await;
    let (id, secret) = world.client("t-2", &["ROLE_A", "ROLE_B"]).await;
    assert_eq!(secret.len(), 64);
    assert!(secret.chars().all(|it| it.is_ascii_hexdigit()));
    let expected = json!({
        "clientId": id, "tenantId": "t-2", "userId": "robot", "roles": ["ROLE_A", "ROLE_B"],
    });
    assert_eq!(world.clients("t-2").await, std::slice::from_ref(&expected));
    let old = world.call(&world.administrator("t-2"), "GET /account/m2m", "").await;
    assert_eq!(old.body, json!([expected]));
    let answer = world.sign_in(&id, &secret).await;
    let (_, claims) = read(&answer.text("access_token"));
    assert_eq!(claims["sub"], id.as_str());
    assert_eq!(claims["caas_user_id"], "robot");
    assert_eq!(claims["caas_org_id"], "t-2");
    assert_eq!(claims["scopes"], json!(["ROLE_A", "ROLE_B"]));
}

#[tokio::test]
pub(crate) async fn a_client_may_act_as_itself() {
    let world = world().await;
    let who = world.administrator("t-2");
    for (query, roles) in [
        ("", json!(["ROLE_M2M"])),
        ("?withAdminRole=false", json!(["ROLE_M2M"])),
        ("?withAdminRole=true", json!(["ROLE_M2M", "ROLE_ADMIN"])),
    ] {
        let made = world.call(&who, &format!("POST /clients{query}"), "").await;
        assert_eq!(made.status, 201, "{made:?}");
        let (id, secret) = (made.text("clientId"), made.text("clientSecret"));
        let (_, claims) = read(&world.sign_in(&id, &secret).await.text("access_token"));
        assert_eq!(claims["caas_user_id"], id.as_str());
        assert_eq!(claims["scopes"], roles);
    }
    let answer = world.call(&who, "POST /clients?withAdminRole=maybe", "").await;
    assert_eq!(answer.code(), "400 BAD_REQUEST");
}

#[tokio::test]
pub(crate) async fn a_client_that_is_deleted_gets_no_more_tokens() {
    let world = world().await;
    for path in ["/account/m2m", "/clients"] {
        let (id, secret) = world.client("t-2", &[]).await;
        let line = format!("DELETE {path}/{id}");
        let who = world.administrator("t-2");
        assert_eq!(world.call(&who, &line, "").await.status, 204);
        assert_eq!(world.call(&who, &line, "").await.code(), "404 CLIENT_NOT_FOUND");
        assert_eq!(world.sign_in(&id, &secret).await.error(), "401 invalid_client");
        assert!(world.clients("t-2").await.is_empty());
    }
}

#[tokio::test]
pub(crate) async fn a_new_secret_makes_the_old_one_useless() {
    let world = world().await;
    let (id, old) = world.client("t-2", &[]).await;
    for line in
        [format!("POST /account/m2m/{id}/secret/reset"), format!("PUT /clients/{id}/secret")]
    {
        let answer = world.call(&world.administrator("t-2"), &line, "").await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.text("clientId"), id);
        let new = answer.text("clientSecret");
        assert_eq!(world.sign_in(&id, &old).await.status, 401);
        assert_eq!(world.sign_in(&id, &new).await.status, 200);
    }
}

#[tokio::test]
pub(crate) async fn clients_of_other_tenants_do_not_exist() {
    let world = world().await;
    let (id, secret) = world.client("t-2", &[]).await;
    let other = world.administrator("t-3");
    assert!(world.clients("t-3").await.is_empty());
    for line in [
        format!("DELETE /account/m2m/{id}"),
        format!("POST /account/m2m/{id}/secret/reset"),
        format!("DELETE /clients/{id}"),
        format!("PUT /clients/{id}/secret"),
        "DELETE /clients/first".to_owned(),
    ] {
        let theirs = world.call(&other, &line, "").await;
        let nobodys = world.call(&other, &line.replace(&id, "x").replace("first", "x"), "").await;
        assert_eq!(theirs.code(), "404 CLIENT_NOT_FOUND", "{line}");
        assert_eq!(theirs.body["detail"], nobodys.body["detail"]);
    }
    assert_eq!(world.sign_in(&id, &secret).await.status, 200);
}

#[tokio::test]
pub(crate) async fn clients_are_made_for_ones_own_tenant() {
    let world = world().await;
    for tenant in ["t-3", "SYSTEM"] {
        let body = json!({ "tenantId": tenant, "userId": "u", "roles": [] }).to_string();
        let answer = world.call(&world.administrator("t-2"), "POST /account/m2m", body).await;
        assert_eq!(answer.code(), "403 FORBIDDEN", "{tenant}");
    }
    assert!(world.clients("t-3").await.is_empty());
}

#[tokio::test]
pub(crate) async fn what_is_no_client_is_refused() {
    let world = world().await;
    let roles = |n: usize| vec!["ROLE_X"; n];
    for body in [
        json!({ "userId": "u", "roles": [] }).to_string(),
        json!({ "tenantId": "t-2", "roles": [] }).to_string(),
        json!({ "tenantId": "t-2", "userId": "", "roles": [] }).to_string(),
        json!({ "tenantId": "t-2", "userId": "u", "roles": roles(101) }).to_string(),
        json!({ "tenantId": "t-2", "userId": "u", "roles": [""] }).to_string(),
        json!({ "tenantId": "t-2", "userId": "u", "roles": "ROLE_X" }).to_string(),
        String::new(),
        "[".into(),
        " ".repeat((1 << 20) + 1),
    ] {
        let answer = world.call(&world.administrator("t-2"), "POST /account/m2m", body).await;
        assert_eq!(answer.code(), "400 BAD_REQUEST");
    }
    let most = json!({ "tenantId": "t-2", "userId": "u", "roles": roles(100) }).to_string();
    let answer = world.call(&world.administrator("t-2"), "POST /account/m2m", most).await;
    assert_eq!(answer.status, 201);
}

#[tokio::test]
pub(crate) async fn the_client_of_the_settings_stays_as_it_is() {
    let world = world().await;
    let who = world.administrator("t-1");
    let expected = json!({
        "clientId": "first", "tenantId": "t-1", "userId": "admin",
        "roles": ["ROLE_ADMIN", "ROLE_M2M"],
    });
    assert_eq!(world.clients("t-1").await, [expected]);
    for line in ["DELETE /clients/first", "PUT /clients/first/secret"] {
        assert_eq!(world.call(&who, line, "").await.code(), "409 CONFLICT", "{line}");
    }
    assert_eq!(world.sign_in("first", "p%25w%2Bd").await.status, 200);
}
