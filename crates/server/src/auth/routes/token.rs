//! Where clients get tokens: for themselves, or for somebody whose token they show.

use std::{sync::Arc, time::Duration};

use axum::{
    body::{Body, to_bytes},
    extract::{RawQuery, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use uuid::Uuid;
use waypost_api::auth::{TokenGrant, TokenRefusal};
use waypost_kernel::StoreError;

use super::{admin::BODY_MAX, answer::Json};
use crate::auth::{
    authenticator::Issuer,
    claims::{Actor, Claims, Issued},
    client::Client,
    encoding::{form_decoded, form_value, from_base64},
    guard::Doorway,
    identity::is_name,
    jwt::{self, Jwt},
    rsa::PublicKey,
    vault::{COME_BACK_AFTER, Refused},
};

const CREDENTIALS: &str = "client_credentials";
const EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const JWT_TYPE: &str = "urn:ietf:params:oauth:token-type:jwt";

/// There are no tiers.
const TIER: &str = "unlimited";

/// How this endpoint says no.
enum No {
    /// The client is not known by what it sent.
    Client,
    GrantType,
    Request(&'static str),
    Grant(&'static str),
    Tenant,
    Later(Duration),
    Defect(String),
}

/// Gives a client a token: for itself, or in exchange for somebody's.
#[utoipa::path(
    post, path = "/api/oauth/token", tag = "Entity sign-in",
    request_body(content = String, content_type = "application/x-www-form-urlencoded",
        description = "`grant_type`; to exchange a token also `subject_token` and \
            `subject_token_type`. Name and secret of the client as HTTP Basic"),
    responses(
        (status = 200, description = "The token", body = TokenGrant),
        (status = 400, description = "Not for that", body = TokenRefusal),
        (status = 401, description = "The client is not known", body = TokenRefusal),
        (status = 403, description = "The subject is of another tenant", body = TokenRefusal),
    ),
)]
pub(crate) async fn issue(
    State(doorway): State<Arc<Doorway>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let Some(issuer) = doorway.authenticator.issuer() else {
        return No::Defect("nobody issues tokens".into()).into_response();
    };
    match grant(issuer, &headers, query.unwrap_or_default(), body).await {
        Ok(grant) => Json(grant).into_response(),
        Err(no) => no.into_response(),
    }
}

async fn grant(
    issuer: &Issuer,
    headers: &HeaderMap,
    query: String,
    body: Body,
) -> Result<TokenGrant, No> {
    let client = authenticate(issuer, headers).await?;
    let body = to_bytes(body, BODY_MAX).await.map_err(|_| No::Request("the body is too large"))?;
    let body = str::from_utf8(&body).map_err(|_| No::Request("the body is not a form"))?;
    let field = |name| form_value(body, name).or_else(|| form_value(&query, name));
    match field("grant_type").as_deref() {
        Some(CREDENTIALS) => for_itself(issuer, &client).await,
        Some(EXCHANGE) => {
            if field("subject_token_type").as_deref() != Some(JWT_TYPE) {
                return Err(No::Grant("subject_token_type must be that of a JWT"));
            }
            let subject = field("subject_token").ok_or(No::Grant("subject_token is missing"))?;
            for_another(issuer, &client, &subject).await
        }
        Some(_) | None => Err(No::GrantType),
    }
}

async fn authenticate(issuer: &Issuer, headers: &HeaderMap) -> Result<Client, No> {
    let (id, secret) = basic(headers).ok_or(No::Client)?;
    let client = if is_name(&id) { issuer.clients.find(&id).await? } else { None };
    let hashed = client.as_ref().map(|it| &it.secret);
    match issuer.vault.fits(secret, hashed).await {
        Ok(true) => client.ok_or(No::Client),
        Ok(false) => Err(No::Client),
        Err(Refused::Full) => Err(No::Later(COME_BACK_AFTER)),
        Err(Refused::Failed(cause)) => Err(No::Defect(cause)),
    }
}

/// Name and secret, each as a form would carry it.
fn basic(headers: &HeaderMap) -> Option<(String, String)> {
    let (scheme, rest) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let pair = String::from_utf8(from_base64(rest)?).ok()?;
    let (id, secret) = pair.split_once(':')?;
    Some((form_decoded(id)?, form_decoded(secret)?))
}

async fn for_itself(issuer: &Issuer, client: &Client) -> Result<TokenGrant, No> {
    let (iat, exp) = span(issuer);
    let claims = Issued {
        sub: &client.id,
        iss: &issuer.name,
        caas_user_id: &client.user,
        caas_org_id: &client.tenant,
        scopes: Some(&client.roles),
        user_roles: None,
        caas_tier: TIER,
        act: None,
        exp,
        iat,
        jti: Uuid::new_v4().to_string(),
    };
    signed(issuer, &claims, None).await
}

async fn for_another(issuer: &Issuer, client: &Client, subject: &str) -> Result<TokenGrant, No> {
    let claims = believed(issuer, client, subject).await?;
    let sub = claims.sub.clone().filter(|it| is_name(it));
    let sub = sub.ok_or(No::Grant("the subject token has no subject"))?;
    if claims.caas_org_id.as_ref() != Some(&client.tenant) {
        return Err(No::Tenant);
    }
    let roles = claims.subject_roles();
    let (iat, exp) = span(issuer);
    let claims = Issued {
        sub: &sub,
        iss: &issuer.name,
        caas_user_id: &sub,
        caas_org_id: &client.tenant,
        scopes: None,
        user_roles: Some(&roles),
        caas_tier: TIER,
        act: Some(Actor { sub: &client.id }),
        exp,
        iat,
        jti: Uuid::new_v4().to_string(),
    };
    signed(issuer, &claims, Some(JWT_TYPE)).await
}

/// What a token of somebody else says, if the client's tenant trusts its key.
async fn believed(issuer: &Issuer, client: &Client, subject: &str) -> Result<Claims, No> {
    let jwt = Jwt::read(subject).ok_or(No::Grant("the subject token is not one of RS256"))?;
    let kid = Some(&jwt.kid).filter(|it| is_name(it));
    let found = match kid {
        Some(kid) => issuer.trusted.find(&client.tenant, kid).await?,
        None => None,
    };
    let now = issuer.register.now();
    let key = found.map(|it| it.value).filter(|it| it.is_valid(now));
    let key = key.ok_or(No::Grant("the key of the subject token is not trusted"))?;
    let public = PublicKey::from_components(&key.n, &key.e).map_err(No::Defect)?;
    let claims = jwt.verify(&public);
    let claims = claims.ok_or(No::Grant("the signature of the subject token is wrong"))?;
    if !key.may_sign_for(claims.iss.as_deref()) {
        return Err(No::Grant("the issuer of the subject token is not trusted"));
    }
    if !claims.hold_at(now) {
        return Err(No::Grant("the subject token is not valid now"));
    }
    Ok(claims)
}

/// From now, for as long as tokens are good: in seconds.
fn span(issuer: &Issuer) -> (u64, u64) {
    let now = u64::try_from(issuer.register.now().as_micros()).unwrap_or(0) / 1_000_000;
    (now, now.saturating_add(issuer.expiry.as_secs()))
}

async fn signed(
    issuer: &Issuer,
    claims: &Issued<'_>,
    issued: Option<&str>,
) -> Result<TokenGrant, No> {
    let pairs = issuer.ring.pairs().await?;
    let pair = pairs.current().ok_or_else(|| No::Defect("no pair of keys is active".into()))?;
    let access_token = jwt::sign(claims, &pair.kid, &pair.keys).map_err(No::Defect)?;
    Ok(TokenGrant {
        access_token,
        token_type: "Bearer".into(),
        expires_in: issuer.expiry.as_secs(),
        issued_token_type: issued.map(str::to_owned),
    })
}

impl From<StoreError> for No {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Busy | StoreError::Unavailable(_) => Self::Later(COME_BACK_AFTER),
            StoreError::Conflict(_) | StoreError::Unknown(_) | StoreError::Corrupt(_) => {
                Self::Defect(error.to_string())
            }
        }
    }
}

impl IntoResponse for No {
    fn into_response(self) -> Response {
        let (status, error, description) = match &self {
            Self::Client => (StatusCode::UNAUTHORIZED, "invalid_client", None),
            Self::GrantType => (StatusCode::BAD_REQUEST, "unsupported_grant_type", None),
            Self::Request(what) => (StatusCode::BAD_REQUEST, "invalid_request", Some(*what)),
            Self::Grant(what) => (StatusCode::BAD_REQUEST, "invalid_grant", Some(*what)),
            Self::Tenant => {
                let what = "the subject token is of another tenant";
                (StatusCode::FORBIDDEN, "access_denied", Some(what))
            }
            Self::Later(_) => (StatusCode::SERVICE_UNAVAILABLE, "temporarily_unavailable", None),
            Self::Defect(cause) => {
                tracing::error!(cause, "a token could not be issued");
                (StatusCode::INTERNAL_SERVER_ERROR, "server_error", None)
            }
        };
        let error_description = description.map(str::to_owned);
        let body = TokenRefusal { error: error.to_owned(), error_description };
        let mut response = (status, Json(body)).into_response();
        let headers = response.headers_mut();
        match self {
            Self::Client => {
                let scheme = HeaderValue::from_static("Basic realm=\"oauth\"");
                headers.insert(header::WWW_AUTHENTICATE, scheme);
            }
            Self::Later(after) => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from(after.as_secs()));
            }
            Self::GrantType
            | Self::Request(_)
            | Self::Grant(_)
            | Self::Tenant
            | Self::Defect(_) => {}
        }
        response
    }
}
