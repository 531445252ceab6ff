//! Brings the tables up to date when a store is opened, whoever else does so at the same time.

use tokio_postgres::{Client, error::SqlState};
use waypost_kernel::StoreError;

use super::{dial::Dialer, fault::fault};
use crate::migrate::{Migration, pending};

const MIGRATIONS: &[Migration] = &[
    Migration { number: 1, name: "init", sql: include_str!("migrations/0001_init.sql") },
    Migration { number: 2, name: "past", sql: include_str!("migrations/0002_past.sql") },
    Migration { number: 3, name: "terms", sql: include_str!("migrations/0003_terms.sql") },
];

/// How often it is tried while other nodes do the same.
const TRIES_MAX: usize = 32;

/// Keeps starting nodes out of each other's way, unless one of them hangs. Nothing rests on it.
const TURNSTILE: &str = "set lock_timeout = '10s'; select pg_advisory_lock(8746135091)";
const TURNSTILE_END: &str = "select pg_advisory_unlock(8746135091)";

/// Which schema changes a database has and which it still needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostgresMigrations {
    /// The numbers of those it has.
    pub applied: Vec<u32>,
    /// The numbers of those that opening a store will apply.
    pub pending: Vec<u32>,
}

impl PostgresMigrations {
    /// Reads how far the database at `url` is, without changing it.
    ///
    /// # Errors
    /// When the database cannot be reached, or is ahead of this program.
    pub async fn read(url: &str, schema: Option<&str>) -> Result<Self, StoreError> {
        let dialer = Dialer::new(url, schema)?;
        let (client, _) = dialer.open().await?;
        let applied = if has_table(&client).await? { applied(&client).await? } else { Vec::new() };
        let pending = pending(MIGRATIONS, &applied)?.iter().map(|it| it.number).collect();
        Ok(Self { applied: applied.into_iter().map(|(number, _)| number).collect(), pending })
    }
}

/// Applies what is missing. Safe when several nodes start at once: a migration and the note that
/// it was applied are one transaction, so the second to try fails and looks again.
pub(super) async fn run(client: &Client, schema: Option<&str>) -> Result<(), StoreError> {
    if let Err(error) = client.batch_execute(TURNSTILE).await {
        tracing::debug!(%error, "nodes that start at once are not kept apart");
    }
    let outcome = catch_up(client, schema).await;
    if let Err(error) = client.batch_execute(TURNSTILE_END).await {
        tracing::debug!(%error, "nodes that start at once are not kept apart");
    }
    outcome
}

async fn catch_up(client: &Client, schema: Option<&str>) -> Result<(), StoreError> {
    for _ in 0..TRIES_MAX {
        match step(client, schema).await {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            Err(Trouble::Race) => tokio::task::yield_now().await,
            Err(Trouble::Store(error)) => return Err(error),
        }
    }
    Err(StoreError::Unavailable(
        "other nodes keep changing the schema; start again when they are done".to_owned(),
    ))
}

enum Trouble {
    /// Another node does the same at the same time.
    Race,
    Store(StoreError),
}

/// Applies the next migration; says whether there was none left.
async fn step(client: &Client, schema: Option<&str>) -> Result<bool, Trouble> {
    if !has_table(client).await.map_err(Trouble::Store)? {
        create_table(client, schema).await.map_err(raced)?;
    }
    let applied = applied(client).await.map_err(Trouble::Store)?;
    let Some(next) = pending(MIGRATIONS, &applied).map_err(Trouble::Store)?.first() else {
        return Ok(true);
    };
    match apply(client, next).await {
        Ok(()) => Ok(false),
        Err(error) => {
            client.batch_execute("rollback").await.map_err(raced)?;
            Err(raced(error))
        }
    }
}

fn raced(error: tokio_postgres::Error) -> Trouble {
    let races = [
        SqlState::UNIQUE_VIOLATION,
        SqlState::DUPLICATE_TABLE,
        SqlState::DUPLICATE_OBJECT,
        SqlState::DUPLICATE_SCHEMA,
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
    ];
    if error.code().is_some_and(|code| races.contains(code)) {
        Trouble::Race
    } else {
        Trouble::Store(fault(error))
    }
}

async fn apply(client: &Client, migration: &Migration) -> Result<(), tokio_postgres::Error> {
    client.batch_execute("begin").await?;
    let number = i64::from(migration.number);
    let note = "insert into migrations (number, name, checksum) values ($1, $2, $3)";
    client.execute(note, &[&number, &migration.name, &migration.checksum()]).await?;
    client.batch_execute(migration.sql).await?;
    client.batch_execute("commit").await
}

async fn has_table(client: &Client) -> Result<bool, StoreError> {
    let sql = "\
        select count(*) > 0 from information_schema.tables
        where table_schema = current_schema() and table_name = 'migrations'";
    client.query_one(sql, &[]).await.and_then(|row| row.try_get(0)).map_err(fault)
}

async fn create_table(client: &Client, schema: Option<&str>) -> Result<(), tokio_postgres::Error> {
    if let Some(schema) = schema {
        client.batch_execute(&format!("create schema if not exists {schema}")).await?;
    }
    let sql = "\
        create table if not exists migrations (
            number bigint not null primary key,
            name text not null,
            checksum text not null
        )";
    client.batch_execute(sql).await
}

async fn applied(client: &Client) -> Result<Vec<(u32, String)>, StoreError> {
    let sql = "select number, checksum from migrations order by number";
    let rows = client.query(sql, &[]).await.map_err(fault)?;
    let read = |row: &tokio_postgres::Row| {
        let number: i64 = row.try_get(0).map_err(fault)?;
        let number = u32::try_from(number)
            .map_err(|_| StoreError::Corrupt(format!("migration {number} has no such number")))?;
        Ok((number, row.try_get(1).map_err(fault)?))
    };
    rows.iter().map(read).collect()
}
