//! Streams of server-sent events, and the one of changes.

use std::{collections::VecDeque, time::Duration};

use reqwest::{Method, Response, Url};
use waypost_api::chain::Change;

use crate::{client::Client, error::Error};

/// How long the server may be silent: it says that it is there more often than this.
const SILENCE_MAX: Duration = Duration::from_secs(60);
/// The longest line that is taken: a change is smaller than the largest request.
const LINE_MAX: usize = 32 << 20;

/// Changes as they happen. Dropping it ends the stream.
#[derive(Debug)]
pub struct Changes {
    messages: Messages,
    cursor: Option<String>,
}

impl Changes {
    pub(crate) async fn open(client: Client, url: Url) -> Result<Self, Error> {
        Ok(Self { messages: Messages::open(client, url).await?, cursor: None })
    }

    /// The next change; nothing when the server ends the stream.
    ///
    /// # Errors
    /// When the connection breaks. Go on with a new stream from [`Changes::cursor`].
    pub async fn next(&mut self) -> Result<Option<Change>, Error> {
        while let Some(message) = self.messages.next().await? {
            self.cursor = message.id.or(self.cursor.take());
            if message.data.is_empty() {
                continue;
            }
            if let Ok(change) = serde_json::from_str(&message.data) {
                return Ok(Some(change));
            }
            tracing::warn!(data = message.data, "a change is not understood and left out");
        }
        Ok(None)
    }

    /// Where to go on after the latest change, or from the beginning of the stream. The server
    /// says so first; [`Changes::next`] knows it even if it then fails.
    #[must_use]
    pub fn cursor(&self) -> Option<&str> {
        self.cursor.as_deref()
    }
}

/// Server-sent events, one by one.
#[derive(Debug)]
pub(crate) struct Messages {
    client: Client,
    response: Response,
    parser: Parser,
}

impl Messages {
    pub(crate) async fn open(client: Client, url: Url) -> Result<Self, Error> {
        let request = client.request(Method::GET, url).header("Accept", "text/event-stream");
        let sent = tokio::time::timeout(SILENCE_MAX, client.send(request)).await;
        let response = sent.unwrap_or_else(|_| Err(silent(&client)))?;
        Ok(Self { client, response, parser: Parser::default() })
    }

    /// The next one; nothing when the server ends the stream.
    pub(crate) async fn next(&mut self) -> Result<Option<Message>, Error> {
        loop {
            if let Some(message) = self.parser.messages.pop_front() {
                return Ok(Some(message));
            }
            let chunk = tokio::time::timeout(SILENCE_MAX, self.response.chunk()).await;
            match chunk.map_err(|_| silent(&self.client))? {
                Ok(Some(bytes)) => self.parser.feed(&bytes),
                Ok(None) => return Ok(None),
                Err(error) => return Err(self.client.failure(&error)),
            }
        }
    }
}

fn silent(client: &Client) -> Error {
    Error::Interrupted { url: client.shown(), reason: "it fell silent".to_owned() }
}

/// One event of the stream.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) id: Option<String>,
    /// Its kind.
    pub(crate) event: String,
    pub(crate) data: String,
}

/// Turns bytes into messages, however they are cut into pieces.
#[derive(Debug, Default)]
struct Parser {
    line: Vec<u8>,
    pending: Message,
    messages: VecDeque<Message>,
}

impl Parser {
    fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match byte {
                b'\n' => self.end_line(),
                b'\r' => {}
                _ if self.line.len() < LINE_MAX => self.line.push(*byte),
                _ => {}
            }
        }
    }

    fn end_line(&mut self) {
        let line = String::from_utf8_lossy(&std::mem::take(&mut self.line)).into_owned();
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "" if line.is_empty() => {
                let message = std::mem::take(&mut self.pending);
                if message != Message::default() {
                    self.messages.push_back(message);
                }
            }
            "id" => self.pending.id = Some(value.to_owned()),
            "event" => value.clone_into(&mut self.pending.event),
            "data" => {
                if !self.pending.data.is_empty() {
                    self.pending.data.push('\n');
                }
                self.pending.data.push_str(value);
            }
            // The time to wait, and comments that keep the connection alive.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_survive_being_cut_anywhere() {
        let text = b"id: 1:6\n\n: hello\n\nid: 1:7\nevent: change\ndata: {\"a\":\ndata: 1}\n\ndata:x\r\n\r\n";
        for cut in 0..text.len() {
            let mut parser = Parser::default();
            parser.feed(&text[..cut]);
            parser.feed(&text[cut..]);
            let place = Message { id: Some("1:6".into()), ..Message::default() };
            let (id, event) = (Some("1:7".into()), "change".into());
            let first = Message { id, event, data: "{\"a\":\n1}".into() };
            let second = Message { data: "x".into(), ..Message::default() };
            assert_eq!(parser.messages, [place, first, second], "cut at {cut}");
        }
    }
}
