//! The routes of the gateway, for the document of all routes. One function serves them all, below a
//! prefix that can be chosen.
#![expect(dead_code, reason = "what is here is read by a macro, and not called")]

use waypost_api::lifecycle::{Done, Move, Transition, Type};

/// All there is, below the usual prefix.
#[cfg(test)]
pub(in crate::http) const KNOWN: [(&str, &str); 7] = [
    ("GET", "/workflows"),
    ("GET", "/workflows/{type}"),
    ("GET", "/workflows/{type}/{id}"),
    ("GET", "/workflows/{type}/{id}/history"),
    ("GET", "/workflows/{type}/{id}/children"),
    ("POST", "/workflows/{type}/{id}/state"),
    ("POST", "/workflows/{type}/{id}/transition"),
];

/// The types there are, with how many of their entities are where
#[utoipa::path(
    get, path = "/workflows", tag = "Lifecycles",
    responses((status = 200, description = "The types, by name", body = [Type])),
)]
pub(in crate::http) const fn types() {}

/// Entities of a type, or the type itself, or a stream of its entities
#[utoipa::path(
    get, path = "/workflows/{type}", tag = "Lifecycles",
    params(
        ("type" = String, Path, description = "The type"),
        ("phase" = Option<String>, Query, description = "Only those in this phase"),
        ("active" = Option<bool>, Query, description = "Only those that have not ended"),
        ("match.FIELD" = Option<String>, Query, description = "Only those whose field holds this"),
        ("offset" = Option<u64>, Query, description = "How many to pass over"),
        ("limit" = Option<u64>, Query, description = "How many; at most 10000"),
        ("snapshot" = Option<bool>, Query, description = "With what is known about each"),
        ("definition" = Option<bool>, Query, description = "The type itself instead"),
        ("stream" = Option<bool>, Query,
            description = "Each as it is written instead, over a WebSocket or as events"),
        ("bootstrap" = Option<bool>, Query,
            description = "Mark in the stream when all that was there has been shown"),
    ),
    responses(
        (status = 200, description = "Entities as their program stores them, by id; the header \
            `waypost-more` says that there are others. With `snapshot`: LifecycleSnapshot; with \
            `definition`: LifecycleDefinition", body = [Object]),
        (status = 404, description = "No such type"),
    ),
)]
pub(in crate::http) const fn list() {}

/// One entity
#[utoipa::path(
    get, path = "/workflows/{type}/{id}", tag = "Lifecycles",
    params(
        ("type" = String, Path, description = "The type"),
        ("id" = String, Path, description = "The entity's id"),
        ("snapshot" = Option<bool>, Query, description = "With what is known about it"),
    ),
    responses(
        (status = 200, description = "The entity as its program stores it. With `snapshot`: \
            LifecycleSnapshot", body = Object),
        (status = 404, description = "No such entity"),
    ),
)]
pub(in crate::http) const fn show() {}

/// How an entity got where it is
#[utoipa::path(
    get, path = "/workflows/{type}/{id}/history", tag = "Lifecycles",
    params(
        ("type" = String, Path, description = "The type"),
        ("id" = String, Path, description = "The entity's id"),
    ),
    responses(
        (status = 200, description = "Its moves, oldest first", body = [Move]),
        (status = 404, description = "There has never been one"),
    ),
)]
pub(in crate::http) const fn history() {}

/// The entities, of whatever type, that belong to another
#[utoipa::path(
    get, path = "/workflows/{type}/{id}/children", tag = "Lifecycles",
    params(
        ("type" = String, Path, description = "A type; it does not matter which"),
        ("id" = String, Path, description = "The entity they belong to"),
        ("offset" = Option<u64>, Query, description = "How many to pass over"),
        ("limit" = Option<u64>, Query, description = "How many; at most 10000"),
        ("snapshot" = Option<bool>, Query, description = "With what is known about each"),
    ),
    responses((status = 200, description = "The entities, by type and id; the header \
        `waypost-more` says that there are others", body = [Object])),
)]
pub(in crate::http) const fn children() {}

/// Write fields of an entity that are there for operators, all or none
#[utoipa::path(
    post, path = "/workflows/{type}/{id}/state", tag = "Lifecycles",
    params(
        ("type" = String, Path, description = "The type"),
        ("id" = String, Path, description = "The entity's id"),
    ),
    request_body(content = Object,
        description = "Fields by name; null sets what a type begins with"),
    responses(
        (status = 200, description = "Written", body = Done),
        (status = 400, description = "A field is not there, is not for operators, or does not \
            take the value"),
        (status = 404, description = "No such entity"),
        (status = 409, description = "Others kept writing to it"),
        (status = 413, description = "It is too large, or the entity would be"),
    ),
)]
pub(in crate::http) const fn patch() {}

/// Move an entity along its table
#[utoipa::path(
    post, path = "/workflows/{type}/{id}/transition", tag = "Lifecycles",
    params(
        ("type" = String, Path, description = "The type"),
        ("id" = String, Path, description = "The entity's id"),
    ),
    request_body = Transition,
    responses(
        (status = 200, description = "Moved", body = Done),
        (status = 400, description = "The table does not let it"),
        (status = 404, description = "No such entity"),
        (status = 409, description = "Others kept writing to it"),
        (status = 413, description = "It is too large, or the entity would be"),
    ),
)]
pub(in crate::http) const fn transition() {}
