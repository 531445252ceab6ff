//! What the library promises, on every store.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that panics has failed")]

#[path = "lifecycle/bucket.rs"]
mod bucket;
#[path = "lifecycle/bucket_watch.rs"]
mod bucket_watch;
#[path = "lifecycle/mission.rs"]
mod mission;
#[path = "lifecycle/site.rs"]
mod site;
