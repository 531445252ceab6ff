//! Routes for tokens, keys, clients and accounts. Where nobody is asked who they are, only accounts
//! are real.

mod account;
mod admin;
mod clients;
mod pairs;
mod token;
mod trusted;

use std::sync::Arc;

use axum::{
    Router,
    http::StatusCode,
    middleware::from_fn_with_state,
    routing::{MethodRouter, any, delete, get, post, put},
};

use super::guard::Doorway;
use crate::http::entity::problem::{Failure, NOT_IMPLEMENTED, dress};

/// The routes below the context path of `doorway`. They rely on [`guard`](super::guard) around
/// them.
pub fn routes(doorway: Arc<Doorway>) -> Router {
    let table = match doorway.authenticator.issuer() {
        Some(_) => issuing(),
        None => issuing().into_iter().map(|(path, _)| (path, any(not_implemented))).collect(),
    };
    let stubs =
        ["/account/subscriptions", "/oauth/oidc/providers", "/oauth/oidc/providers/{*rest}"];
    let stubs = stubs.map(|path| (path, any(not_implemented)));
    let own = [("/account", get(account::show))];
    let router = table.into_iter().chain(stubs).chain(own).fold(Router::new(), |router, it| {
        router.route(&format!("{}{}", doorway.context, it.0), it.1)
    });
    router.layer(from_fn_with_state(doorway.verbosity, dress)).with_state(doorway)
}

type Row = (&'static str, MethodRouter<Arc<Doorway>>);

/// What there is where tokens are issued.
fn issuing() -> Vec<Row> {
    vec![
        ("/oauth/token", post(token::issue)),
        ("/.well-known/jwks.json", get(pairs::jwks)),
        ("/oauth/keys/keypair", post(pairs::create)),
        ("/oauth/keys/keypair/current", get(pairs::current)),
        ("/oauth/keys/keypair/{kid}", delete(pairs::remove)),
        ("/oauth/keys/keypair/{kid}/invalidate", post(pairs::invalidate)),
        ("/oauth/keys/keypair/{kid}/reactivate", post(pairs::reactivate)),
        ("/oauth/keys/trusted", get(trusted::list).post(trusted::create)),
        ("/oauth/keys/trusted/{kid}", delete(trusted::remove)),
        ("/oauth/keys/trusted/{kid}/invalidate", post(trusted::invalidate)),
        ("/oauth/keys/trusted/{kid}/reactivate", post(trusted::reactivate)),
        ("/account/m2m", get(clients::list).post(clients::create)),
        ("/account/m2m/{client_id}", delete(clients::remove)),
        ("/account/m2m/{client_id}/secret/reset", post(clients::reset)),
        ("/clients", get(clients::list).post(clients::create_own)),
        ("/clients/{client_id}", delete(clients::remove)),
        ("/clients/{client_id}/secret", put(clients::reset)),
    ]
}

async fn not_implemented() -> Failure {
    Failure::new(StatusCode::NOT_IMPLEMENTED, NOT_IMPLEMENTED, "the server does not do this")
}
