//! Opening a database file: ours alone, sound, and as durable as we promise. Every way this can
//! fail says what to do about it.

use std::{
    ffi::OsString,
    fs::{File, OpenOptions, TryLockError},
    io::ErrorKind,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, Error, ErrorCode, OpenFlags, config::DbConfig};
use waypost_kernel::{StoreError, Timestamp};

use super::{fault::fault, schema};

/// How long to wait for another program, such as a backup, that has the database locked.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// A step changes a few small rows on as many pages, and a changed page is logged as a whole: larger
/// ones would be logged for the sake of rows that stay as they are.
pub(super) const PAGE_BYTES: i64 = 4 * 1024;
/// A log that has grown beyond this is cut back, in bytes.
const LOG_BYTES_MAX: i64 = 64 * 1024 * 1024;
/// What the writer keeps in memory, in KiB. More is not better: SQLite walks through all of it at
/// the end of a transaction.
const CACHE_KIB: i64 = 16 * 1024;
/// More than there are statements, so that each is only compiled once.
const STATEMENTS_MAX: usize = 64;

/// What a commit has to outlive.
#[derive(Clone, Copy)]
pub(super) enum Durability {
    /// A power cut: it is synced before anybody is told.
    Synced,
    /// Nothing: the database goes away with the program.
    Fleeting,
}

impl Durability {
    /// SQLite's number for it.
    const fn synchronous(self) -> &'static str {
        match self {
            Self::Synced => "2",
            Self::Fleeting => "0",
        }
    }
}

/// Keeps every other Waypost away from the database for as long as it lives.
pub(super) struct Claimed(#[expect(dead_code, reason = "held, not used")] File);

/// Makes sure that nobody else has the database at `path`.
pub(super) fn claim_file(path: &Path) -> Result<Claimed, StoreError> {
    let shown = path.display();
    if path.is_dir() {
        let text = format!("{shown} is a directory; name a file in it, such as {shown}/waypost.db");
        return Err(StoreError::Unavailable(text));
    }
    let parent = path.parent().filter(|it| !it.as_os_str().is_empty());
    if let Some(parent) = parent.filter(|it| !it.is_dir()) {
        let text = format!("the directory {} does not exist; create it first", parent.display());
        return Err(StoreError::Unavailable(text));
    }
    let lock_path = beside(path, ".lock");
    let lock = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&lock_path)
        .map_err(|error| unusable(&lock_path, &error))?;
    match lock.try_lock() {
        Ok(()) => Ok(Claimed(lock)),
        Err(TryLockError::WouldBlock) => Err(StoreError::Unavailable(format!(
            "{shown} is in use by another waypost; stop that one first, or name another file"
        ))),
        Err(TryLockError::Error(error)) => Err(unusable(&lock_path, &error)),
    }
}

fn unusable(path: &Path, error: &std::io::Error) -> StoreError {
    let shown = path.display();
    let text = if error.kind() == ErrorKind::PermissionDenied {
        format!("{shown} may not be written; give this user the right to, or name another file")
    } else if error.kind() == ErrorKind::ReadOnlyFilesystem {
        format!("{shown} is on a file system that is read only; name a file on another one")
    } else {
        format!("{shown} cannot be used: {error}")
    };
    StoreError::Unavailable(text)
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// The connection that writes, with the schema up to date.
pub(super) fn writer(
    path: &Path,
    durability: Durability,
    now: Timestamp,
) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = connect(path, flags)?;
    ensure_ours(&connection, path)?;
    set_up(&connection, durability).map_err(|error| explain(path, error))?;
    ensure_durable(&connection, durability, path)?;
    schema::migrate(&mut connection, now)?;
    Ok(connection)
}

/// A connection that folds the log, while the writer is there.
pub(super) fn checkpointer(path: &Path, durability: Durability) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = connect(path, flags)?;
    set_up(&connection, durability).map_err(|error| explain(path, error))?;
    ensure_durable(&connection, durability, path)?;
    Ok(connection)
}

/// A connection that cannot write.
pub(super) fn reader(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = connect(path, flags)?;
    ensure_ours(&connection, path)?;
    Ok(connection)
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let connection =
        Connection::open_with_flags(path, flags).map_err(|error| explain(path, error))?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(fault)?;
    // A plan once made stays, whatever is asked for: compiling again costs more than it saves.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(fault)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    Ok(connection)
}

/// A file with somebody else's tables is left as it is.
fn ensure_ours(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let read = || {
        let application: i32 =
            connection.query_row("pragma application_id", [], |row| row.get(0))?;
        let n_tables: i64 =
            connection.query_row("select count(*) from sqlite_schema", [], |row| row.get(0))?;
        Ok((application, n_tables))
    };
    match read().map_err(|error| explain(path, error))? {
        (schema::APPLICATION, _) | (0, 0) => Ok(()),
        _ => Err(StoreError::Corrupt(format!(
            "{} is a database of another program; name another file",
            path.display()
        ))),
    }
}

fn set_up(connection: &Connection, durability: Durability) -> Result<(), Error> {
    connection.pragma_update(None, "page_size", PAGE_BYTES)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", durability.synchronous())?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "temp_store", "memory")?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "journal_size_limit", LOG_BYTES_MAX)
}

/// Reads the settings back: SQLite does not say when it ignores one.
fn ensure_durable(
    connection: &Connection,
    durability: Durability,
    path: &Path,
) -> Result<(), StoreError> {
    let read = |name: &str| {
        let sql = format!("select cast({name} as text) from pragma_{name}");
        connection.query_row(&sql, [], |row| row.get::<_, String>(0))
    };
    let settings =
        [("journal_mode", "wal"), ("synchronous", durability.synchronous()), ("foreign_keys", "1")];
    for (name, wanted) in settings {
        let found = read(name).map_err(|error| explain(path, error))?;
        if found != wanted {
            return Err(StoreError::Unavailable(format!(
                "{} cannot be kept safely: {name} is {found}, not {wanted}; name a file on a \
                 local disk",
                path.display()
            )));
        }
    }
    Ok(())
}

/// What an error while opening means to whoever named the file.
fn explain(path: &Path, error: Error) -> StoreError {
    let shown = path.display();
    let code = error.sqlite_error_code();
    if code == Some(ErrorCode::NotADatabase) {
        return StoreError::Corrupt(format!(
            "{shown} is not a database; name another file, or restore it from a backup"
        ));
    }
    if code == Some(ErrorCode::DatabaseCorrupt) {
        return StoreError::Corrupt(format!("{shown} is damaged; restore it from a backup"));
    }
    if matches!(code, Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied)) {
        return StoreError::Unavailable(format!(
            "{shown} cannot be opened; check that this user may read and write it"
        ));
    }
    if code == Some(ErrorCode::ReadOnly) {
        return StoreError::Unavailable(format!(
            "{shown} may not be written; give this user the right to, or name another file"
        ));
    }
    fault(error)
}

#[cfg(test)]
mod tests {
    use waypost_kernel::Timestamp;

    use super::{super::temporary::TemporaryDirectory, Durability, checkpointer, writer};

    #[test]
    fn those_who_write_sync() {
        let directory = TemporaryDirectory::new().unwrap();
        let path = directory.path().join("a.db");
        let writer = writer(&path, Durability::Synced, Timestamp::EPOCH).unwrap();
        let checkpointer = checkpointer(&path, Durability::Synced).unwrap();
        for connection in [writer, checkpointer] {
            let read = |name: &str| -> String {
                let sql = format!("select cast({name} as text) from pragma_{name}");
                connection.query_row(&sql, [], |row| row.get(0)).unwrap()
            };
            assert_eq!(read("journal_mode"), "wal");
            assert_eq!(read("synchronous"), "2");
            assert_eq!(read("foreign_keys"), "1");
        }
    }
}
