//! JSON documents that keep their digits and their order, and conditions on them. What a criterion
//! says of a document and what a search says of it is the same, because it is said here.
//!
//! Nothing here does I/O, reads a clock or draws a random number.
#![warn(missing_docs, clippy::missing_errors_doc)]

pub mod document;
pub mod lookup;
pub mod predicate;
