//! The connections gRPC is spoken over: so many at a time, and no more.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use futures_util::{Stream, stream};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    time::sleep,
};
use tonic::transport::server::{Connected, TcpConnectInfo};

/// How long to rest when no connection can be taken: most likely there are too many open files.
const ACCEPT_REST: Duration = Duration::from_millis(100);

/// A connection, which gives its place back when it ends.
pub(super) struct Placed {
    stream: TcpStream,
    _place: OwnedSemaphorePermit,
}

/// Connections as they come. Those beyond `most` are closed at once: their clients try again later,
/// with growing pauses, as clients of gRPC do.
pub(super) fn connections(
    listener: TcpListener,
    most: usize,
) -> impl Stream<Item = io::Result<Placed>> {
    let places = Arc::new(Semaphore::new(most));
    stream::unfold((listener, places), async |(listener, places)| {
        let placed = next(&listener, &places).await;
        Some((Ok(placed), (listener, places)))
    })
}

async fn next(listener: &TcpListener, places: &Arc<Semaphore>) -> Placed {
    loop {
        let accepted = listener.accept().await;
        match accepted.and_then(|(stream, _)| stream.set_nodelay(true).map(|()| stream)) {
            Ok(stream) => match Arc::clone(places).try_acquire_owned() {
                Ok(place) => return Placed { stream, _place: place },
                Err(_) => tracing::warn!("too many gRPC connections at a time; one was closed"),
            },
            Err(error) => {
                tracing::warn!(%error, "no gRPC connection could be taken");
                sleep(ACCEPT_REST).await;
            }
        }
    }
}

impl Connected for Placed {
    type ConnectInfo = TcpConnectInfo;

    fn connect_info(&self) -> TcpConnectInfo {
        self.stream.connect_info()
    }
}

impl AsyncRead for Placed {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Placed {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
