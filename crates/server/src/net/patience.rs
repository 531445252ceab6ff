//! A stream that loses patience.
//!
//! A client has a while to send the head of a request, and a longer one between requests or to take
//! an answer: one who does not take what is written is cut off, be it a stream without an end. Nobody
//! else is while a request is being worked on; that has limits of its own.

use std::{
    future::Future,
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep, sleep_until},
};

/// How many requests of a connection have begun and ended. Shared between stream and service.
#[derive(Default)]
pub(crate) struct Pulse {
    begun: AtomicU64,
    ended: AtomicU64,
}

impl Pulse {
    /// A request is being worked on until the answer is dropped.
    pub(super) fn begin(self: &Arc<Self>) -> Beat {
        self.begun.fetch_add(1, Ordering::Relaxed);
        Beat(Arc::clone(self))
    }

    fn is_busy(&self) -> bool {
        self.begun.load(Ordering::Relaxed) != self.ended.load(Ordering::Relaxed)
    }
}

/// The connection a request came by.
#[derive(Clone)]
pub(crate) struct Line(pub(super) Arc<Pulse>);

impl Line {
    /// Keeps the connection, which may be quiet for long, until this is dropped.
    pub(crate) fn hold(&self) -> Beat {
        self.0.begin()
    }
}

/// One request being worked on.
pub(crate) struct Beat(Arc<Pulse>);

impl Drop for Beat {
    fn drop(&mut self) {
        self.0.ended.fetch_add(1, Ordering::Relaxed);
    }
}

/// How long a stream is waited for.
#[derive(Clone, Copy)]
pub(super) struct Patience {
    /// From the first byte of a head to its last; and from the connection to the first head.
    pub(super) head: Duration,
    /// Between requests, and for taking an answer.
    pub(super) idle: Duration,
}

/// A stream under watch.
pub(super) struct Watched<S> {
    stream: S,
    patience: Patience,
    pulse: Arc<Pulse>,
    /// The request that was last known to have begun.
    n_begun: u64,
    /// Since when a head has been on its way.
    head_since: Option<Instant>,
    /// When something last moved.
    moved_at: Instant,
    alarm: Pin<Box<Sleep>>,
    /// Rings when the client has taken nothing for too long. Only set while it does not.
    stall: Option<Pin<Box<Sleep>>>,
}

impl<S> Watched<S> {
    pub(super) fn new(stream: S, patience: Patience, pulse: Arc<Pulse>) -> Self {
        let now = Instant::now();
        let alarm = Box::pin(sleep_until(now + patience.head));
        let (head_since, moved_at) = (Some(now), now);
        Self { stream, patience, pulse, n_begun: 0, head_since, moved_at, alarm, stall: None }
    }

    /// A request that has begun has had its head read.
    fn catch_up(&mut self) {
        let n_begun = self.pulse.begun.load(Ordering::Relaxed);
        if n_begun != self.n_begun {
            self.n_begun = n_begun;
            self.head_since = None;
        }
    }

    fn has_read(&mut self) {
        self.catch_up();
        self.moved_at = Instant::now();
        if self.head_since.is_none() && !self.pulse.is_busy() {
            self.head_since = Some(self.moved_at);
        }
    }

    fn due_at(&mut self, now: Instant) -> Instant {
        self.catch_up();
        match self.head_since {
            // Nothing is due; the alarm is only set to look again.
            _ if self.pulse.is_busy() => now + self.patience.idle,
            Some(since) => since + self.patience.head,
            None => self.moved_at + self.patience.idle,
        }
    }

    /// Whether patience is at its end. An alarm that rings too early is set again: that is cheaper
    /// than setting it for every byte.
    fn is_overdue(&mut self, cx: &mut Context<'_>) -> bool {
        loop {
            let now = Instant::now();
            let due_at = self.due_at(now);
            if due_at <= now {
                return true;
            }
            let rings_at = self.alarm.deadline();
            if rings_at > due_at || rings_at <= now {
                self.alarm.as_mut().reset(due_at);
            }
            if self.alarm.as_mut().poll(cx).is_pending() {
                return false;
            }
        }
    }

    fn has_written(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match written {
            Poll::Ready(Ok(length)) if length > 0 => {
                self.moved_at = Instant::now();
                self.stall = None;
                written
            }
            Poll::Pending => {
                let idle = self.patience.idle;
                let stall = self.stall.get_or_insert_with(|| Box::pin(sleep(idle)));
                stall.as_mut().poll(cx).map(|()| {
                    Err(io::Error::new(io::ErrorKind::TimedOut, "the client does not read"))
                })
            }
            Poll::Ready(_) => written,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        match read {
            Poll::Ready(result) => {
                if buffer.filled().len() > before {
                    self.has_read();
                }
                Poll::Ready(result)
            }
            Poll::Pending if self.is_overdue(cx) => {
                Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client dawdles")))
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, buffer);
        self.has_written(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, buffers);
        self.has_written(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};

    use super::*;

    const PATIENCE: Patience =
        Patience { head: Duration::from_secs(5), idle: Duration::from_secs(60) };

    fn watched() -> (DuplexStream, Watched<DuplexStream>, Arc<Pulse>) {
        let (client, server) = duplex(64);
        let pulse = Arc::new(Pulse::default());
        (client, Watched::new(server, PATIENCE, Arc::clone(&pulse)), pulse)
    }

    /// Reads until the end of patience; says after how many seconds that was.
    async fn seconds_until_cut(stream: &mut Watched<DuplexStream>) -> u64 {
        let began = Instant::now();
        let mut buffer = [0; 8];
        loop {
            match stream.read(&mut buffer).await {
                Ok(_) => {}
                Err(error) => {
                    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
                    return began.elapsed().as_secs();
                }
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_says_nothing_is_cut_off() {
        let (_client, mut stream, _) = watched();
        assert_eq!(seconds_until_cut(&mut stream).await, 5);
    }

    #[tokio::test(start_paused = true)]
    async fn bytes_now_and_then_do_not_prolong_a_head() {
        let (mut client, mut stream, _) = watched();
        let dribble = async {
            loop {
                client.write_all(b"x").await.unwrap();
                sleep(Duration::from_secs(1)).await;
            }
        };
        tokio::select! {
            seconds = seconds_until_cut(&mut stream) => assert_eq!(seconds, 5),
            () = dribble => {}
        }
    }

    #[tokio::test(start_paused = true)]
    async fn between_requests_there_is_more_time() {
        let (mut client, mut stream, pulse) = watched();
        client.write_all(b"head").await.unwrap();
        stream.read_exact(&mut [0; 4]).await.unwrap();
        drop(pulse.begin());
        assert_eq!(seconds_until_cut(&mut stream).await, 60);
    }

    #[tokio::test(start_paused = true)]
    async fn the_head_of_a_second_request_is_waited_for_as_long_as_that_of_the_first() {
        let (mut client, mut stream, pulse) = watched();
        client.write_all(b"head").await.unwrap();
        stream.read_exact(&mut [0; 4]).await.unwrap();
        drop(pulse.begin());
        let late = async {
            sleep(Duration::from_secs(30)).await;
            client.write_all(b"x").await.unwrap();
            std::future::pending::<()>().await;
        };
        tokio::select! {
            seconds = seconds_until_cut(&mut stream) => assert_eq!(seconds, 35),
            () = late => {}
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_does_not_take_an_answer_is_cut_off_while_it_is_still_made() {
        let (mut client, mut stream, pulse) = watched();
        let _beat = pulse.begin();
        let began = Instant::now();
        let reading = async {
            for _ in 0..4 {
                sleep(Duration::from_secs(50)).await;
                client.read_exact(&mut [0; 16]).await.unwrap();
            }
            std::future::pending::<()>().await;
        };
        let writing = async {
            loop {
                if let Err(error) = stream.write_all(&[0; 32]).await {
                    return error.kind();
                }
            }
        };
        tokio::select! {
            kind = writing => assert_eq!(kind, io::ErrorKind::TimedOut),
            () = reading => {}
        }
        assert_eq!(began.elapsed().as_secs(), 260, "who takes a little now and then is slow");
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_being_worked_on_is_not_cut_off() {
        let (_client, mut stream, pulse) = watched();
        let beat = pulse.begin();
        let mut buffer = [0; 8];
        let patient = tokio::time::timeout(Duration::from_secs(200), stream.read(&mut buffer));
        assert!(patient.await.is_err(), "nothing to read, and nothing to complain about");
        drop(beat);
        stream.write_all(b"answer").await.unwrap();
        assert_eq!(seconds_until_cut(&mut stream).await, 60);
    }
}
