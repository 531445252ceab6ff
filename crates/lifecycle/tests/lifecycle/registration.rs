//! What a type must be to be registered.

use std::sync::{
    Arc, LazyLock,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::json;
use waypost_lifecycle::{
    Bucket, BucketError, Buckets, Error, FieldKind, FieldMeta, Manager, MemoryBuckets, Participant,
    Transitions, TypeDescription,
};

use crate::mission::{Mission, survey};

/// Written by hand, wrong in whichever way `N` says.
#[derive(Clone, Default, Serialize, Deserialize)]
struct ByHand<const N: u8> {
    id: String,
    phase: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    note: String,
}

fn tagged(name: &str, tags: &str) -> FieldMeta {
    FieldMeta::new(name, FieldKind::Text).tagged(tags).unwrap()
}

static GOOD: LazyLock<Vec<FieldMeta>> =
    LazyLock::new(|| vec![tagged("id", "id"), tagged("phase", "phase"), tagged("note", "")]);
static NO_ID: LazyLock<Vec<FieldMeta>> = LazyLock::new(|| vec![tagged("phase", "phase")]);
static NO_PHASE: LazyLock<Vec<FieldMeta>> = LazyLock::new(|| vec![tagged("id", "id")]);
static TWO_IDS: LazyLock<Vec<FieldMeta>> =
    LazyLock::new(|| vec![tagged("id", "id"), tagged("phase", "phase"), tagged("note", "id")]);
static NUMBER: LazyLock<Vec<FieldMeta>> = LazyLock::new(|| {
    let phase = FieldMeta::new("phase", FieldKind::U8).tagged("phase").unwrap();
    vec![tagged("id", "id"), phase]
});
static RESERVED: LazyLock<Vec<FieldMeta>> =
    LazyLock::new(|| vec![tagged("id", "id"), tagged("phase", "phase"), tagged("_lifecycle", "")]);

impl<const N: u8> Participant for ByHand<N> {
    const WORKFLOW: &'static str = if N == 9 { "" } else { "by-hand" };
    const BUCKET: &'static str = if N == 8 { "" } else { "THINGS" };

    fn kv_key(entity_id: &str) -> String {
        if N == 7 { "always".to_owned() } else { entity_id.to_owned() }
    }

    fn entity_id_from_key(key: &str) -> Option<&str> {
        Some(key)
    }

    fn transitions() -> Transitions {
        match N {
            6 => Transitions::new(),
            5 => Transitions::new().phase("a", ["b"]),
            _ => survey(),
        }
    }

    fn fields() -> &'static [FieldMeta] {
        match N {
            1 => &NO_ID,
            2 => &NO_PHASE,
            3 => &TWO_IDS,
            4 => &NUMBER,
            10 => &RESERVED,
            _ => &GOOD,
        }
    }

    fn entity_id(&self) -> &str {
        &self.id
    }

    fn phase(&self) -> &str {
        &self.phase
    }
}

async fn refused<const N: u8>() -> Error {
    let manager = Manager::builder(MemoryBuckets::new()).create_buckets(1).build();
    let refused = manager.register::<ByHand<N>>().await.err().unwrap();
    assert!(manager.list_workflows().is_empty(), "nothing is left behind");
    refused
}

#[tokio::test]
async fn mistakes_are_found_before_anything_is_touched() {
    assert!(matches!(refused::<1>().await, Error::MissingIdField { .. }));
    assert!(matches!(refused::<2>().await, Error::MissingPhaseField { .. }));
    assert!(refused::<3>().await.to_string().contains("multiple fields tagged id"));
    assert!(matches!(refused::<4>().await, Error::InvalidRegistration { .. }));
    assert!(matches!(refused::<5>().await, Error::InvalidTransitionsTable { .. }));
    assert!(matches!(refused::<6>().await, Error::InvalidTransitionsTable { .. }));
    assert!(refused::<7>().await.to_string().contains("mismatch"));
    assert!(matches!(refused::<8>().await, Error::InvalidRegistration { .. }));
    assert!(matches!(refused::<9>().await, Error::InvalidRegistration { .. }));
    assert!(matches!(refused::<10>().await, Error::InvalidRegistration { .. }));
}

#[tokio::test]
async fn a_type_by_hand_works_like_any_other() {
    let manager = Manager::builder(MemoryBuckets::new()).create_buckets(1).build();
    let things = manager.register::<ByHand<0>>().await.unwrap();
    let new = ByHand { id: "a".into(), phase: "planning".into(), note: "x".into() };
    things.create(&new).await.unwrap();
    let source = waypost_lifecycle::Source::Component;
    let moved = things.transition("a", "flying", source, "").await.unwrap();
    assert_eq!((moved.phase.as_str(), moved.note.as_str()), ("flying", "x"));
    let matching = waypost_lifecycle::ListOptions::default().matching("note", "x");
    assert_eq!(things.list(&matching).await.unwrap().len(), 1);
    let bare = ByHand { id: "b".into(), phase: "planning".into(), note: String::new() };
    things.create(&bare).await.unwrap();
    let unset = waypost_lifecycle::ListOptions::default().matching("note", "");
    for options in [unset.clone(), unset.fresh()] {
        let found = things.list(&options).await.unwrap();
        assert_eq!(found.iter().map(|it| it.id.as_str()).collect::<Vec<_>>(), ["b"]);
    }
}

/// Buckets that say when they are asked for.
#[derive(Clone, Default)]
struct Asked(Arc<AtomicUsize>);

#[async_trait]
impl Buckets for Asked {
    async fn open(&self, name: &str) -> Result<Arc<dyn Bucket>, BucketError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Err(BucketError::Missing(name.to_owned()))
    }

    async fn create(&self, name: &str, depth: u8) -> Result<Arc<dyn Bucket>, BucketError> {
        MemoryBuckets::new().create(name, depth).await
    }
}

/// A description that is wrong in everything from the given place on.
fn wrong_from(place: usize) -> TypeDescription {
    let fields = match place {
        0..3 => json!([{"name": "id", "tags": "strange"}]),
        3 => json!([{"name": "phase", "tags": "phase"}]),
        4 => json!([{"name": "id", "tags": "id"}]),
        _ => json!([{"name": "id", "tags": "id"}, {"name": "phase", "tags": "phase"}]),
    };
    let described = json!({
        "workflow": if place > 0 { "drone-survey" } else { "" },
        "bucket": if place > 5 { "NOWHERE" } else { "" },
        "transitions": if place > 1 { json!({"a": []}) } else { json!({}) },
        "fields": fields,
    });
    serde_json::from_value(described).unwrap()
}

#[tokio::test]
async fn the_first_mistake_is_told_and_no_bucket_is_asked_for_in_vain() {
    let buckets = Asked::default();
    let manager = Manager::builder(buckets.clone()).create_buckets(1).build();
    manager.register::<Mission>().await.unwrap();
    assert_eq!(buckets.0.load(Ordering::Relaxed), 1);
    let mut told = Vec::new();
    for place in 0..=6 {
        told.push(manager.register_described(wrong_from(place)).await.unwrap_err());
    }
    assert!(
        matches!(&told[0], Error::InvalidRegistration { reason, .. } if reason.contains("name"))
    );
    assert!(matches!(&told[1], Error::InvalidTransitionsTable { .. }), "{:?}", told[1]);
    assert!(
        matches!(&told[2], Error::InvalidRegistration { reason, .. } if reason.contains("strange"))
    );
    assert!(matches!(&told[3], Error::MissingIdField { .. }), "{:?}", told[3]);
    assert!(matches!(&told[4], Error::MissingPhaseField { .. }), "{:?}", told[4]);
    assert!(
        matches!(&told[5], Error::InvalidRegistration { reason, .. } if reason.contains("bucket"))
    );
    assert!(matches!(&told[6], Error::WorkflowAlreadyRegistered { .. }), "{:?}", told[6]);
    assert_eq!(buckets.0.load(Ordering::Relaxed), 1, "it was not asked again");
}

#[tokio::test]
async fn a_type_is_registered_once() {
    let manager = Manager::builder(MemoryBuckets::new()).create_buckets(1).build();
    manager.register::<Mission>().await.unwrap();
    let again = manager.register::<Mission>().await.err().unwrap();
    assert!(matches!(again, Error::WorkflowAlreadyRegistered { .. }), "{again:?}");
    assert_eq!(manager.list_workflows().len(), 1);
}

#[tokio::test]
async fn buckets_are_not_made_unless_asked() {
    let buckets = MemoryBuckets::new();
    let manager = Manager::builder(buckets.clone()).build();
    let missing = manager.register::<Mission>().await.err().unwrap();
    let text = missing.to_string();
    assert!(text.contains("MISSIONS") && text.contains("drone-survey"), "{text}");
    assert!(manager.list_workflows().is_empty());
    buckets.create("MISSIONS", 1).await.unwrap();
    manager.register::<Mission>().await.unwrap();
}

#[tokio::test]
async fn definitions_are_shown_by_name() {
    let manager = Manager::builder(MemoryBuckets::new()).create_buckets(1).build();
    manager.register::<Mission>().await.unwrap();
    manager.register::<ByHand<0>>().await.unwrap();
    let all: Vec<_> = manager.list_workflows().into_iter().map(|it| it.workflow).collect();
    assert_eq!(all, ["by-hand", "drone-survey"]);
    let mission = manager.get_workflow_definition("drone-survey").unwrap();
    assert_eq!(mission.kv_bucket, "MISSIONS");
    assert_eq!(mission.operator_writable_fields, ["battery", "owner", "photos"]);
    assert_eq!(mission.transitions, survey());
    let unknown = manager.get_workflow_definition("unknown");
    assert!(matches!(unknown, Err(Error::WorkflowNotRegistered { .. })));
}

#[test]
fn tags_are_words_between_commas() {
    let field = || FieldMeta::new("f", FieldKind::Text);
    assert!(field().tagged(" operator_writable , ,indexable").unwrap().is_indexable);
    for (tags, word) in [
        ("unknown", "unknown"),
        ("id,operator_writable", "nobody may write"),
        ("phase,operator_writable", "nobody may write"),
        ("readonly,operator_writable", "cannot be readonly"),
        ("id,phase", "cannot be"),
    ] {
        let mistake = field().tagged(tags).unwrap_err();
        assert!(mistake.contains(word), "{mistake}");
    }
}
