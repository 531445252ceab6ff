//! gRPC: one service for each face that has one, with health and reflection beside them.

mod door;
mod entity;
mod incoming;
mod instances;
mod listener;
mod meter;
mod process;
mod status;
mod values;

pub(crate) use self::listener::{bind, serve};
