//! Compute nodes: programs that work on entities while they move, and decide about them.
//!
//! A node opens a stream to the server and is asked over it. It comes back when the stream breaks,
//! and finishes what it was asked before it goes.

mod functions;
mod session;

use std::{sync::Arc, time::Duration};

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
pub use waypost_api::entity::node::{Facts, Passage, Question, Subject, Title};

pub use self::functions::{Functions, Refused};
use self::session::{Ending, attend};
use crate::worker::backoff::Backoff;

/// How a compute node works.
#[derive(Clone, Debug)]
pub struct NodeOptions {
    /// Where the server speaks gRPC, such as `http://127.0.0.1:9090`.
    pub url: String,
    /// What it is chosen by: it is asked if it has all the tags that a definition names.
    pub tags: Vec<String>,
    /// What it shows as `Authorization: Bearer …`, if the server asks who comes.
    pub bearer: Option<String>,
    /// How many questions it works on at a time. Others wait here.
    pub concurrency: usize,
    /// How long it may take to finish after it was told to stop.
    pub grace: Duration,
}

impl Default for NodeOptions {
    fn default() -> Self {
        Self {
            url: "http://127.0.0.1:9090".to_owned(),
            tags: Vec::new(),
            bearer: None,
            concurrency: 16,
            grace: Duration::from_secs(20),
        }
    }
}

/// A compute node.
pub struct Node {
    functions: Arc<Functions>,
    options: NodeOptions,
}

impl Node {
    /// A node that answers with `functions`.
    #[must_use]
    pub fn new(functions: Functions, options: NodeOptions) -> Self {
        Self { functions: Arc::new(functions), options }
    }

    /// Answers until `stop` is canceled; then finishes what it was asked, for a while.
    pub async fn run(self, stop: CancellationToken) {
        let mut backoff = Backoff::default();
        while !stop.is_cancelled() {
            let (why, has_joined) = match attend(&self.functions, &self.options, &stop).await {
                Ending::Stopped => return,
                Ending::Refused(why) => (why, false),
                Ending::Lost(why) => (why, true),
            };
            if has_joined {
                backoff = Backoff::default();
            }
            let pause = backoff.next();
            tracing::warn!(why, ?pause, "the compute node is not connected; it will try again");
            tokio::select! {
                () = stop.cancelled() => {}
                () = sleep(pause) => {}
            }
        }
    }
}
