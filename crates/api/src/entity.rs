//! Entities: what travels about them. The names are those existing clients were built with.

pub mod http;
mod time;

pub use self::time::Timestamp;
