//! Every route, in one place.

use std::{collections::BTreeSet, sync::Arc};

use axum::{
    Router,
    handler::Handler,
    http::{Method, StatusCode, Uri},
    middleware::from_fn_with_state,
    response::{IntoResponse as _, Response},
    routing::{MethodRouter, any, delete, get, post, put},
};
use waypost_api::{diagram::Format, problem::EdgeCode};

use super::{
    app::App, chain, console, docs, door::door, dry_run::dry_run, edge::edge, entity, events,
    health, lifecycle, lint, meter, openapi, overview, problem::Refusal, process, settings,
};

/// A router that remembers its routes, so that they can be held against the document.
pub(super) struct Routes {
    router: Router<Arc<App>>,
    /// What the paths that are added now lie below.
    context: String,
    pub(super) known: Vec<(Method, String)>,
}

impl Routes {
    const fn new(router: Router<Arc<App>>) -> Self {
        Self { router, context: String::new(), known: Vec::new() }
    }

    /// From here on paths lie below this one.
    pub(super) fn below(self, context: &str) -> Self {
        Self { context: context.to_owned(), ..self }
    }

    pub(super) fn get<H, T>(self, path: &str, handler: H) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: 'static,
    {
        self.add(Method::GET, path, get(handler))
    }

    pub(super) fn post<H, T>(self, path: &str, handler: H) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: 'static,
    {
        self.add(Method::POST, path, post(handler))
    }

    pub(super) fn put<H, T>(self, path: &str, handler: H) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: 'static,
    {
        self.add(Method::PUT, path, put(handler))
    }

    pub(super) fn delete<H, T>(self, path: &str, handler: H) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: 'static,
    {
        self.add(Method::DELETE, path, delete(handler))
    }

    /// A picture of what is at `path`, as `diagram.svg` and in all other forms.
    pub(super) fn picture<H, T>(mut self, path: &str, handler: H) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: 'static,
    {
        for format in Format::ALL {
            let place = format!("{}{path}/diagram.{}", self.context, format.extension());
            self.router = self.router.route(&place, get(handler.clone()));
        }
        self.known.push((Method::GET, format!("{}{path}/diagram.{{format}}", self.context)));
        self
    }

    /// A route that answers to other methods, too, in its own way.
    pub(super) fn any<H, T>(self, path: &str, handler: H) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: 'static,
    {
        self.add(Method::GET, path, any(handler))
    }

    fn add(mut self, method: Method, path: &str, route: MethodRouter<Arc<App>>) -> Self {
        let path = format!("{}{path}", self.context);
        let router = self.router.route(&path, route);
        // The document has no way to say that a part may have slashes.
        self.known.push((method, path.replace("{*", "{")));
        Self { router, ..self }
    }

    fn finish(self, app: Arc<App>) -> Router {
        self.router
            .fallback(not_found)
            .method_not_allowed_fallback(not_allowed)
            .layer(from_fn_with_state(Arc::clone(&app), dry_run))
            .layer(from_fn_with_state(Arc::clone(&app), entity::door))
            .layer(from_fn_with_state(Arc::clone(&app), door))
            .layer(from_fn_with_state(Arc::clone(&app), edge))
            .with_state(app)
    }
}

/// What is served on the main address.
pub(crate) fn main_router(app: Arc<App>, has_metrics: bool) -> Router {
    let routes = main_routes(app.context());
    let routes = if has_metrics { routes.get("/metrics", meter::show) } else { routes };
    let beside = crate::auth::routes(Arc::clone(&app.doorway)).with_state(());
    let router = routes.router.merge(beside);
    // For nodes alone: no client is told of it.
    let router = match app.cluster.is_some() {
        true => router.merge(crate::cluster::routes()),
        false => router,
    };
    let router = match &app.lifecycle {
        Some(gateway) => router.merge(lifecycle::routes(gateway)),
        None => router,
    };
    Routes { router, ..routes }.finish(app)
}

/// What is served on the address for metrics.
pub(crate) fn metrics_router(app: Arc<App>) -> Router {
    let routes = Routes::new(Router::new());
    health::routes_beside(routes).get("/metrics", meter::show).finish(app)
}

/// Everything but the metrics, which may have an address of their own. Entities are below
/// `context`.
pub(super) fn main_routes(context: &str) -> Routes {
    let routes = health::routes(Routes::new(Router::new()));
    let routes = docs::routes(routes).get("/openapi.json", openapi::show);
    let routes = routes.post("/v1/lint", lint::look);
    let routes = console::routes(overview::routes(routes));
    let routes = routes.get("/v1/settings", settings::show);
    let routes = routes.get("/v1/events/stream", events::follow);
    let routes = process::routes(chain::routes(routes));
    entity::routes(routes.below(context)).below("")
}

/// What the paths of entities begin with where nothing stands before them.
pub(crate) fn entity_roots() -> BTreeSet<String> {
    let known = entity::routes(Routes::new(Router::new())).known;
    let first = |path: &str| path.split('/').nth(1).map(|it| format!("/{it}"));
    known.iter().filter_map(|(_, path)| first(path)).collect()
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
