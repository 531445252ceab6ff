//! Requests and answers: one file parses bodies, one maps failures, one is the edge all requests
//! pass; each face has its routes in a file of its name.

mod admission;
mod app;
mod asking;
mod body;
mod chain;
mod console;
mod diagram;
mod docs;
mod door;
mod dry_run;
mod edge;
pub(crate) mod entity;
mod events;
mod explain;
mod health;
mod incidents;
mod lifecycle;
mod lint;
mod markdown;
mod meter;
mod moment;
mod openapi;
mod overview;
mod pages;
mod params;
mod problem;
mod process;
mod routes;
mod settings;
mod structure;
mod what_if;
mod workers;

pub(crate) use self::{
    admission::{Admitted, Class},
    app::App,
    body::read_within,
    door::{LOOK_ONLY, only_looks},
    explain::{explanation, shown},
    lifecycle::{GatewayMeter, explained as explained_lifecycle},
    meter::Gauge,
    pages::Pages,
    problem::Refusal,
    process::KEY_IN_USE,
    routes::{entity_roots, main_router, metrics_router},
};
