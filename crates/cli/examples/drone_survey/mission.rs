//! A mission: what it is, which phases it goes through, and when.

use serde::{Deserialize, Serialize};
use waypost_lifecycle::{Participant, Transitions};

/// Photos of a mission.
const PHOTOS: u32 = 5;
/// What a drone needs to take off, and what a photo takes.
const CHARGED: u8 = 20;
const PER_PHOTO: u8 = 5;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Participant)]
#[lifecycle(workflow = "drone-survey", bucket = "MISSIONS", key_prefix = "mission.")]
#[lifecycle(transitions = survey)]
pub(crate) struct Mission {
    #[lifecycle(id)]
    pub(crate) entity_id: String,
    #[lifecycle(phase)]
    pub(crate) phase: String,
    #[lifecycle(operator_writable, indexable)]
    pub(crate) owner_org_id: String,
    #[lifecycle(operator_writable)]
    pub(crate) battery: u8,
    pub(crate) photos: u32,
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

impl Mission {
    /// Where it goes from here, unless it waits for somebody or has ended.
    pub(crate) fn next(&self) -> Option<&'static str> {
        match self.phase.as_str() {
            "planning" => (self.battery >= CHARGED).then_some("flying"),
            "flying" if self.photos == PHOTOS => Some("landing"),
            // One that is too weak hovers until it is charged or called off.
            "flying" => (self.battery >= PER_PHOTO).then_some("capturing"),
            "capturing" => Some("flying"),
            "landing" => Some("completed"),
            _ => None,
        }
    }

    /// What there is to do on the way out of its phase.
    pub(crate) fn work(&mut self) {
        if self.phase == "capturing" {
            self.photos += 1;
            self.battery = self.battery.saturating_sub(PER_PHOTO);
        }
    }
}
