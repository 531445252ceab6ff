//! What every store promises, as cases that run against any of them: `conformance::store(make)`.
//!
//! Each file is a promise; each case is a sentence about it.

mod claim;
mod commit;
mod lease;
mod outbox;
mod run;
mod sample;
mod subject;
mod timer;
mod version;

pub use self::run::store;
