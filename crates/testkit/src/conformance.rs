//! What every store promises, as cases that run against any of them: `conformance::store(make)`.
//!
//! Each file is a promise; each case is a sentence about it.

mod claim;
mod commit;
mod definition;
mod erase;
mod figures;
mod hints;
mod history;
mod lease;
mod outbox;
mod past;
mod race;
mod request;
mod run;
mod sample;
mod search;
mod sift;
mod subject;
mod terms;
mod text;
mod timer;
mod timing;
mod unique;
mod vacant;
mod version;
mod watch;

pub use self::run::store;
