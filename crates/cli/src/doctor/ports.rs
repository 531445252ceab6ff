//! Whether the listeners can have their ports.

use std::{
    io::ErrorKind,
    net::{SocketAddr, TcpListener},
};

use super::finding::Finding;
use crate::settings::Config;

pub(super) fn examine(config: &Config) -> Vec<Finding> {
    let mut findings =
        vec![port("http port", config.http, "--http"), port("grpc port", config.grpc, "--grpc")];
    findings.extend(config.metrics.map(|it| port("metrics port", it, "--metrics")));
    findings
}

fn port(check: &'static str, address: SocketAddr, flag: &str) -> Finding {
    match TcpListener::bind(address) {
        Ok(_) => Finding::ok(check, format!("{address} is free")),
        Err(error) if error.kind() == ErrorKind::AddrInUse => Finding::warn(
            check,
            format!("{address} is in use"),
            format!("fine if a waypost serves there; else stop the other program or use {flag}"),
        ),
        Err(error) => Finding::fail(
            check,
            format!("{address} cannot be listened on: {error}"),
            Some(format!("choose another with {flag}")),
        ),
    }
}
