//! Compute members over gRPC: real streams, and members that behave as well or as badly as it takes.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that panics has failed"
)]

#[path = "compute/answers.rs"]
mod answers;
#[path = "compute/choice.rs"]
mod choice;
#[path = "compute/hostile.rs"]
mod hostile;
#[path = "compute/joining.rs"]
mod joining;
#[path = "compute/keep_alive.rs"]
mod keep_alive;
#[path = "compute/member.rs"]
mod member;
#[path = "compute/questions.rs"]
mod questions;
#[path = "compute/waiting.rs"]
mod waiting;
#[path = "compute/world.rs"]
mod world;
