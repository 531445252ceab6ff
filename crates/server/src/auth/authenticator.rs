//! From a header to an identity.

use std::{sync::Arc, time::Duration};

use waypost_kernel::{Store, StoreError};

use super::{
    claims::Claims,
    client::{Client, Clients},
    identity::Identity,
    jwt::Jwt,
    options::{AuthOptions, Bootstrap, Mode, default_roles},
    register::Register,
    ring::Ring,
    rsa::KeyPair,
    trusted::TrustedKeys,
    vault::{Refused, Vault},
};

/// Tells who somebody is.
pub struct Authenticator {
    desk: Desk,
}

/// How it is told.
enum Desk {
    Mock(Identity),
    Jwt(Box<Issuer>),
}

/// Why somebody is not let in.
#[derive(Debug)]
pub enum Denied {
    /// Nobody is known by what was sent. What was wrong with it is not told.
    Unknown,
    /// The keys could not be read.
    Store(StoreError),
}

/// Issues tokens and takes them back.
pub(super) struct Issuer {
    pub(super) name: String,
    pub(super) expiry: Duration,
    pub(super) ring: Ring,
    pub(super) clients: Clients,
    pub(super) trusted: TrustedKeys,
    pub(super) vault: Vault,
    pub(super) register: Register,
    audience: Option<String>,
    /// Whose everything is that has no tenants.
    tenant: String,
}

impl Authenticator {
    /// An authenticator that is set up so, with keys and clients in `store`.
    ///
    /// # Errors
    /// When the settings make no sense: a sentence that names the setting.
    pub async fn new(options: AuthOptions, store: Arc<dyn Store>) -> Result<Self, String> {
        options.check()?;
        let desk = match options.mode {
            Mode::Mock => Desk::Mock(Identity::mock(mock_roles(options.mock_roles))),
            Mode::Jwt => Desk::Jwt(Box::new(Issuer::new(options, store).await?)),
        };
        Ok(Self { desk })
    }

    /// Who sends this value of `Authorization`, over HTTP or gRPC.
    ///
    /// # Errors
    /// When nobody is known by it, or when that cannot be told now.
    pub async fn authenticate(&self, authorization: Option<&str>) -> Result<Identity, Denied> {
        match &self.desk {
            Desk::Mock(identity) => Ok(identity.clone()),
            Desk::Jwt(issuer) => issuer.identify(authorization).await,
        }
    }

    /// Whose processes, chains and lifecycles are, where users sign in.
    #[must_use]
    pub fn tenant(&self) -> Option<&str> {
        self.issuer().map(|it| it.tenant.as_str())
    }

    /// Who issues tokens, if anybody does.
    pub(super) fn issuer(&self) -> Option<&Issuer> {
        match &self.desk {
            Desk::Mock(_) => None,
            Desk::Jwt(issuer) => Some(issuer),
        }
    }
}

impl From<StoreError> for Denied {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Issuer {
    async fn new(options: AuthOptions, store: Arc<dyn Store>) -> Result<Self, String> {
        let pair = KeyPair::from_pem(options.signing_key.as_deref().unwrap_or_default())
            .map_err(|reason| format!("the signing key {reason}"))?;
        let register = Register::new(store);
        let vault = Vault::new()?;
        let tenant = options.tenant.unwrap_or_else(|| options.bootstrap.tenant.clone());
        let bootstrap = bootstrap(options.bootstrap, &vault).await?;
        Ok(Self {
            name: options.issuer,
            expiry: options.expiry,
            ring: Ring::new(pair, register.clone())?,
            clients: Clients::new(register.clone(), bootstrap),
            trusted: TrustedKeys::new(register.clone()),
            vault,
            register,
            audience: options.audience.filter(|it| !it.is_empty()),
            tenant,
        })
    }

    async fn identify(&self, authorization: Option<&str>) -> Result<Identity, Denied> {
        let jwt = authorization.and_then(bearer).and_then(Jwt::read).ok_or(Denied::Unknown)?;
        let keys = self.ring.verifying(&jwt.kid).await?.ok_or(Denied::Unknown)?;
        let claims = jwt.verify(&keys.public).filter(|it| self.believes(it));
        claims.and_then(Claims::identity).ok_or(Denied::Unknown)
    }

    fn believes(&self, claims: &Claims) -> bool {
        claims.are_dated()
            && claims.hold_at(self.register.now())
            && claims.iss.as_ref() == Some(&self.name)
            && self.audience.as_ref().is_none_or(|it| claims.are_for(it))
    }
}

fn bearer(authorization: &str) -> Option<&str> {
    let (scheme, rest) = authorization.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(rest)
}

async fn bootstrap(settings: Bootstrap, vault: &Vault) -> Result<Option<Client>, String> {
    let Bootstrap { id: Some(id), secret: Some(secret), tenant, user, roles } = settings else {
        return Ok(None);
    };
    let secret = vault.hash(secret).await.map_err(|refused| match refused {
        Refused::Full => "too much is going on".to_owned(),
        Refused::Failed(reason) => reason,
    })?;
    Ok(Some(Client { id, tenant, user, roles, secret }))
}

fn mock_roles(roles: Vec<String>) -> Vec<String> {
    if roles.is_empty() {
        tracing::warn!("no roles are set for the mock user; it has the usual ones");
        return default_roles();
    }
    roles
}
