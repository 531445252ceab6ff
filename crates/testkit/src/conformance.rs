//! What every store promises, as cases that run against any of them: `conformance::store(make)`.
//!
//! Each file is a promise; each case is a sentence about it.

mod claim;
mod commit;
mod definition;
mod figures;
mod hints;
mod history;
mod lease;
mod outbox;
mod race;
mod request;
mod run;
mod sample;
mod search;
mod subject;
mod text;
mod timer;
mod unique;
mod version;
mod watch;

pub use self::run::store;
