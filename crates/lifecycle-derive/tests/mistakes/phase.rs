use serde::{Deserialize, Serialize};
use waypost_lifecycle::{Participant, Phase};

#[derive(Phase)]
enum Forgetful {
    Draft,
    Done,
}

#[derive(Phase)]
enum Loaded {
    Draft { since: u32 },
    Unknown(String),
}

#[derive(Phase)]
enum Twins {
    InFlight,
    #[phase(rename = "in_flight")]
    Flying,
    Unknown(String),
}

#[derive(Clone, Default, Serialize, Deserialize, Participant)]
#[lifecycle(workflow = "w", bucket = "B")]
struct NumericPhase {
    #[lifecycle(id)]
    id: String,
    #[lifecycle(phase)]
    phase: u32,
}

fn main() {}
