//! Requests and answers: one file parses bodies, one maps failures, one is the edge all requests
//! pass; each face has its routes in a file of its name.

mod admission;
mod app;
mod body;
mod chain;
mod console;
mod docs;
mod edge;
pub(crate) mod entity;
mod events;
mod health;
mod lifecycle;
mod meter;
mod openapi;
mod overview;
mod params;
mod problem;
mod process;
mod routes;
mod structure;

pub(crate) use self::{
    admission::{Admitted, Class},
    app::App,
    body::read_within,
    meter::Gauge,
    problem::Refusal,
    process::KEY_IN_USE,
    routes::{main_router, metrics_router},
};
