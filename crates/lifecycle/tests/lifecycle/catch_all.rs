//! Types that take in whatever a value has.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;
use waypost_lifecycle::{Participant, Source, Transitions};

use crate::site::{Site, on_every_store};

on_every_store![
    a_type_that_keeps_everything_does_not_see_what_is_not_its_own,
    what_is_the_librarys_is_not_taken_from_callers,
];

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

async fn what_is_the_librarys_is_not_taken_from_callers(site: Site) {
    let manager = site.manager();
    let trunks = manager.register::<Trunk>().await.unwrap();
    let case = json!({
        "workflow": "case", "bucket": "CASES", "transitions": {"packed": ["sent"], "sent": []},
        "fields": [{"name": "id", "tags": "id"}, {"name": "phase", "tags": "phase"}]
    });
    manager.register_described(serde_json::from_value(case).unwrap()).await.unwrap();
    let trunk = |rest| Trunk { id: "p-1".into(), phase: "packed".into(), rest };
    let reserved = BTreeMap::from([("_lifecycle".to_owned(), json!({"workflow": "x"}))]);
    let refused = trunks.create(&trunk(reserved.clone())).await.unwrap_err().to_string();
    assert!(refused.contains("_lifecycle"), "{refused}");
    let case = json!({"id": "p-1", "phase": "packed", "_lifecycle": 7});
    for workflow in ["case", "trunk"] {
        let refused = manager.create(workflow, &case).await.unwrap_err().to_string();
        assert!(refused.contains("_lifecycle"), "{refused}");
        assert!(manager.get(workflow, "p-1").await.is_err(), "nothing is there");
    }
    // Inside of something it is anybody's.
    let inside = BTreeMap::from([("label".to_owned(), json!({"_lifecycle": {"workflow": "x"}}))]);
    trunks.create(&trunk(inside.clone())).await.unwrap();
    let change = |it: &mut Trunk| {
        it.rest.clone_from(&reserved);
        Ok(())
    };
    let refused = trunks.update("p-1", change).await.unwrap_err().to_string();
    assert!(refused.contains("_lifecycle"), "{refused}");
    trunks.transition("p-1", "sent", Source::Component, "by rail").await.unwrap();
    assert_eq!(trunks.get("p-1").await.unwrap().rest, inside);
    assert_eq!(trunks.history("p-1").await.unwrap().pop().unwrap().note, "by rail");
}
