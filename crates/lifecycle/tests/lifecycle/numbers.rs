//! Numbers come back as they were written, also those that nobody here understands.

use serde::{Deserialize, Serialize};
use waypost_lifecycle::{ListOptions, Participant, Transitions};

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
