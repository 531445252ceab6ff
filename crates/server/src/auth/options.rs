//! What signing in is set up with, and whether that makes sense.

use std::{fmt, str::FromStr, time::Duration};

use super::identity::{is_name, is_tenant};

/// How the server learns who somebody is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// It does not ask: everybody is the same user.
    #[default]
    Mock,
    /// By tokens it has signed.
    Jwt,
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "mock" => Ok(Self::Mock),
            "jwt" => Ok(Self::Jwt),
            other => Err(format!("{other:?} is no way to sign in; use mock or jwt")),
        }
    }
}

/// What signing in is set up with.
#[derive(Clone)]
pub struct AuthOptions {
    /// How the server learns who somebody is.
    pub mode: Mode,
    /// What everybody may do where nobody is asked.
    pub mock_roles: Vec<String>,
    /// An RSA private key: a PEM, or the base64 of one.
    pub signing_key: Option<String>,
    /// Who is said to have issued tokens, and whose are taken.
    pub issuer: String,
    /// Whom tokens must be for. Those of the server itself are for nobody in particular, so this
    /// is for tokens somebody else makes with the same key.
    pub audience: Option<String>,
    /// How long a token is good.
    pub expiry: Duration,
    /// Whose processes, chains and lifecycles are; if absent, the bootstrap client's tenant's.
    pub tenant: Option<String>,
    /// A client that is there from the start.
    pub bootstrap: Bootstrap,
    /// Whether to refuse to start where nobody is asked.
    pub require_jwt: bool,
}

/// A client that is there from the start, if it has an id and a secret.
#[derive(Clone)]
pub struct Bootstrap {
    /// Its name.
    pub id: Option<String>,
    /// What it proves itself with.
    pub secret: Option<String>,
    /// Whose it is.
    pub tenant: String,
    /// As whom it acts.
    pub user: String,
    /// What it may do.
    pub roles: Vec<String>,
}

impl Default for AuthOptions {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            mock_roles: default_roles(),
            signing_key: None,
            issuer: "cyoda".into(),
            audience: None,
            expiry: Duration::from_secs(3_600),
            tenant: None,
            bootstrap: Bootstrap::default(),
            require_jwt: false,
        }
    }
}

impl Default for Bootstrap {
    fn default() -> Self {
        Self {
            id: None,
            secret: None,
            tenant: "default-tenant".into(),
            user: "admin".into(),
            roles: default_roles(),
        }
    }
}

pub(super) fn default_roles() -> Vec<String> {
    vec!["ROLE_ADMIN".into(), "ROLE_M2M".into()]
}

impl AuthOptions {
    /// Whether a server can start with this; if not, why.
    ///
    /// # Errors
    /// A sentence that names the setting.
    pub fn check(&self) -> Result<(), String> {
        match self.mode {
            Mode::Mock if self.require_jwt => {
                Err("signing in is required, but the mode is mock; set it to jwt".into())
            }
            Mode::Mock => Ok(()),
            Mode::Jwt => self.check_jwt(),
        }
    }

    fn check_jwt(&self) -> Result<(), String> {
        if self.signing_key.as_deref().is_none_or(|it| it.trim().is_empty()) {
            return Err("the mode jwt needs a signing key: an RSA private key as PEM".into());
        }
        if self.issuer.is_empty() {
            return Err("the issuer of tokens must not be empty".into());
        }
        if self.expiry < Duration::from_secs(1) {
            return Err("tokens must be good for at least a second".into());
        }
        if let Some(tenant) = self.tenant.as_deref().filter(|it| !is_tenant(it)) {
            return Err(format!("processes cannot belong to tenant {tenant:?}"));
        }
        self.bootstrap.check()
    }
}

impl Bootstrap {
    fn check(&self) -> Result<(), String> {
        match (&self.id, &self.secret) {
            (None, None) => Ok(()),
            (Some(_), None) => Err("the bootstrap client has an id, but no secret".into()),
            (None, Some(_)) => Err("the bootstrap client has a secret, but no id".into()),
            (Some(id), Some(secret)) if !is_name(id) || secret.is_empty() => {
                Err("the bootstrap client needs an id and a secret that are not empty".into())
            }
            (Some(_), Some(_)) if !is_tenant(&self.tenant) => {
                Err(format!("the bootstrap client cannot belong to tenant {:?}", self.tenant))
            }
            (Some(_), Some(_)) if !is_name(&self.user) => {
                Err(format!("the bootstrap client cannot act as user {:?}", self.user))
            }
            (Some(_), Some(_)) => Ok(()),
        }
    }
}

/// Secrets stay hidden.
impl fmt::Debug for AuthOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthOptions")
            .field("mode", &self.mode)
            .field("mock_roles", &self.mock_roles)
            .field("signing_key", &self.signing_key.as_ref().map(|_| "…"))
            .field("issuer", &self.issuer)
            .field("audience", &self.audience)
            .field("expiry", &self.expiry)
            .field("tenant", &self.tenant)
            .field("bootstrap", &self.bootstrap)
            .field("require_jwt", &self.require_jwt)
            .finish()
    }
}

/// Secrets stay hidden.
impl fmt::Debug for Bootstrap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bootstrap")
            .field("id", &self.id)
            .field("secret", &self.secret.as_ref().map(|_| "…"))
            .field("tenant", &self.tenant)
            .field("user", &self.user)
            .field("roles", &self.roles)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jwt() -> AuthOptions {
        AuthOptions { mode: Mode::Jwt, signing_key: Some("x".into()), ..AuthOptions::default() }
    }

    fn with(id: Option<&str>, secret: Option<&str>, tenant: &str) -> AuthOptions {
        let (id, secret) = (id.map(str::to_owned), secret.map(str::to_owned));
        AuthOptions {
            bootstrap: Bootstrap { id, secret, tenant: tenant.into(), ..Bootstrap::default() },
            ..jwt()
        }
    }

    #[test]
    fn settings_that_make_no_sense_are_refused_by_name() {
        let wrong = [
            (AuthOptions { require_jwt: true, ..AuthOptions::default() }, "mode is mock"),
            (AuthOptions { signing_key: None, ..jwt() }, "signing key"),
            (AuthOptions { signing_key: Some(" \n".into()), ..jwt() }, "signing key"),
            (AuthOptions { issuer: String::new(), ..jwt() }, "issuer"),
            (AuthOptions { expiry: Duration::ZERO, ..jwt() }, "at least a second"),
            (with(Some("c"), None, "t"), "no secret"),
            (with(None, Some("s"), "t"), "no id"),
            (with(Some(""), Some("s"), "t"), "not empty"),
            (with(Some("c"), Some("s"), "SYSTEM"), "SYSTEM"),
            (with(Some("c"), Some("s"), ""), "tenant"),
        ];
        for (options, part) in wrong {
            let reason = options.check().unwrap_err();
            assert!(reason.contains(part), "{reason}");
        }
        assert_eq!(with(Some("c"), Some("s"), "t").check(), Ok(()));
        assert_eq!(AuthOptions::default().check(), Ok(()));
    }

    #[test]
    fn secrets_are_not_shown() {
        let options = AuthOptions {
            signing_key: Some("canary".into()),
            bootstrap: Bootstrap { secret: Some("canary".into()), ..Bootstrap::default() },
            ..AuthOptions::default()
        };
        assert!(!format!("{options:?}").contains("canary"));
    }

    #[test]
    fn there_are_two_modes() {
        assert_eq!("mock".parse(), Ok(Mode::Mock));
        assert_eq!("jwt".parse(), Ok(Mode::Jwt));
        assert!("none".parse::<Mode>().unwrap_err().contains("mock or jwt"));
    }
}
