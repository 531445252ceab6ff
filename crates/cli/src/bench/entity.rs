//! `waypost bench entity`: entities are created, moved on, read and searched over HTTP by clients
//! that do nothing else, in the same process as the server.

mod node;

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    task::JoinSet,
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;
use waypost_documents::document;
use waypost_engine::entity::{Caller, Entities, Item};
use waypost_kernel::DefinitionRef;

use super::{
    Served,
    http::Connection,
    meter::{memory_mb, percentile},
    target::Target,
};
use crate::{
    exit::{Exit, Failure},
    output::{self, Output},
};

/// Entities are stored by so many callers at once, so many at a time.
const FILLERS: u32 = 8;
const FILLED_AT_ONCE: u32 = 500;
/// Which entities the clients move and read.
const KNOWN_MAX: usize = 10_000;
/// How often the compute node is looked for, and how long apart.
const JOIN_TRIES: u32 = 100;
const JOIN_PAUSE: Duration = Duration::from_millis(50);
/// How often it is looked how much memory is taken.
const MEMORY_PAUSE: Duration = Duration::from_millis(10);

/// How to measure entities.
#[derive(Debug, clap::Args)]
pub(super) struct EntityArgs {
    /// Where: a new SQLite file in a temporary folder, or a PostgreSQL URL (use a scratch database)
    #[arg(long, default_value = "sqlite")]
    store: String,
    /// Entities that are stored before measuring begins
    #[arg(long, default_value_t = 10_000)]
    entities: u32,
    /// Keep-alive connections
    #[arg(long, default_value_t = 64)]
    clients: u32,
    /// Seconds per round
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// Rounds of each measurement, interleaved; the median counts
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Do not declare an index for what is searched
    #[arg(long)]
    no_index: bool,
}

/// What the clients do.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Create,
    Transition,
    Ask,
    Read,
    Search,
}

const TRANSITION: &str = "manual transition";
const WITH_PROCESSOR: &str = "the same with a SYNC processor";
const ADDED: &str = "what the processor adds";

const DEEDS: [(&str, Deed); 5] = [
    ("create, two transitions", Deed::Create),
    (TRANSITION, Deed::Transition),
    (WITH_PROCESSOR, Deed::Ask),
    ("read", Deed::Read),
    ("search for one of all", Deed::Search),
];

/// What one round came to.
#[derive(Clone, Debug)]
struct Done {
    elapsed: Duration,
    /// How long each request took, shortest first.
    took: Vec<Duration>,
    /// What the process took of memory before, and at the most while it was at it, in MB.
    memory: (f64, f64),
}

impl Done {
    fn per_second(&self) -> f64 {
        self.took.len() as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }

    /// The time within which so many of a hundred were answered, in microseconds.
    fn micros(&self, percent: usize) -> i64 {
        i64::try_from(percentile(&self.took, percent).as_micros()).unwrap_or(i64::MAX)
    }
}

/// What the clients share.
struct Known {
    address: SocketAddr,
    ids: Vec<String>,
    n_entities: u32,
    next: AtomicUsize,
}

/// Runs the measurement.
pub(super) async fn run(args: EntityArgs, output: Output) -> Result<(), Failure> {
    let target = Target::prepare(&args.store).await?;
    let served = Served::start(&target).await?;
    let caller = Caller {
        tenant: "mock-tenant".into(),
        user: "mock-user-001".to_owned(),
        roles: Vec::new(),
    };
    let entities = served.engine.entities(caller);
    prepare(&entities, !args.no_index).await?;
    let ids = fill(&entities, args.entities.max(1)).await?;
    let next = AtomicUsize::new(0);
    let n_entities = args.entities.max(1);
    let node = node::Working::start(served.grpc)?;
    let known = Arc::new(Known { address: served.address, ids, n_entities, next });
    until_joined(&known).await?;
    let mut rows: Vec<(&str, Vec<Done>)> = DEEDS.iter().map(|it| (it.0, Vec::new())).collect();
    for _ in 0..args.rounds {
        for ((_, deed), (_, all)) in DEEDS.iter().zip(&mut rows) {
            all.push(work(&known, *deed, args.clients, args.seconds).await?);
        }
    }
    node.stop().await?;
    served.stop().await?;
    print(&rows, output)
}

/// The node comes by itself; until then it is asked in vain.
async fn until_joined(known: &Known) -> Result<(), Failure> {
    let Some(id) = known.ids.first() else { return Ok(()) };
    let (method, path, body) = request(Deed::Ask, id, 0);
    let mut tries = 0;
    loop {
        let mut connection = Connection::open(known.address).await?;
        let answer = connection.send(method, &path, &body).await;
        tries += 1;
        if answer.is_ok() || tries == JOIN_TRIES {
            return answer.map(drop);
        }
        sleep(JOIN_PAUSE).await;
    }
}

fn model() -> DefinitionRef {
    DefinitionRef { name: "bench".to_owned(), version: 1 }
}

/// What an entity is about: about a quarter of a kilobyte. Each has a customer of its own.
fn order(number: u32) -> Value {
    json!({"customer": format!("c-{number}"), "amount": 1299.90, "currency": "EUR",
        "lines": [{"sku": "A-17", "n": 2}, {"sku": "B-03", "n": 1}], "note": "leave at the door"})
}

/// A new entity goes on by itself twice; then somebody moves it to and fro, or has it looked at.
fn workflows() -> Value {
    let large = json!({"type": "simple", "jsonPath": "$.amount", "operatorType": "GREATER_THAN",
        "value": 1000});
    let look = json!({"type": "EXTERNAL", "name": node::PROCESSOR, "executionMode": "SYNC",
        "config": {"attachEntity": true, "calculationNodesTags": node::TAG}});
    let ask = |state: &str| {
        json!({"name": "ASK", "next": state, "manual": true,
        "processors": [look]})
    };
    json!({"workflows": [{"version": "1", "name": "bench", "initialState": "NEW", "states": {
        "NEW": {"transitions": [{"name": "CHECK", "next": "CHECKED", "manual": false,
                                 "criterion": large}]},
        "CHECKED": {"transitions": [{"name": "OPEN", "next": "OPEN", "manual": false}]},
        "OPEN": {"transitions": [{"name": "MOVE", "next": "AWAY", "manual": true}, ask("OPEN")]},
        "AWAY": {"transitions": [{"name": "MOVE", "next": "OPEN", "manual": true}, ask("AWAY")]},
    }}]})
}

fn value(json: &Value) -> Result<document::Value, Failure> {
    document::Value::parse(&json.to_string()).map_err(broken)
}

async fn prepare(entities: &Entities, has_index: bool) -> Result<(), Failure> {
    entities.import_sample(&model(), &value(&order(0))?).await.map_err(broken)?;
    if has_index {
        let paths = ["$.customer".to_owned()];
        entities.declare_indexes(&model(), &paths).await.map_err(broken)?;
    }
    entities.import_workflows(&model(), &value(&workflows())?).await.map_err(broken)?;
    entities.lock(&model()).await.map_err(broken)
}

/// Stores entities, and gives the ids of some.
async fn fill(entities: &Entities, count: u32) -> Result<Vec<String>, Failure> {
    let mut fillers = JoinSet::new();
    for filler in 0..FILLERS {
        let entities = entities.clone();
        fillers.spawn(async move {
            let mut ids = Vec::new();
            let mut numbers = (0..count).filter(|it| it % FILLERS == filler).peekable();
            while numbers.peek().is_some() {
                let item = |number| {
                    Ok::<_, Failure>(Item::Create { model: model(), value: value(&order(number))? })
                };
                let items: Vec<Item> = numbers
                    .by_ref()
                    .take(FILLED_AT_ONCE as usize)
                    .map(item)
                    .collect::<Result<_, _>>()?;
                let written = entities.write(&items).await.map_err(broken)?;
                if ids.len() < KNOWN_MAX / FILLERS as usize {
                    ids.extend(written.touched.into_iter().map(|it| it.id.as_str().to_owned()));
                }
            }
            Ok::<_, Failure>(ids)
        });
    }
    let mut ids = Vec::new();
    while let Some(done) = fillers.join_next().await {
        ids.extend(done.map_err(broken)??);
    }
    Ok(ids)
}

async fn work(known: &Arc<Known>, deed: Deed, clients: u32, seconds: u64) -> Result<Done, Failure> {
    let (before, is_done) = (memory_mb(), CancellationToken::new());
    let watching = tokio::spawn(memory_peak(is_done.clone()));
    let begin = Instant::now();
    let end = begin + Duration::from_secs(seconds);
    let mut working = JoinSet::new();
    for client in 0..clients {
        working.spawn(client_loop(Arc::clone(known), deed, (client, clients), end));
    }
    let mut took = Vec::new();
    while let Some(done) = working.join_next().await {
        took.extend(done.map_err(broken)??);
    }
    let elapsed = begin.elapsed();
    is_done.cancel();
    let memory = (before, watching.await.map_err(broken)?);
    took.sort_unstable();
    Ok(Done { elapsed, took, memory })
}

/// The most memory that the process takes until it is done.
async fn memory_peak(is_done: CancellationToken) -> f64 {
    let mut peak = memory_mb();
    while tokio::time::timeout(MEMORY_PAUSE, is_done.cancelled()).await.is_err() {
        peak = peak.max(memory_mb());
    }
    peak.max(memory_mb())
}

/// Does it again and again. Each client moves entities of its own.
async fn client_loop(
    known: Arc<Known>,
    deed: Deed,
    (client, clients): (u32, u32),
    end: Instant,
) -> Result<Vec<Duration>, Failure> {
    let mut connection = Connection::open(known.address).await?;
    let own = known.ids.iter().skip(client as usize).step_by(clients.max(1) as usize);
    let mut own = own.cycle();
    let mut took = Vec::new();
    while Instant::now() < end {
        let number = u32::try_from(known.next.fetch_add(1, Ordering::Relaxed)).unwrap_or(0);
        let number = number.wrapping_mul(2_654_435_761) % known.n_entities;
        let Some(id) = own.next() else { break };
        let (method, path, body) = request(deed, id, number);
        let begin = Instant::now();
        connection.send(method, &path, &body).await?;
        took.push(begin.elapsed());
    }
    Ok(took)
}

fn request(deed: Deed, id: &str, number: u32) -> (&'static str, String, String) {
    match deed {
        Deed::Create => ("POST", "/api/entity/JSON/bench/1".to_owned(), order(number).to_string()),
        Deed::Transition => {
            ("PUT", format!("/api/entity/JSON/{id}/MOVE"), order(number).to_string())
        }
        Deed::Ask => ("PUT", format!("/api/entity/JSON/{id}/ASK"), order(number).to_string()),
        Deed::Read => ("GET", format!("/api/entity/{id}"), String::new()),
        Deed::Search => {
            let condition = json!({"type": "simple", "jsonPath": "$.customer",
                "operatorType": "EQUALS", "value": format!("c-{number}")});
            ("POST", "/api/search/direct/bench/1".to_owned(), condition.to_string())
        }
    }
}

fn broken(error: impl ToString) -> Failure {
    Failure::new(Exit::Failed, error.to_string())
}

fn print(rows: &[(&str, Vec<Done>)], output: Output) -> Result<(), Failure> {
    let medians: Vec<(&str, &Done)> =
        rows.iter().filter_map(|(name, all)| Some((*name, median(all)?))).collect();
    if output.is_json {
        let mut all: Vec<Value> = medians.iter().map(|(name, it)| shown(name, it)).collect();
        let added = added(&medians)
            .map(|(p50, p99)| json!({ "measurement": ADDED, "p50Us": p50, "p99Us": p99 }));
        all.extend(added);
        return output.json(&all);
    }
    let columns = ["measurement", "requests/s", "p50", "p99", "memory before", "at most"];
    let mut table = output::table(&columns);
    let ms = |micros: i64| format!("{:.2} ms", micros as f64 / 1e3);
    for (name, it) in &medians {
        table.add_row(vec![
            (*name).to_owned(),
            format!("{:.0}", it.per_second()),
            ms(it.micros(50)),
            ms(it.micros(99)),
            format!("{:.0} MB", it.memory.0),
            format!("{:.0} MB", it.memory.1),
        ]);
    }
    if let Some((p50, p99)) = added(&medians) {
        let nothing = String::new;
        table.add_row(vec![ADDED.to_owned(), nothing(), ms(p50), ms(p99), nothing(), nothing()]);
    }
    output.table(table)
}

/// How much longer a transition takes with a processor than without: at the median, and for the
/// slowest of a hundred.
fn added(medians: &[(&str, &Done)]) -> Option<(i64, i64)> {
    let of = |wanted: &str| medians.iter().find(|(name, _)| *name == wanted).map(|(_, it)| *it);
    let (with, without) = (of(WITH_PROCESSOR)?, of(TRANSITION)?);
    Some((with.micros(50) - without.micros(50), with.micros(99) - without.micros(99)))
}

fn median(all: &[Done]) -> Option<&Done> {
    let mut sorted: Vec<&Done> = all.iter().collect();
    sorted.sort_by(|a, b| a.per_second().total_cmp(&b.per_second()));
    sorted.get(sorted.len() / 2).copied()
}

fn shown(name: &str, it: &Done) -> Value {
    json!({
        "measurement": name,
        "requests": it.took.len(),
        "requestsPerSecond": it.per_second(),
        "p50Us": percentile(&it.took, 50).as_micros(),
        "p99Us": percentile(&it.took, 99).as_micros(),
        "memoryBeforeMb": it.memory.0,
        "memoryPeakMb": it.memory.1,
    })
}
