//! The program as its users meet it: verbs, texts, exit codes, and everything that can go wrong.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

#[path = "cli/about.rs"]
mod about;
#[path = "cli/bench.rs"]
mod bench;
#[path = "cli/configuration.rs"]
mod configuration;
#[path = "cli/dev.rs"]
mod dev;
#[path = "cli/doctor.rs"]
mod doctor;
#[path = "cli/durability.rs"]
mod durability;
#[path = "cli/entities.rs"]
mod entities;
#[path = "cli/entity_more.rs"]
mod entity_more;
#[path = "cli/entity_refusals.rs"]
mod entity_refusals;
#[path = "cli/explain.rs"]
mod explain;
#[path = "cli/inherited.rs"]
mod inherited;
#[path = "cli/lifecycles.rs"]
mod lifecycles;
#[path = "cli/lint.rs"]
mod lint;
#[path = "cli/postgres.rs"]
mod postgres;
#[path = "cli/processes.rs"]
mod processes;
#[path = "cli/refusals.rs"]
mod refusals;
#[path = "cli/settings.rs"]
mod settings;
#[path = "cli/trouble.rs"]
mod trouble;
#[path = "cli/verbs.rs"]
mod verbs;
#[path = "cli/watch.rs"]
mod watch;
#[path = "cli/world.rs"]
mod world;
