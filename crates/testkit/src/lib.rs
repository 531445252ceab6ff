//! What the tests of Waypost share. Never published.

pub mod clock;
pub mod conformance;
pub mod faults;
pub mod services;
