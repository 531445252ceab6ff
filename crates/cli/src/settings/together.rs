//! What the other server of the entity format has in several variables, and we in one.

use std::{collections::BTreeMap, net::IpAddr};

use super::inherited::{Reading, database, value_or_file, variable};
use crate::exit::Failure;

/// Where the other server listens for those who watch it, if it is told only half of it.
const WATCHED_AT: (&str, u16) = ("127.0.0.1", 9091);

/// Where a collector listens that nobody has named.
const COLLECTOR: &str = "http://localhost:4317";

type Environment = BTreeMap<String, String>;

/// A value as we would have it written, and the name it came from.
type Found = Option<(String, String)>;

/// What they come to.
pub(super) struct Together {
    pub(super) store: Found,
    pub(super) metrics: Found,
    /// Where traces go.
    pub(super) otlp: Found,
    /// What was set and is not gone by.
    pub(super) warnings: Vec<String>,
}

impl Together {
    pub(super) fn read(environment: &Environment) -> Result<Self, Failure> {
        let mut warnings = Vec::new();
        let roles = "CYODA_IAM_MOCK_ROLES";
        if environment.contains_key(roles) && variable(environment, roles).is_none() {
            warnings.push(format!("{roles} is empty, but must be names such as ROLE_ADMIN"));
        }
        let metrics = metrics(environment, &mut warnings)?;
        let otlp = otlp(environment, &mut warnings);
        Ok(Self { store: store(environment)?, metrics, otlp, warnings })
    }
}

/// The backend that is named; else the one that there is an address for.
fn store(environment: &Environment) -> Result<Found, Failure> {
    const BACKEND: &str = "CYODA_STORAGE_BACKEND";
    match variable(environment, BACKEND).as_deref() {
        Some("memory") => Ok(Some(("sqlite::memory:".to_owned(), BACKEND.to_owned()))),
        // Without a path it is where we would have it: where the other server has its own, there
        // may be a file of its own.
        Some("sqlite") => Ok(sqlite(environment)),
        Some("postgres") => postgres(environment)?.map(Some).ok_or_else(|| {
            let what = format!("{BACKEND} is \"postgres\", but CYODA_POSTGRES_URL is not set");
            Failure::usage(what)
        }),
        Some(other) => Err(Failure::usage(format!(
            "{BACKEND} is {other:?}, but must be memory, sqlite or postgres"
        ))),
        None => Ok(postgres(environment)?.or_else(|| sqlite(environment))),
    }
}

fn sqlite(environment: &Environment) -> Found {
    const PATH: &str = "CYODA_SQLITE_PATH";
    variable(environment, PATH).map(|it| (format!("sqlite:{it}"), PATH.to_owned()))
}

fn postgres(environment: &Environment) -> Result<Found, Failure> {
    let Some((given, name)) = value_or_file(environment, "CYODA_POSTGRES_URL")? else {
        return Ok(None);
    };
    match database(&given) {
        Some(url) => Ok(Some((url, name))),
        None => Err(Failure::usage(format!(
            "{name} is not readable, but must be postgres://USER:PASSWORD@HOST:PORT/DATABASE, or words such as host=db"
        ))),
    }
}

fn metrics(environment: &Environment, warnings: &mut Vec<String>) -> Result<Found, Failure> {
    const PORT: &str = "CYODA_ADMIN_PORT";
    const BIND: &str = "CYODA_ADMIN_BIND_ADDRESS";
    let (port, bind) = (variable(environment, PORT), variable(environment, BIND));
    let name = match (&port, &bind) {
        (None, None) => return Ok(None),
        (Some(_), _) => PORT,
        (None, Some(_)) => BIND,
    };
    let (ip, default) = WATCHED_AT;
    let port = match port.as_ref().map(|it| it.parse()) {
        None => default,
        Some(Ok(port)) => port,
        Some(Err(_)) => {
            let given = port.unwrap_or_default();
            warnings.push(format!("{PORT} is {given:?}, but must be a port such as {default}"));
            default
        }
    };
    let bind = bind.unwrap_or_else(|| ip.to_owned()).replace("localhost", ip);
    match bind.parse::<IpAddr>() {
        Ok(ip) => Ok(Some((std::net::SocketAddr::new(ip, port).to_string(), name.to_owned()))),
        Err(_) => {
            let what = format!("{BIND} is {bind:?}, but must be an IP address such as {ip}");
            Err(Failure::usage(what))
        }
    }
}

/// The name that turns traces on is the other server's; the one that says where is a standard's,
/// and alone it may be meant for another program.
fn otlp(environment: &Environment, warnings: &mut Vec<String>) -> Found {
    const ON: &str = "CYODA_OTEL_ENABLED";
    const WHERE: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
    let given = variable(environment, ON)?;
    match Reading::Switch.read(&given).as_deref() {
        Ok("true") => {
            let named = variable(environment, WHERE).map(|it| (it, WHERE.to_owned()));
            named.or_else(|| Some((COLLECTOR.to_owned(), ON.to_owned())))
        }
        Ok(_) => None,
        Err(expected) => {
            warnings.push(format!("{ON} is {given:?}, but must be {expected}"));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> String {
        let pairs = variables.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        match Together::read(&pairs.collect()) {
            Ok(Together { store, metrics, otlp, warnings }) => {
                let shown = |it: Found| it.map_or("-".into(), |(a, b)| format!("{a} by {b}"));
                let traces = otlp.map_or(String::new(), |it| shown(Some(it)) + " ");
                format!("{} {} {traces}{warnings:?}", shown(store), shown(metrics))
            }
            Err(failure) => failure.what,
        }
    }

    #[test]
    fn the_backend_decides_which_address_counts() {
        let (path, url) =
            (("CYODA_SQLITE_PATH", "/d/w.db"), ("CYODA_POSTGRES_URL", "postgres://db/w"));
        let backend = |it| ("CYODA_STORAGE_BACKEND", it);
        for (variables, expected) in [
            (vec![], "- - []"),
            (vec![backend("memory"), path, url], "sqlite::memory: by CYODA_STORAGE_BACKEND - []"),
            (vec![backend("sqlite"), path, url], "sqlite:/d/w.db by CYODA_SQLITE_PATH - []"),
            (vec![backend("sqlite"), url], "- - []"),
            (vec![backend("postgres"), path, url], "postgres://db/w by CYODA_POSTGRES_URL - []"),
            (vec![path, url], "postgres://db/w by CYODA_POSTGRES_URL - []"),
            (vec![path], "sqlite:/d/w.db by CYODA_SQLITE_PATH - []"),
            (
                vec![backend("postgres"), path],
                "CYODA_STORAGE_BACKEND is \"postgres\", but CYODA_POSTGRES_URL is not set",
            ),
            (
                vec![backend("cassandra")],
                "CYODA_STORAGE_BACKEND is \"cassandra\", but must be memory, sqlite or postgres",
            ),
        ] {
            assert_eq!(read(&variables), expected);
        }
    }

    #[test]
    fn roles_that_are_none_are_not_gone_by() {
        let told = r#"- - ["CYODA_IAM_MOCK_ROLES is empty, but must be names such as ROLE_ADMIN"]"#;
        assert_eq!(read(&[("CYODA_IAM_MOCK_ROLES", " ")]), told);
    }

    #[test]
    fn those_who_watch_have_an_address_of_two_parts() {
        let (port, bind) = (("CYODA_ADMIN_PORT", "7"), ("CYODA_ADMIN_BIND_ADDRESS", "::1"));
        for (variables, expected) in [
            (vec![port], "- 127.0.0.1:7 by CYODA_ADMIN_PORT []"),
            (vec![bind], "- [::1]:9091 by CYODA_ADMIN_BIND_ADDRESS []"),
            (vec![port, bind], "- [::1]:7 by CYODA_ADMIN_PORT []"),
            (
                vec![("CYODA_ADMIN_PORT", "x"), bind],
                "- [::1]:9091 by CYODA_ADMIN_PORT \
                 [\"CYODA_ADMIN_PORT is \\\"x\\\", but must be a port such as 9091\"]",
            ),
            (
                vec![("CYODA_ADMIN_BIND_ADDRESS", "here")],
                "CYODA_ADMIN_BIND_ADDRESS is \"here\", but must be an IP address such as 127.0.0.1",
            ),
        ] {
            assert_eq!(read(&variables), expected);
        }
    }

    #[test]
    fn traces_go_to_the_collector_of_the_standard_once_they_are_on() {
        let named = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:1");
        let on = |it| ("CYODA_OTEL_ENABLED", it);
        for (variables, expected) in [
            (vec![named], "- - []"),
            (vec![on("false"), named], "- - []"),
            (vec![on("true"), named], "- - http://c:1 by OTEL_EXPORTER_OTLP_ENDPOINT []"),
            (vec![on("yes")], "- - http://localhost:4317 by CYODA_OTEL_ENABLED []"),
            (
                vec![on("on"), named],
                "- - [\"CYODA_OTEL_ENABLED is \\\"on\\\", but must be true or false\"]",
            ),
        ] {
            assert_eq!(read(&variables), expected);
        }
    }
}
