//! The process face: graphs of steps over variables.

pub mod expression;
