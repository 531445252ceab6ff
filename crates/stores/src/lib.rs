//! Durable homes for instances. A store checks expectations and writes what it is told; it decides
//! nothing.

mod check;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod grouping;
mod hint;
mod memory;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod migrate;
mod page;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod portion;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod steps;

#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub use crate::grouping::Grouping;
pub use crate::memory::MemoryStore;
#[cfg(feature = "postgres")]
pub use crate::postgres::{PostgresMigrations, PostgresOptions, PostgresStore, StoreClock};
#[cfg(feature = "sqlite")]
pub use crate::sqlite::{SqliteMigrations, SqliteOptions, SqliteStore};
