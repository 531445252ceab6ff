//! An engine with members that do as they are told.

use std::{
    collections::BTreeMap,
    pin::Pin,
    sync::{Arc, Mutex, OnceLock},
    time::Duration,
};

use async_trait::async_trait;
use waypost_documents::document::Value;
use waypost_engine::{
    Engine, Settings,
    entity::{
        Answer, Caller, Code, Compute, Entities, Entity, Fault, Item, Question, Rules, When,
        Written,
    },
};
use waypost_kernel::{DefinitionRef, InstanceId, Store};
use waypost_machines::entity::cascade::{Asked, Cause, Reply};
use waypost_stores::{MemoryStore, SqliteOptions, SqliteStore};
use waypost_testkit::clock::SimClock;

/// What a member does when it is asked: it sees the value and may work within the transaction.
pub(super) type Deed =
    Arc<dyn Fn(Asking) -> Pin<Box<dyn Future<Output = Reply> + Send>> + Send + Sync>;

/// What a member was asked.
#[derive(Clone)]
pub(super) struct Asking {
    pub(super) value: Value,
    pub(super) state: String,
    pub(super) entity: InstanceId,
    pub(super) transaction: String,
    pub(super) layer: u32,
    /// The caller's entities, inside the transaction.
    pub(super) within: Entities,
}

#[derive(Default)]
pub(super) struct Members {
    deeds: Mutex<BTreeMap<String, Deed>>,
    engine: OnceLock<Engine>,
    asked: Mutex<Vec<String>>,
}

#[async_trait]
impl Compute for Members {
    async fn ask(&self, question: Question<'_>) -> Answer {
        let (Asked::Processor { name, .. } | Asked::Function { name, .. }) = &question.call.asked;
        self.asked.lock().unwrap().push(name.clone());
        let Some(deed) = self.deeds.lock().unwrap().get(name).cloned() else {
            return Answer { reply: failed(Cause::NoMember, "nobody is there"), member: None };
        };
        let entities = self.engine.get().unwrap().entities(question.caller.clone());
        let asking = Asking {
            value: question.call.value.clone(),
            state: question.call.state.clone(),
            entity: question.entity.into(),
            transaction: question.transaction.to_owned(),
            layer: question.layer,
            within: entities.within(question.transaction, question.layer).unwrap(),
        };
        Answer { reply: deed(asking).await, member: Some("m-1".to_owned()) }
    }
}

pub(super) fn failed(cause: Cause, message: &str) -> Reply {
    Reply::Failed { cause, message: message.to_owned(), warnings: Vec::new() }
}

pub(super) fn refused(message: &str) -> Reply {
    failed(Cause::Refused { is_retryable: false }, message)
}

pub(super) fn processed(value: Option<&str>) -> Reply {
    Reply::Processed { value: value.map(json), warnings: Vec::new() }
}

pub(super) struct World {
    pub(super) engine: Engine,
    pub(super) clock: Arc<SimClock>,
    members: Arc<Members>,
}

impl World {
    pub(super) fn new() -> Self {
        Self::with_rules(Rules::default())
    }

    pub(super) fn with_rules(rules: Rules) -> Self {
        let clock = Arc::new(SimClock::default());
        let store = Arc::new(MemoryStore::new(Arc::clone(&clock) as _));
        Self::on(store, clock, rules)
    }

    /// The same on a store that lets others have a turn while it writes.
    pub(super) fn on_disk() -> Self {
        let clock = Arc::new(SimClock::default());
        let clocked = Arc::clone(&clock) as _;
        let store = SqliteStore::temporary(SqliteOptions::default(), clocked).unwrap();
        Self::on(Arc::new(store), clock, Rules::default())
    }

    /// Another node on the same store, with members of its own.
    pub(super) fn beside(&self) -> Self {
        let store = Arc::clone(self.engine.store());
        Self::on(store, Arc::clone(&self.clock), Rules::default())
    }

    fn on(store: Arc<dyn Store>, clock: Arc<SimClock>, rules: Rules) -> Self {
        let members = Arc::new(Members::default());
        let compute = Arc::clone(&members) as Arc<dyn Compute>;
        let settings = Settings { compute, rules, ..Settings::default() };
        let engine = Engine::new(store, settings);
        members.engine.set(engine.clone()).ok().unwrap();
        Self { engine, clock, members }
    }

    /// A world with the locked model `order`, which has `no` and `total`.
    pub(super) async fn with_orders() -> Self {
        Self::new().learn_orders().await
    }

    pub(super) async fn learn_orders(self) -> Self {
        let world = self;
        let sample = json(r#"{"no":"A-1","total":12.50,"tags":["a"],"note":"x"}"#);
        world.entities().import_sample(&order(), &sample).await.unwrap();
        world.entities().lock(&order()).await.unwrap();
        world
    }

    pub(super) fn entities(&self) -> Entities {
        self.engine.entities(caller("acme"))
    }

    pub(super) fn pass(&self) {
        self.clock.advance(Duration::from_secs(1));
    }

    pub(super) fn member<F>(&self, name: &str, deed: impl Fn(Asking) -> F + Send + Sync + 'static)
    where
        F: Future<Output = Reply> + Send + 'static,
    {
        let deed: Deed = Arc::new(move |asking| Box::pin(deed(asking)));
        self.members.deeds.lock().unwrap().insert(name.to_owned(), deed);
    }

    pub(super) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.members.asked.lock().unwrap())
    }

    pub(super) async fn workflows(&self, body: &str) {
        self.entities().import_workflows(&order(), &json(body)).await.unwrap();
    }

    pub(super) async fn create(&self, value: &str) -> InstanceId {
        self.write(new(value)).await.unwrap().touched.remove(0).id
    }

    pub(super) async fn write(&self, item: Item) -> Result<Written, Fault> {
        self.entities().write(&[item]).await
    }

    pub(super) async fn read(&self, id: &InstanceId) -> Result<Entity, Fault> {
        self.entities().read(id, &When::Now).await
    }

    /// The state and the value.
    pub(super) async fn shown(&self, id: &InstanceId) -> String {
        match self.read(id).await {
            Ok(entity) => format!("{} {}", entity.state, entity.value),
            Err(fault) => fault.to_string(),
        }
    }
}

pub(super) fn caller(tenant: &str) -> Caller {
    Caller { tenant: tenant.into(), user: "ada".to_owned(), roles: vec!["ROLE_M2M".to_owned()] }
}

pub(super) fn json(text: &str) -> Value {
    Value::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

pub(super) fn order() -> DefinitionRef {
    DefinitionRef { name: "order".to_owned(), version: 1 }
}

pub(super) fn new(value: &str) -> Item {
    Item::Create { model: order(), value: json(value) }
}

pub(super) fn update(id: &InstanceId, value: &str) -> Item {
    Item::Update { id: id.clone(), value: Some(json(value)), transition: None, if_match: None }
}

pub(super) fn take(id: &InstanceId, transition: &str) -> Item {
    let transition = Some(transition.to_owned());
    Item::Update { id: id.clone(), value: None, transition, if_match: None }
}

pub(super) fn code<T: std::fmt::Debug>(result: Result<T, Fault>) -> Code {
    match result {
        Err(Fault::Refused(refusal)) => refusal.code,
        other => panic!("{other:?}"),
    }
}
