//! The seeded simulator: several nodes, workers and clients over one store that loses answers,
//! refuses and delays, on one thread and a virtual clock. A seed is a whole story; the same seed
//! is the same story.

mod actors;
mod chance;
mod executor;
mod faults;
mod ledger;
mod mutant;
mod referee;
mod world;

pub use self::{
    mutant::Mutant,
    world::{Report, run},
};
