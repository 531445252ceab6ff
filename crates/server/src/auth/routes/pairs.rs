//! The server's own pairs of keys.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    http::StatusCode,
};
use waypost_api::{
    Timestamp,
    auth::{Jwks, KeyPair},
};

use super::{
    admin::{Administrator, conflict, issuer, too_many},
    answer::Json,
};
use crate::{
    auth::{
        encoding::{hex, random},
        guard::Doorway,
        ring::{PAIRS_MAX, Pair, Pairs},
        rsa,
    },
    http::entity::problem::{Failure, KEY_NOT_FOUND},
};

/// Shows the public keys that verify tokens of this server. Everybody may ask.
#[utoipa::path(
    get, path = "/api/.well-known/jwks.json", tag = "Entity sign-in",
    responses((status = 200, description = "Those that are active", body = Jwks)),
)]
pub(crate) async fn jwks(State(doorway): State<Arc<Doorway>>) -> Result<Json<Jwks>, Failure> {
    let pairs = issuer(&doorway)?.ring.pairs().await?;
    let keys = pairs.active().map(|it| it.keys.public.jwk(&it.kid)).collect();
    Ok(Json(Jwks { keys }))
}

/// Makes a pair of keys, which signs from now on.
#[utoipa::path(
    post, path = "/api/oauth/keys/keypair", tag = "Entity sign-in",
    responses((status = 201, description = "Made", body = KeyPair)),
)]
pub(crate) async fn create(
    administrator: Administrator,
) -> Result<(StatusCode, Json<KeyPair>), Failure> {
    let issuer = administrator.issuer()?;
    let pairs = issuer.ring.pairs_now().await?;
    if pairs.all.len() >= PAIRS_MAX as usize {
        return Err(too_many("pairs of keys", PAIRS_MAX));
    }
    let keys = issuer.vault.work(rsa::KeyPair::generate).await?.map_err(Failure::defect)?;
    let kid = hex(&random::<16>().map_err(Failure::defect)?);
    let created_at = shown(issuer.ring.add(kid.clone(), keys).await?);
    administrator.log("made a pair of keys", &kid);
    Ok((StatusCode::CREATED, Json(KeyPair { kid, active: true, created_at })))
}

/// Shows the pair that signs.
#[utoipa::path(
    get, path = "/api/oauth/keys/keypair/current", tag = "Entity sign-in",
    responses((status = 200, description = "Its name, not its keys", body = KeyPair)),
)]
pub(crate) async fn current(administrator: Administrator) -> Result<Json<KeyPair>, Failure> {
    let pairs = administrator.issuer()?.ring.pairs_now().await?;
    let pair = pairs.current().ok_or_else(missing)?;
    let created_at = shown(pair.created_at);
    Ok(Json(KeyPair { kid: pair.kid.clone(), active: pair.is_active, created_at }))
}

/// Deletes a pair of keys.
#[utoipa::path(
    delete, path = "/api/oauth/keys/keypair/{kid}", tag = "Entity sign-in",
    params(("kid" = String, Path, description = "The name of the key")),
    responses((status = 204, description = "Deleted")),
)]
pub(crate) async fn remove(
    administrator: Administrator,
    Path(kid): Path<String>,
) -> Result<StatusCode, Failure> {
    let issuer = administrator.issuer()?;
    let pairs = issuer.ring.pairs_now().await?;
    let pair = pairs.find(&kid).ok_or_else(missing)?;
    if pair.is_configured {
        return Err(conflict("the pair comes from the settings; invalidate it, or change them"));
    }
    issuer.ring.remove(pair, another(&pairs, pair)?).await?;
    administrator.log("deleted a pair of keys", &kid);
    Ok(StatusCode::NO_CONTENT)
}

/// Has a pair of keys sign and verify nothing any more.
#[utoipa::path(
    post, path = "/api/oauth/keys/keypair/{kid}/invalidate", tag = "Entity sign-in",
    params(("kid" = String, Path, description = "The name of the key")),
    responses((status = 200, description = "Invalid")),
)]
pub(crate) async fn invalidate(
    administrator: Administrator,
    Path(kid): Path<String>,
) -> Result<StatusCode, Failure> {
    let issuer = administrator.issuer()?;
    let pairs = issuer.ring.pairs_now().await?;
    let pair = pairs.find(&kid).ok_or_else(missing)?;
    issuer.ring.invalidate(pair, another(&pairs, pair)?).await?;
    administrator.log("invalidated a pair of keys", &kid);
    Ok(StatusCode::OK)
}

/// Has a pair of keys sign and verify again.
#[utoipa::path(
    post, path = "/api/oauth/keys/keypair/{kid}/reactivate", tag = "Entity sign-in",
    params(("kid" = String, Path, description = "The name of the key")),
    responses((status = 200, description = "Active")),
)]
pub(crate) async fn reactivate(
    administrator: Administrator,
    Path(kid): Path<String>,
) -> Result<StatusCode, Failure> {
    let issuer = administrator.issuer()?;
    let pairs = issuer.ring.pairs_now().await?;
    let pair = pairs.find(&kid).ok_or_else(missing)?;
    issuer.ring.reactivate(pair).await?;
    administrator.log("reactivated a pair of keys", &kid);
    Ok(StatusCode::OK)
}

/// Another one that is active and stays so: without any nobody could sign in to make one.
fn another<'a>(pairs: &'a Pairs, pair: &Pair) -> Result<&'a Pair, Failure> {
    let another = pairs.active().find(|it| it.kid != pair.kid);
    another.ok_or_else(|| conflict("it is the only active pair; make another first"))
}

fn missing() -> Failure {
    Failure::new(StatusCode::NOT_FOUND, KEY_NOT_FOUND, "there is no such pair of keys")
}

fn shown(at: waypost_kernel::Timestamp) -> Timestamp {
    Timestamp::from_micros(at.as_micros())
}
