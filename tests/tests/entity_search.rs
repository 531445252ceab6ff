//! What databases find is what the condition says: random documents, random conditions, and one
//! evaluator that has the last word.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use proptest::{
    prelude::*,
    strategy::ValueTree as _,
    test_runner::{Config, RngSeed, TestRunner},
};
use tempfile::TempDir;
use waypost_documents::{
    document::Value,
    predicate::{Operator, Predicate, Subject},
};
use waypost_engine::{
    Engine, Settings,
    entity::{Caller, Entities, Entity, Item, condition},
};
use waypost_kernel::{DefinitionRef, Store, Tenant, Timestamp};
use waypost_stores::{PostgresOptions, PostgresStore, SqliteOptions, SqliteStore, StoreClock};
use waypost_testkit::{clock::SimClock, services};

const DOCUMENTS: usize = 400;
const CONDITIONS: usize = 600;
const INDEXES: [&str; 3] = ["$.a", "$.b.c", "$.l[*]"];
const PATHS: [&str; 7] = ["$.a", "$.b.c", "$.l[*]", "$.l", "$.l[0]", "$.b", "$.z"];

/// Values that are easily taken for one another.
fn scalar() -> impl Strategy<Value = String> + Clone {
    let long = "x".repeat(128);
    let fixed = [
        "0",
        "-0",
        "1",
        "1.0",
        "10e-1",
        "10",
        "9",
        "-1",
        "-1.5",
        "1.5",
        "12345678901234567890123",
        "12345678901234567890124",
        "1e300",
        "true",
        "false",
        r#""""#,
        r#""1""#,
        r#""1.0""#,
        r#""10""#,
        r#""a""#,
        r#""A""#,
        r#""ab""#,
        r#""b""#,
        r#""ä""#,
        r#""true""#,
        r#""2024-01-01""#,
        r#""2024-01-01T00:00:00Z""#,
        r#""a%_\\b""#,
    ];
    let near = [format!("\"{long}\""), format!("\"{long}y\""), format!("\"{long}z\"")];
    let all: Vec<String> = fixed.into_iter().map(ToOwned::to_owned).chain(near).collect();
    prop::sample::select(all)
}

fn document() -> impl Strategy<Value = String> {
    let value =
        prop_oneof![8 => scalar(), 1 => Just("null".to_owned()), 1 => Just("[1,\"a\"]".to_owned())];
    let list = prop::collection::vec(scalar(), 0..4).prop_map(|it| format!("[{}]", it.join(",")));
    let member = |name: &'static str, of: BoxedStrategy<String>| {
        prop::option::weighted(0.8, of.prop_map(move |it| format!("\"{name}\":{it}")))
    };
    let inner =
        member("c", value.clone().boxed()).prop_map(|it| format!("{{{}}}", it.unwrap_or_default()));
    let members =
        (member("a", value.boxed()), member("b", inner.boxed()), member("l", list.boxed()));
    members.prop_map(|(a, b, l)| {
        let members: Vec<String> = [a, b, l].into_iter().flatten().collect();
        format!("{{{}}}", members.join(","))
    })
}

fn simple() -> impl Strategy<Value = String> {
    let operators: Vec<&str> = Operator::NAMES.into_iter().map(|(name, _)| name).collect();
    let paths = prop::sample::select(PATHS.to_vec());
    let one = (paths.clone(), prop::sample::select(operators), scalar()).prop_map(
        |(path, operator, value)| {
            format!(r#"{{"type":"simple","jsonPath":"{path}","operatorType":"{operator}","value":{value}}}"#)
        },
    );
    let between = prop::sample::select(vec!["BETWEEN", "BETWEEN_INCLUSIVE"]);
    let two = (paths, between, scalar(), scalar()).prop_map(|(path, operator, low, high)| {
        format!(r#"{{"type":"simple","jsonPath":"{path}","operatorType":"{operator}","value":[{low},{high}]}}"#)
    });
    let state = prop::sample::select(vec!["CREATED", "DELETED"]).prop_map(|it| {
        format!(r#"{{"type":"lifecycle","field":"state","operatorType":"EQUALS","value":"{it}"}}"#)
    });
    prop_oneof![8 => one, 2 => two, 1 => state]
}

fn conditions() -> impl Strategy<Value = String> {
    simple().prop_recursive(3, 8, 3, |inner| {
        let all = prop::collection::vec(inner, 1..4);
        (prop::sample::select(vec!["AND", "OR"]), all).prop_map(|(operator, all)| {
            let all = all.join(",");
            format!(r#"{{"type":"group","operator":"{operator}","conditions":[{all}]}}"#)
        })
    })
}

struct World {
    entities: Entities,
    clock: Arc<SimClock>,
    model: DefinitionRef,
    runner: TestRunner,
}

impl World {
    async fn new(store: Arc<dyn Store>, clock: Arc<SimClock>) -> Self {
        let engine = Engine::new(store, Settings::default());
        let tenant = Tenant::from("acme");
        let caller = Caller { tenant, user: "ann".to_owned(), roles: Vec::new() };
        let entities = engine.entities(caller);
        let model = DefinitionRef { name: "thing".to_owned(), version: 1 };
        entities.import_sample(&model, &json(r#"{"a":1}"#)).await.unwrap();
        let paths: Vec<String> = INDEXES.map(ToOwned::to_owned).to_vec();
        entities.declare_indexes(&model, &paths).await.unwrap();
        entities.lock(&model).await.unwrap();
        entities.set_change_level(&model, "STRUCTURAL").await.unwrap();
        let seed = RngSeed::Fixed(20_261_116);
        let runner = TestRunner::new(Config { rng_seed: seed, ..Config::default() });
        Self { entities, clock, model, runner }
    }

    fn draw<S: Strategy>(&mut self, strategy: &S) -> S::Value {
        strategy.new_tree(&mut self.runner).unwrap().current()
    }

    /// Writes documents, and changes some of them later.
    async fn fill(&mut self) -> Timestamp {
        let mut ids = Vec::new();
        while ids.len() < DOCUMENTS {
            let value = json(&self.draw(&document()));
            let item = Item::Create { model: self.model.clone(), value };
            // What is a list in one document cannot be a number in another.
            let Ok(written) = self.entities.write(&[item]).await else { continue };
            ids.extend(written.touched.into_iter().map(|it| it.id));
        }
        // While the clock stands, commits are given later instants one by one.
        self.clock.advance(Duration::from_secs(1));
        let then = self.entities.now();
        self.clock.advance(Duration::from_secs(1));
        for id in ids.into_iter().step_by(3) {
            let value = Some(json(&self.draw(&document())));
            let item = Item::Update { id, value, transition: None, if_match: None };
            drop(self.entities.write(&[item]).await);
        }
        then
    }

    async fn all(&self, predicate: Option<&Predicate>, at: Option<Timestamp>) -> Vec<Entity> {
        let mut found = self.entities.search(&self.model, predicate.cloned(), at).await.unwrap();
        let mut all = Vec::new();
        loop {
            match found.next().await.unwrap() {
                page if page.is_empty() => return all,
                page => all.extend(page),
            }
        }
    }

    async fn check(&mut self, then: Timestamp) {
        let (mut n_accepted, mut n_found) = (0, 0);
        let present = self.all(None, None).await;
        let past = self.all(None, Some(then)).await;
        assert_eq!((present.len(), past.len()), (DOCUMENTS, DOCUMENTS));
        for _ in 0..CONDITIONS {
            let text = self.draw(&conditions());
            // Not every operator takes every value.
            let Ok(predicate) = condition(&json(&text)) else { continue };
            n_accepted += 1;
            for (entities, at) in [(&present, None), (&past, Some(then))] {
                let expected = names(entities.iter().filter(|it| matches(&predicate, it)));
                let found = self.all(Some(&predicate), at).await;
                n_found += found.len();
                assert_eq!(names(found.iter()), expected, "{text} at {at:?}");
            }
        }
        assert!(n_accepted > CONDITIONS / 2, "only {n_accepted} conditions were conditions");
        assert!(n_found > DOCUMENTS, "only {n_found} were found in all");
    }
}

fn json(text: &str) -> Value {
    Value::parse(text).unwrap()
}

fn names<'a>(entities: impl Iterator<Item = &'a Entity>) -> BTreeSet<&'a str> {
    entities.map(|it| it.id.as_str()).collect()
}

fn matches(predicate: &Predicate, entity: &Entity) -> bool {
    predicate.matches(&Subject {
        value: &json(entity.value.as_str()),
        state: &entity.state,
        previous_transition: &entity.save.transition,
        created_at: entity.created_at.as_micros(),
        updated_at: entity.updated_at.as_micros(),
        transaction: &entity.save.transaction,
        id: entity.id.as_str(),
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_finds_what_the_condition_says() {
    let (folder, clock) = (TempDir::new().unwrap(), Arc::new(SimClock::default()));
    let path = folder.path().join("search.db");
    let given = Arc::clone(&clock) as _;
    let store = Arc::new(SqliteStore::open(&path, SqliteOptions::default(), given).unwrap());
    let mut world = World::new(store, clock).await;
    let then = world.fill().await;
    world.check(then).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgresql_finds_what_the_condition_says() {
    let clock = Arc::new(SimClock::default());
    let url = services::fresh_database(&services::postgres().unwrap()).unwrap();
    let given = StoreClock::Given(Arc::clone(&clock) as _);
    let store = PostgresStore::connect(&url, PostgresOptions::default(), given).await.unwrap();
    let mut world = World::new(Arc::new(store), clock).await;
    let then = world.fill().await;
    world.check(then).await;
}
