//! Signed claims in their compact form: three parts of base64url between dots. Only RS256, only a
//! key named by `kid`, and nothing the sender brings along to be verified with.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    claims::Claims,
    encoding::{base64url, from_base64url},
    rsa::{KeyPair, PublicKey},
};

/// Bytes of a signed text. What is longer is not looked at.
const LENGTH_MAX: usize = 16 * 1024;

const ALGORITHM: &str = "RS256";

/// A signed text nobody has verified yet.
pub(super) struct Jwt<'a> {
    /// Which key is said to have signed.
    pub(super) kid: String,
    signed: &'a str,
    claims: &'a str,
    signature: Vec<u8>,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: String,
    /// Extensions that must be understood. None is.
    crit: Option<Value>,
    /// Keys the sender would like to be verified with.
    jwk: Option<Value>,
    jku: Option<Value>,
    x5c: Option<Value>,
    x5u: Option<Value>,
}

#[derive(Serialize)]
struct Signed<'a> {
    alg: &'a str,
    typ: &'a str,
    kid: &'a str,
}

impl<'a> Jwt<'a> {
    /// Takes a text apart, if it has the form.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        if text.len() > LENGTH_MAX {
            return None;
        }
        let (signed, signature) = text.rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        let header: Header = serde_json::from_slice(&from_base64url(header)?).ok()?;
        let brings_keys = [&header.crit, &header.jwk, &header.jku, &header.x5c, &header.x5u];
        if header.alg != ALGORITHM || brings_keys.iter().any(|it| it.is_some()) {
            return None;
        }
        let signature = from_base64url(signature).filter(|it| !it.is_empty())?;
        let kid = Some(header.kid).filter(|it| !it.is_empty())?;
        Some(Self { kid, signed, claims, signature })
    }

    /// What it says, if the key has signed it.
    pub(super) fn verify(&self, key: &PublicKey) -> Option<Claims> {
        if !key.has_signed(self.signed.as_bytes(), &self.signature) {
            return None;
        }
        serde_json::from_slice(&from_base64url(self.claims)?).ok()
    }
}

/// The signed text of `claims`.
pub(super) fn sign<T: Serialize>(claims: &T, kid: &str, pair: &KeyPair) -> Result<String, String> {
    let part = |bytes: serde_json::Result<Vec<u8>>| {
        bytes.map(|it| base64url(&it)).map_err(|error| error.to_string())
    };
    let header = part(serde_json::to_vec(&Signed { alg: ALGORITHM, typ: "JWT", kid }))?;
    let claims = part(serde_json::to_vec(claims))?;
    let signed = format!("{header}.{claims}");
    let signature = pair.sign(signed.as_bytes())?;
    Ok(format!("{signed}.{}", base64url(&signature)))
}
