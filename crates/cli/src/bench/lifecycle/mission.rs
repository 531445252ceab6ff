//! The entities that are measured: missions of drones.

use serde::{Deserialize, Serialize};
use waypost_lifecycle::{Participant, Transitions};

/// What phases the stored ones are in, in turns.
pub(super) const PHASES: [&str; 4] = ["planning", "flying", "capturing", "landing"];

/// How many organisations they belong to, in turns.
pub(super) const OWNERS: u32 = 1_001;

/// How many of them belong to one site.
pub(super) const OF_A_SITE: u32 = 10;

#[derive(Clone, Default, Serialize, Deserialize, Participant)]
#[lifecycle(workflow = "drone-survey", bucket = "MISSIONS", key_prefix = "mission.")]
#[lifecycle(transitions = survey)]
pub(super) struct Mission {
    #[lifecycle(id)]
    pub(super) entity_id: String,
    #[lifecycle(phase)]
    pub(super) phase: String,
    #[lifecycle(operator_writable, indexable)]
    pub(super) owner_org_id: String,
    #[lifecycle(parent)]
    pub(super) site: Option<String>,
    #[lifecycle(operator_writable)]
    pub(super) battery: u8,
    pub(super) route: Vec<[f64; 2]>,
}

fn survey() -> Transitions {
    Transitions::new()
        .phase("planning", ["flying", "aborted"])
        .phase("flying", ["capturing", "landing", "aborted"])
        .phase("capturing", ["flying"])
        .phase("landing", ["completed", "failed"])
        .phase("completed", [])
        .phase("failed", [])
        .phase("aborted", [])
}

pub(super) fn mission(number: u32) -> Mission {
    let phase = PHASES.iter().cycle().nth(number as usize % PHASES.len());
    Mission {
        entity_id: id(number),
        phase: phase.copied().unwrap_or_default().to_owned(),
        owner_org_id: owner(number),
        site: Some(parent(number)),
        battery: 90,
        route: (0..8).map(|it| [47.0 + f64::from(it) / 8.0, 8.5]).collect(),
    }
}

pub(super) fn id(number: u32) -> String {
    format!("m-{number:06}")
}

pub(super) fn owner(number: u32) -> String {
    format!("org-{:04}", number % OWNERS)
}

pub(super) fn parent(number: u32) -> String {
    format!("site-{:05}", number / OF_A_SITE)
}
