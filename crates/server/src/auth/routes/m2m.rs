//! Programs that may ask for tokens, at the place where older clients of this interface look for
//! them.

use axum::{body::Body, extract::Path, http::StatusCode};
use waypost_api::auth::{Client as Shown, Credentials, NewClient};
use waypost_engine::entity::Code;

use super::{
    admin::{Administrator, json},
    answer::Json,
    clients::{self, client_id, make},
};
use crate::{auth::identity::is_name, http::entity::problem::Failure};

/// Roles of one client.
const ROLES_MAX: usize = 100;

/// Lists the clients of the tenant.
#[utoipa::path(
    get, path = "/api/account/m2m", tag = "Entity sign-in",
    responses((status = 200, description = "All of them", body = Vec<Shown>)),
)]
pub(crate) async fn list(administrator: Administrator) -> Result<Json<Vec<Shown>>, Failure> {
    clients::list(administrator).await
}

/// Makes a client that acts as somebody.
#[utoipa::path(
    post, path = "/api/account/m2m", tag = "Entity sign-in",
    request_body = NewClient,
    responses((status = 201, description = "Made; its secret is shown this once", body = Credentials)),
)]
pub(crate) async fn create(
    administrator: Administrator,
    body: Body,
) -> Result<(StatusCode, Json<Credentials>), Failure> {
    let new: NewClient = json(body).await?;
    if new.tenant_id.is_empty() || !is_name(&new.user_id) {
        return Err(Failure::bad_request("tenantId and userId must be names"));
    }
    if new.roles.len() > ROLES_MAX || !new.roles.iter().all(|it| is_name(it)) {
        let text = format!("roles must be at most {ROLES_MAX} names");
        return Err(Failure::bad_request(text));
    }
    if new.tenant_id != administrator.tenant {
        let text = "clients can be made for one's own tenant only";
        return Err(Failure::new(StatusCode::FORBIDDEN, Code::Forbidden.as_str(), text));
    }
    make(&administrator, client_id()?, new.user_id, new.roles).await
}

/// Deletes a client.
#[utoipa::path(
    delete, path = "/api/account/m2m/{clientId}", tag = "Entity sign-in",
    params(("clientId" = String, Path, description = "The name of the client")),
    responses((status = 204, description = "Deleted")),
)]
pub(crate) async fn remove(
    administrator: Administrator,
    id: Path<String>,
) -> Result<StatusCode, Failure> {
    clients::remove(administrator, id).await
}

/// Gives a client another secret.
#[utoipa::path(
    post, path = "/api/account/m2m/{clientId}/secret/reset", tag = "Entity sign-in",
    params(("clientId" = String, Path, description = "The name of the client")),
    responses((status = 200, description = "Its secret is shown this once", body = Credentials)),
)]
pub(crate) async fn reset(
    administrator: Administrator,
    id: Path<String>,
) -> Result<Json<Credentials>, Failure> {
    clients::reset(administrator, id).await
}
