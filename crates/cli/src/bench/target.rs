//! The store a benchmark runs on. The same data can be opened in several ways.

use std::{path::PathBuf, sync::Arc};

use tempfile::TempDir;
use waypost_api::shown_url;
use waypost_engine::SystemClock;
use waypost_stores::{
    Grouping, PostgresOptions, PostgresStore, SqliteOptions, SqliteStore, StoreClock,
};

use crate::{exit::Failure, store::OpenStore};

/// Where the data is.
pub(super) enum Target {
    Sqlite { file: PathBuf, _folder: TempDir },
    Postgres { url: String },
}

impl Target {
    pub(super) async fn prepare(store: &str) -> Result<Self, Failure> {
        if store.starts_with("postgres") {
            return Ok(Self::Postgres { url: store.to_owned() });
        }
        if store != "sqlite" {
            return Err(Failure::usage(format!(
                "--store is sqlite or a postgres:// URL, not {:?}",
                shown_url(store)
            )));
        }
        // Not the system's folder for temporary files: it may be in memory, where syncing is free.
        let folder = tempfile::Builder::new().prefix("waypost-bench-").tempdir_in(".")?;
        Ok(Self::Sqlite { file: folder.path().join("bench.db"), _folder: folder })
    }

    pub(super) async fn open(&self, grouping: Grouping) -> Result<OpenStore, Failure> {
        match self {
            Self::Sqlite { file, .. } => {
                let options = SqliteOptions { grouping, ..SqliteOptions::default() };
                let store = SqliteStore::open(file, options, Arc::new(SystemClock))?;
                Ok(OpenStore::Sqlite(Arc::new(store)))
            }
            Self::Postgres { url } => {
                let options = PostgresOptions { grouping, ..PostgresOptions::default() };
                let store = PostgresStore::connect(url, options, StoreClock::Database).await?;
                Ok(OpenStore::Postgres(Arc::new(store)))
            }
        }
    }
}
