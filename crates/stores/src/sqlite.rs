//! Everything in one SQLite file. One thread writes, and lands all that waits in one synced
//! transaction; readers have connections of their own.

mod checkpoint;
mod claim;
mod commit;
mod conditions;
mod facts;
mod fault;
mod figures;
mod latest;
mod open;
mod operation;
mod options;
mod outbox;
mod past;
mod prepared;
mod queue;
mod read;
mod readers;
mod rows;
mod schema;
mod search;
mod shared;
mod sift;
mod store;
mod temporary;
mod together;
mod watch;
mod writer;

pub use self::{options::SqliteOptions, schema::SqliteMigrations, store::SqliteStore};
