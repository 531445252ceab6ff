//! Fields with an inside, as operators write them.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};
use waypost_lifecycle::{Manager, MemoryBuckets, Participant, Transitions, Workflow};

static N_READ: AtomicUsize = AtomicUsize::new(0);

/// How wide a door is, if anybody has measured it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
struct Width(u32);

impl Width {
    const fn is_unknown(&self) -> bool {
        self.0 == 0
    }
}

impl<'de> Deserialize<'de> for Width {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        N_READ.fetch_add(1, Ordering::Relaxed);
        u32::deserialize(deserializer).map(Self)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Door {
    #[serde(default, skip_serializing_if = "Width::is_unknown")]
    width: Width,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Plan {
    doors: Vec<Door>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Participant)]
#[lifecycle(workflow = "house", bucket = "HOUSES", transitions = houses)]
struct House {
    #[lifecycle(id)]
    id: String,
    #[lifecycle(phase)]
    phase: String,
    #[lifecycle(operator_writable)]
    plan: Plan,
}

fn houses() -> Transitions {
    Transitions::new().phase("drawn", [])
}

async fn site() -> (Manager, Workflow<House>) {
    let manager = Manager::builder(MemoryBuckets::new()).create_buckets(1).build();
    let houses = manager.register::<House>().await.unwrap();
    let house = House { id: "h-1".into(), phase: "drawn".into(), ..House::default() };
    houses.create(&house).await.unwrap();
    (manager, houses)
}

async fn patch(manager: &Manager, doors: Vec<Value>) -> Result<(), waypost_lifecycle::Error> {
    let patch = json!({"plan": {"doors": doors}}).as_object().cloned().unwrap();
    manager.update_from_operator("house", "h-1", &patch).await
}

#[tokio::test]
async fn a_patch_with_much_inside_is_read_a_few_times() {
    const DOORS: usize = 20_000;
    let (manager, houses) = site().await;
    let before = N_READ.load(Ordering::Relaxed);
    patch(&manager, vec![json!({"width": 0}); DOORS]).await.unwrap();
    let n_read = N_READ.load(Ordering::Relaxed) - before;
    assert!(n_read < 10 * DOORS, "{n_read}");
    assert_eq!(houses.get("h-1").await.unwrap().plan.doors.len(), DOORS);
    // What nobody knows is found in all of it.
    let mut doors = vec![json!({"width": 0}); DOORS];
    doors[DOORS / 2] = json!({"height": 2});
    let refused = patch(&manager, doors).await.unwrap_err().to_string();
    assert!(refused.contains("height"), "{refused}");
}
