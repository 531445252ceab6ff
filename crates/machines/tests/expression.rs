//! The expression language: sources and variables in, values out.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that panics has failed")]

#[path = "expression/assignments.rs"]
mod assignments;
#[path = "expression/check.rs"]
mod check;
#[path = "expression/errors.rs"]
mod errors;
#[path = "expression/examples.rs"]
mod examples;
#[path = "expression/functions.rs"]
mod functions;
#[path = "expression/grammar.rs"]
mod grammar;
#[path = "expression/guide.rs"]
mod guide;
#[path = "expression/limits.rs"]
mod limits;
#[path = "expression/oracle.rs"]
mod oracle;
#[path = "expression/properties.rs"]
mod properties;
