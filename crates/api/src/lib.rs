//! Wire types: what travels between a Waypost server and its clients, and how an address is shown.
//!
//! Requests refuse members they do not know; answers may grow members, and readers ignore them.

mod address;
pub mod auth;
pub mod chain;
mod document;
pub mod entity;
#[cfg(feature = "grpc")]
pub mod grpc;
mod object;
pub mod operations;
mod page;
pub mod problem;
pub mod process;
pub mod time;

pub use crate::{
    address::shown_url, document::Document, page::Page, problem::Problem, time::Timestamp,
};
