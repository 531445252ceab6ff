//! The server: bound first, so that it is known where it listens; then run until it is told to
//! stop.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use tokio::{net::TcpListener, time::timeout};
use tokio_util::sync::CancellationToken;
use waypost_engine::Engine;

use crate::{
    auth::{Authenticator, Doorway},
    grpc,
    http::{App, Pages, main_router, metrics_router},
    net::Listener,
    options::{EntityOptions, Options, ServerError},
};

/// How many connections may wait to be taken.
const BACKLOG: u32 = 1_024;

/// How long claims whose clients have gone may take to give back what they took.
const CLAIMS_GRACE: Duration = Duration::from_secs(3);

/// A server that listens, but does not answer yet.
pub struct Server {
    app: Arc<App>,
    http: TcpListener,
    grpc: Option<TcpListener>,
    metrics: Option<TcpListener>,
    options: Options,
}

impl Server {
    /// Takes the addresses.
    ///
    /// # Errors
    /// When one is taken or forbidden; says which, and what to do.
    pub async fn bind(engine: Engine, options: Options) -> Result<Self, ServerError> {
        let http = listen(options.http, "--http")?;
        let grpc = options.grpc.map(grpc::bind).transpose()?;
        let metrics = options.metrics.map(|it| listen(it, "--metrics")).transpose()?;
        let doorway = doorway(&engine, &options.entity).await?;
        if let Some(gateway) = &options.lifecycle {
            let beside = gateway.check_beside(doorway.context());
            beside.map_err(|it| ServerError::Setting(format!("the path of lifecycles: {it}")))?;
        }
        let doorway = doorway.with_log(options.log.clone()).with_traces(&options.traces);
        let EntityOptions { members, cluster, .. } = options.entity.clone();
        let compute = (members, cluster);
        let mut app = App::new(engine, options.limits.clone(), doorway, compute);
        app.metrics_bearer.clone_from(&options.metrics_bearer);
        app.lifecycle.clone_from(&options.lifecycle);
        let is_trusting = app.doorway.authenticator().tenant().is_none();
        let is_here = http.local_addr().is_ok_and(|it| it.ip().is_loopback());
        app.pages = Pages::new(options.pages.clone(), is_trusting && is_here);
        app.facts.clone_from(&options.facts);
        app.traces = options.traces.clone();
        if let Some(gateway) = &options.lifecycle {
            app.meter.include(gateway);
        }
        let app = Arc::new(app);
        Ok(Self { app, http, grpc, metrics, options })
    }

    /// Where it serves.
    #[must_use]
    pub fn http_addr(&self) -> SocketAddr {
        self.http.local_addr().unwrap_or(self.options.http)
    }

    /// Where it serves gRPC, if it does.
    #[must_use]
    pub fn grpc_addr(&self) -> Option<SocketAddr> {
        let listener = self.grpc.as_ref()?;
        listener.local_addr().ok().or(self.options.grpc)
    }

    /// Where it serves `/metrics`, if not with everything else.
    #[must_use]
    pub fn metrics_addr(&self) -> Option<SocketAddr> {
        let listener = self.metrics.as_ref()?;
        listener.local_addr().ok().or(self.options.metrics)
    }

    /// Serves until `stop` is canceled. Then it says so on `/readyz`, takes no more connections,
    /// lets waiting claims return, and gives requests under way their time to finish. Traces that
    /// were not sent yet are sent last.
    ///
    /// # Errors
    /// None at present: a listener that fails is tried again.
    pub async fn run(self, stop: CancellationToken) -> Result<(), ServerError> {
        let (here, calls_here) = (self.http_addr(), self.grpc_addr());
        let Self { app, http, grpc, metrics, options } = self;
        let main = Listener::new(http, main_router(Arc::clone(&app), metrics.is_none()), &app);
        let beside = metrics.map(|it| Listener::new(it, metrics_router(Arc::clone(&app)), &app));
        // Whoever watches the server can see it stop: metrics and health there end last.
        let ended = CancellationToken::new();
        let serve = async {
            let drained = CancellationToken::new();
            let requests = async {
                main.run(&app.stop, options.grace).await;
                drained.cancel();
            };
            let calls = async {
                if let Some(listener) = grpc {
                    let serving = grpc::serve(listener, Arc::clone(&app), app.stop.clone());
                    let serving = Box::pin(serving);
                    let serving = async {
                        tokio::join!(serving, dismiss(&app, &drained));
                    };
                    serve_calls(serving, &app.stop, options.grace).await;
                }
            };
            tokio::join!(requests, calls);
            app.claims.close();
            if timeout(CLAIMS_GRACE, app.claims.wait()).await.is_err() {
                tracing::warn!("steps could not be given back in time; their leases will lapse");
            }
            ended.cancel();
        };
        let watch = async {
            if let Some(listener) = beside {
                listener.run(&ended, Duration::ZERO).await;
            }
        };
        let tell = async {
            stop.cancelled().await;
            app.stop.cancel();
        };
        let keep = async {
            if let Some(cluster) = &app.cluster {
                cluster.keep(here, calls_here, &app.stop).await;
            }
        };
        tokio::join!(serve, watch, tell, keep);
        app.traces.close().await;
        Ok(())
    }
}

async fn doorway(engine: &Engine, options: &EntityOptions) -> Result<Doorway, ServerError> {
    let EntityOptions { auth, verbosity, .. } = options.clone();
    let store = Arc::clone(engine.store());
    let authenticator = Authenticator::new(auth, store).await.map_err(ServerError::Setting)?;
    let path = options.context_path.as_str();
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "/-._~".contains(it);
    if !path.chars().all(is_plain) || path.contains("//") {
        let text = format!("the context path {path:?} must be letters, digits and slashes");
        return Err(ServerError::Setting(text));
    }
    Ok(Doorway::new(authenticator, path, verbosity))
}

/// Lets compute members go when nobody needs their answers any more.
async fn dismiss(app: &App, drained: &CancellationToken) {
    let Some(members) = &app.members else { return };
    drained.cancelled().await;
    app.calls.close();
    app.calls.wait().await;
    members.close();
}

/// Calls under way have their time to finish, and no more.
async fn serve_calls(serving: impl Future<Output = ()>, stop: &CancellationToken, grace: Duration) {
    let too_late = async {
        stop.cancelled().await;
        tokio::time::sleep(grace).await;
    };
    tokio::select! {
        () = serving => {}
        () = too_late => tracing::warn!("gRPC calls did not end in time"),
    }
}

pub(crate) fn listen(address: SocketAddr, flag: &'static str) -> Result<TcpListener, ServerError> {
    try_listen(address).map_err(|source| {
        if source.kind() == io::ErrorKind::AddrInUse {
            ServerError::InUse { address, flag }
        } else {
            ServerError::Listen { address, flag, source }
        }
    })
}

fn try_listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => tokio::net::TcpSocket::new_v4()?,
        SocketAddr::V6(_) => tokio::net::TcpSocket::new_v6()?,
    };
    // A server that was restarted must not wait for the connections of the one before.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}
