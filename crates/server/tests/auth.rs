//! Signing in to the entity face, over every store: who is let in, and by what.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that panics has failed"
)]

#[path = "auth/bearer.rs"]
mod bearer;
#[path = "auth/clients.rs"]
mod clients;
#[path = "auth/forge.rs"]
mod forge;
#[path = "auth/keys.rs"]
mod keys;
#[path = "auth/mock.rs"]
mod mock;
#[path = "auth/nodes.rs"]
mod nodes;
#[path = "http/on.rs"]
mod on;
#[path = "auth/sampler.rs"]
mod sampler;
#[path = "auth/setup.rs"]
mod setup;
#[path = "auth/stores.rs"]
mod stores;
#[path = "auth/token.rs"]
mod token;
#[path = "auth/trusted.rs"]
mod trusted;
#[path = "auth/viewer.rs"]
mod viewer;
#[path = "auth/world.rs"]
mod world;
