//! What can be set: flags over environment over file over defaults, each value with its origin.

pub(crate) mod catalog;
mod config;
mod entity;
mod file;
mod inherited;
mod key;
mod lifecycle;
mod nearest;
mod policy;
mod resolve;
mod secret;
mod telemetry;
mod together;

pub(crate) use self::{
    config::{Config, Outbox, StoreAddress},
    entity::EntityConfig,
    key::Key,
    lifecycle::LifecycleConfig,
    nearest::nearest,
    resolve::{Setting, Settings, Sources},
    telemetry::TelemetryConfig,
};
