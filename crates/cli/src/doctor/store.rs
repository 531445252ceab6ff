//! Whether the store can be used, looked at without changing it.

use std::{
    fs::{OpenOptions, TryLockError},
    path::{Path, PathBuf},
    time::Duration,
};

use waypost_api::shown_url;
use waypost_engine::SystemClock;
use waypost_kernel::{Clock, Store};
use waypost_stores::{PostgresStore, StoreClock};

use super::{finding::Finding, machine};
use crate::{
    migrate::Progress,
    settings::{Config, StoreAddress},
};

/// Clocks further apart than this make logs hard to compare. Leases go by the database's.
const CLOCKS_APART_MAX: Duration = Duration::from_secs(2);

/// The folder of the database file.
pub(super) fn folder(config: &Config) -> Vec<Finding> {
    let StoreAddress::Sqlite { path, is_default } = &config.store else { return Vec::new() };
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        Some(_) | None => PathBuf::from("."),
    };
    let (shown, check) = (folder.display(), "data folder");
    if !folder.is_dir() {
        return vec![if *is_default {
            Finding::ok(check, format!("{shown} will be created"))
        } else {
            let advice = "create it, or name another file with --store sqlite:PATH";
            Finding::fail(check, format!("{shown} does not exist"), Some(advice.to_owned()))
        }];
    }
    let writable = match tempfile::tempfile_in(&folder) {
        Ok(_) => Finding::ok(check, format!("{shown} can be written to")),
        Err(error) => {
            let advice = "give this user the right to write there, or name another file";
            Finding::fail(check, format!("{shown}: {error}"), Some(advice.to_owned()))
        }
    };
    [Some(writable), machine::file_system(&folder), machine::free_disk(&folder)]
        .into_iter()
        .flatten()
        .collect()
}

/// The store itself and its schema.
pub(super) async fn examine(config: &Config) -> Vec<Finding> {
    match &config.store {
        StoreAddress::Temporary => {
            vec![Finding::warn("store", "is temporary", "everything is gone when the server stops")]
        }
        StoreAddress::Sqlite { path, .. } => {
            let shown = path.display();
            let found = match (path.is_file(), is_in_use(path)) {
                (_, true) => format!("{shown} is in use by a running waypost"),
                (true, false) => format!("{shown} can be read and is not in use"),
                (false, false) => format!("{shown} will be created"),
            };
            let progress = Progress::read(config, String::new()).await;
            findings(progress.map_err(|it| it.what), found)
        }
        StoreAddress::Postgres(url) => {
            let progress = Progress::read(config, String::new()).await;
            let is_complete = progress.as_ref().is_ok_and(|it| it.pending.is_empty());
            let found = format!("{} can be reached and written to", shown_url(url));
            let mut findings = findings(progress.map_err(|it| it.what), found);
            if is_complete {
                findings.push(database_clock(config, url).await);
            }
            findings
        }
    }
}

fn findings(progress: Result<Progress, String>, found: String) -> Vec<Finding> {
    match progress {
        // The text says what to do.
        Err(failure) => vec![Finding::fail("store", failure, None)],
        Ok(progress) => vec![Finding::ok("store", found), schema(&progress)],
    }
}

fn schema(progress: &Progress) -> Finding {
    match (progress.applied.last(), progress.pending.len()) {
        (Some(number), 0) => Finding::ok("schema", format!("is up to date, at {number}")),
        (None, _) => Finding::ok("schema", "will be created at the first start"),
        (Some(number), n_pending) => Finding::warn(
            "schema",
            format!("is at {number}, {n_pending} changes are pending"),
            "back up, then run `waypost migrate up`; starting the server applies them too",
        ),
    }
}

/// Whether another process holds the file's lock. Looks without creating anything.
fn is_in_use(path: &Path) -> bool {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let Ok(lock) = OpenOptions::new().write(true).open(name) else { return false };
    matches!(lock.try_lock(), Err(TryLockError::WouldBlock))
}

async fn database_clock(config: &Config, url: &str) -> Finding {
    let check = "database clock";
    let options = config.postgres.clone();
    let store = match PostgresStore::connect(url, options, StoreClock::Database).await {
        Ok(store) => store,
        Err(error) => return Finding::fail(check, error.to_string(), None),
    };
    let (here, there) = (SystemClock.now(), store.now());
    store.close().await;
    let apart = here.since(there).max(there.since(here));
    if apart > CLOCKS_APART_MAX {
        return Finding::warn(
            check,
            format!("is {apart:.1?} away from the clock of this machine"),
            "keep both right with NTP; leases go by the database's, logs by this one",
        );
    }
    Finding::ok(check, "agrees with the clock of this machine")
}
