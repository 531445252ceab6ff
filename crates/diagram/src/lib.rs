//! Pictures of definitions: what is drawn ([`picture`]), where it lies ([`layout`]), how it looks
//! ([`svg()`], [`mermaid()`], [`dot()`], [`text()`]), and how definitions become pictures ([`of`]).
//! Pure: the same definition always gives the same picture.

mod dot;
pub mod layout;
mod mermaid;
pub mod of;
pub mod picture;
mod svg;
mod text;
mod told;
mod words;

pub use self::{
    dot::dot,
    layout::TooLarge,
    mermaid::mermaid,
    svg::{Theme, label, placed, svg, texts},
    text::{Letters, text},
    told::told,
};
