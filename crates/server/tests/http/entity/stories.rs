//! Every story about entities, on every store.

use super::play::{finish, stories};
use crate::{
    on::{On, each},
    world::world,
};

/// Plays what is in the folder, each story in a world of its own.
fn all(on: On) {
    let names = stories("http/entity/stories");
    let stories = names.iter().map(|it| {
        let name = it.as_str();
        (name, move || finish(async move { world().await.enact(name).await }))
    });
    each(on, stories);
}

#[test]
fn stories_go_like_this_in_memory() {
    all(On::Memory);
}

#[test]
fn stories_go_the_same_way_on_sqlite() {
    all(On::Sqlite);
}

#[test]
fn stories_go_the_same_way_on_postgresql() {
    all(On::Postgres);
}
