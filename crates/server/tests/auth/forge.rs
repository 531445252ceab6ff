//! Makes tokens, good ones and others.

use std::sync::LazyLock;

use aws_lc_rs::{
    rand::SystemRandom,
    signature::{KeyPair as _, RSA_PKCS1_SHA256, RsaEncoding, RsaKeyPair},
};
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use serde_json::{Value, json};

/// The key of the settings, in three ways of packing it. It is not used anywhere else.
pub(crate) const SIGNING: &str = include_str!("signing.pem");
pub(crate) const SIGNING_PKCS1: &str = include_str!("signing-pkcs1.pem");

/// The name of that key: the first half of what `openssl pkey -pubout -outform DER | sha256sum`
/// says.
pub(crate) const KID: &str = "8a83437081a70b712e0dede5392902b4";

/// A key the server does not have.
const OTHER: &str = include_str!("other.pem");

pub(crate) static OURS: LazyLock<RsaKeyPair> = LazyLock::new(|| pair(SIGNING));
pub(crate) static THEIRS: LazyLock<RsaKeyPair> = LazyLock::new(|| pair(OTHER));

fn pair(pem: &str) -> RsaKeyPair {
    let body: String = pem.lines().filter(|it| !it.starts_with('-')).collect();
    RsaKeyPair::from_pkcs8(&STANDARD.decode(body).unwrap()).unwrap()
}

/// What a good token says.
pub(crate) fn claims(now: i64) -> Value {
    json!({
        "iss": "cyoda", "sub": "s-1", "caas_user_id": "u-1", "caas_org_id": "t-1",
        "user_roles": ["ROLE_USER"], "iat": now, "exp": now + 600,
    })
}

/// The header of a good token.
pub(crate) fn head() -> Value {
    json!({ "alg": "RS256", "typ": "JWT", "kid": KID })
}

/// A token that is signed as it should be.
pub(crate) fn good(claims: &Value) -> String {
    forged(&head(), claims, &OURS)
}

/// A token that is signed by whomever.
pub(crate) fn forged(head: &Value, claims: &Value, pair: &RsaKeyPair) -> String {
    signed_by(&unsigned(head, claims), pair, &RSA_PKCS1_SHA256)
}

/// Header and claims.
pub(crate) fn unsigned(head: &Value, claims: &Value) -> String {
    format!("{}.{}", encoded(head.to_string()), encoded(claims.to_string()))
}

pub(crate) fn signed_by(
    text: &str,
    pair: &RsaKeyPair,
    encoding: &'static dyn RsaEncoding,
) -> String {
    let mut signature = vec![0; pair.public_modulus_len()];
    pair.sign(encoding, &SystemRandom::new(), text.as_bytes(), &mut signature).unwrap();
    format!("{text}.{}", encoded(signature))
}

pub(crate) fn encoded(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The public half, as others are told it.
pub(crate) fn jwk(pair: &RsaKeyPair) -> Value {
    let public = pair.public_key();
    json!({
        "kty": "RSA",
        "n": encoded(public.modulus().big_endian_without_leading_zero()),
        "e": encoded(public.exponent().big_endian_without_leading_zero()),
    })
}

/// What a token says, and by which key, without asking whether that is true.
pub(crate) fn read(token: &str) -> (Value, Value) {
    let mut parts = token.split('.').map(|it| URL_SAFE_NO_PAD.decode(it).unwrap());
    let mut next = || serde_json::from_slice(&parts.next().unwrap()).unwrap();
    (next(), next())
}
