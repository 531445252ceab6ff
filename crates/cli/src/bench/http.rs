//! Callers over HTTP: one keep-alive connection each, and as little client as possible, so that
//! the server is measured.

use std::{net::SocketAddr, time::Duration};

use serde::Deserialize;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinSet,
    time::Instant,
};
use waypost_engine::Engine;

use super::{
    callers::Load,
    meter::{Measured, Meter},
};
use crate::exit::{Exit, Failure};

/// Executes steps for a while.
pub(super) async fn measure(
    engine: &Engine,
    address: SocketAddr,
    load: Load,
) -> Result<Measured, Failure> {
    let meter = Meter::start(engine).await?;
    let end = Instant::now() + Duration::from_secs(load.seconds);
    let mut clients = JoinSet::new();
    for client in 0..load.callers {
        clients.spawn(client_loop(address, format!("client-{client}"), load.claim, end));
    }
    let mut latencies = Vec::new();
    while let Some(done) = clients.join_next().await {
        latencies.extend(done.map_err(|error| Failure::new(Exit::Failed, error.to_string()))??);
    }
    meter.stop(engine, latencies).await
}

async fn client_loop(
    address: SocketAddr,
    worker: String,
    claim: u32,
    end: Instant,
) -> Result<Vec<Duration>, Failure> {
    let mut connection = Connection::open(address).await?;
    let mut latencies = Vec::new();
    let wanted = json!({"workerId": worker, "max": claim, "leaseMs": 600_000}).to_string();
    let report = json!({"workerId": worker, "result": {"kind": "COMPLETED"}}).to_string();
    while Instant::now() < end {
        let answer = connection.post("/v1/chains/claim", &wanted).await?;
        let claimed: Claimed<'_> = serde_json::from_slice(&answer)
            .map_err(|error| Failure::new(Exit::Failed, error.to_string()))?;
        if claimed.tasks.is_empty() {
            break;
        }
        for task in claimed.tasks {
            let begin = Instant::now();
            let path = format!("/v1/chains/tasks/{}/result", task.lease_token);
            connection.post(&path, &report).await?;
            latencies.push(begin.elapsed());
        }
    }
    Ok(latencies)
}

#[derive(Deserialize)]
struct Claimed<'a> {
    #[serde(borrow)]
    tasks: Vec<Task<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Task<'a> {
    lease_token: &'a str,
}

pub(super) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub(super) async fn open(address: SocketAddr) -> Result<Self, Failure> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(16 << 10) })
    }

    /// Sends a body and gives the answer's; anything but success ends the measurement.
    pub(super) async fn post(&mut self, path: &str, body: &str) -> Result<Vec<u8>, Failure> {
        self.send("POST", path, body).await
    }

    /// The same with another method.
    pub(super) async fn send(
        &mut self,
        method: &str,
        path: &str,
        body: &str,
    ) -> Result<Vec<u8>, Failure> {
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n\r\n{body}"
        );
        self.stream.write_all(request.as_bytes()).await?;
        self.buffer.clear();
        loop {
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                return Err(Failure::new(Exit::Failed, "the server closed the connection"));
            }
            if let Some(answer) = complete(&self.buffer)? {
                return Ok(answer);
            }
        }
    }
}

/// The body, once all of it is there.
fn complete(buffer: &[u8]) -> Result<Option<Vec<u8>>, Failure> {
    let Some(end) = buffer.windows(4).position(|it| it == b"\r\n\r\n") else { return Ok(None) };
    let head = std::str::from_utf8(buffer.get(..end).unwrap_or_default()).unwrap_or_default();
    let body = buffer.get(end + 4..).unwrap_or_default();
    if head.contains("transfer-encoding: chunked") {
        return Ok(body.ends_with(b"0\r\n\r\n").then(|| body.to_vec()));
    }
    // An answer without content has no length either.
    let none = head.starts_with("HTTP/1.1 204").then_some(0);
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"))
        .and_then(|it| it.trim().parse::<usize>().ok())
        .or(none)
        .ok_or_else(|| Failure::new(Exit::Failed, "an answer without a length"))?;
    if body.len() < length {
        return Ok(None);
    }
    if !head.starts_with("HTTP/1.1 2") {
        let text = String::from_utf8_lossy(body);
        return Err(Failure::new(Exit::Failed, format!("the server refused: {text}")));
    }
    Ok(Some(body.to_vec()))
}
