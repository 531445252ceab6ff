//! Types that take in whatever a value has.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use waypost_lifecycle::{Participant, Source, Transitions};

use crate::site::{Site, on_every_store};

on_every_store![a_type_that_keeps_everything_does_not_see_what_is_not_its_own];

/// A thing that keeps what it does not know.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Participant)]
#[lifecycle(workflow = "trunk", bucket = "TRUNKS", transitions = sent)]
struct Trunk {
    #[lifecycle(id)]
    id: String,
    #[lifecycle(phase)]
    phase: String,
    #[serde(flatten)]
    rest: BTreeMap<String, serde_json::Value>,
}

fn sent() -> Transitions {
    Transitions::new().phase("packed", ["sent"]).phase("sent", [])
}

async fn a_type_that_keeps_everything_does_not_see_what_is_not_its_own(site: Site) {
    let trunks = site.manager().register::<Trunk>().await.unwrap();
    let rest = BTreeMap::from([("weight".to_owned(), 7.into())]);
    let trunk = Trunk { id: "p-1".into(), phase: "packed".into(), rest };
    trunks.create(&trunk).await.unwrap();
    assert_eq!(trunks.get("p-1").await.unwrap(), trunk);
    // Another program may have written the members in an order of its own.
    let bucket = site.buckets.open("TRUNKS").await.unwrap();
    let stored = bucket.get("p-1").await.unwrap().unwrap();
    let text = String::from_utf8(stored.value.to_vec()).unwrap();
    let (own, kept) = text.split_once(",\"_lifecycle\":").unwrap();
    let kept = kept.strip_suffix('}').unwrap();
    let turned = format!("{{\"_lifecycle\":{kept},{}}}", own.strip_prefix('{').unwrap());
    bucket.update("p-1", turned.into(), stored.revision).await.unwrap();
    assert_eq!(trunks.get("p-1").await.unwrap(), trunk);
    let sent = trunks.transition("p-1", "sent", Source::Component, "by rail").await.unwrap();
    assert_eq!(sent.rest, trunk.rest);
    let moves = trunks.history("p-1").await.unwrap();
    let notes: Vec<_> = moves.iter().map(|it| (it.to.as_str(), it.note.as_str())).collect();
    assert_eq!(notes, [("packed", ""), ("sent", "by rail")]);
}
