//! A server for compute members, and somebody who asks them.

use std::{io, sync::Arc, time::Duration};

use futures_util::stream;
use hyper_util::rt::TokioIo;
use prometheus_client::{encoding::text::encode, registry::Registry};
use tokio::{net::TcpListener, sync::mpsc, task::JoinHandle};
use tonic::{
    Request, Status, async_trait,
    metadata::MetadataMap,
    transport::{Channel, Endpoint, Server, server::TcpIncoming},
};
use tower::service_fn;
use waypost_api::grpc::cloudevents::CloudEvent;
use waypost_documents::document::Value;
use waypost_engine::entity::{Answer, Caller, Compute as _, Question};
use waypost_kernel::{DefinitionRef, Timestamp};
use waypost_machines::entity::cascade::{Asked, Call, Cause, Passage, Reply, Target, Terms};
use waypost_server::compute::{ComputeOptions, Events, Members, Operations, service};
use waypost_testkit::clock::SimClock;

pub(crate) const TENANT: &str = "mock-tenant";

/// Bytes on their way between two ends in one process.
const PIPE: usize = 64 << 10;

pub(crate) struct World {
    pub(crate) members: Members,
    pub(crate) clock: Arc<SimClock>,
    pub(crate) channel: Channel,
    figures: Registry,
}

/// A server on a free port.
pub(crate) async fn world() -> World {
    world_with(ComputeOptions::default()).await
}

pub(crate) async fn world_with(options: ComputeOptions) -> World {
    let (members, clock) = members(options);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let service = service(members.clone(), Arc::new(identify), Echo);
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    tokio::spawn(Server::builder().add_service(service).serve_with_incoming(incoming));
    let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
    let channel = endpoint.connect().await.unwrap();
    figured(members, clock, channel)
}

/// A server at the end of a pipe. Time moves when nobody has anything to do, which with a network in
/// between nobody could tell.
pub(crate) async fn timeless(options: ComputeOptions) -> World {
    tokio::time::pause();
    let (members, clock) = members(options);
    let (connect, connected) = mpsc::unbounded_channel();
    let incoming = stream::unfold(connected, |mut connected| async {
        let end = connected.recv().await?;
        Some((Ok::<_, io::Error>(end), connected))
    });
    let service = service(members.clone(), Arc::new(identify), Echo);
    tokio::spawn(Server::builder().add_service(service).serve_with_incoming(incoming));
    let connector = service_fn(move |_| {
        let (ours, theirs) = tokio::io::duplex(PIPE);
        connect.send(theirs).unwrap();
        async { Ok::<_, io::Error>(TokioIo::new(ours)) }
    });
    let endpoint = Endpoint::from_static("http://pipe");
    let channel = endpoint.connect_with_connector(connector).await.unwrap();
    figured(members, clock, channel)
}

/// Lets members be silent for as long as they like.
pub(crate) fn patient() -> ComputeOptions {
    let keep_alive_timeout = Duration::from_secs(3_600);
    ComputeOptions { keep_alive_timeout, ..ComputeOptions::default() }
}

fn members(options: ComputeOptions) -> (Members, Arc<SimClock>) {
    let clock = Arc::new(SimClock::default());
    let members = Members::new(options, clock.clone()).unwrap();
    (members, clock)
}

fn figured(members: Members, clock: Arc<SimClock>, channel: Channel) -> World {
    let mut figures = Registry::default();
    members.register(&mut figures);
    World { members, clock, channel, figures }
}

/// `Bearer <tenant> <role>…`; nothing at all is the user everybody is without sign-in.
fn identify(metadata: &MetadataMap) -> Result<Caller, Status> {
    let Some(value) = metadata.get("authorization") else { return Ok(caller()) };
    let text = value.to_str().ok().and_then(|it| it.strip_prefix("Bearer "));
    let mut words = text.ok_or_else(|| Status::unauthenticated("nobody knows you"))?.split(' ');
    let tenant = words.next().unwrap().into();
    Ok(Caller { tenant, roles: words.map(str::to_owned).collect(), ..caller() })
}

pub(crate) fn caller() -> Caller {
    let roles = ["ROLE_ADMIN", "ROLE_M2M"].map(str::to_owned).into();
    Caller { tenant: TENANT.into(), user: "mock-user-001".to_owned(), roles }
}

/// Answers with what it was sent, from the method and on behalf of the caller.
struct Echo;

impl Echo {
    fn answer(method: &str, caller: &Caller, request: Request<CloudEvent>) -> CloudEvent {
        let source = format!("{method} for {} of {}", caller.user, caller.tenant);
        CloudEvent { source, ..request.into_inner() }
    }

    fn answers(method: &str, caller: &Caller, request: Request<CloudEvent>) -> Events {
        let event = Self::answer(method, caller, request);
        Box::pin(stream::iter([Ok(event.clone()), Ok(event)]))
    }
}

type One = Result<CloudEvent, Status>;
type Many = Result<Events, Status>;

#[async_trait]
impl Operations for Echo {
    async fn entity_model_manage(&self, caller: Caller, request: Request<CloudEvent>) -> One {
        Ok(Self::answer("entityModelManage", &caller, request))
    }

    async fn entity_manage(&self, caller: Caller, request: Request<CloudEvent>) -> One {
        Ok(Self::answer("entityManage", &caller, request))
    }

    async fn entity_manage_collection(&self, caller: Caller, request: Request<CloudEvent>) -> Many {
        Ok(Self::answers("entityManageCollection", &caller, request))
    }

    async fn entity_search(&self, caller: Caller, request: Request<CloudEvent>) -> One {
        Ok(Self::answer("entitySearch", &caller, request))
    }

    async fn entity_search_collection(&self, caller: Caller, request: Request<CloudEvent>) -> Many {
        Ok(Self::answers("entitySearchCollection", &caller, request))
    }
}

/// Everything about a question that can be different.
#[derive(Clone)]
pub(crate) struct Ask {
    pub(crate) caller: Caller,
    pub(crate) call: Call,
    pub(crate) avoid: Vec<String>,
}

impl Ask {
    pub(crate) fn by(mut self, caller: Caller) -> Self {
        self.caller = caller;
        self
    }

    pub(crate) fn tagged(mut self, tags: &[&str]) -> Self {
        self.call.terms.tags = tags.iter().map(|it| (*it).to_owned()).collect();
        self
    }

    pub(crate) fn within(mut self, timeout: Duration) -> Self {
        self.call.terms.timeout = Some(timeout);
        self
    }

    pub(crate) fn about(mut self, text: &str) -> Self {
        self.call.value = Value::parse(text).unwrap();
        self
    }

    pub(crate) fn avoiding(mut self, members: &[&str]) -> Self {
        self.avoid = members.iter().map(|it| (*it).to_owned()).collect();
        self
    }
}

/// A processor of the transition `SUBMIT`.
pub(crate) fn processor() -> Ask {
    let asked = Asked::Processor { name: "reserve-stock".to_owned(), is_apart: false };
    ask(asked, Some(submit()))
}

/// About more than fits between the two ends unless somebody reads.
pub(crate) fn large() -> Ask {
    processor().about(&format!(r#"{{"a":"{}"}}"#, "x".repeat(4 << 20)))
}

/// The criterion of the transition `SUBMIT`.
pub(crate) fn criterion() -> Ask {
    let name = "is-eligible".to_owned();
    ask(Asked::Function { name, target: Target::Transition }, Some(submit()))
}

/// The criterion of a workflow.
pub(crate) fn selector() -> Ask {
    let name = "is-eligible".to_owned();
    ask(Asked::Function { name, target: Target::Workflow }, None)
}

fn submit() -> Passage {
    let [name, from, to] = ["SUBMIT", "NEW", "SUBMITTED"].map(str::to_owned);
    Passage { name, from, to }
}

fn ask(asked: Asked, transition: Option<Passage>) -> Ask {
    let call = Call {
        key: 0,
        asked,
        workflow: "order-lifecycle".to_owned(),
        transition,
        state: "NEW".to_owned(),
        value: Value::parse(r#"{"z":1.10,"a":12345678901234567890123}"#).unwrap(),
        terms: Terms { attach_entity: true, ..Terms::default() },
    };
    Ask { caller: caller(), call, avoid: Vec::new() }
}

impl World {
    pub(crate) async fn ask(&self, ask: &Ask) -> Answer {
        let model = DefinitionRef { name: "order".to_owned(), version: 1 };
        let question = Question {
            caller: &ask.caller,
            call: &ask.call,
            entity: "e-1",
            model: &model,
            created_at: Timestamp::from_millis(1_780_000_000_000),
            updated_at: Timestamp::from_millis(1_780_000_060_120),
            transaction: "t-1",
            layer: 3,
            avoid: &ask.avoid,
        };
        self.members.ask(question).await
    }

    /// Asks, and lets the test go on.
    pub(crate) fn asking(&self, ask: Ask) -> JoinHandle<Answer> {
        let (members, clock) = (self.members.clone(), Arc::clone(&self.clock));
        let world = figured(members, clock, self.channel.clone());
        tokio::spawn(async move { world.ask(&ask).await })
    }

    /// The figure of that name, with labels.
    pub(crate) fn figure(&self, name: &str) -> u64 {
        let mut text = String::new();
        encode(&mut text, &self.figures).unwrap();
        let value = text.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(' '));
        value.map_or(0, |it| it.parse().unwrap())
    }

    /// Waits until the figure is what it should be, without letting the time pass.
    pub(crate) async fn until(&self, name: &str, value: u64) {
        for _ in 0..5_000_000 {
            if self.figure(name) == value {
                return;
            }
            tokio::task::yield_now().await;
        }
        panic!("{name} is {}, not {value}", self.figure(name));
    }
}

/// How a question failed, and in which words.
pub(crate) fn failure(answer: &Answer) -> (Cause, &str) {
    match &answer.reply {
        Reply::Failed { cause, message, .. } => (*cause, message),
        Reply::Processed { .. } | Reply::Written { .. } | Reply::Matched { .. } => {
            panic!("{answer:?}")
        }
    }
}
