//! How connections come about: from a URL, vetted before anything is entrusted to them.

use std::time::Duration;

use tokio_postgres::{
    Client, Config, Connection, Socket,
    config::{Host, SslMode},
    tls::MakeTlsConnect,
};
use tokio_postgres_rustls::MakeRustlsConnect;
use waypost_kernel::{StoreError, Timestamp};

use super::{
    clock::CLOCK,
    fault::{chain, fault, unreachable},
    tls,
};

/// How long opening a connection may take.
pub(super) const CONNECT_MAX: Duration = Duration::from_secs(5);

/// How long data may stay unacknowledged before the connection counts as dead.
const SILENCE_MAX: Duration = Duration::from_secs(10);

/// What carries the bytes of a connection.
type Stream = <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream;

/// Knows where the database is.
#[derive(Clone)]
pub(super) struct Dialer {
    pub(super) config: Config,
    pub(super) tls: MakeRustlsConnect,
    pub(super) schema: Option<String>,
    pub(super) address: String,
}

impl Dialer {
    pub(super) fn new(url: &str, schema: Option<&str>) -> Result<Self, StoreError> {
        let (url, security) = split_security(url)?;
        let mut config: Config = url.parse().map_err(|error| {
            StoreError::Unavailable(format!(
                "the URL of PostgreSQL cannot be read ({}); it has the form postgres://USER:PASSWORD@HOST:PORT/DATABASE",
                chain(&error)
            ))
        })?;
        if security.is_verified {
            config.ssl_mode(SslMode::Require);
        }
        if config.get_application_name().is_none() {
            config.application_name("waypost");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_MAX);
        }
        config.tcp_user_timeout(SILENCE_MAX).keepalives_idle(SILENCE_MAX);
        if let Some(schema) = schema {
            let schema = checked(schema)?;
            let options = config.get_options().unwrap_or_default();
            config.options(format!("{options} -c search_path={schema}"));
        }
        ensure_host(&config)?;
        let (tls, address) = (tls::connector(security.roots.as_deref())?, address(&config));
        Ok(Self { config, tls, schema: schema.map(str::to_owned), address })
    }

    /// A connection that somebody must keep polling.
    pub(super) async fn dial(&self) -> Result<(Client, Connection<Socket, Stream>), StoreError> {
        let dialing = self.config.connect(self.tls.clone());
        match tokio::time::timeout(2 * CONNECT_MAX, dialing).await {
            Ok(connected) => connected.map_err(|error| unreachable(&error, &self.address)),
            Err(_) => Err(StoreError::Unavailable(format!(
                "PostgreSQL at {} does not answer; check the address and the network",
                self.address
            ))),
        }
    }

    /// A connection to a database that can be trusted with data, and its time.
    pub(super) async fn open(&self) -> Result<(Client, Timestamp), StoreError> {
        let (client, connection) = self.dial().await?;
        // It ends with the client; what went wrong on it, the client is told as well.
        drop(tokio::spawn(connection));
        let now = vet(&client).await?;
        Ok((client, now))
    }
}

/// Refuses a database that cannot write, or forgets what it has acknowledged.
pub(super) async fn vet(client: &Client) -> Result<Timestamp, StoreError> {
    let sql = format!(
        "select pg_is_in_recovery(), current_setting('synchronous_commit'), {CLOCK} as now"
    );
    let row = client.query_one(&sql, &[]).await.map_err(fault)?;
    if row.try_get(0).map_err(fault)? {
        return Err(StoreError::Unavailable(
            "this PostgreSQL is a standby; the URL must lead to the primary".to_owned(),
        ));
    }
    if row.try_get::<_, &str>(1).map_err(fault)? == "off" {
        return Err(StoreError::Unavailable(
            "synchronous_commit is off, so a crash would lose acknowledged work; turn it on for this user or database"
                .to_owned(),
        ));
    }
    row.try_get(2).map(Timestamp::from_micros).map_err(fault)
}

/// An `@` before the last one belongs to the password, and would be taken, and told, as the host.
fn ensure_host(config: &Config) -> Result<(), StoreError> {
    let is_strange = |it: &Host| matches!(it, Host::Tcp(name) if name.contains('@'));
    if config.get_hosts().iter().any(is_strange) {
        return Err(StoreError::Unavailable(
            "the URL of PostgreSQL contains more than one @; write %40 for an @ in the password"
                .to_owned(),
        ));
    }
    Ok(())
}

/// What the URL says about trust, beyond what the driver understands.
struct Security {
    is_verified: bool,
    roots: Option<String>,
}

/// Takes `sslmode=verify-full` and `sslrootcert` out of the URL.
fn split_security(url: &str) -> Result<(String, Security), StoreError> {
    let mut security = Security { is_verified: false, roots: None };
    let Some((address, query)) = url.split_once('?') else {
        return Ok((url.to_owned(), security));
    };
    let mut left = Vec::new();
    for pair in query.split('&') {
        match pair.split_once('=') {
            Some(("sslmode", "verify-full")) => security.is_verified = true,
            Some(("sslrootcert", path)) => security.roots = Some(path.replace("%2F", "/")),
            Some(_) | None => left.push(pair),
        }
    }
    if security.is_verified != security.roots.is_some() {
        return Err(StoreError::Unavailable(
            "sslmode=verify-full and sslrootcert=FILE belong together: give both or neither"
                .to_owned(),
        ));
    }
    Ok((format!("{address}?{}", left.join("&")), security))
}

/// Schemas are named plainly, so that the name needs no quotes anywhere.
fn checked(schema: &str) -> Result<&str, StoreError> {
    let is_plain = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_';
    let starts_well = schema.starts_with(|it: char| it.is_ascii_lowercase() || it == '_');
    if starts_well && schema.chars().all(is_plain) && schema.len() <= 48 {
        return Ok(schema);
    }
    Err(StoreError::Unavailable(format!(
        "{schema:?} cannot be a schema; use up to 48 lower-case letters, digits and _"
    )))
}

/// Where the database is, for people to read. Never with the password.
fn address(config: &Config) -> String {
    let ports = config.get_ports();
    let port = |index: usize| ports.get(index).or(ports.first()).copied().unwrap_or(5432);
    let host = |(index, host): (usize, &Host)| match host {
        Host::Tcp(name) => format!("{name}:{}", port(index)),
        #[cfg(unix)]
        Host::Unix(path) => format!("{}:{}", path.display(), port(index)),
    };
    config.get_hosts().iter().enumerate().map(host).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::{Dialer, StoreError};

    fn refusal(url: &str, schema: Option<&str>) -> String {
        match Dialer::new(url, schema) {
            Ok(_) => "accepted".to_owned(),
            Err(StoreError::Unavailable(text)) => text,
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn a_url_that_cannot_be_read_is_refused_with_the_right_form() {
        let text = refusal("postgres://localhost:port/x", None);
        assert!(text.contains("postgres://USER:PASSWORD@HOST:PORT/DATABASE"), "{text}");
    }

    #[test]
    fn an_at_sign_in_a_password_is_not_taken_for_a_host() {
        let text = refusal("postgres://me:s@secret@localhost/x", None);
        assert!(text.contains("write %40") && !text.contains("secret"), "{text}");
        assert_eq!(refusal("postgres://me:s%40secret@localhost/x", None), "accepted");
    }

    #[test]
    fn trust_needs_both_a_mode_and_roots() {
        let text = refusal("postgres://localhost/x?sslmode=verify-full", None);
        assert!(text.contains("belong together"), "{text}");
        let text = refusal("postgres://localhost/x?sslmode=verify-full&sslrootcert=/none", None);
        assert!(text.contains("sslrootcert /none cannot be used"), "{text}");
    }

    #[test]
    fn a_schema_has_a_plain_name() {
        assert_eq!(refusal("postgres://localhost/x", Some("orders_2")), "accepted");
        assert!(refusal("postgres://localhost/x", Some("x; drop")).contains("cannot be a schema"));
        assert!(refusal("postgres://localhost/x", Some("")).contains("cannot be a schema"));
    }
}
