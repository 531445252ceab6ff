//! How findings are shown: to people, to programs, and to those who collect findings of many
//! programs.

mod json;
mod sarif;
mod text;

pub use self::{
    json::json,
    sarif::sarif,
    text::{Paint, text},
};
