//! The pure machines, one per face. No I/O, no clock, no chance; faces do not know each other.

pub mod chain;
pub mod difference;
pub mod entity;
pub mod explanation;
pub mod lifecycle;
pub mod process;
