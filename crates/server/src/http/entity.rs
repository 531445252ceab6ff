//! Entities over HTTP: everything below the context path, as clients of that interface have always
//! known it.

pub(crate) mod answer;
mod asker;
pub(super) mod audit;
mod body;
pub(super) mod collections;
mod convert;
pub(super) mod diagram;
mod door;
pub(super) mod entities;
pub(super) mod health;
pub(super) mod help;
pub(super) mod letters;
pub(super) mod models;
pub(super) mod moments;
mod params;
pub(crate) mod problem;
pub(super) mod reads;
pub(super) mod search;
pub(super) mod searches;
pub(super) mod stats;
pub(super) mod workflows;

pub(super) use self::door::{class, door, owns, write};
pub(crate) use self::{
    asker::join,
    body::{BODY_MAX, document},
    collections::placed,
    convert::{envelope, single, time as instant},
    entities::is_ready,
    params::time,
    searches::{not_running, status_name},
    stats::{count, count_states},
};
use super::routes::Routes;

pub(super) fn routes(routes: Routes) -> Routes {
    let routes = models(routes.get("/health", health::show));
    let routes = entities(routes);
    routes
        .post("/search/direct/{entityName}/{modelVersion}", search::direct)
        .post("/search/async/{entityName}/{modelVersion}", searches::begin)
        .get("/search/async/{jobId}", searches::page)
        .get("/search/async/{jobId}/status", searches::status)
        .put("/search/async/{jobId}/cancel", searches::cancel)
        .post("/message/new/{subject}", letters::keep)
        .get("/message/{messageId}", letters::show)
        .delete("/message/{messageId}", letters::erase)
        .delete("/message", letters::erase_all)
        .any("/help", help::list)
        .any("/help/{*topic}", help::show)
        .get("/audit/entity/{entityId}", audit::list)
        .get("/audit/entity/{entityId}/workflow/{transactionId}/finished", audit::finished)
}

fn models(routes: Routes) -> Routes {
    routes
        .get("/model", models::list)
        .get("/model/", models::list)
        .post("/model/import/{dataFormat}/{converter}/{entityName}/{modelVersion}", models::import)
        .get("/model/export/{converter}/{entityName}/{modelVersion}", models::export)
        .post("/model/validate/{entityName}/{modelVersion}", models::validate)
        .put("/model/{entityName}/{modelVersion}/lock", models::lock)
        .put("/model/{entityName}/{modelVersion}/unlock", models::unlock)
        .post("/model/{entityName}/{modelVersion}/changeLevel/{changeLevel}", models::level)
        .delete("/model/{entityName}/{modelVersion}", models::delete)
        .get("/model/{entityName}/{modelVersion}/indexes", models::indexes)
        .put("/model/{entityName}/{modelVersion}/indexes", models::declare_indexes)
        .post("/model/{entityName}/{modelVersion}/workflow/import", workflows::import)
        .get("/model/{entityName}/{modelVersion}/workflow/export", workflows::export)
        .picture("/model/{entityName}/{modelVersion}/workflow", diagram::of_workflow)
}

/// One pattern has one name for each part, whatever the method makes of it.
fn entities(routes: Routes) -> Routes {
    routes
        .get("/entity/stats", stats::all)
        .get("/entity/stats/states", stats::all_states)
        .get("/entity/stats/{entityName}/{modelVersion}", stats::one)
        .get("/entity/stats/states/{entityName}/{modelVersion}", stats::one_states)
        .post("/entity/{idOrFormat}", collections::create)
        .put("/entity/{idOrFormat}", collections::update)
        .get("/entity/{idOrFormat}", reads::show)
        .delete("/entity/{idOrFormat}", entities::delete)
        .get("/entity/{nameOrFormat}/{versionOrId}", reads::list)
        .delete("/entity/{nameOrFormat}/{versionOrId}", entities::delete_all)
        .put("/entity/{nameOrFormat}/{versionOrId}", entities::update)
        .post("/entity/{format}/{nameOrId}/{versionOrTransition}", entities::create)
        .put("/entity/{format}/{nameOrId}/{versionOrTransition}", entities::take)
        .picture("/entity/{entityId}", diagram::of_entity)
        .get("/entity/{entityId}/explain", moments::explain)
        .get("/entity/{entityId}/diff", moments::diff)
        .post("/entity/{entityId}/what-if", moments::what_if)
        .get("/entity/{entityId}/changes", reads::changes)
        .get("/entity/{entityId}/transitions", reads::transitions)
        .get("/platform-api/entity/fetch/transitions", reads::transitions_of)
}
