//! What a signed text says about somebody, and whether it holds now.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use waypost_engine::entity::Caller;
use waypost_kernel::Timestamp;

use super::identity::{Identity, is_name, is_tenant};

/// How far clocks may be apart.
const SKEW: Duration = Duration::from_secs(30);

/// What a signed text says. What it does not say is absent; what it says wrongly fails.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Claims {
    pub(super) iss: Option<String>,
    pub(super) sub: Option<String>,
    aud: Option<Audience>,
    exp: Option<f64>,
    iat: Option<f64>,
    nbf: Option<f64>,
    caas_user_id: Option<String>,
    pub(super) caas_org_id: Option<String>,
    user_roles: Option<Vec<String>>,
    scopes: Option<Vec<String>>,
    /// Others use the name too, for whatever they like.
    roles: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Many(Vec<String>),
}

impl Claims {
    /// Whether it has begun and not ended. It must say when it ends.
    pub(super) fn hold_at(&self, now: Timestamp) -> bool {
        let seconds = |at: Timestamp| at.as_micros() as f64 / 1e6;
        let (early, late) = (seconds(now - SKEW), seconds(now + SKEW));
        let has_begun = |at: Option<f64>| at.is_none_or(|it| it <= late);
        self.exp.is_some_and(|it| early < it) && has_begun(self.iat) && has_begun(self.nbf)
    }

    /// Whether it says when it was made.
    pub(super) fn are_dated(&self) -> bool {
        self.iat.is_some()
    }

    /// Whether it is meant for `audience`.
    pub(super) fn are_for(&self, audience: &str) -> bool {
        match &self.aud {
            Some(Audience::One(it)) => it == audience,
            Some(Audience::Many(all)) => all.iter().any(|it| it == audience),
            None => false,
        }
    }

    /// Who it is about, if it says enough.
    pub(super) fn identity(self) -> Option<Identity> {
        let user = self.caas_user_id.or(self.sub).filter(|it| is_name(it))?;
        let tenant = self.caas_org_id.filter(|it| is_tenant(it))?;
        let roles = self.user_roles.filter(|it| !it.is_empty()).or(self.scopes);
        let caller = Caller {
            tenant: tenant.as_str().into(),
            user: user.clone(),
            roles: roles.unwrap_or_default(),
        };
        Some(Identity { caller, user_name: user, tenant_name: tenant })
    }

    /// What its subject may do.
    pub(super) fn subject_roles(self) -> Vec<String> {
        let given = self.user_roles.filter(|it| !it.is_empty());
        let others = || self.roles.and_then(|it| serde_json::from_value(it).ok());
        given.or_else(others).unwrap_or_default()
    }
}

/// What the server itself says about somebody.
#[derive(Serialize)]
pub(super) struct Issued<'a> {
    pub(super) sub: &'a str,
    pub(super) iss: &'a str,
    pub(super) caas_user_id: &'a str,
    pub(super) caas_org_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) scopes: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) user_roles: Option<&'a [String]>,
    pub(super) caas_tier: &'a str,
    /// On whose behalf: the client that asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) act: Option<Actor<'a>>,
    pub(super) exp: u64,
    pub(super) iat: u64,
    pub(super) jti: String,
}

#[derive(Serialize)]
pub(super) struct Actor<'a> {
    pub(super) sub: &'a str,
}
