//! A server and a client of it.

use std::{net::SocketAddr, sync::Arc};

use tokio_util::sync::{CancellationToken, DropGuard};
use waypost_client::{
    Chains, Client,
    api::chain::{Definition, DefinitionStep, Instance, InstanceDetail, StartInstance},
};
use waypost_engine::{Engine, Settings, SystemClock, process::ListProcesses};
use waypost_server::{Options, Server};
use waypost_stores::MemoryStore;

pub(crate) struct World {
    pub(crate) client: Client,
    pub(crate) chains: Chains,
    /// Where it speaks gRPC.
    pub(crate) grpc: String,
    engine: Engine,
    _running: DropGuard,
}

pub(crate) fn definition(steps: &[&str]) -> Definition {
    let step = |name: &&str| DefinitionStep { step_type: (*name).into(), max_attempts: Some(3) };
    let steps = steps.iter().map(step).collect();
    Definition { workflow_type: "order".into(), workflow_version: 1, steps }
}

impl World {
    /// A server with an order of these steps deployed.
    pub(crate) async fn new(steps: &[&str]) -> Self {
        Self::at(SocketAddr::from(([127, 0, 0, 1], 0)), steps).await
    }

    pub(crate) async fn at(http: SocketAddr, steps: &[&str]) -> Self {
        let store = Arc::new(MemoryStore::new(Arc::new(SystemClock)));
        let engine = Engine::new(store, Settings::default());
        let grpc = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
        let options = Options { http, grpc, ..Options::default() };
        let server = Server::bind(engine.clone(), options).await.unwrap();
        let client = Client::new(&format!("http://{}", server.http_addr())).unwrap();
        let grpc = format!("http://{}", server.grpc_addr().unwrap());
        let stop = CancellationToken::new();
        let (serving, sweeping) = (stop.clone(), stop.clone());
        let observed = engine.clone();
        tokio::spawn(async move { server.run(serving).await });
        tokio::spawn(async move { engine.run(sweeping).await });
        let chains = client.chain();
        chains.deploy(&definition(steps)).await.unwrap();
        Self { client, chains, grpc, engine: observed, _running: stop.drop_guard() }
    }

    /// The time, in microseconds.
    pub(crate) fn clock(&self) -> i64 {
        self.engine.store().now().as_micros()
    }

    /// When the lease ends that a worker of the process holds, in microseconds.
    pub(crate) async fn lease_until(&self, id: &str) -> Option<i64> {
        let some = ListProcesses { limit: 100, ..ListProcesses::default() };
        let mut found = self.engine.process().list(&some).await.unwrap().into_iter();
        let key = found.find(|it| it.key.id.as_str() == id)?.key;
        let tasks = self.engine.store().tasks(&[key]).await.unwrap();
        tasks.first()?.lease.as_ref().map(|it| it.until.as_micros())
    }

    pub(crate) async fn start(&self) -> Instance {
        self.chains.start(&order(), None).await.unwrap()
    }

    /// Looks until the chain is as wanted.
    pub(crate) async fn until(
        &self,
        id: &str,
        is_so: impl Fn(&InstanceDetail) -> bool,
    ) -> InstanceDetail {
        loop {
            let detail = self.chains.show(id).await.unwrap();
            if is_so(&detail) {
                return detail;
            }
            tokio::task::yield_now().await;
        }
    }
}

pub(crate) fn order() -> StartInstance {
    StartInstance { workflow_type: "order".into(), ..StartInstance::default() }
}
