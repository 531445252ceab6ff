use serde::{Deserialize, Serialize};
use waypost_lifecycle::Participant;

#[derive(Clone, Default, Serialize, Deserialize, Participant)]
#[lifecycle(workflow = "w", bucket = "B")]
struct NoId {
    #[lifecycle(phase)]
    phase: String,
}

#[derive(Clone, Default, Serialize, Deserialize, Participant)]
#[lifecycle(workflow = "w", bucket = "B")]
struct NoPhase {
    #[lifecycle(id)]
    id: String,
}

#[derive(Clone, Default, Serialize, Deserialize, Participant)]
#[lifecycle(workflow = "w", bucket = "B")]
struct TwoIds {
    #[lifecycle(id)]
    id: String,
    #[lifecycle(id)]
    other: String,
    #[lifecycle(phase)]
    phase: String,
}

#[derive(Clone, Default, Serialize, Deserialize, Participant)]
#[lifecycle(workflow = "w", bucket = "B")]
struct WritablePhase {
    #[lifecycle(id)]
    id: String,
    #[lifecycle(phase, operator_writable)]
    phase: String,
}

#[derive(Clone, Default, Serialize, Deserialize, Participant)]
#[lifecycle(workflow = "w", bucket = "B")]
struct Contradiction {
    #[lifecycle(id)]
    id: String,
    #[lifecycle(phase)]
    phase: String,
    #[lifecycle(readonly, operator_writable)]
    owner: String,
}

#[derive(Clone, Default, Serialize, Deserialize, Participant)]
#[lifecycle(workflow = "w", bucket = "B")]
struct Typo {
    #[lifecycle(id)]
    id: String,
    #[lifecycle(phase)]
    phase: String,
    #[lifecycle(oprator_writable)]
    owner: String,
}

#[derive(Clone, Default, Serialize, Deserialize, Participant)]
#[lifecycle(workflow = "w", bucket = "B")]
struct Skipped {
    #[lifecycle(id)]
    id: String,
    #[lifecycle(phase)]
    phase: String,
    #[serde(skip)]
    #[lifecycle(operator_writable)]
    owner: String,
}

#[derive(Clone, Default, Serialize, Deserialize, Participant)]
#[lifecycle(workflow = "w", bucket = "B")]
struct Flat {
    #[lifecycle(id)]
    id: String,
    #[lifecycle(phase)]
    phase: String,
    #[serde(flatten)]
    #[lifecycle(operator_writable)]
    more: serde_json::Map<String, serde_json::Value>,
}

#[derive(Clone, Default, Serialize, Deserialize, Participant)]
#[lifecycle(workflow = "w", bucket = "B")]
struct Custom {
    #[lifecycle(id)]
    id: String,
    #[lifecycle(phase)]
    phase: String,
    #[serde(with = "hours")]
    #[lifecycle(readonly)]
    fine: u64,
    #[serde(with = "hours")]
    #[lifecycle(operator_writable)]
    owner: u64,
}

mod hours {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(hours: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format!("{hours} h"))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.trim_end_matches(" h").parse().map_err(serde::de::Error::custom)
    }
}

#[derive(Clone, Default, Serialize, Deserialize, Participant)]
#[lifecycle(workflow = "w", bucket = "B")]
struct Reserved {
    #[lifecycle(id)]
    id: String,
    #[lifecycle(phase)]
    phase: String,
    #[serde(rename = "_lifecycle")]
    trail: String,
}

#[derive(Clone, Default, Serialize, Deserialize, Participant)]
#[lifecycle(workflow = "w")]
struct NoBucket {
    #[lifecycle(id)]
    id: String,
    #[lifecycle(phase)]
    phase: String,
}

#[derive(Clone, Default, Serialize, Deserialize, Participant)]
#[lifecycle(bucket = "B")]
struct NoWorkflow {
    #[lifecycle(id)]
    id: String,
    #[lifecycle(phase)]
    phase: String,
}

#[derive(Clone, Default, Serialize, Deserialize, Participant)]
#[lifecycle(workflow = "w", bucket = "B", color = "red")]
struct UnknownAttribute {
    #[lifecycle(id)]
    id: String,
    #[lifecycle(phase)]
    phase: String,
}

#[derive(Clone, Default, Serialize, Deserialize, Participant)]
#[lifecycle(workflow = "w", bucket = "B")]
struct TwoPhases {
    #[lifecycle(id)]
    id: String,
    #[lifecycle(phase)]
    phase: String,
    #[lifecycle(phase)]
    other: String,
}

#[derive(Clone, Default, Serialize, Deserialize, Participant)]
#[lifecycle(workflow = "w", bucket = "B")]
struct TwoParents {
    #[lifecycle(id)]
    id: String,
    #[lifecycle(phase)]
    phase: String,
    #[lifecycle(parent)]
    parent: String,
    #[lifecycle(parent)]
    other: Option<String>,
}

#[derive(Clone, Default, Serialize, Deserialize, Participant)]
#[lifecycle(workflow = "w", bucket = "B")]
struct IdAndPhase {
    #[lifecycle(id, phase)]
    id: String,
}

#[derive(Clone, Default, Serialize, Deserialize, Participant)]
#[lifecycle(workflow = "w", bucket = "B")]
struct BadKind {
    #[lifecycle(id)]
    id: String,
    #[lifecycle(phase)]
    phase: String,
    #[lifecycle(operator_writable, kind = "u33")]
    number: u32,
}

#[derive(Clone, Default, Serialize, Deserialize, Participant)]
#[lifecycle(workflow = "w", bucket = "B")]
struct Tuple(String, String);

#[derive(Clone, Default, Serialize, Deserialize, Participant)]
#[lifecycle(workflow = "w", bucket = "B")]
struct Generic<T> {
    #[lifecycle(id)]
    id: String,
    #[lifecycle(phase)]
    phase: String,
    anything: T,
}

#[derive(Participant)]
#[lifecycle(workflow = "w", bucket = "B")]
enum NotAStruct {}

fn main() {}
