//! The tables, and how they came to be.

use rusqlite::{Connection, Result, TransactionBehavior, params};
use waypost_kernel::{StoreError, Timestamp};

use super::fault::fault;
use crate::migrate::{Migration, pending};

/// Marks a database as one of Waypost's: "Wayp" in ASCII.
pub(super) const APPLICATION: i32 = 0x5761_7970;

const MIGRATIONS: &[Migration] = &[
    Migration { number: 1, name: "init", sql: include_str!("migrations/0001_init.sql") },
    Migration { number: 2, name: "past", sql: include_str!("migrations/0002_past.sql") },
];

/// Which schema changes a database has, and which it has not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqliteMigrations {
    /// The numbers of those that were applied.
    pub applied: Vec<u32>,
    /// The numbers of those that opening the store will apply.
    pub pending: Vec<u32>,
}

/// Brings the schema up to date, each change in a transaction of its own.
pub(super) fn migrate(connection: &mut Connection, now: Timestamp) -> Result<(), StoreError> {
    if !has_migrations(connection).map_err(fault)? {
        begin(connection).map_err(fault)?;
    }
    let n_pending = pending(MIGRATIONS, &applied(connection).map_err(fault)?)?.len();
    (0..n_pending).try_for_each(|_| apply_next(connection, now))
}

/// Makes an empty database one of ours.
fn begin(connection: &mut Connection) -> Result<()> {
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    tx.pragma_update(None, "application_id", APPLICATION)?;
    tx.execute_batch(
        "create table if not exists migrations (
             number integer primary key,
             name text not null,
             checksum text not null,
             applied_at integer not null
         ) strict",
    )?;
    tx.commit()
}

/// What [`migrate`] has done and would do.
pub(super) fn status(connection: &Connection) -> Result<SqliteMigrations, StoreError> {
    let applied = if has_migrations(connection).map_err(fault)? {
        applied(connection).map_err(fault)?
    } else {
        Vec::new()
    };
    let pending = pending(MIGRATIONS, &applied)?.iter().map(|it| it.number).collect();
    Ok(SqliteMigrations {
        applied: applied.into_iter().map(|(number, _)| number).collect(),
        pending,
    })
}

/// The status of a database that is not there yet.
pub(super) fn status_of_nothing() -> SqliteMigrations {
    let pending = MIGRATIONS.iter().map(|it| it.number).collect();
    SqliteMigrations { applied: Vec::new(), pending }
}

fn has_migrations(connection: &Connection) -> Result<bool> {
    connection
        .prepare("select 1 from sqlite_schema where type = 'table' and name = 'migrations'")?
        .exists([])
}

fn apply_next(connection: &mut Connection, now: Timestamp) -> Result<(), StoreError> {
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fault)?;
    // Looked up again under the lock: somebody else may have been quicker.
    let applied = applied(&tx).map_err(fault)?;
    if let Some(migration) = pending(MIGRATIONS, &applied)?.first() {
        apply(&tx, migration, now).map_err(fault)?;
    }
    tx.commit().map_err(fault)
}

fn apply(connection: &Connection, migration: &Migration, now: Timestamp) -> Result<()> {
    connection.execute_batch(migration.sql)?;
    connection
        .execute(
            "insert into migrations (number, name, checksum, applied_at) values (?1, ?2, ?3, ?4)",
            params![migration.number, migration.name, migration.checksum(), now.as_micros()],
        )
        .map(drop)
}

fn applied(connection: &Connection) -> Result<Vec<(u32, String)>> {
    connection
        .prepare("select number, checksum from migrations order by number")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}
