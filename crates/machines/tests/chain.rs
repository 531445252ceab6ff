//! Stories of chains: commands in, consequences out.
//!
//! `T1` to `T13` are the transitions of a step: started ready (1) or pending (2), activated (3),
//! claimed (4), claimed because of its deadline (5), done (6), waiting (7), retried (8), out of
//! attempts (9), dead (10), recovered from a lost lease (11), woken (12), and never changed again
//! (13). Each has a story under its name.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that panics has failed")]

#[path = "chain/early.rs"]
mod early;
#[path = "chain/ending.rs"]
mod ending;
#[path = "chain/invariants.rs"]
mod invariants;
#[path = "chain/leases.rs"]
mod leases;
#[path = "chain/limits.rs"]
mod limits;
#[path = "chain/outgoing.rs"]
mod outgoing;
#[path = "chain/races.rs"]
mod races;
#[path = "chain/refusals.rs"]
mod refusals;
#[path = "chain/repeats.rs"]
mod repeats;
#[path = "chain/reports.rs"]
mod reports;
#[path = "chain/retries.rs"]
mod retries;
#[path = "chain/show.rs"]
mod show;
#[path = "chain/signals.rs"]
mod signals;
#[path = "chain/steps.rs"]
mod steps;
#[path = "chain/story.rs"]
mod story;
#[path = "chain/timeouts.rs"]
mod timeouts;
#[path = "chain/words.rs"]
mod words;
#[path = "chain/world.rs"]
mod world;
