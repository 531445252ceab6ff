//! Who somebody is, and by what: accounts, clients, keys, and the answers of the OAuth endpoint.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Timestamp;

/// The answer to a client that proved who it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TokenGrant {
    /// What to send as `Authorization: Bearer …`.
    pub access_token: String,
    /// `Bearer`.
    pub token_type: String,
    /// For how many seconds it is good.
    pub expires_in: u64,
    /// What kind was issued in exchange for another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issued_token_type: Option<String>,
}

/// How the OAuth endpoint says no.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TokenRefusal {
    /// `invalid_client`, `invalid_grant`, …
    pub error: String,
    /// What is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_description: Option<String>,
}

/// The public halves of the pairs that sign.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Jwks {
    /// Newest first.
    pub keys: Vec<Jwk>,
}

/// A public key that verifies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Jwk {
    /// `RSA`.
    pub kty: String,
    /// Its name.
    pub kid: String,
    /// `sig`.
    #[serde(rename = "use")]
    pub purpose: String,
    /// `RS256`.
    pub alg: String,
    /// The modulus, in base64url.
    pub n: String,
    /// The exponent, in base64url.
    pub e: String,
}

/// A pair the server signs with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeyPair {
    /// Its name.
    pub kid: String,
    /// Whether it signs and verifies.
    pub active: bool,
    /// Since when there is one of this name.
    #[serde(serialize_with = "short")]
    pub created_at: Timestamp,
}

/// A key of somebody else, whose word is taken when tokens are exchanged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewTrustedKey {
    /// Its name, as tokens give it.
    pub key_id: String,
    /// The key itself.
    pub jwk: PublicJwk,
    /// For whom its tokens are meant.
    #[serde(default)]
    pub audience: String,
    /// Whose tokens it may sign; anybody's if there are none.
    #[serde(default)]
    pub issuers: Option<Vec<String>>,
    /// From when on; from now if absent.
    #[serde(default)]
    pub valid_from: Option<Timestamp>,
    /// Until when; for good if absent.
    #[serde(default)]
    pub valid_to: Option<Timestamp>,
}

/// The public half of a pair somebody else has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PublicJwk {
    /// `RSA`.
    #[serde(default)]
    pub kty: String,
    /// The modulus, in base64url.
    #[serde(default)]
    pub n: String,
    /// The exponent, in base64url.
    #[serde(default)]
    pub e: String,
}

/// A trusted key, without the key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrustedKey {
    /// Its name.
    pub kid: String,
    /// For whom its tokens are meant.
    pub audience: String,
    /// Whether its word is taken.
    pub active: bool,
    /// From when on.
    #[serde(serialize_with = "short")]
    pub valid_from: Timestamp,
    /// Until when.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "short_if_any")]
    pub valid_to: Option<Timestamp>,
}

/// A program that may ask for tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Client {
    /// Its name.
    pub client_id: String,
    /// Whose it is.
    pub tenant_id: String,
    /// As whom it acts.
    pub user_id: String,
    /// What it may do.
    pub roles: Vec<String>,
}

/// A client to be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewClient {
    /// Whose it is to be: the tenant of whoever asks.
    #[serde(default)]
    pub tenant_id: String,
    /// As whom it acts.
    #[serde(default)]
    pub user_id: String,
    /// What it may do.
    #[serde(default)]
    pub roles: Vec<String>,
}

/// What a client proves itself with. Shown once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Credentials {
    /// Its name.
    pub client_id: String,
    /// 64 hexadecimal digits.
    pub client_secret: String,
}

/// The answer to "who am I?".
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Account {
    /// The one who asks.
    pub user_account_info: UserAccount,
}

/// A user, with tenant and roles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserAccount {
    /// The user's id.
    pub user_id: String,
    /// The user's name.
    pub user_name: String,
    /// The tenant.
    pub legal_entity: LegalEntity,
    /// What the user may do.
    pub roles: Vec<Role>,
    /// Always the same: there are no tiers.
    pub current_subscription: Subscription,
}

/// A tenant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LegalEntity {
    /// The tenant's id.
    pub id: String,
    /// The tenant's name.
    pub name: String,
}

/// Something a user may do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Role {
    /// `ROLE_ADMIN`, …
    pub id: String,
}

/// What a tenant has subscribed to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Subscription {
    /// `unlimited`.
    pub id: String,
    /// The tenant.
    pub legal_entity_id: String,
    /// `ACTIVE`.
    pub status: String,
    /// `unlimited`.
    pub tier_name: String,
    /// Since when.
    #[serde(serialize_with = "short")]
    pub period_from: Timestamp,
    /// None.
    pub limits: Vec<String>,
}

/// These clients know times without needless zeros.
fn short<S: serde::Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    let text = time.to_string();
    let text = text.trim_end_matches('Z').trim_end_matches('0').trim_end_matches('.');
    serializer.collect_str(&format_args!("{text}Z"))
}

#[expect(clippy::ref_option, reason = "serde hands over a reference to the field")]
fn short_if_any<S: serde::Serializer>(
    time: &Option<Timestamp>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match time {
        Some(time) => short(time, serializer),
        None => serializer.serialize_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_no_needless_zeros() {
        for (micros, expected) in [
            (1_780_000_000_000_000, "\"2026-05-28T20:26:40Z\""),
            (1_780_000_000_120_000, "\"2026-05-28T20:26:40.12Z\""),
        ] {
            let pair = KeyPair {
                kid: String::new(),
                active: true,
                created_at: Timestamp::from_micros(micros),
            };
            let text = serde_json::to_value(&pair).unwrap().get("createdAt").unwrap().to_string();
            assert_eq!(text, expected);
        }
    }
}
