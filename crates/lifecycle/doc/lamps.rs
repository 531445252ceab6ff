// Lamps in rooms: what the examples of the documentation are about.

#[derive(Clone, Debug, Default, PartialEq)]
#[derive(serde::Serialize, serde::Deserialize, waypost_lifecycle::Participant)]
#[lifecycle(workflow = "lamp", bucket = "LAMPS", key_prefix = "lamp.", transitions = phases)]
struct Lamp {
    #[lifecycle(id)]
    id: String,
    #[lifecycle(phase)]
    phase: String,
    #[lifecycle(operator_writable, indexable)]
    room: String,
    #[lifecycle(operator_writable)]
    switched: u32,
    #[lifecycle(parent)]
    circuit: Option<String>,
}

fn phases() -> waypost_lifecycle::Transitions {
    waypost_lifecycle::Transitions::new()
        .phase("dark", ["lit", "failed"])
        .phase("lit", ["dark", "worn"])
        .phase("failed", [])
        .phase("worn", [])
}

fn lamp(id: &str) -> Lamp {
    Lamp { id: id.into(), phase: "dark".into(), room: "hall".into(), ..Lamp::default() }
}

fn manager() -> waypost_lifecycle::Manager {
    waypost_lifecycle::Manager::builder(waypost_lifecycle::MemoryBuckets::new())
        .create_buckets(8)
        .build()
}
