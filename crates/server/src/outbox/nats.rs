//! Messages on a NATS subject.

use std::{fmt::Display, io, str::FromStr as _};

use async_nats::{
    Client, ConnectOptions, HeaderMap, HeaderName, HeaderValue, ServerAddr, Subject,
    connection::State, jetstream,
};
use async_trait::async_trait;
use percent_encoding::percent_decode_str;
use waypost_api::shown_url;
use waypost_engine::Transport;
use waypost_kernel::Posted;

use super::{OutboxError, own_headers, standard_headers};

/// Drops repeats in a stream.
const MESSAGE_ID: &str = "Nats-Msg-Id";

/// Publishes each message. Core NATS counts it as delivered when it has left; JetStream when a
/// stream has stored it.
pub struct Nats {
    client: Client,
    subject: Subject,
    stream: Option<jetstream::Context>,
}

impl Nats {
    /// A way to `subject` on the server at `url`. The connection is made in the background, and
    /// again when it breaks; messages wait in the outbox meanwhile.
    ///
    /// # Errors
    /// When address or subject make no sense.
    pub async fn connect(url: &str, subject: &str, jetstream: bool) -> Result<Self, OutboxError> {
        check_subject(subject)?;
        let refused = |error: &dyn Display| {
            OutboxError(format!("{:?} is not a NATS server: {error}", shown_url(url)))
        };
        let (options, server) = signed_in(url).map_err(|error| refused(&error))?;
        let options = options.name("waypost").retry_on_initial_connect();
        let client = options.connect(server).await.map_err(|error| refused(&error))?;
        let stream = jetstream.then(|| jetstream::new(client.clone()));
        Ok(Self { client, subject: subject.into(), stream })
    }
}

/// Takes user and password out of the address, or the one word that NATS calls a token. The client
/// neither uses them there nor keeps them out of its log.
pub(crate) fn signed_in(url: &str) -> io::Result<(ConnectOptions, ServerAddr)> {
    let mut address = url.parse::<ServerAddr>()?.into_inner();
    let plain = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let options = match (address.username(), address.password()) {
        ("", None) => ConnectOptions::new(),
        (word, None) => ConnectOptions::with_token(plain(word)),
        (user, Some(password)) => {
            ConnectOptions::with_user_and_password(plain(user), plain(password))
        }
    };
    let emptied = address.set_username("").and_then(|()| address.set_password(None));
    emptied.map_err(|()| io::Error::other("it names no host"))?;
    Ok((options, ServerAddr::from_url(address)?))
}

/// One can publish to a name only, not to a pattern.
fn check_subject(subject: &str) -> Result<(), OutboxError> {
    let is_word = |it: &str| {
        !it.is_empty() && !it.contains(|it: char| it.is_whitespace() || "*>".contains(it))
    };
    if subject.split('.').all(is_word) {
        return Ok(());
    }
    let text = format!("{subject:?} is not a NATS subject: words between dots, no * and no >");
    Err(OutboxError(text))
}

#[async_trait]
impl Transport for Nats {
    async fn send(&self, posted: &Posted) -> Result<(), String> {
        // Without this, messages would pile up in memory and be sent twice later.
        if self.client.connection_state() != State::Connected {
            return Err("CONNECT: there is no connection to NATS".into());
        }
        let payload = posted.message.payload.as_str().to_owned().into();
        let (subject, headers) = (self.subject.clone(), headers(posted));
        match &self.stream {
            Some(stream) => {
                let sent = stream.publish_with_headers(subject, headers, payload).await;
                sent.map_err(|error| failure(&error))?.await.map_err(|error| failure(&error))?;
            }
            None => {
                let sent = self.client.publish_with_headers(subject, headers, payload).await;
                sent.map_err(|error| failure(&error))?;
                self.client.flush().await.map_err(|error| failure(&error))?;
            }
        }
        Ok(())
    }
}

fn headers(posted: &Posted) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let own = own_headers(posted).filter(|(name, _)| !name.starts_with("Nats-"));
    for (name, value) in own {
        insert(&mut headers, name, value);
    }
    for (name, value) in standard_headers(posted) {
        insert(&mut headers, name, &value);
    }
    insert(&mut headers, MESSAGE_ID, posted.message.id.as_str());
    headers
}

/// What cannot travel as a header is left out.
fn insert(headers: &mut HeaderMap, name: &str, value: &str) {
    if let (Ok(name), Ok(value)) = (HeaderName::from_str(name), HeaderValue::from_str(value)) {
        headers.insert(name, value);
    }
}

fn failure(error: &dyn Display) -> String {
    format!("NATS: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_publishes_to_a_name_and_not_to_a_pattern() {
        for (subject, is_good) in [
            ("waypost", true),
            ("orders.eu.events", true),
            ("", false),
            ("a..b", false),
            ("a.*", false),
            ("a.>", false),
            ("a b", false),
        ] {
            assert_eq!(check_subject(subject).is_ok(), is_good, "{subject:?}");
        }
    }
}
