//! What nodes find each other with.

use std::time::Duration;

use reqwest::Url;

/// Bytes of a node's name: it is in every ticket.
const NAME_MAX: usize = 128;

/// How a node is one of several.
#[derive(Clone, Debug)]
pub struct ClusterOptions {
    /// Where the other nodes reach this one, such as `http://10.0.0.5:8080`. Port 0 is the one that
    /// the server has picked.
    pub address: String,
    /// The same for gRPC. The host of `address` and the port the server listens on, if absent.
    pub grpc_address: Option<String>,
    /// How long to look for a member that is nowhere yet.
    pub wait: Duration,
    /// How long another node may take to begin its answer to a callback that only reads. One that
    /// writes has as long as any other write.
    pub proxy_timeout: Duration,
}

impl ClusterOptions {
    /// A node that is reached at that address.
    pub fn new(address: impl Into<String>) -> Self {
        Self {
            address: address.into(),
            grpc_address: None,
            wait: Duration::from_secs(5),
            proxy_timeout: Duration::from_secs(30),
        }
    }
}

/// Why a node cannot be one of several.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClusterError {
    /// An address leads nowhere.
    #[error("{0:?} is no address of a node; write http://HOST:PORT")]
    Address(String),
    /// Other nodes could not call it so.
    #[error("a node's name has 1 to {NAME_MAX} printable ASCII characters, not {0:?}")]
    Name(String),
    /// Anybody could speak in the name of a node.
    #[error("nodes that reach each other need a common secret")]
    NoSecret,
    /// No request can be sent.
    #[error("no other node can be reached: {0}")]
    Client(String),
}

/// Reads an address.
pub(super) fn address(text: &str, schemes: &[&str]) -> Result<Url, ClusterError> {
    let wrong = || ClusterError::Address(text.to_owned());
    let url: Url = text.parse().map_err(|_| wrong())?;
    let is_plain = url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    let is_good = is_plain && url.has_host() && schemes.contains(&url.scheme());
    if is_good { Ok(url) } else { Err(wrong()) }
}

/// Whether a node can be called so.
pub(super) fn check_name(name: &str) -> Result<(), ClusterError> {
    let is_plain = name.bytes().all(|it| it.is_ascii_graphic());
    if is_plain && !name.is_empty() && name.len() <= NAME_MAX {
        return Ok(());
    }
    Err(ClusterError::Name(name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_scheme_a_host_and_a_port() {
        for good in ["http://10.0.0.5:8080", "http://localhost:8080/", "https://[::1]"] {
            assert!(address(good, &["http", "https"]).is_ok(), "{good}");
        }
        for wrong in [
            "",
            "10.0.0.5:8080",
            "node-a:8080",
            "ftp://node-a",
            "http://",
            "http://node-a/api",
            "http://node-a?x=1",
            "http://me:secret@node-a",
        ] {
            let told = Err(ClusterError::Address(wrong.to_owned()));
            assert_eq!(address(wrong, &["http", "https"]), told, "{wrong}");
        }
        assert!(address("https://node-a:9090", &["http"]).is_err());
    }

    #[test]
    fn a_name_can_be_written_anywhere() {
        let long = "n".repeat(NAME_MAX + 1);
        for (name, is_good) in
            [("node-1", true), ("", false), ("a b", false), ("n\u{e9}", false), (&long, false)]
        {
            assert_eq!(check_name(name).is_ok(), is_good, "{name}");
        }
    }
}
