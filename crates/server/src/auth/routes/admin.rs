//! What administrators have in common: that they are ones, and how their requests are read and
//! fail.

use std::sync::Arc;

use axum::{
    body::{Body, to_bytes},
    extract::FromRequestParts,
    http::{StatusCode, request::Parts},
};
use serde::de::DeserializeOwned;
use waypost_engine::entity::Code;

use crate::{
    auth::{
        authenticator::Issuer,
        guard::Doorway,
        identity::{ADMINISTRATOR, Identity},
        ring::Trouble,
        vault::{COME_BACK_AFTER, Refused},
    },
    http::entity::problem::{Failure, NOT_IMPLEMENTED},
    telemetry::{Chosen, Log},
};

/// Bytes of a body.
pub(super) const BODY_MAX: usize = 1 << 20;

/// Somebody who may administer, and what there is to administer.
pub(crate) struct Administrator {
    doorway: Arc<Doorway>,
    pub(super) user: String,
    pub(super) tenant: String,
}

impl FromRequestParts<Arc<Doorway>> for Administrator {
    type Rejection = Failure;

    async fn from_request_parts(
        parts: &mut Parts,
        doorway: &Arc<Doorway>,
    ) -> Result<Self, Failure> {
        let identity = parts.extensions.get::<Identity>();
        let identity = identity.filter(|it| it.has_role(ADMINISTRATOR)).ok_or_else(|| {
            let text = format!("this needs the role {ADMINISTRATOR}");
            Failure::new(StatusCode::FORBIDDEN, Code::Forbidden.as_str(), text)
        })?;
        let caller = &identity.caller;
        let (user, tenant) = (caller.user.clone(), caller.tenant.to_string());
        Ok(Self { doorway: Arc::clone(doorway), user, tenant })
    }
}

impl Administrator {
    pub(super) fn issuer(&self) -> Result<&Issuer, Failure> {
        issuer(&self.doorway)
    }

    /// The log of this node, if it may be changed.
    pub(super) fn node_log(&self) -> Option<&Log> {
        self.doorway.log.as_ref()
    }

    /// Which traces this node exports.
    pub(super) fn sampler(&self) -> &Chosen {
        &self.doorway.sampler
    }

    /// Leaves a line in the log: who did what to which.
    pub(super) fn log(&self, what: &'static str, which: &str) {
        tracing::info!(tenant = self.tenant, user = self.user, which, what, "credentials changed");
    }
}

/// Who issues tokens. Only routes that are there if somebody does ask for it.
pub(super) fn issuer(doorway: &Doorway) -> Result<&Issuer, Failure> {
    let no = || Failure::new(StatusCode::NOT_IMPLEMENTED, NOT_IMPLEMENTED, "nobody issues tokens");
    doorway.authenticator.issuer().ok_or_else(no)
}

/// The body as JSON.
pub(super) async fn json<T: DeserializeOwned>(body: Body) -> Result<T, Failure> {
    let read = to_bytes(body, BODY_MAX).await;
    let bytes = read.map_err(|_| {
        Failure::bad_request(format!("the body must come whole, in at most {BODY_MAX} bytes"))
    })?;
    serde_json::from_slice(&bytes)
        .map_err(|error| Failure::bad_request(format!("the body cannot be read: {error}")))
}

/// There are so many already that there will be no more.
pub(super) fn too_many(what: &str, most: u32) -> Failure {
    Failure::bad_request(format!("there are {most} {what} already; delete one first"))
}

/// Something else is in the way.
pub(super) fn conflict(text: &str) -> Failure {
    Failure::new(StatusCode::CONFLICT, Code::Conflict.as_str(), text)
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Store(error) => error.into(),
            Trouble::Defect(cause) => Self::defect(cause),
        }
    }
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Full => Self::overloaded("hashes of secrets", COME_BACK_AFTER),
            Refused::Failed(cause) => Self::defect(cause),
        }
    }
}
