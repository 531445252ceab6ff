//! Orders as entities: small ones are approved by themselves, large ones by people, and a compute
//! node books the carrier when one is shipped. Some are left for whoever looks.

use std::{collections::VecDeque, net::SocketAddr, sync::Arc, time::Duration};

use serde_json::{Map, Value, json};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use waypost_client::compute::{Functions, Node, NodeOptions, Question, Refused};
use waypost_documents::document;
use waypost_engine::{
    Engine,
    entity::{Caller, Entities, Fault, Item, When},
};
use waypost_kernel::{DefinitionRef, InstanceId};

use super::steps::chance;
use crate::exit::{Exit, Failure};

const WORKFLOW: &str = include_str!("../../../../examples/order-workflow.json");

/// How long until the next order.
const PAUSE: Duration = Duration::from_secs(3);
/// No more than this: the store is on somebody's temporary disk.
const ORDERS_MAX: u32 = 2_000;
/// How long an order lies on somebody's desk.
const DESK: Duration = Duration::from_secs(5);

/// The share of large orders that nobody looks at, and of those that are turned down.
const LEFT: f64 = 0.3;
const TURNED_DOWN: f64 = 0.5;
/// How often the carrier has no van, and the share of such orders that are not tried again.
const NO_VAN: f64 = 0.2;
const FORGOTTEN: f64 = 0.3;

/// Declares what an order is, and how it goes.
pub(super) async fn deploy(engine: &Engine) -> Result<(), Failure> {
    let entities = entities(engine);
    let workflow = document::Value::parse(WORKFLOW).map_err(broken)?;
    let sample =
        json!({"customer": "c-0", "amount": 0.5, "items": 1, "carrier": "", "booking": ""});
    entities.import_sample(&model(), &value(&sample)?).await.map_err(broken)?;
    entities.import_workflows(&model(), &workflow).await.map_err(broken)?;
    entities.lock(&model()).await.map_err(broken)
}

/// Orders, decides and ships for ever.
pub(super) async fn run(engine: &Engine, grpc: Option<SocketAddr>, stop: CancellationToken) {
    tokio::join!(order(engine), carry(grpc, stop));
}

/// The compute node, over the wire like any other.
async fn carry(grpc: Option<SocketAddr>, stop: CancellationToken) {
    let Some(grpc) = grpc else { return };
    match Functions::new().processor("book-carrier", book) {
        Ok(functions) => {
            let (url, tags) = (format!("http://{grpc}"), vec!["carrier".to_owned()]);
            let options = NodeOptions { url, tags, ..NodeOptions::default() };
            Node::new(functions, options).run(stop).await;
        }
        Err(error) => tracing::error!(%error, "the demo node cannot be assembled"),
    }
}

async fn book(question: Arc<Question>) -> Result<Map<String, Value>, Refused> {
    let roll = chance(&question.request_id);
    sleep(Duration::from_millis(200).mul_f64(0.5 + roll)).await;
    if roll < NO_VAN {
        return Err(Refused::retryable("the carrier has no van free; ship it again later"));
    }
    let entity = question.payload.as_ref();
    let entity = entity.ok_or_else(|| Refused::fatal("no order was sent along"))?;
    let mut order: Map<String, Value> = entity.data.read()?;
    order.insert("carrier".into(), json!(if roll < 0.6 { "post" } else { "bike" }));
    order.insert("booking".into(), json!(format!("b-{}", question.entity_id)));
    Ok(order)
}

/// An order on somebody's desk.
struct Desk {
    id: InstanceId,
    since: Instant,
}

async fn order(engine: &Engine) {
    let entities = entities(engine);
    let mut desk = VecDeque::new();
    for number in 1.. {
        if number <= ORDERS_MAX {
            match create(&entities, number).await {
                Ok(created) => desk.extend(created.map(|id| Desk { id, since: Instant::now() })),
                Err(error) => tracing::warn!(%error, "a demo order could not be placed"),
            }
        }
        // The first order of those on the desk lies there longest.
        while desk.front().is_some_and(|it: &Desk| it.since.elapsed() >= DESK) {
            let Some(Desk { id, .. }) = desk.pop_front() else { break };
            if look_at(&entities, &id).await {
                desk.push_back(Desk { id, since: Instant::now() });
            }
        }
        sleep(PAUSE).await;
    }
}

async fn create(entities: &Entities, number: u32) -> Result<Option<InstanceId>, Failure> {
    // Halves have few digits: the model has learned no others.
    let amount = f64::from(number * 7 % 19 + 1) * 99.5;
    let order = json!({"customer": format!("c-{}", number % 40), "amount": amount,
        "items": number % 5 + 1});
    let item = Item::Create { model: model(), value: value(&order)? };
    let written = entities.write(&[item]).await.map_err(broken)?;
    Ok(written.touched.into_iter().next().map(|it| it.id))
}

/// Takes the next transition of an order, if somebody does; says whether it stays on the desk.
async fn look_at(entities: &Entities, id: &InstanceId) -> bool {
    let Ok(entity) = entities.read(id, &When::Now).await else { return false };
    let roll = chance(id.as_str());
    let transition = match entity.state.as_str() {
        "NEW" if roll < LEFT => return false,
        "NEW" if roll < TURNED_DOWN => "reject",
        "NEW" => "accept",
        "APPROVED" => "ship",
        _ => return false,
    };
    match take(entities, id, transition).await {
        Ok(()) => true,
        // Most are tried again; the others wait for somebody who sees the audit.
        Err(Fault::Refused(_)) => chance(&format!("again {id}")) >= FORGOTTEN,
        Err(error) => {
            tracing::warn!(%error, "a demo order could not be moved");
            false
        }
    }
}

async fn take(entities: &Entities, id: &InstanceId, transition: &str) -> Result<(), Fault> {
    let transition = Some(transition.to_owned());
    let item = Item::Update { id: id.clone(), value: None, transition, if_match: None };
    entities.write(&[item]).await.map(drop)
}

fn model() -> DefinitionRef {
    DefinitionRef { name: "order".to_owned(), version: 1 }
}

/// Whoever is asked nothing is this user; so the demo's orders are everybody's.
fn entities(engine: &Engine) -> Entities {
    let (tenant, user) = ("mock-tenant".into(), "mock-user-001".to_owned());
    engine.entities(Caller { tenant, user, roles: Vec::new() })
}

fn value(json: &Value) -> Result<document::Value, Failure> {
    document::Value::parse(&json.to_string()).map_err(broken)
}

fn broken(error: impl ToString) -> Failure {
    Failure::new(Exit::Failed, error.to_string())
}
