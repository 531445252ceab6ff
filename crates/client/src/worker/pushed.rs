//! Jobs as a server pushes them over gRPC. They are read when there is room for them; what is not
//! read holds the server up.

mod convert;

use std::{error::Error as _, sync::Arc, time::Duration};

use futures_util::FutureExt as _;
use tokio::{
    sync::Mutex,
    time::{Instant, timeout},
};
use tonic::{Status, Streaming, transport::Endpoint};
use waypost_api::{
    grpc::workflow::{
        Job as Pushed, PollJobsRequest, workflow_engine_client::WorkflowEngineClient,
    },
    process::Job,
    shown_url,
};

use crate::error::Error;

/// How long a connection may take to come about.
const CONNECT_MAX: Duration = Duration::from_secs(5);
/// How many bytes of jobs may be on their way: some dozens of small ones. They are leased already,
/// and nobody keeps their leases alive before they are read.
const WINDOW: u32 = 8 * 1024;

/// Where jobs are pushed from.
pub(super) struct Source {
    endpoint: Endpoint,
    url: String,
    stream: Mutex<Option<Reading>>,
}

/// A job that was read, and since when it may be leased.
pub(super) struct Read {
    pub(super) job: Arc<Job>,
    pub(super) since: Instant,
}

/// A stream that is open.
struct Reading {
    jobs: Streaming<Pushed>,
    lease: Duration,
    worker_id: String,
    /// When there was nothing to read: what is read later was leased later.
    empty_at: Instant,
}

impl Source {
    pub(super) fn new(url: &str) -> Result<Self, Error> {
        let refused = |it: tonic::transport::Error| Error::Address {
            url: shown_url(url),
            reason: it.to_string(),
        };
        let endpoint = Endpoint::from_shared(url.to_owned()).map_err(refused)?;
        let endpoint = endpoint.connect_timeout(CONNECT_MAX).initial_stream_window_size(WINDOW);
        Ok(Self { endpoint, url: shown_url(url), stream: Mutex::new(None) })
    }

    /// Waits for jobs and reads up to `max` of them. Opens the stream if there is none.
    pub(super) async fn read(
        &self,
        asking: PollJobsRequest,
        max: u32,
        wait: Duration,
    ) -> Result<Vec<Read>, Error> {
        let mut place = self.stream.lock().await;
        let mut reading = match place.take() {
            Some(reading) => reading,
            None => self.open(asking).await?,
        };
        let read = match timeout(wait, reading.some(max)).await {
            Ok(read) => read.map_err(|it| self.lost(&it))?,
            Err(_) => Vec::new(),
        };
        *place = Some(reading);
        Ok(read)
    }

    async fn open(&self, asking: PollJobsRequest) -> Result<Reading, Error> {
        let unreachable = |it: tonic::transport::Error| Error::Unreachable {
            url: self.url.clone(),
            reason: it.source().map_or_else(|| it.to_string(), ToString::to_string),
        };
        let channel = self.endpoint.connect().await.map_err(unreachable)?;
        let mut client = WorkflowEngineClient::new(channel).max_decoding_message_size(usize::MAX);
        let lease = Duration::from_secs(u64::try_from(asking.lease_seconds).unwrap_or_default());
        let (worker_id, empty_at) = (asking.worker_id.clone(), Instant::now());
        let opened = client.stream_jobs(asking).await.map_err(|it| self.lost(&it))?;
        Ok(Reading { jobs: opened.into_inner(), lease, worker_id, empty_at })
    }

    fn lost(&self, status: &Status) -> Error {
        let reason = format!("{:?}: {}", status.code(), status.message());
        Error::Interrupted { url: self.url.clone(), reason }
    }
}

impl Reading {
    /// Waits for a job, and takes those along that have come with it. Nothing is lost when this is
    /// dropped while it waits.
    async fn some(&mut self, max: u32) -> Result<Vec<Read>, Status> {
        let mut next = match self.jobs.message().now_or_never() {
            Some(next) => next?,
            None => {
                let next = self.jobs.message().await?;
                self.empty_at = Instant::now();
                next
            }
        };
        let mut read = Vec::new();
        loop {
            let ended = || Status::unavailable("the server has ended the stream");
            let job = convert::job(next.ok_or_else(ended)?, &self.worker_id, self.lease);
            read.push(Read { job: Arc::new(job), since: self.empty_at });
            if read.len() >= max as usize {
                return Ok(read);
            }
            next = match self.jobs.message().now_or_never() {
                Some(Ok(Some(next))) => Some(next),
                // Whatever it is, it is met again next time.
                Some(Ok(None) | Err(_)) => return Ok(read),
                None => {
                    self.empty_at = Instant::now();
                    return Ok(read);
                }
            };
        }
    }
}
