//! Numbers come back as they were written, also those that nobody here understands.

use serde::{Deserialize, Serialize};
use serde_json::json;
use waypost_lifecycle::{
    Buckets as _, ListOptions, Manager, MemoryBuckets, MoveTo, Participant, Source, Transitions,
    Workflow,
};

use crate::site::{Site, on_every_store};

on_every_store![a_number_with_a_fraction_is_read_as_it_was_written];

/// Reads differently by one in the last place where digits are only read roughly.
const READING: f64 = 31.245_270_191_439_438;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Participant)]
#[lifecycle(workflow = "gauge", bucket = "GAUGES", transitions = read)]
struct Gauge {
    #[lifecycle(id)]
    id: String,
    #[lifecycle(phase)]
    phase: String,
    #[lifecycle(operator_writable)]
    reading: f64,
    #[lifecycle(operator_writable)]
    room: String,
    #[lifecycle(parent)]
    parent: Option<String>,
    total: u128,
}

fn read() -> Transitions {
    Transitions::new().phase("new", ["read"]).phase("read", [])
}

fn gauge(id: &str) -> Gauge {
    Gauge { id: id.into(), phase: "new".into(), reading: READING, ..Gauge::default() }
}

async fn a_number_with_a_fraction_is_read_as_it_was_written(site: Site) {
    let gauges = site.manager().register::<Gauge>().await.unwrap();
    gauges.create(&gauge("g-1")).await.unwrap();
    assert_eq!(gauges.get("g-1").await.unwrap(), gauge("g-1"));
    for options in [ListOptions::default(), ListOptions::default().fresh()] {
        let found = gauges.list(&options.matching("reading", READING)).await.unwrap();
        assert_eq!(found.len(), 1);
    }
    let bucket = site.buckets.open("GAUGES").await.unwrap();
    let text = async || bucket.get("g-1").await.unwrap().unwrap().value;
    let before = text().await;
    gauges.update("g-1", |_| Ok(())).await.unwrap();
    let program = |text: &[u8]| {
        let text = String::from_utf8(text.to_vec()).unwrap();
        text.split_once(",\"_lifecycle\"").unwrap().0.to_owned()
    };
    assert_eq!(program(&text().await), program(&before));
}

/// A program, and a server that knows some of its fields.
async fn both() -> (MemoryBuckets, Workflow<Gauge>, Manager) {
    let buckets = MemoryBuckets::new();
    let program = Manager::builder(buckets.clone()).create_buckets(8).build();
    let gauges = program.register::<Gauge>().await.unwrap();
    let described = json!({
        "workflow": "gauge", "bucket": "GAUGES", "transitions": {"new": ["read"], "read": []},
        "fields": [
            {"name": "id", "tags": "id"},
            {"name": "phase", "tags": "phase"},
            {"name": "room", "tags": "operator_writable"},
            {"name": "parent", "kind": "string?", "tags": "parent"},
            {"name": "limits", "kind": "nested"}
        ]
    });
    let server = Manager::builder(buckets.clone()).build();
    server.register_described(serde_json::from_value(described).unwrap()).await.unwrap();
    (buckets, gauges, server)
}

#[tokio::test]
async fn what_is_not_described_keeps_its_digits() {
    let (buckets, gauges, server) = both().await;
    let kept = "\"reading\":31.245270191439438000,\"total\":340282366920938463463374607431768211455,\
        \"limits\":[0.10000000000000000555,{\"most\":18446744073709551616}],\"parent\":null";
    let text = format!("{{\"id\":\"g-1\",\"phase\":\"new\",\"room\":\"hall\",{kept}}}");
    buckets.bucket("GAUGES").unwrap().put("g-1", text);
    let patch = json!({"room": "attic"}).as_object().cloned().unwrap();
    server.update_from_operator("gauge", "g-1", &patch).await.unwrap();
    let go = MoveTo { phase: "read", source: Source::Operator, note: "" };
    server.transition("gauge", "g-1", go).await.unwrap();
    let bucket = buckets.open("GAUGES").await.unwrap();
    let stored = bucket.get("g-1").await.unwrap().unwrap().value;
    let stored = String::from_utf8(stored.to_vec()).unwrap();
    assert!(stored.contains(kept), "{stored}");
    let found = gauges.get("g-1").await.unwrap();
    let (room, phase) = (found.room.as_str(), found.phase.as_str());
    assert_eq!((room, phase, found.total), ("attic", "read", u128::MAX));
}

#[tokio::test]
async fn a_number_that_is_too_long_is_shown_rounded_and_hides_nobody() {
    let (buckets, gauges, server) = both().await;
    let parent = Some("house".to_owned());
    gauges.create(&Gauge { parent: parent.clone(), ..gauge("small") }).await.unwrap();
    gauges.create(&Gauge { parent, total: u128::MAX, ..gauge("large") }).await.unwrap();
    let program = Manager::builder(buckets).build();
    program.register::<Gauge>().await.unwrap();
    for options in [ListOptions::default(), ListOptions::default().fresh()] {
        let shown = program.list("gauge", &options).await.unwrap();
        assert_eq!(shown.len(), 2);
        // As a server shows it that has only the text.
        assert_eq!(shown, server.list("gauge", &options).await.unwrap());
        assert_eq!(
            shown[0].value["total"],
            json!(340_282_366_920_938_463_463_374_607_431_768_211_455.0)
        );
    }
    assert_eq!(program.children("house").await.unwrap().len(), 2);
    let go = MoveTo { phase: "read", source: Source::Operator, note: "" };
    let moved = program.transition("gauge", "large", go).await.unwrap();
    assert_eq!(moved.phase, "read");
    assert_eq!(gauges.get("large").await.unwrap().total, u128::MAX, "it is stored as it was");
}
