//! Wire types: what travels between a Waypost server and its clients, and how an address is shown.
//!
//! Requests refuse members they do not know; answers may grow members, and readers ignore them.

mod address;
pub mod auth;
pub mod chain;
pub mod diagram;
mod document;
pub mod entity;
pub mod explain;
pub mod forecast;
#[cfg(feature = "grpc")]
pub mod grpc;
pub mod lifecycle;
mod object;
pub mod operations;
mod page;
pub mod problem;
pub mod process;
pub mod time;
pub mod what_if;

pub use crate::{
    address::shown_url, document::Document, page::Page, problem::Problem, time::Timestamp,
};
