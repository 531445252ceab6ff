//! What the library promises, on every store.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that panics has failed"
)]

#[path = "lifecycle/bucket.rs"]
mod bucket;
#[path = "lifecycle/bucket_watch.rs"]
mod bucket_watch;
#[cfg(feature = "nats")]
#[path = "lifecycle/busy.rs"]
mod busy;
#[path = "lifecycle/catch_all.rs"]
mod catch_all;
#[path = "lifecycle/described.rs"]
mod described;
#[path = "lifecycle/documented.rs"]
mod documented;
#[path = "lifecycle/dropped.rs"]
mod dropped;
#[path = "lifecycle/errors.rs"]
mod errors;
#[path = "lifecycle/foreign.rs"]
mod foreign;
#[cfg(feature = "nats")]
#[path = "lifecycle/gated.rs"]
mod gated;
#[path = "lifecycle/history.rs"]
mod history;
#[path = "lifecycle/indexed.rs"]
mod indexed;
#[path = "lifecycle/invariants.rs"]
mod invariants;
#[cfg(feature = "nats")]
#[path = "lifecycle/large.rs"]
mod large;
#[path = "lifecycle/list.rs"]
mod list;
#[path = "lifecycle/logged.rs"]
mod logged;
#[path = "lifecycle/mission.rs"]
mod mission;
#[cfg(feature = "nats")]
#[path = "lifecycle/mortal.rs"]
mod mortal;
#[path = "lifecycle/nested.rs"]
mod nested;
#[path = "lifecycle/numbers.rs"]
mod numbers;
#[path = "lifecycle/operations.rs"]
mod operations;
#[cfg(feature = "nats")]
#[path = "lifecycle/outage.rs"]
mod outage;
#[path = "lifecycle/overtaken.rs"]
mod overtaken;
#[cfg(feature = "nats")]
#[path = "lifecycle/provisioned.rs"]
mod provisioned;
#[path = "lifecycle/registration.rs"]
mod registration;
#[path = "lifecycle/relatives.rs"]
mod relatives;
#[path = "lifecycle/rule_gaps.rs"]
mod rule_gaps;
#[path = "lifecycle/rule_patterns.rs"]
mod rule_patterns;
#[path = "lifecycle/rule_types.rs"]
mod rule_types;
#[path = "lifecycle/rule_words.rs"]
mod rule_words;
#[path = "lifecycle/rules.rs"]
mod rules;
#[path = "lifecycle/site.rs"]
mod site;
