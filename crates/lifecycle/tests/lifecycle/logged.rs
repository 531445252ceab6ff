//! What the log tells, once where once is enough.

use std::{
    fmt::{Debug, Write as _},
    sync::{Arc, Mutex},
};

use futures_util::StreamExt as _;
use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span,
    subscriber::DefaultGuard,
};
use waypost_lifecycle::{Buckets as _, ListOptions, Manager, MemoryBuckets, Source};

use crate::{
    mission::{Mission, in_phase, mission},
    operations::Loan,
};

/// The lines that the library writes on this thread, without those that are about its index.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn listen() -> (Self, DefaultGuard) {
        let log = Self::default();
        let guard = tracing::subscriber::set_default(log.clone());
        (log, guard)
    }

    /// What was told since this was last asked.
    fn told(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        match field.name() {
            "message" => write!(self.0, ": {value:?}").unwrap(),
            name => write!(self.0, " {name}={value:?}").unwrap(),
        }
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("waypost_lifecycle") && *metadata.level() <= Level::INFO
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

/// Without an index, which would read on its own and tell of it.
fn manager() -> (Manager, MemoryBuckets) {
    let buckets = MemoryBuckets::new();
    let manager = Manager::builder(buckets.clone()).create_buckets(8).without_index().build();
    (manager, buckets)
}

#[tokio::test]
async fn a_registration_is_told_in_a_line_and_what_it_disagrees_on_is() {
    let (log, _guard) = Log::listen();
    let (manager, _) = manager();
    manager.register::<Mission>().await.unwrap();
    let registered = r#"INFO: registered workflow="drone-survey" bucket="MISSIONS" phases=7"#;
    assert_eq!(log.told(), [registered]);
    assert!(manager.register::<Mission>().await.is_err());
    assert_eq!(log.told(), [""; 0], "one that fails is not told as one");
    manager.register::<Loan>().await.unwrap();
    let disagreement = "type and table disagree on whether this is terminal";
    assert_eq!(
        log.told(),
        [
            format!(r#"WARN: {disagreement} workflow="loan" phase="repaid""#),
            r#"INFO: registered workflow="loan" bucket="LOANS" phases=3"#.to_owned(),
        ]
    );
}

#[tokio::test]
async fn a_phase_that_is_not_declared_is_told_once() {
    let (manager, _) = manager();
    let missions = manager.register::<Mission>().await.unwrap();
    let lost = |it: &mut Mission| {
        it.phase = "lost".to_owned();
        Ok(())
    };
    for id in ["m-1", "m-2"] {
        missions.create(&mission(id)).await.unwrap();
        missions.update(id, lost).await.unwrap();
    }
    let (log, _guard) = Log::listen();
    missions.history("m-1").await.unwrap();
    missions.watch().await.unwrap().next().await.unwrap();
    assert_eq!(log.told(), [""; 0], "neither looks at the table");
    let drift = |id: &str| {
        let declared =
            r#"["aborted", "capturing", "completed", "failed", "flying", "landing", "planning"]"#;
        format!(
            "WARN: the phase is not declared workflow=\"drone-survey\" entity_id={id:?} \
             phase=\"lost\" declared={declared}"
        )
    };
    missions.get("m-1").await.unwrap();
    missions.get("m-1").await.unwrap();
    assert_eq!(log.told(), [drift("m-1")]);
    missions.list(&ListOptions::default()).await.unwrap();
    assert_eq!(log.told(), [drift("m-2")]);
    manager.lookup_by_entity_id("m-2").await.unwrap();
    assert_eq!(log.told(), [""; 0]);
}

#[tokio::test]
async fn completing_tells_of_a_choice_that_it_made() {
    let (manager, _) = manager();
    let missions = manager.register::<Mission>().await.unwrap();
    for (id, phase) in [("m-1", "landing"), ("m-2", "planning")] {
        missions.create(&in_phase(id, phase)).await.unwrap();
    }
    let (log, _guard) = Log::listen();
    assert_eq!(missions.complete("m-1", Source::Component).await.unwrap().phase, "completed");
    let ambiguous = "WARN: completing was ambiguous workflow=\"drone-survey\" entity_id=\"m-1\" \
                     picked=\"completed\" alternatives=[\"failed\"]";
    assert_eq!(log.told(), [ambiguous]);
    missions.complete("m-2", Source::Component).await.unwrap();
    assert_eq!(log.told(), [""; 0], "there was one way");
}

#[tokio::test]
async fn what_cannot_be_read_is_told_with_its_key_and_revision() {
    let (manager, buckets) = manager();
    let missions = manager.register::<Mission>().await.unwrap();
    missions.create(&mission("m-1")).await.unwrap();
    let bucket = buckets.open("MISSIONS").await.unwrap();
    let made = bucket.get("mission.m-1").await.unwrap().unwrap().revision;
    let broken = bucket.update("mission.m-1", "[]".into(), made).await.unwrap();
    let (log, _guard) = Log::listen();
    let is_told = || {
        let told = log.told();
        let [line] = &told[..] else { panic!("{told:?}") };
        assert!(line.starts_with("WARN: passed over a stored value"), "{line}");
        for part in [r#"workflow="drone-survey""#, &format!("revision={broken}"), "mission.m-1"] {
            assert!(line.contains(part), "{line}");
        }
    };
    missions.list(&ListOptions::default()).await.unwrap();
    is_told();
    missions.history("m-1").await.unwrap();
    is_told();
    missions.create(&mission("m-2")).await.unwrap();
    missions.watch().await.unwrap().next().await.unwrap();
    is_told();
}

#[tokio::test]
async fn relatives_that_are_missing_or_not_clear_are_told_of() {
    let (manager, _) = manager();
    let missions = manager.register::<Mission>().await.unwrap();
    let loans = manager.register::<Loan>().await.unwrap();
    let child = |id: &str, parent: &str| Mission { parent: Some(parent.into()), ..mission(id) };
    for (id, parent) in [("orphan", "nobody"), ("hen", "egg"), ("egg", "hen"), ("twin", "")] {
        missions.create(&child(id, parent)).await.unwrap();
    }
    let twin = Loan { id: "twin".into(), phase: "open".into() };
    loans.create(&twin).await.unwrap();
    let (log, _guard) = Log::listen();
    assert!(manager.ancestors("orphan").await.unwrap().is_empty());
    assert_eq!(log.told(), [r#"WARN: an ancestor is missing entity_id="orphan" parent="nobody""#]);
    assert_eq!(manager.ancestors("hen").await.unwrap().len(), 1);
    assert_eq!(
        log.told(),
        [r#"WARN: the ancestors go round in a circle entity_id="hen" parent="hen""#]
    );
    assert_eq!(manager.lookup_by_entity_id("twin").await.unwrap().workflow, "drone-survey");
    assert_eq!(
        log.told(),
        [r#"WARN: two types have this id entity_id="twin" first="drone-survey" second="loan""#]
    );
}

#[tokio::test]
async fn ordinary_moves_are_not_told_of() {
    let (manager, _) = manager();
    let missions = manager.register::<Mission>().await.unwrap();
    let (log, _guard) = Log::listen();
    missions.create(&mission("m-1")).await.unwrap();
    missions.transition("m-1", "flying", Source::Component, "").await.unwrap();
    missions.transition("m-1", "planning", Source::Component, "").await.unwrap_err();
    missions.list(&ListOptions::default()).await.unwrap();
    assert_eq!(log.told(), [""; 0]);
}
