//! Creating, reading, changing and moving entities.

use std::sync::LazyLock;

use futures_util::StreamExt as _;
use serde::{Deserialize, Serialize};
use serde_json::json;
use waypost_lifecycle::{
    Completion, Error, FieldKind, FieldMeta, ListOptions, Manager, MemoryBuckets, Participant,
    Phase, Source, Transitions, WatchEvent,
};

use crate::{
    mission::{Mission, in_phase, mission},
    site::{Site, on_every_store},
};

on_every_store![
    what_is_created_can_be_read,
    an_entity_is_created_once_and_again_after_its_deletion,
    a_change_is_stored_and_given_back,
    a_change_that_fails_changes_nothing,
    a_move_follows_the_table,
    a_move_and_a_change_are_one_write,
    completing_picks_the_first_end_that_is_near,
    failing_tells_why,
    a_raw_change_may_set_any_phase,
    operators_write_what_they_may,
    a_watch_shows_entities,
    phases_of_an_enum_are_kept_even_those_it_does_not_know,
    a_move_to_where_it_is_needs_an_edge_and_leaves_no_trace,
    a_type_may_have_its_own_word_on_what_is_over,
];

#[derive(Clone, Default, PartialEq, Debug, Phase)]
enum Stage {
    #[default]
    Draft,
    #[phase(rename = "in-print")]
    InPrint,
    Unknown(String),
}

fn printing() -> Transitions {
    Transitions::new().phase("draft", ["draft", "in-print"]).phase("in-print", [])
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Participant)]
#[lifecycle(workflow = "book", bucket = "BOOKS", transitions = printing)]
struct Book {
    #[lifecycle(id)]
    isbn: String,
    #[lifecycle(phase)]
    stage: Stage,
}

async fn phases_of_an_enum_are_kept_even_those_it_does_not_know(site: Site) {
    let manager = site.manager();
    let books = manager.register::<Book>().await.unwrap();
    books.create(&Book { isbn: "b-1".to_owned(), stage: Stage::Draft }).await.unwrap();
    let printed = books.transition("b-1", "in-print", Source::Component, "").await.unwrap();
    assert_eq!(printed.stage, Stage::InPrint);
    let burn = |it: &mut Book| {
        it.stage = Stage::Unknown("burnt".to_owned());
        Ok(())
    };
    books.update("b-1", burn).await.unwrap();
    let found = books.snapshot("b-1").await.unwrap();
    assert_eq!((found.phase.as_str(), found.degraded), ("burnt", true));
    assert_eq!(found.value.stage, Stage::Unknown("burnt".to_owned()));
    let history = books.history("b-1").await.unwrap();
    let phases: Vec<_> = history.iter().map(|it| it.to.as_str()).collect();
    assert_eq!(phases, ["draft", "in-print", "burnt"]);
}

async fn a_move_to_where_it_is_needs_an_edge_and_leaves_no_trace(site: Site) {
    let books = site.manager().register::<Book>().await.unwrap();
    books.create(&Book { isbn: "b-1".to_owned(), stage: Stage::Draft }).await.unwrap();
    let before = books.snapshot("b-1").await.unwrap().revision;
    books.transition("b-1", "draft", Source::Component, "once more").await.unwrap();
    assert!(books.snapshot("b-1").await.unwrap().revision > before, "it was written");
    assert_eq!(books.history("b-1").await.unwrap().len(), 1);
}

/// A thing that is over before its table says so.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Loan {
    pub(crate) id: String,
    pub(crate) phase: String,
}

impl Participant for Loan {
    const WORKFLOW: &'static str = "loan";
    const BUCKET: &'static str = "LOANS";

    fn kv_key(entity_id: &str) -> String {
        entity_id.to_owned()
    }

    fn entity_id_from_key(key: &str) -> Option<&str> {
        Some(key)
    }

    fn transitions() -> Transitions {
        Transitions::new().phase("open", ["repaid"]).phase("repaid", ["closed"]).phase("closed", [])
    }

    fn fields() -> &'static [FieldMeta] {
        static FIELDS: LazyLock<Vec<FieldMeta>> = LazyLock::new(|| {
            let field = |name, tag| FieldMeta::new(name, FieldKind::Text).tagged(tag).unwrap();
            vec![field("id", "id"), field("phase", "phase")]
        });
        &FIELDS
    }

    fn entity_id(&self) -> &str {
        &self.id
    }

    fn phase(&self) -> &str {
        &self.phase
    }

    fn is_terminal(&self) -> bool {
        self.phase != "open"
    }
}

async fn a_type_may_have_its_own_word_on_what_is_over(site: Site) {
    let loans = site.manager().register::<Loan>().await.unwrap();
    for (id, phase) in [("a", "open"), ("b", "repaid"), ("c", "closed")] {
        loans.create(&Loan { id: id.to_owned(), phase: phase.to_owned() }).await.unwrap();
    }
    for options in [ListOptions::default(), ListOptions::default().fresh()] {
        let active = loans.list(&options.only_active()).await.unwrap();
        assert_eq!(active.iter().map(|it| it.id.as_str()).collect::<Vec<_>>(), ["a"]);
    }
    assert!(loans.snapshot("b").await.unwrap().is_terminal);
    // Moves go by the table.
    let closed = loans.transition("b", "closed", Source::Component, "").await.unwrap();
    assert_eq!(closed.phase, "closed");
}

async fn what_is_created_can_be_read(site: Site) {
    let missions = site.manager().register::<Mission>().await.unwrap();
    let mut created = mission("m-1");
    created.log = vec!["made".to_owned()];
    let revision = missions.create(&created).await.unwrap();
    assert_eq!(missions.get("m-1").await.unwrap(), created);
    let snapshot = missions.snapshot("m-1").await.unwrap();
    assert_eq!((snapshot.revision, snapshot.phase.as_str()), (revision, "planning"));
    assert!(!snapshot.is_terminal && !snapshot.degraded);
    missions.create(&in_phase("m-2", "completed")).await.unwrap();
    assert!(missions.snapshot("m-2").await.unwrap().is_terminal, "one may begin at the end");
}

async fn an_entity_is_created_once_and_again_after_its_deletion(site: Site) {
    let manager = site.manager();
    let missions = manager.register::<Mission>().await.unwrap();
    missions.create(&mission("m-1")).await.unwrap();
    let refused = missions.create(&mission("m-1")).await.unwrap_err();
    assert!(refused.to_string().contains("already exists"), "{refused}");
    manager.delete("drone-survey", "m-1").await.unwrap();
    assert!(matches!(missions.get("m-1").await, Err(Error::EntityNotFound { .. })));
    missions.create(&in_phase("m-1", "flying")).await.unwrap();
    assert_eq!(missions.get("m-1").await.unwrap().phase, "flying");
}

async fn a_change_is_stored_and_given_back(site: Site) {
    let missions = site.manager().register::<Mission>().await.unwrap();
    missions.create(&mission("m-1")).await.unwrap();
    let before = missions.snapshot("m-1").await.unwrap().revision;
    let change = |it: &mut Mission| {
        it.photos += 1;
        Ok(())
    };
    let changed = missions.update("m-1", change).await.unwrap();
    assert_eq!(changed.photos, 1);
    assert_eq!(missions.get("m-1").await.unwrap(), changed);
    missions.update("m-1", |_| Ok(())).await.unwrap();
    let after = missions.snapshot("m-1").await.unwrap();
    assert!(after.revision > before, "a change that changes nothing is a write");
    assert_eq!(after.value, changed);
}

async fn a_change_that_fails_changes_nothing(site: Site) {
    let missions = site.manager().register::<Mission>().await.unwrap();
    missions.create(&mission("m-1")).await.unwrap();
    let before = missions.snapshot("m-1").await.unwrap();
    let refuse = |it: &mut Mission| {
        it.photos = 9;
        Err(std::io::Error::other("no film").into())
    };
    let refused = missions.update("m-1", refuse).await.unwrap_err();
    let Error::Mutator(source) = &refused else { panic!("{refused:?}") };
    assert!(source.is::<std::io::Error>(), "the caller's own error stays what it is");
    let refused =
        missions.transition_with("m-1", "flying", Source::Component, "", refuse).await.unwrap_err();
    assert!(matches!(refused, Error::Mutator(_)), "{refused:?}");
    let renamed = missions.update("m-1", |it| {
        it.entity_id = "m-2".to_owned();
        Ok(())
    });
    let renamed = renamed.await.unwrap_err();
    assert!(matches!(renamed, Error::IdentityChanged { .. }), "{renamed:?}");
    assert_eq!(missions.snapshot("m-1").await.unwrap(), before);
}

async fn a_move_follows_the_table(site: Site) {
    let missions = site.manager().register::<Mission>().await.unwrap();
    missions.create(&mission("m-1")).await.unwrap();
    let go = async |to: &str| {
        let moved = missions.transition("m-1", to, Source::Component, "").await;
        moved.map(|it| it.phase)
    };
    assert_eq!(go("flying").await.unwrap(), "flying");
    let refused = go("completed").await.unwrap_err();
    assert!(matches!(refused, Error::InvalidTransition { .. }), "{refused:?}");
    assert!(matches!(go("flying").await, Err(Error::InvalidTransition { .. })), "no self-edge");
    assert_eq!(go("aborted").await.unwrap(), "aborted");
    let over = go("flying").await.unwrap_err();
    assert!(matches!(&over, Error::TerminalPhase { phase, .. } if phase == "aborted"), "{over:?}");
    let undeclared = missions.transition("nobody", "moon", Source::Rule, "").await.unwrap_err();
    assert!(matches!(undeclared, Error::InvalidTransition { .. }), "said before anything is read");
    let missing = missions.transition("nobody", "flying", Source::Rule, "").await.unwrap_err();
    assert!(matches!(missing, Error::EntityNotFound { .. }), "{missing:?}");
}

async fn a_move_and_a_change_are_one_write(site: Site) {
    let missions = site.manager().register::<Mission>().await.unwrap();
    missions.create(&mission("m-1")).await.unwrap();
    let mut seen = Vec::new();
    let change = |it: &mut Mission| {
        seen.push(it.phase.clone());
        it.photos = 3;
        it.phase = "landing".to_owned();
        Ok(())
    };
    let moved =
        missions.transition_with("m-1", "flying", Source::Component, "", change).await.unwrap();
    assert_eq!((moved.phase.as_str(), moved.photos), ("flying", 3), "the move has the last word");
    assert_eq!(seen, ["planning"], "the change sees the phase before");
}

async fn completing_picks_the_first_end_that_is_near(site: Site) {
    let missions = site.manager().register::<Mission>().await.unwrap();
    for (id, phase, end) in [("a", "landing", "completed"), ("b", "flying", "aborted")] {
        missions.create(&in_phase(id, phase)).await.unwrap();
        assert_eq!(missions.complete(id, Source::Framework).await.unwrap().phase, end);
        let over = missions.complete(id, Source::Framework).await;
        assert!(matches!(over, Err(Error::TerminalPhase { phase, .. }) if phase == end));
        let content = missions.complete_if_active(id, Source::Framework).await.unwrap();
        assert_eq!(content, Completion::AlreadyTerminal(end.to_owned()));
    }
    missions.create(&in_phase("c", "capturing")).await.unwrap();
    let refused = missions.complete("c", Source::Framework).await.unwrap_err();
    assert!(refused.to_string().contains("no edge to any terminal"), "{refused}");
    missions.create(&in_phase("d", "landing")).await.unwrap();
    let completed = missions.complete_if_active("d", Source::Framework).await.unwrap();
    assert_eq!(completed, Completion::Completed("completed".to_owned()));
}

async fn failing_tells_why(site: Site) {
    let missions = site.manager().register::<Mission>().await.unwrap();
    let early = missions.fail("nobody", "", Source::Framework).await;
    assert!(matches!(early, Err(Error::FailReasonRequired)), "said before anything is read");
    missions.create(&in_phase("m-1", "landing")).await.unwrap();
    missions.fail("m-1", "wind", Source::Framework).await.unwrap();
    let last = missions.history("m-1").await.unwrap().pop().unwrap();
    assert_eq!((last.to.as_str(), last.note.as_str()), ("failed", "wind"));
    missions.create(&in_phase("m-2", "flying")).await.unwrap();
    let refused = missions.fail("m-2", "wind", Source::Framework).await;
    assert!(matches!(refused, Err(Error::InvalidTransition { .. })), "there is no edge");
}

async fn a_raw_change_may_set_any_phase(site: Site) {
    let manager = site.manager();
    let missions = manager.register::<Mission>().await.unwrap();
    missions.create(&mission("m-1")).await.unwrap();
    let set = async |phase: &'static str| {
        let change = |it: &mut Mission| {
            it.phase = phase.to_owned();
            Ok(())
        };
        missions.update("m-1", change).await.unwrap()
    };
    set("lost").await;
    let drifted = missions.snapshot("m-1").await.unwrap();
    assert!(drifted.degraded && drifted.is_terminal);
    missions.get("m-1").await.unwrap();
    assert_eq!(manager.figures().drifted, 1, "told once");
    let stuck = missions.transition("m-1", "flying", Source::Operator, "").await;
    assert!(matches!(stuck, Err(Error::TerminalPhase { phase, .. }) if phase == "lost"));
    set("flying").await;
    assert!(!missions.snapshot("m-1").await.unwrap().degraded);
    missions.transition("m-1", "landing", Source::Operator, "").await.unwrap();
}

async fn operators_write_what_they_may(site: Site) {
    let manager = site.manager();
    let missions = manager.register::<Mission>().await.unwrap();
    let ended = Mission { photos: 7, battery: Some(3), ..in_phase("m-1", "completed") };
    missions.create(&ended).await.unwrap();
    let patch = async |patch: serde_json::Value| {
        let patch = patch.as_object().cloned().unwrap();
        manager.update_from_operator("drone-survey", "m-1", &patch).await
    };
    patch(json!({"owner": "bob", "photos": 8.0, "battery": null})).await.unwrap();
    let patched = missions.get("m-1").await.unwrap();
    let expected = Mission { owner: "bob".to_owned(), photos: 8, battery: None, ..ended };
    assert_eq!(patched, expected, "also an entity that has ended");
    patch(json!({"photos": null})).await.unwrap();
    assert_eq!(missions.get("m-1").await.unwrap().photos, 0);
    let before = missions.snapshot("m-1").await.unwrap();
    for (wrong, field) in [
        (json!({"owner": "eve", "serial": "x"}), "serial"),
        (json!({"phase": "flying"}), "phase"),
        (json!({"entity_id": "m-2"}), "entity_id"),
        (json!({"log": []}), "log"),
    ] {
        let refused = patch(wrong).await.unwrap_err();
        let named =
            matches!(&refused, Error::FieldNotOperatorWritable { field: it, .. } if it == field);
        assert!(named, "{refused:?}");
    }
    let unknown = patch(json!({"owner": "eve", "wings": 2})).await.unwrap_err();
    assert!(matches!(&unknown, Error::UnknownField { field, .. } if field == "wings"));
    let mismatch = patch(json!({"owner": "eve", "photos": "many"})).await.unwrap_err();
    assert!(mismatch.to_string().contains("cannot assign"), "{mismatch}");
    assert_eq!(missions.snapshot("m-1").await.unwrap(), before, "nothing was written");
    patch(json!({})).await.unwrap();
    manager.update_from_operator("unknown", "x", &serde_json::Map::new()).await.unwrap();
    assert_eq!(manager.field_type("drone-survey", "photos").unwrap(), FieldKind::U32);
    for field in ["serial", "phase", "entity_id", "wings", "parent"] {
        let refused = manager.assert_rule_writable("drone-survey", field);
        assert!(matches!(refused, Err(Error::FieldNotOperatorWritable { .. })), "{field}");
    }
}

async fn a_watch_shows_entities(site: Site) {
    let manager = site.manager();
    let missions = manager.register::<Mission>().await.unwrap();
    missions.create(&mission("m-1")).await.unwrap();
    let bucket = site.buckets.open("MISSIONS").await.unwrap();
    bucket.create("other.m-9", "{}".into()).await.unwrap();
    bucket.create("mission.broken", "no json".into()).await.unwrap();
    let mut events = missions.watch_events().await.unwrap();
    let mut watch = missions.watch().await.unwrap();
    missions.transition("m-1", "flying", Source::Operator, "").await.unwrap();
    manager.delete("drone-survey", "m-1").await.unwrap();
    missions.create(&mission("m-2")).await.unwrap();
    let mut seen = Vec::new();
    while seen.len() < 5 {
        seen.push(match events.next().await.unwrap() {
            WatchEvent::Value(it) => format!("{} {}", it.entity_id, it.phase),
            WatchEvent::Deleted { entity_id } => format!("-{entity_id}"),
            WatchEvent::CaughtUp => ".".to_owned(),
            missed @ WatchEvent::Missed { .. } => panic!("{missed:?}"),
            WatchEvent::Failed(error) => panic!("{error}"),
        });
    }
    // The writes to one entity come in order; those to different ones need not.
    let (of_second, of_first): (Vec<_>, Vec<_>) =
        seen.into_iter().partition(|it| it.contains("m-2"));
    assert_eq!(of_first, ["m-1 planning", ".", "m-1 flying", "-m-1"]);
    assert_eq!(of_second, ["m-2 planning"]);
    let mut values = Vec::new();
    for _ in 0..3 {
        let it = watch.next().await.unwrap();
        values.push(format!("{} {}", it.entity_id, it.phase));
    }
    values.sort_by_key(|it| it.contains("m-2"));
    assert_eq!(values, ["m-1 planning", "m-1 flying", "m-2 planning"]);
    assert!(manager.figures().skipped >= 1, "what cannot be read is counted");
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Place {
    name: String,
    #[serde(default, skip_serializing_if = "is_zero")]
    floor: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    doors: Vec<Door>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Door {
    #[serde(default, skip_serializing_if = "is_zero")]
    width: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Color {
    #[default]
    Red,
    Green,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Participant)]
#[lifecycle(workflow = "parcel", bucket = "PARCELS")]
struct Parcel {
    #[lifecycle(id)]
    id: String,
    #[lifecycle(phase)]
    phase: String,
    #[lifecycle(operator_writable)]
    place: Place,
    #[lifecycle(operator_writable, kind = "string")]
    color: Color,
}

#[tokio::test]
async fn what_has_an_inside_is_judged_before_anything_is_read() {
    let buckets = MemoryBuckets::new();
    let manager = Manager::builder(buckets.clone()).create_buckets(1).build();
    let table = Transitions::new().phase("sent", []);
    let parcels = manager.register_with::<Parcel>(table).await.unwrap();
    let patch = async |id: &str, patch: serde_json::Value| {
        let patch = patch.as_object().cloned().unwrap();
        manager.update_from_operator("parcel", id, &patch).await
    };
    // There is no such entity, and what is wrong with the patch is told first.
    for wrong in [
        json!({"place": {"name": "hall", "flor": 1}}),
        json!({"place": {"name": "hall", "doors": [{"width": 0, "height": 2}]}}),
        json!({"place": {"name": 7}}),
        json!({"place": "hall"}),
        json!({"color": "blue"}),
    ] {
        let refused = patch("nobody", wrong.clone()).await.unwrap_err();
        assert!(matches!(refused, Error::TypeMismatch { .. }), "{wrong}: {refused:?}");
    }
    let sent = Parcel { id: "p-1".into(), phase: "sent".into(), ..Parcel::default() };
    parcels.create(&sent).await.unwrap();
    // What says nothing is not written, and is known nevertheless.
    let right = json!({"place": {"name": "hall", "floor": 0, "doors": [{"width": 0}]},
        "color": "green"});
    patch("p-1", right).await.unwrap();
    let found = parcels.get("p-1").await.unwrap();
    let (name, doors) = ("hall".to_owned(), vec![Door { width: 0 }]);
    assert_eq!(found.place, Place { name, floor: 0, doors });
    assert_eq!(found.color, Color::Green);
    patch("p-1", json!({"place": {"name": "attic", "doors": []}})).await.unwrap();
    assert_eq!(parcels.get("p-1").await.unwrap().place.name, "attic");
}
