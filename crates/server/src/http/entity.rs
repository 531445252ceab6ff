//! Entities over HTTP.

pub(crate) mod problem;
