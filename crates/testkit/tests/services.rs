//! The servers that tests talk to can be found or started, and are gone afterwards.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::net::TcpStream;

use waypost_testkit::services;

/// The address in a URL such as `postgres://user@127.0.0.1:5432/name`.
fn address(url: &str) -> &str {
    let address = url.rsplit_once("//").unwrap().1;
    let address = address.rsplit_once('@').map_or(address, |it| it.1);
    address.split_once('/').map_or(address, |it| it.0)
}

#[test]
fn a_database_server_runs_until_it_is_dropped() {
    if services::postgres_programs().is_err() {
        return;
    }
    let server = services::start_postgres().unwrap();
    let address = address(&server.url).to_owned();
    TcpStream::connect(&address).unwrap();
    let first = services::fresh_database(&server.url).unwrap();
    let second = services::fresh_database(&server.url).unwrap();
    assert_ne!(first, second);
    drop(server);
    assert!(TcpStream::connect(&address).is_err());
}

#[test]
fn a_message_server_runs_until_it_is_dropped() {
    if services::nats_programs(None).is_err() {
        return;
    }
    let server = services::start_nats(None).unwrap();
    let address = address(&server.url).to_owned();
    TcpStream::connect(&address).unwrap();
    drop(server);
    assert!(TcpStream::connect(&address).is_err());
}
