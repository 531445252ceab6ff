//! A drone that surveys, and what happens to it.

use serde::{Deserialize, Serialize};
use waypost_lifecycle::{Manager, Participant, Transitions};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Participant)]
#[serde(deny_unknown_fields)]
#[lifecycle(workflow = "drone-survey", bucket = "MISSIONS", key_prefix = "mission.")]
#[lifecycle(transitions = survey)]
pub(crate) struct Mission {
    #[lifecycle(id)]
    pub(crate) entity_id: String,
    #[lifecycle(phase, readonly)]
    pub(crate) phase: String,
    #[lifecycle(operator_writable, indexable)]
    pub(crate) owner: String,
    #[lifecycle(parent)]
    pub(crate) parent: Option<String>,
    #[lifecycle(operator_writable)]
    pub(crate) photos: u32,
    #[lifecycle(operator_writable)]
    pub(crate) battery: Option<u8>,
    #[lifecycle(readonly)]
    pub(crate) serial: String,
    pub(crate) log: Vec<String>,
}

pub(crate) fn survey() -> Transitions {
    Transitions::new()
        .phase("planning", ["flying", "aborted"])
        .phase("flying", ["capturing", "landing", "aborted"])
        .phase("capturing", ["flying"])
        .phase("landing", ["completed", "failed"])
        .phase("completed", [])
        .phase("failed", [])
        .phase("aborted", [])
}

pub(crate) fn mission(id: &str) -> Mission {
    in_phase(id, "planning")
}

pub(crate) fn in_phase(id: &str, phase: &str) -> Mission {
    Mission { entity_id: id.into(), phase: phase.into(), owner: "ann".into(), ..Mission::default() }
}

/// Waits until lists are answered from the index.
pub(crate) async fn indexed(manager: &Manager) {
    while !manager.is_indexed("drone-survey").unwrap() {
        tokio::task::yield_now().await;
    }
}
