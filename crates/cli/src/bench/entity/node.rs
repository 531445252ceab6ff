//! A compute node in the same process, which answers at once: what is measured is the way there
//! and back.

use std::{net::SocketAddr, sync::Arc};

use serde_json::{Map, Value};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use waypost_client::compute::{Functions, Node, NodeOptions, Question, Refused};

use super::broken;
use crate::exit::Failure;

/// What the node is chosen by, and what it is asked for.
pub(super) const TAG: &str = "bench";
pub(super) const PROCESSOR: &str = "look";

/// A node at work.
pub(super) struct Working {
    stop: CancellationToken,
    node: JoinHandle<()>,
}

impl Working {
    /// Starts a node that connects to `server`.
    pub(super) fn start(server: SocketAddr) -> Result<Self, Failure> {
        let functions = Functions::new().processor(PROCESSOR, look).map_err(broken)?;
        let url = format!("http://{server}");
        let options = NodeOptions { url, tags: vec![TAG.to_owned()], ..NodeOptions::default() };
        let stop = CancellationToken::new();
        let node = tokio::spawn(Node::new(functions, options).run(stop.clone()));
        Ok(Self { stop, node })
    }

    pub(super) async fn stop(self) -> Result<(), Failure> {
        self.stop.cancel();
        self.node.await.map_err(broken)
    }
}

/// Gives back what it was given.
async fn look(question: Arc<Question>) -> Result<Map<String, Value>, Refused> {
    let entity = question.payload.as_ref();
    let entity = entity.ok_or_else(|| Refused::fatal("no entity was sent along"))?;
    Ok(entity.data.read()?)
}
