//! Parents, children, and entities of unknown type.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use waypost_lifecycle::{Error, Manager, MemoryBuckets, Participant, Snapshot, Transitions};

use crate::{
    mission::{Mission, indexed, mission},
    site::{Site, in_time, on_every_store},
};

on_every_store![
    children_are_found_in_all_types,
    ancestors_go_up_to_the_root,
    an_entity_is_found_whatever_its_type,
    what_cannot_be_read_is_not_taken_for_missing,
];

/// What missions belong to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Participant)]
#[lifecycle(workflow = "campaign", bucket = "MISSIONS", key_prefix = "campaign.")]
struct Campaign {
    #[lifecycle(id)]
    id: String,
    #[lifecycle(phase)]
    phase: String,
    #[lifecycle(parent)]
    parent: String,
}

fn campaign(id: &str, parent: &str) -> Campaign {
    Campaign { id: id.to_owned(), phase: "open".to_owned(), parent: parent.to_owned() }
}

fn open() -> Transitions {
    Transitions::new().phase("open", ["closed"]).phase("closed", [])
}

fn child_of(parent: &str, id: &str) -> Mission {
    Mission { parent: Some(parent.to_owned()), ..mission(id) }
}

fn told(found: &[Snapshot<Value>]) -> Vec<String> {
    found.iter().map(|it| format!("{}/{}", it.workflow, it.entity_id)).collect()
}

async fn children_are_found_in_all_types(site: Site) {
    let manager = site.manager();
    let missions = manager.register::<Mission>().await.unwrap();
    let campaigns = manager.register_with::<Campaign>(open()).await.unwrap();
    campaigns.create(&campaign("c-1", "")).await.unwrap();
    campaigns.create(&campaign("c-2", "c-1")).await.unwrap();
    for id in ["m-2", "m-1"] {
        missions.create(&child_of("c-1", id)).await.unwrap();
    }
    missions.create(&mission("m-3")).await.unwrap();
    let children = manager.children("c-1").await.unwrap();
    assert_eq!(told(&children), ["campaign/c-2", "drone-survey/m-1", "drone-survey/m-2"]);
    assert_eq!(told(&manager.children("nobody").await.unwrap()), [""; 0]);
    assert!(matches!(manager.children("").await, Err(Error::InvalidEntityId { .. })));
}

async fn ancestors_go_up_to_the_root(site: Site) {
    let manager = site.manager();
    let missions = manager.register::<Mission>().await.unwrap();
    let campaigns = manager.register_with::<Campaign>(open()).await.unwrap();
    campaigns.create(&campaign("root", "")).await.unwrap();
    campaigns.create(&campaign("middle", "root")).await.unwrap();
    missions.create(&child_of("middle", "m-1")).await.unwrap();
    let ancestors = async |id: &str| told(&manager.ancestors(id).await.unwrap());
    assert_eq!(ancestors("m-1").await, ["campaign/middle", "campaign/root"]);
    assert_eq!(ancestors("root").await, [""; 0]);
    assert!(matches!(manager.ancestors("nobody").await, Err(Error::EntityNotFound { .. })));
    missions.create(&child_of("gone", "m-2")).await.unwrap();
    assert_eq!(ancestors("m-2").await, [""; 0], "one that is missing ends the walk");
    campaigns.create(&campaign("x", "y")).await.unwrap();
    campaigns.create(&campaign("y", "x")).await.unwrap();
    assert_eq!(ancestors("x").await, ["campaign/y"], "a circle ends where it began");
}

async fn an_entity_is_found_whatever_its_type(site: Site) {
    let manager = site.manager();
    let missions = manager.register::<Mission>().await.unwrap();
    let campaigns = manager.register_with::<Campaign>(open()).await.unwrap();
    missions.create(&mission("m-1")).await.unwrap();
    campaigns.create(&campaign("c-1", "")).await.unwrap();
    for id in ["both", "both"] {
        missions.create(&mission(id)).await.ok();
        campaigns.create(&campaign(id, "")).await.ok();
    }
    let look = async |id: &str| manager.lookup_by_entity_id(id).await.map(|it| it.workflow);
    assert_eq!(look("m-1").await.unwrap(), "drone-survey");
    assert_eq!(look("c-1").await.unwrap(), "campaign");
    assert_eq!(look("both").await.unwrap(), "campaign", "the first by name");
    assert!(matches!(look("nobody").await, Err(Error::EntityNotFound { workflow: None, .. })));
}

async fn what_cannot_be_read_is_not_taken_for_missing(site: Site) {
    let manager = site.manager();
    let missions = manager.register::<Mission>().await.unwrap();
    let campaigns = manager.register_with::<Campaign>(open()).await.unwrap();
    let bucket = site.buckets.open("MISSIONS").await.unwrap();
    bucket.create("campaign.broken", "[]".into()).await.unwrap();
    campaigns.create(&campaign("middle", "broken")).await.unwrap();
    missions.create(&child_of("middle", "m-1")).await.unwrap();
    let looked_up = manager.lookup_by_entity_id("broken").await;
    assert!(matches!(looked_up, Err(Error::Decode { .. })), "{looked_up:?}");
    for id in ["broken", "middle", "m-1"] {
        let ancestors = manager.ancestors(id).await;
        assert!(matches!(ancestors, Err(Error::Decode { .. })), "of {id}: {ancestors:?}");
    }
}

/// More than are read at once, of two types, from the index and without one.
#[tokio::test]
async fn many_children_are_read_a_few_at_a_time_and_all_are_found() {
    const CHILDREN: usize = 300;
    for is_indexed in [true, false] {
        let manager = Manager::builder(MemoryBuckets::new()).create_buckets(1);
        let manager = if is_indexed { manager } else { manager.without_index() }.build();
        let missions = manager.register::<Mission>().await.unwrap();
        let campaigns = manager.register_with::<Campaign>(open()).await.unwrap();
        campaigns.create(&campaign("c-1", "root")).await.unwrap();
        for number in 0..CHILDREN {
            missions.create(&child_of("root", &format!("m-{number:03}"))).await.unwrap();
        }
        if is_indexed {
            in_time(indexed(&manager)).await;
        }
        let all = told(&manager.children("root").await.unwrap());
        assert_eq!(all.len(), CHILDREN + 1);
        for (offset, limit) in [(0, 1), (0, 257), (1, 256), (255, 20), (300, 5), (301, 5)] {
            let page = manager.children_page("root", offset, limit).await.unwrap();
            let expected: Vec<_> = all.iter().skip(offset).take(limit).cloned().collect();
            assert_eq!(told(&page), expected, "from {offset}, {limit}");
        }
    }
}
