//! Programs that may ask for tokens.

use axum::{
    extract::{Path, RawQuery},
    http::StatusCode,
};
use waypost_api::auth::{Client as Shown, Credentials};

use super::{
    admin::{Administrator, conflict, too_many},
    answer::Json,
};
use crate::{
    auth::{
        client::{CLIENTS_MAX, Client},
        encoding::{form_value, hex, random, secret},
        identity::ADMINISTRATOR,
        register::Entry,
    },
    http::entity::problem::{CLIENT_NOT_FOUND, Failure},
};

/// What every client made for its own sake may do.
const PROGRAM: &str = "ROLE_M2M";

/// Lists the clients of the tenant.
#[utoipa::path(
    get, path = "/api/clients", tag = "Entity sign-in",
    responses((status = 200, description = "All of them", body = Vec<Shown>)),
)]
pub(crate) async fn list(administrator: Administrator) -> Result<Json<Vec<Shown>>, Failure> {
    let all = administrator.issuer()?.clients.list(&administrator.tenant).await?;
    Ok(Json(all.into_iter().map(shown).collect()))
}

/// Makes a client that acts as itself.
#[utoipa::path(
    post, path = "/api/clients", tag = "Entity sign-in",
    params(("withAdminRole" = Option<bool>, Query, description = "Whether it may administer")),
    responses((status = 201, description = "Made; its secret is shown this once", body = Credentials)),
)]
pub(crate) async fn create(
    administrator: Administrator,
    RawQuery(query): RawQuery,
) -> Result<(StatusCode, Json<Credentials>), Failure> {
    let asked = query.and_then(|it| form_value(&it, "withAdminRole"));
    let mut roles = vec![PROGRAM.to_owned()];
    match asked.as_deref() {
        Some("true") => roles.push(ADMINISTRATOR.to_owned()),
        Some("false") | None => {}
        Some(_) => return Err(Failure::bad_request("withAdminRole must be true or false")),
    }
    let id = client_id()?;
    make(&administrator, id.clone(), id, roles).await
}

pub(super) async fn make(
    administrator: &Administrator,
    id: String,
    user: String,
    roles: Vec<String>,
) -> Result<(StatusCode, Json<Credentials>), Failure> {
    let issuer = administrator.issuer()?;
    let tenant = administrator.tenant.clone();
    if issuer.clients.are_too_many(&tenant).await? {
        return Err(too_many("clients", CLIENTS_MAX));
    }
    let client_secret = secret().map_err(Failure::defect)?;
    let secret = issuer.vault.hash(client_secret.clone()).await?;
    let client = Client { id: id.clone(), tenant, user, roles, secret };
    issuer.clients.keep(&Entry::new(client)).await?;
    administrator.log("made a client", &id);
    Ok((StatusCode::CREATED, Json(Credentials { client_id: id, client_secret })))
}

/// Deletes a client.
#[utoipa::path(
    delete, path = "/api/clients/{clientId}", tag = "Entity sign-in",
    params(("clientId" = String, Path, description = "The name of the client")),
    responses((status = 204, description = "Deleted")),
)]
pub(crate) async fn remove(
    administrator: Administrator,
    Path(id): Path<String>,
) -> Result<StatusCode, Failure> {
    let entry = changeable(&administrator, &id).await?;
    administrator.issuer()?.clients.remove(&entry).await?;
    administrator.log("deleted a client", &id);
    Ok(StatusCode::NO_CONTENT)
}

/// Gives a client another secret.
#[utoipa::path(
    put, path = "/api/clients/{clientId}/secret", tag = "Entity sign-in",
    params(("clientId" = String, Path, description = "The name of the client")),
    responses((status = 200, description = "Its secret is shown this once", body = Credentials)),
)]
pub(crate) async fn reset(
    administrator: Administrator,
    Path(id): Path<String>,
) -> Result<Json<Credentials>, Failure> {
    let mut entry = changeable(&administrator, &id).await?;
    let issuer = administrator.issuer()?;
    let client_secret = secret().map_err(Failure::defect)?;
    entry.value.secret = issuer.vault.hash(client_secret.clone()).await?;
    issuer.clients.keep(&entry).await?;
    administrator.log("reset the secret of a client", &id);
    Ok(Json(Credentials { client_id: id, client_secret }))
}

/// The client, if it is the tenant's and not one of the settings.
async fn changeable(administrator: &Administrator, id: &str) -> Result<Entry<Client>, Failure> {
    let clients = &administrator.issuer()?.clients;
    let configured = clients.configured(id);
    if configured.is_some_and(|it| it.tenant == administrator.tenant) {
        return Err(conflict("the client comes from the settings; change them"));
    }
    clients.find_of(&administrator.tenant, id).await?.ok_or_else(|| {
        Failure::new(StatusCode::NOT_FOUND, CLIENT_NOT_FOUND, "there is no such client")
    })
}

pub(super) fn client_id() -> Result<String, Failure> {
    random::<16>().map(|it| hex(&it)).map_err(Failure::defect)
}

fn shown(client: Client) -> Shown {
    Shown {
        client_id: client.id,
        tenant_id: client.tenant,
        user_id: client.user,
        roles: client.roles,
    }
}
