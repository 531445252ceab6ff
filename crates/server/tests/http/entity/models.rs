//! Models: learned, merged, locked, extended, deleted.

use crate::world::world;

#[tokio::test]
async fn models_are_learned_and_locked() {
    world().await.enact("models_are_learned_and_locked").await;
}

#[tokio::test]
async fn models_are_exported_byte_by_byte() {
    world().await.enact("models_are_exported_byte_by_byte").await;
}

#[tokio::test]
async fn models_are_extended_as_far_as_they_may() {
    world().await.enact("models_are_extended_as_far_as_they_may").await;
}

#[tokio::test]
async fn indexes_are_declared_before_a_model_is_locked() {
    world().await.enact("indexes_are_declared_before_a_model_is_locked").await;
}
