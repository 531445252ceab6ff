//! Routes for tokens, keys, clients and accounts, and for administrators of the server. Where nobody
//! is asked who they are, only the last two are real.

pub(crate) mod account;
mod admin;
mod answer;
pub(crate) mod clients;
pub(crate) mod log;
pub(crate) mod m2m;
pub(crate) mod pairs;
pub(crate) mod sampler;
pub(crate) mod token;
pub(crate) mod trusted;

use std::{collections::BTreeSet, sync::Arc};

use axum::{
    Router,
    http::{Method, StatusCode},
    middleware::from_fn_with_state,
    routing::{MethodRouter, any, delete, get, post, put},
};

use super::guard::Doorway;
use crate::http::entity::problem::{Failure, NOT_IMPLEMENTED, dress};

/// The routes below the context path of `doorway`. They rely on [`guard`](super::guard) around
/// them.
pub fn routes(doorway: Arc<Doorway>) -> Router {
    let issuing = issuing().into_iter();
    let table: Vec<(&str, MethodRouter<Arc<Doorway>>)> = match doorway.authenticator.issuer() {
        Some(_) => issuing.map(|(_, path, route)| (path, route)).collect(),
        None => {
            let paths: BTreeSet<_> = issuing.map(|it| it.1).collect();
            paths.into_iter().map(|path| (path, any(not_implemented))).collect()
        }
    };
    let stubs = STUBS.map(|path| (path, any(not_implemented)));
    let own = always().into_iter().map(|(_, path, route)| (path, route));
    let router = table.into_iter().chain(stubs).chain(own).fold(Router::new(), |router, it| {
        router.route(&format!("{}{}", doorway.context, it.0), it.1)
    });
    router.layer(from_fn_with_state(doorway.verbosity, dress)).with_state(doorway)
}

/// What is reserved and does nothing.
const STUBS: [&str; 3] =
    ["/account/subscriptions", "/oauth/oidc/providers", "/oauth/oidc/providers/{*rest}"];

type Row = (Method, &'static str, MethodRouter<Arc<Doorway>>);

/// Everything there is that does something, for the document.
#[cfg(test)]
pub(crate) fn known() -> Vec<(Method, &'static str)> {
    let rows = issuing().into_iter().map(|(method, path, _)| (method, path));
    rows.chain(always().into_iter().map(|(method, path, _)| (method, path))).collect()
}

/// What there is whether tokens are issued or not.
fn always() -> Vec<Row> {
    vec![
        (Method::GET, "/account", get(account::show)),
        (Method::GET, "/admin/log-level", get(log::show)),
        (Method::POST, "/admin/log-level", post(log::change)),
        (Method::GET, "/admin/trace-sampler", get(sampler::show)),
        (Method::POST, "/admin/trace-sampler", post(sampler::change)),
    ]
}

/// What there is where tokens are issued.
fn issuing() -> Vec<Row> {
    vec![
        (Method::POST, "/oauth/token", post(token::issue)),
        (Method::GET, "/.well-known/jwks.json", get(pairs::jwks)),
        (Method::POST, "/oauth/keys/keypair", post(pairs::create)),
        (Method::GET, "/oauth/keys/keypair/current", get(pairs::current)),
        (Method::DELETE, "/oauth/keys/keypair/{kid}", delete(pairs::remove)),
        (Method::POST, "/oauth/keys/keypair/{kid}/invalidate", post(pairs::invalidate)),
        (Method::POST, "/oauth/keys/keypair/{kid}/reactivate", post(pairs::reactivate)),
        (Method::GET, "/oauth/keys/trusted", get(trusted::list)),
        (Method::POST, "/oauth/keys/trusted", post(trusted::create)),
        (Method::DELETE, "/oauth/keys/trusted/{kid}", delete(trusted::remove)),
        (Method::POST, "/oauth/keys/trusted/{kid}/invalidate", post(trusted::invalidate)),
        (Method::POST, "/oauth/keys/trusted/{kid}/reactivate", post(trusted::reactivate)),
        (Method::GET, "/account/m2m", get(m2m::list)),
        (Method::POST, "/account/m2m", post(m2m::create)),
        (Method::DELETE, "/account/m2m/{clientId}", delete(m2m::remove)),
        (Method::POST, "/account/m2m/{clientId}/secret/reset", post(m2m::reset)),
        (Method::GET, "/clients", get(clients::list)),
        (Method::POST, "/clients", post(clients::create)),
        (Method::DELETE, "/clients/{clientId}", delete(clients::remove)),
        (Method::PUT, "/clients/{clientId}/secret", put(clients::reset)),
    ]
}

async fn not_implemented() -> Failure {
    Failure::new(StatusCode::NOT_IMPLEMENTED, NOT_IMPLEMENTED, "the server does not do this")
}
