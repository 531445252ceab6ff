//! Opening the store that was chosen. The one place that knows which kinds there are.

use std::{path::Path, sync::Arc};

use waypost_engine::SystemClock;
use waypost_kernel::{Store, StoreError};
use waypost_stores::{PostgresStore, SqliteStore, StoreClock};

use crate::{
    exit::{Exit, Failure},
    settings::{Config, StoreAddress},
};

/// An open store, with what only its kind can do.
pub(crate) enum OpenStore {
    Sqlite(Arc<SqliteStore>),
    Postgres(Arc<PostgresStore>),
}

impl OpenStore {
    /// Opens the store, creating what is ours to create.
    pub(crate) async fn open(config: &Config) -> Result<Self, Failure> {
        let clock = Arc::new(SystemClock);
        match &config.store {
            StoreAddress::Sqlite { path, is_default } => {
                if *is_default {
                    create_folder(path)?;
                }
                let store = SqliteStore::open(path, config.sqlite.clone(), clock)?;
                Ok(Self::Sqlite(Arc::new(store)))
            }
            StoreAddress::Temporary => {
                let store = SqliteStore::temporary(config.sqlite.clone(), clock)?;
                Ok(Self::Sqlite(Arc::new(store)))
            }
            StoreAddress::Postgres(url) => {
                let options = config.postgres.clone();
                let store = PostgresStore::connect(url, options, StoreClock::Database).await?;
                Ok(Self::Postgres(Arc::new(store)))
            }
        }
    }

    /// The store, for an engine.
    pub(crate) fn shared(&self) -> Arc<dyn Store> {
        match self {
            Self::Sqlite(store) => Arc::<SqliteStore>::clone(store),
            Self::Postgres(store) => Arc::<PostgresStore>::clone(store),
        }
    }

    /// Whether no other process can have it open.
    pub(crate) const fn is_ours_alone(&self) -> bool {
        match self {
            Self::Sqlite(_) => true,
            Self::Postgres(_) => false,
        }
    }

    /// Why the store has stopped for good, if it has.
    pub(crate) fn failure(&self) -> Option<String> {
        match self {
            Self::Sqlite(store) => store.failure(),
            // A database that comes back is found again.
            Self::Postgres(_) => None,
        }
    }

    /// Writes what waits and lets go.
    pub(crate) async fn close(&self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(store) => store.close().await,
            Self::Postgres(store) => {
                store.close().await;
                Ok(())
            }
        }
    }
}

fn create_folder(path: &Path) -> Result<(), Failure> {
    let Some(folder) = path.parent() else { return Ok(()) };
    std::fs::create_dir_all(folder).map_err(|error| {
        let what = format!("the data folder {} cannot be created: {error}", folder.display());
        Failure::new(Exit::Unavailable, what)
            .advise("run in a folder you may write to, or choose a file with --store sqlite:PATH")
    })
}
