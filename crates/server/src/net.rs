//! Connections: taken, limited, cut off when they dawdle, and ended gracefully.

mod listener;
mod patience;

pub(crate) use self::{
    listener::{Crowded, Listener},
    patience::{Beat, Line},
};
