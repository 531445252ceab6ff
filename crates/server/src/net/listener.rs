//! Takes connections and serves them. Our own loop: it limits what a client may take, in number and
//! in time.

use std::{convert::Infallible, io, sync::Arc, time::Duration};

use axum::{Router, body::Body, extract::Request};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::ServiceExt as _;

use super::patience::{Line, Patience, Pulse, Watched};
use crate::http::{App, Gauge};

/// Bytes of the head of a request.
const HEAD_MAX: usize = 16 << 10;

/// Headers of a request.
const HEADERS_MAX: usize = 100;

/// Bytes a connection keeps in memory while reading and writing.
const BUFFER_MAX: usize = 64 << 10;

/// Connections beyond the limit that are still told so. When even these are taken, no more are
/// accepted until one ends.
const SPARE_CONNECTIONS: usize = 64;

/// How long a connection beyond the limit may take to ask.
const SPARE_PATIENCE: Duration = Duration::from_secs(2);

/// How long to rest when no connection can be taken: most likely there are too many open files.
const ACCEPT_REST: Duration = Duration::from_millis(100);

/// Marks a request that came over a connection beyond the limit.
#[derive(Clone, Copy)]
pub(crate) struct Crowded;

/// Serves one address.
pub(crate) struct Listener {
    socket: TcpListener,
    router: Router,
    patience: Patience,
    places: Arc<Semaphore>,
    spare: Arc<Semaphore>,
    connections: TaskTracker,
    open: Gauge,
    /// Ends what is left when the time to finish is over.
    cut: CancellationToken,
}

/// A place for one connection, ordinary or not.
struct Place {
    _permit: OwnedSemaphorePermit,
    is_spare: bool,
}

impl Listener {
    pub(crate) fn new(socket: TcpListener, router: Router, app: &App) -> Self {
        let limits = &app.limits;
        Self {
            socket,
            router,
            patience: Patience { head: limits.head_timeout, idle: limits.idle_timeout },
            places: Arc::new(Semaphore::new(limits.connections_max)),
            spare: Arc::new(Semaphore::new(SPARE_CONNECTIONS)),
            connections: TaskTracker::new(),
            open: app.meter.connections.clone(),
            cut: CancellationToken::new(),
        }
    }

    /// Serves until `stop` is canceled, and then for as long as requests under way take, but not
    /// longer than `grace`.
    pub(crate) async fn run(self, stop: &CancellationToken, grace: Duration) {
        tokio::select! {
            () = stop.cancelled() => {}
            () = self.accept(stop) => {}
        }
        let Self { socket, connections, cut, .. } = self;
        drop(socket);
        connections.close();
        if timeout(grace, connections.wait()).await.is_err() {
            tracing::warn!(left = connections.len(), "requests did not end in time; cutting off");
            cut.cancel();
            connections.wait().await;
        }
    }

    async fn accept(&self, stop: &CancellationToken) {
        loop {
            match self.next().await {
                Ok((stream, place)) => self.serve(stream, place, stop),
                Err(error) => {
                    tracing::warn!(%error, "no connection could be taken");
                    sleep(ACCEPT_REST).await;
                }
            }
        }
    }

    async fn next(&self) -> io::Result<(TcpStream, Place)> {
        let (stream, _) = self.socket.accept().await?;
        // Answers are written in one go; waiting to fill a packet would only delay them.
        stream.set_nodelay(true)?;
        if let Ok(permit) = Arc::clone(&self.places).try_acquire_owned() {
            return Ok((stream, Place { _permit: permit, is_spare: false }));
        }
        let permit = Arc::clone(&self.spare).acquire_owned().await.map_err(io::Error::other)?;
        Ok((stream, Place { _permit: permit, is_spare: true }))
    }

    fn serve(&self, stream: TcpStream, place: Place, stop: &CancellationToken) {
        let pulse = Arc::new(Pulse::default());
        let patience = match place.is_spare {
            true => Patience { head: SPARE_PATIENCE, idle: SPARE_PATIENCE },
            false => self.patience,
        };
        let stream = TokioIo::new(Watched::new(stream, patience, Arc::clone(&pulse)));
        let (router, is_spare) = (self.router.clone(), place.is_spare);
        let service = service_fn(move |request| {
            answer(router.clone(), Arc::clone(&pulse), request, is_spare)
        });
        let connection = builder(place.is_spare).serve_connection(stream, service).with_upgrades();
        let (stop, cut, open) = (stop.clone(), self.cut.clone(), self.open.clone());
        self.connections.spawn(async move {
            open.inc();
            let mut connection = std::pin::pin!(connection);
            let ended = tokio::select! {
                ended = connection.as_mut() => ended,
                () = stop.cancelled() => {
                    connection.as_mut().graceful_shutdown();
                    tokio::select! {
                        ended = connection => ended,
                        () = cut.cancelled() => Ok(()),
                    }
                }
            };
            if let Err(error) = ended {
                tracing::debug!(%error, "a connection broke");
            }
            open.dec();
            drop(place);
        });
    }
}

fn builder(is_spare: bool) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        // The stream itself loses patience, and tells a slow head from an idle connection.
        .header_read_timeout(None)
        .max_headers(HEADERS_MAX)
        .max_header_size(HEAD_MAX)
        .max_buf_size(BUFFER_MAX)
        .keep_alive(!is_spare);
    builder
}

async fn answer(
    router: Router,
    pulse: Arc<Pulse>,
    request: Request<Incoming>,
    is_spare: bool,
) -> Result<axum::response::Response, Infallible> {
    let beat = pulse.begin();
    let mut request = request.map(Body::new);
    request.extensions_mut().insert(Line(pulse));
    if is_spare {
        request.extensions_mut().insert(Crowded);
    }
    let response = router.oneshot(request).await;
    drop(beat);
    response
}
