//! Keys a tenant trusts when its clients exchange tokens.

use axum::{body::Body, extract::Path, http::StatusCode};
use waypost_api::auth::{NewTrustedKey, TrustedKey as Shown};
use waypost_kernel::{Timestamp, Version};

use super::{
    admin::{Administrator, json, too_many},
    answer::Json,
};
use crate::{
    auth::{
        identity::is_name,
        register::Entry,
        rsa::PublicKey,
        trusted::{TRUSTED_MAX, TrustedKey},
    },
    http::entity::problem::{Failure, KEY_NOT_FOUND},
};

/// Lists the keys that the tenant trusts.
#[utoipa::path(
    get, path = "/api/oauth/keys/trusted", tag = "Entity sign-in",
    responses((status = 200, description = "All of them", body = Vec<Shown>)),
)]
pub(crate) async fn list(administrator: Administrator) -> Result<Json<Vec<Shown>>, Failure> {
    let all = administrator.issuer()?.trusted.list(&administrator.tenant).await?;
    Ok(Json(all.into_iter().map(shown).collect()))
}

/// Trusts a key, or trusts it otherwise.
#[utoipa::path(
    post, path = "/api/oauth/keys/trusted", tag = "Entity sign-in",
    request_body = NewTrustedKey,
    responses((status = 201, description = "Trusted", body = Shown)),
)]
pub(crate) async fn create(
    administrator: Administrator,
    body: Body,
) -> Result<(StatusCode, Json<Shown>), Failure> {
    let issuer = administrator.issuer()?;
    let value = checked(json(body).await?, issuer.register.now())?;
    let tenant = &administrator.tenant;
    let version = match issuer.trusted.find(tenant, &value.kid).await? {
        Some(entry) => entry.version,
        None if issuer.trusted.are_too_many(tenant).await? => {
            return Err(too_many("trusted keys", TRUSTED_MAX));
        }
        None => Version::ABSENT,
    };
    let entry = Entry { version, value };
    issuer.trusted.keep(tenant, &entry).await?;
    administrator.log("trusted a key", &entry.value.kid);
    Ok((StatusCode::CREATED, Json(shown(entry.value))))
}

fn checked(new: NewTrustedKey, now: Timestamp) -> Result<TrustedKey, Failure> {
    let NewTrustedKey { key_id, jwk, audience, issuers, valid_from, valid_to } = new;
    if !is_name(&key_id) || key_id.contains('/') {
        return Err(Failure::bad_request("keyId must be a name without a slash"));
    }
    if jwk.kty != "RSA" {
        return Err(Failure::bad_request("jwk.kty must be RSA"));
    }
    PublicKey::from_components(&jwk.n, &jwk.e)
        .map_err(|reason| Failure::bad_request(format!("jwk: {reason}")))?;
    let time = |at: waypost_api::Timestamp| Timestamp::from_micros(at.as_micros());
    let valid_from = valid_from.map_or(now, time);
    let valid_to = valid_to.map(time);
    if valid_to.is_some_and(|it| it <= valid_from) {
        return Err(Failure::bad_request("validTo must be after validFrom"));
    }
    Ok(TrustedKey {
        kid: key_id,
        n: jwk.n,
        e: jwk.e,
        audience,
        issuers: issuers.unwrap_or_default(),
        active: true,
        valid_from,
        valid_to,
    })
}

/// Deletes a trusted key.
#[utoipa::path(
    delete, path = "/api/oauth/keys/trusted/{kid}", tag = "Entity sign-in",
    params(("kid" = String, Path, description = "The name of the key")),
    responses((status = 204, description = "Deleted")),
)]
pub(crate) async fn remove(
    administrator: Administrator,
    Path(kid): Path<String>,
) -> Result<StatusCode, Failure> {
    let trusted = &administrator.issuer()?.trusted;
    let entry = trusted.find(&administrator.tenant, &kid).await?.ok_or_else(missing)?;
    trusted.remove(&administrator.tenant, &entry).await?;
    administrator.log("deleted a trusted key", &kid);
    Ok(StatusCode::NO_CONTENT)
}

/// Trusts a key no more.
#[utoipa::path(
    post, path = "/api/oauth/keys/trusted/{kid}/invalidate", tag = "Entity sign-in",
    params(("kid" = String, Path, description = "The name of the key")),
    responses((status = 200, description = "Invalid")),
)]
pub(crate) async fn invalidate(
    administrator: Administrator,
    Path(kid): Path<String>,
) -> Result<StatusCode, Failure> {
    switch(&administrator, &kid, false).await?;
    administrator.log("invalidated a trusted key", &kid);
    Ok(StatusCode::OK)
}

/// Trusts a key again.
#[utoipa::path(
    post, path = "/api/oauth/keys/trusted/{kid}/reactivate", tag = "Entity sign-in",
    params(("kid" = String, Path, description = "The name of the key")),
    responses((status = 200, description = "Active")),
)]
pub(crate) async fn reactivate(
    administrator: Administrator,
    Path(kid): Path<String>,
) -> Result<StatusCode, Failure> {
    switch(&administrator, &kid, true).await?;
    administrator.log("reactivated a trusted key", &kid);
    Ok(StatusCode::OK)
}

async fn switch(administrator: &Administrator, kid: &str, active: bool) -> Result<(), Failure> {
    let trusted = &administrator.issuer()?.trusted;
    let mut entry = trusted.find(&administrator.tenant, kid).await?.ok_or_else(missing)?;
    entry.value.active = active;
    trusted.keep(&administrator.tenant, &entry).await?;
    Ok(())
}

fn missing() -> Failure {
    Failure::new(StatusCode::NOT_FOUND, KEY_NOT_FOUND, "there is no such trusted key")
}

fn shown(key: TrustedKey) -> Shown {
    let time = |at: Timestamp| waypost_api::Timestamp::from_micros(at.as_micros());
    Shown {
        kid: key.kid,
        audience: key.audience,
        active: key.active,
        valid_from: time(key.valid_from),
        valid_to: key.valid_to.map(time),
    }
}
