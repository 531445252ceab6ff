//! How the server was set up, for those who wonder: settings without secrets, the store, the nodes.

use std::{path::Path, sync::Arc};

use axum::{Json, extract::State};
use waypost_api::operations::{NodeFacts, Settings, StoreFacts};

use super::{app::App, overview::time};

/// What a store keeps in files beside its own.
const BESIDE: [&str; 2] = ["", "-wal"];

/// How the server was set up: every setting with its value and where that comes from, as
/// `waypost serve --print-config` shows them. Secrets are not shown.
#[utoipa::path(
    get, path = "/v1/settings", tag = "Operations",
    responses((status = 200, description = "How", body = Settings)),
)]
pub(super) async fn show(State(app): State<Arc<App>>) -> Json<Settings> {
    let facts = &app.facts;
    let bytes = match &facts.store_file {
        Some(file) => size(file).await,
        None => None,
    };
    let peers = match &app.cluster {
        Some(cluster) => cluster.nodes().await,
        None => Vec::new(),
    };
    let node = |(name, address, seen_at): (String, String, Option<_>)| NodeFacts {
        name,
        address,
        seen_at: seen_at.map(time),
    };
    Json(Settings {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        store: facts.store.clone().map(|it| StoreFacts { bytes, ..it }),
        nodes: peers.into_iter().map(node).collect(),
        settings: facts.settings.clone(),
    })
}

/// How many bytes a store takes up, as far as its files can be seen.
async fn size(file: &Path) -> Option<u64> {
    let mut total = None;
    for end in BESIDE {
        let mut name = file.as_os_str().to_owned();
        name.push(end);
        if let Ok(found) = tokio::fs::metadata(&name).await {
            total = Some(total.unwrap_or(0) + found.len());
        }
    }
    total
}
