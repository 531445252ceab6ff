//! Every route, in one place.

use std::sync::Arc;

use axum::{
    Router,
    handler::Handler,
    http::{Method, StatusCode, Uri},
    middleware::from_fn_with_state,
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use waypost_api::problem::EdgeCode;

use super::{app::App, chain, docs, edge::edge, health, meter, openapi, problem::Refusal, process};

/// A router that remembers its routes, so that they can be held against the document.
pub(super) struct Routes {
    router: Router<Arc<App>>,
    pub(super) known: Vec<(Method, &'static str)>,
}

impl Routes {
    const fn new(router: Router<Arc<App>>) -> Self {
        Self { router, known: Vec::new() }
    }

    pub(super) fn get<H, T>(mut self, path: &'static str, handler: H) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: 'static,
    {
        self.known.push((Method::GET, path));
        Self { router: self.router.route(path, get(handler)), ..self }
    }

    pub(super) fn post<H, T>(mut self, path: &'static str, handler: H) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: 'static,
    {
        self.known.push((Method::POST, path));
        Self { router: self.router.route(path, post(handler)), ..self }
    }

    fn finish(self, app: Arc<App>) -> Router {
        self.router
            .fallback(not_found)
            .method_not_allowed_fallback(not_allowed)
            .layer(from_fn_with_state(Arc::clone(&app), edge))
            .with_state(app)
    }
}

/// What is served on the main address.
pub(crate) fn main_router(app: Arc<App>, has_metrics: bool) -> Router {
    let routes = main_routes();
    let routes = if has_metrics { routes.get("/metrics", meter::show) } else { routes };
    routes.finish(app)
}

/// What is served on the address for metrics.
pub(crate) fn metrics_router(app: Arc<App>) -> Router {
    let routes = Routes::new(Router::new());
    health::routes(routes).get("/metrics", meter::show).finish(app)
}

/// Everything but the metrics, which may have an address of their own.
pub(super) fn main_routes() -> Routes {
    let routes = health::routes(Routes::new(Router::new()));
    let routes = docs::routes(routes).get("/openapi.json", openapi::show);
    process::routes(chain::routes(routes))
}

async fn not_found(uri: Uri) -> Refusal {
    let detail = format!("there is nothing at {}; /docs lists what there is", uri.path());
    Refusal::new(EdgeCode::RouteNotFound, detail)
}

/// The router adds the methods that are allowed.
async fn not_allowed(method: Method, uri: Uri) -> Response {
    if method == Method::OPTIONS {
        return StatusCode::NO_CONTENT.into_response();
    }
    let detail = format!("{} does not take {method}; see the header Allow", uri.path());
    Refusal::new(EdgeCode::MethodNotAllowed, detail).into_response()
}
