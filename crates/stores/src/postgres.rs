//! Everything in PostgreSQL, shared by many nodes. Commits that wait at the same time land in one
//! transaction of a few multi-row statements; the database's clock judges leases.

mod claim;
mod clock;
mod conditions;
mod counter;
mod dial;
mod effects;
mod facts;
mod fault;
mod figures;
mod gate;
mod group;
mod lane;
mod lock;
mod migrate;
mod notify;
mod options;
mod outbox;
mod pipeline;
mod pool;
mod read;
mod rows;
mod search;
mod session;
mod sift;
mod store;
mod tls;
mod watch;
mod write;

pub use self::{
    clock::StoreClock, migrate::PostgresMigrations, options::PostgresOptions, store::PostgresStore,
};
