//! Two nodes over one store, and nodes that are only said to be there.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::sleep;
use waypost_engine::Settings;
use waypost_kernel::{
    Commit, Facets, Json, Key, Kind, Record, Records as _, Store, Timestamp, Version, Write,
};
use waypost_server::{
    EntityOptions, Options,
    auth::AuthOptions,
    cluster::{Cluster, ClusterOptions},
    compute::{ComputeOptions, Members},
};
use waypost_testkit::{clock::SimClock, faults::Refusing};

use crate::{
    calls::{
        compute::processor,
        hall::{Client, Hall},
    },
    entity::tenants::jwt,
    grpc::talk::endpoint,
    on,
    world::world_on,
};

pub(crate) const SECRET: &[u8] = b"0123456789abcdef0123456789abcdef";

/// Nothing takes as long as this.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// What nodes share.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) store: Arc<Refusing>,
    pub(crate) clock: Arc<SimClock>,
    _folder: Arc<TempDir>,
}

pub(crate) struct Pair {
    pub(crate) shared: Shared,
    pub(crate) first: Hall,
    pub(crate) second: Hall,
}

/// A node that waits for members for as long as anything takes.
pub(crate) fn patient() -> ClusterOptions {
    ClusterOptions { wait: PATIENCE, ..ClusterOptions::new("http://127.0.0.1:0") }
}

/// A node that waits just long enough to look around.
pub(crate) fn impatient() -> ClusterOptions {
    ClusterOptions { wait: Duration::from_millis(500), ..patient() }
}

impl Shared {
    pub(crate) async fn new() -> Self {
        let clock = Arc::new(SimClock::default());
        let (store, folder) = on::open(&clock).await;
        Self { store: Arc::new(Refusing::new(store)), clock, _folder: Arc::new(folder) }
    }

    /// A node over the store.
    pub(crate) async fn node(&self, name: &str, secret: &[u8], cluster: ClusterOptions) -> Hall {
        self.node_for(AuthOptions::default(), name, secret, cluster).await
    }

    /// A node that lets in whom it is told to.
    async fn node_for(
        &self,
        auth: AuthOptions,
        name: &str,
        secret: &[u8],
        cluster: ClusterOptions,
    ) -> Hall {
        let options = ComputeOptions {
            node: name.to_owned(),
            secret: Some(secret.to_vec()),
            ..ComputeOptions::default()
        };
        let members = Members::new(options, self.clock.clone()).unwrap();
        let store: Arc<dyn Store> = self.store.clone();
        let cluster = Cluster::new(cluster, members.clone(), Arc::clone(&store)).unwrap();
        let settings = Settings { compute: Arc::new(cluster.clone()), ..Settings::default() };
        let (members, cluster) = (Some(members), Some(cluster));
        let entity = EntityOptions { auth, members, cluster, ..EntityOptions::default() };
        let grpc = Some("127.0.0.1:0".parse().unwrap());
        let options = Options { grpc, entity, ..Options::default() };
        let world = world_on((store, self.clock.clone()), options, settings).await;
        let client = Client::new(endpoint(&world).connect().await.unwrap());
        let client = client.max_decoding_message_size(64 << 20);
        Hall { world, clock: Arc::clone(&self.clock), client }
    }

    pub(crate) fn key(name: &str) -> Key {
        Key::new("SYSTEM".into(), Kind::Register, format!("node/{name}").into())
    }

    /// What a node says of itself.
    pub(crate) async fn told(&self, name: &str) -> Option<Record> {
        self.store.load(&[Self::key(name)]).await.unwrap().pop().unwrap()
    }

    /// Waits until a node says of itself what it should.
    pub(crate) async fn until(&self, name: &str, is_so: impl Fn(Option<&Value>) -> bool) {
        for _ in 0..6_000 {
            let told = self.told(name).await.map(|it| it.state.read::<Value>().unwrap());
            if is_so(told.as_ref()) {
                return;
            }
            sleep(Duration::from_millis(10)).await;
        }
        panic!("never: {:?}", self.told(name).await);
    }

    /// Has it said that a node is there, with a member that has no tags.
    pub(crate) async fn pretend(&self, name: &str, address: SocketAddr) {
        self.pretend_at(name, address, self.store.now()).await;
    }

    pub(crate) async fn pretend_at(&self, name: &str, address: SocketAddr, at: Timestamp) {
        let address = format!("http://{address}");
        let members = json!({"mock-tenant": [[]]});
        let state = json!({"http": address, "grpc": address, "members": members});
        let write = Write {
            key: Self::key(name),
            version: Version::ABSENT.next(),
            facets: Facets { status: "node".to_owned(), ..Facets::default() },
            state: Json::of(&state),
            at,
            keeps_past: false,
            terms: None,
        };
        self.store.commit(Commit { writes: vec![write], ..Commit::default() }).await.unwrap();
    }
}

/// Two nodes; entities need the processor `p`.
pub(crate) async fn pair(options: ClusterOptions) -> Pair {
    let pair = bare(options).await;
    pair.first.needing(processor("p", "SYNC", "")).await;
    pair
}

/// Two nodes, and nothing in their store.
pub(crate) async fn bare(options: ClusterOptions) -> Pair {
    bare_for(AuthOptions::default, options).await
}

/// The same for those who say who they are.
pub(crate) async fn strict(options: ClusterOptions) -> Pair {
    bare_for(jwt, options).await
}

async fn bare_for(auth: fn() -> AuthOptions, options: ClusterOptions) -> Pair {
    let shared = Shared::new().await;
    let first = shared.node_for(auth(), "first", SECRET, options.clone()).await;
    let second = shared.node_for(auth(), "second", SECRET, options).await;
    for name in ["first", "second"] {
        shared.until(name, |it| it.is_some()).await;
    }
    Pair { shared, first, second }
}

impl Pair {
    /// Waits until it is known that the second node has as many kinds of members.
    pub(crate) async fn until_joined(&self, n_sets: usize) {
        let is_so = |told: Option<&Value>| {
            let sets = told.map(|it| it["members"]["mock-tenant"].clone());
            sets.and_then(|it| it.as_array().map(Vec::len)).unwrap_or(0) == n_sets
        };
        self.shared.until("second", is_so).await;
    }
}

impl Hall {
    /// Entities need that processor.
    pub(crate) async fn needing(&self, processor: Value) {
        self.with_states(json!({
            "NEW": {"transitions": [{"name": "A", "next": "END", "processors": [processor]}]},
            "END": {},
        }))
        .await;
    }

    /// The figure of that name, with labels.
    pub(crate) async fn figure(&self, name: &str) -> u64 {
        let text = self.world.get("/metrics").await.text().await.unwrap();
        let value = text.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(' '));
        value.map_or(0, |it| it.parse().unwrap())
    }

    pub(crate) async fn until_figure(&self, name: &str, value: u64) {
        for _ in 0..6_000 {
            if self.figure(name).await == value {
                return;
            }
            sleep(Duration::from_millis(10)).await;
        }
        panic!("{name} is {}, not {value}", self.figure(name).await);
    }
}
