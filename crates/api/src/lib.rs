//! Wire types: what travels between a Waypost server and its clients, and nothing else.
//!
//! Requests refuse members they do not know; answers may grow members, and readers ignore them.

pub mod chain;
mod document;
#[cfg(feature = "grpc")]
pub mod grpc;
mod page;
pub mod problem;
pub mod process;
pub mod time;

pub use crate::{document::Document, page::Page, problem::Problem, time::Timestamp};
