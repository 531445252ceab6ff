//! Who asks, and in which transaction.

use std::sync::Arc;

use axum::{
    extract::FromRequestParts,
    http::{StatusCode, request::Parts},
};
use waypost_engine::entity::{Caller, Entities, Fault};

use super::{
    door::{TICKET, unavailable},
    problem::{Failure, TRANSACTION_EXPIRED, UNAUTHORIZED},
};
use crate::{
    auth::Identity,
    compute::{Members, TicketError},
    http::{app::App, asking::reason},
};

/// The entities of whoever asks.
pub(in crate::http) struct Asker(pub(super) Entities);

impl FromRequestParts<Arc<App>> for Asker {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Failure> {
        let why = reason(&parts.headers).map_err(|it| Failure::bad_request(it.detail()))?;
        let entities = app.engine.entities(caller(parts)?).because(why);
        match parts.headers.get(TICKET) {
            Some(ticket) => {
                let ticket = ticket.to_str().unwrap_or_default();
                join(app.members.as_ref(), &entities, ticket).map(Self)
            }
            None => Ok(Self(entities)),
        }
    }
}

fn caller(parts: &Parts) -> Result<Caller, Failure> {
    let identity = parts.extensions.get::<Identity>();
    identity.map(|it| it.caller.clone()).ok_or_else(|| Failure::defect("nobody asked who it is"))
}

/// A compute member goes on with the transaction in which it was asked.
pub(crate) fn join(
    members: Option<&Members>,
    entities: &Entities,
    ticket: &str,
) -> Result<Entities, Failure> {
    let unknown = || {
        let text = "the transaction token is malformed or its signature is wrong";
        Failure::new(StatusCode::UNAUTHORIZED, UNAUTHORIZED, text)
    };
    let members = members.ok_or_else(unknown)?;
    let ticket = members.verify(ticket).map_err(|it| match it {
        TicketError::Invalid => unknown(),
        TicketError::Expired => {
            Failure::new(StatusCode::GONE, TRANSACTION_EXPIRED, "the transaction token has expired")
        }
    })?;
    if ticket.node != members.node() {
        let text = format!("the transaction is on node {}, which is not here", ticket.node);
        return Err(unavailable(text));
    }
    entities.within(&ticket.transaction, ticket.layer).map_err(|it| Fault::from(it).into())
}
