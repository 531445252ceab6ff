//! Every way to fail is met here, and has its status. A new one does not compile until it is met.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::*;
use crate::{
    DynManager, FieldDescription, ListOptions, Manager, MemoryBucket, MemoryBuckets, MoveTo,
    Source, Transitions, TypeDescription,
};

const SURVEY: &str = "survey";

/// The names of all variants.
const ALL: [&str; 21] = [
    "AlreadyExists",
    "Decode",
    "EntityNotFound",
    "FailReasonRequired",
    "FieldNotOperatorWritable",
    "IdentityChanged",
    "InvalidEntityId",
    "InvalidRegistration",
    "InvalidTransition",
    "InvalidTransitionsTable",
    "MissingIdField",
    "MissingPhaseField",
    "Mutator",
    "Store",
    "TerminalPhase",
    "TypeMismatch",
    "UnknownField",
    "UnknownMatchField",
    "UpdateRetriesExhausted",
    "WorkflowAlreadyRegistered",
    "WorkflowNotRegistered",
];

/// The name of a variant, and its status by the contract.
const fn known(error: &Error) -> (&'static str, u16) {
    match error {
        Error::WorkflowNotRegistered { .. } => ("WorkflowNotRegistered", 404),
        Error::WorkflowAlreadyRegistered { .. } => ("WorkflowAlreadyRegistered", 500),
        Error::InvalidRegistration { .. } => ("InvalidRegistration", 500),
        Error::MissingIdField { .. } => ("MissingIdField", 500),
        Error::MissingPhaseField { .. } => ("MissingPhaseField", 500),
        Error::InvalidTransitionsTable { .. } => ("InvalidTransitionsTable", 500),
        Error::EntityNotFound { .. } => ("EntityNotFound", 404),
        Error::AlreadyExists { .. } => ("AlreadyExists", 409),
        Error::InvalidEntityId { .. } => ("InvalidEntityId", 400),
        Error::InvalidTransition { .. } => ("InvalidTransition", 400),
        Error::TerminalPhase { .. } => ("TerminalPhase", 400),
        Error::FailReasonRequired => ("FailReasonRequired", 400),
        Error::FieldNotOperatorWritable { .. } => ("FieldNotOperatorWritable", 400),
        Error::UnknownField { .. } => ("UnknownField", 400),
        Error::TypeMismatch { .. } => ("TypeMismatch", 400),
        Error::UnknownMatchField { .. } => ("UnknownMatchField", 400),
        Error::UpdateRetriesExhausted { .. } => ("UpdateRetriesExhausted", 409),
        Error::IdentityChanged { .. } => ("IdentityChanged", 500),
        Error::Mutator(_) => ("Mutator", 500),
        Error::Decode { .. } => ("Decode", 500),
        Error::Store { .. } => ("Store", 500),
    }
}

fn described(workflow: &str, tags: [&str; 2]) -> TypeDescription {
    let field = |name: &str, tags: &str| FieldDescription {
        name: name.to_owned(),
        kind: FieldKind::Text,
        tags: tags.to_owned(),
    };
    TypeDescription {
        workflow: workflow.to_owned(),
        bucket: "MISSIONS".to_owned(),
        key_prefix: String::new(),
        transitions: Transitions::new().phase("planning", ["done"]).phase("done", []),
        fields: vec![
            field("id", tags[0]),
            field("phase", tags[1]),
            field("owner", "operator_writable"),
            field("serial", ""),
        ],
    }
}

fn mission(id: &str, phase: &str) -> Value {
    json!({"id": id, "phase": phase, "owner": "ann", "serial": "x"})
}

async fn of_registration(manager: &DynManager) -> Vec<Error> {
    let lost = Transitions::new().phase("planning", ["moon"]);
    let good = || described("other", ["id", "phase"]);
    let types = [
        described(SURVEY, ["id", "phase"]),
        described("other", ["typo", "phase"]),
        described("other", ["", "phase"]),
        described("other", ["id", ""]),
        TypeDescription { transitions: lost, ..good() },
        TypeDescription { bucket: "no bucket".to_owned(), ..good() },
    ];
    let mut met = Vec::new();
    for described in types {
        met.push(manager.register_described(described).await.unwrap_err());
    }
    met
}

async fn of_entities(manager: &DynManager, bucket: &MemoryBucket) -> Vec<Error> {
    let to = |phase| MoveTo { phase, source: Source::Operator, note: "" };
    let patch = async |patch: Value| {
        let patch = patch.as_object().cloned().unwrap();
        manager.update_from_operator(SURVEY, "m-1", &patch).await.unwrap_err()
    };
    let renamed = &mut |fields: &mut crate::Fields<'_>| {
        fields.set("id", "m-2".into()).map_err(|it| Error::Mutator(it.into()))
    };
    let unwilling = &mut |_: &mut crate::Fields<'_>| Err(Error::Mutator("no".into()));
    let wings = ListOptions::default().matching("wings", "two");
    bucket.put("broken", "secret");
    let mut met = vec![
        manager.get("nothing", "m-1").await.unwrap_err(),
        manager.get(SURVEY, "nobody").await.unwrap_err(),
        manager.get(SURVEY, "a b").await.unwrap_err(),
        manager.get(SURVEY, "broken").await.unwrap_err(),
        manager.create(SURVEY, &mission("m-1", "planning")).await.unwrap_err(),
        manager.transition(SURVEY, "m-1", to("moon")).await.unwrap_err(),
        manager.transition(SURVEY, "ended", to("done")).await.unwrap_err(),
        manager.transition_with(SURVEY, "m-1", to("done"), renamed).await.unwrap_err(),
        manager.transition_with(SURVEY, "m-1", to("done"), unwilling).await.unwrap_err(),
        manager.fail(SURVEY, "m-1", "", Source::Rule).await.unwrap_err(),
        manager.list(SURVEY, &wings).await.unwrap_err(),
        patch(json!({"serial": "y"})).await,
        patch(json!({"wings": 2})).await,
        patch(json!({"owner": 2})).await,
    ];
    bucket.inject_conflicts(5);
    met.push(manager.transition(SURVEY, "m-1", to("done")).await.unwrap_err());
    bucket.inject_failures(1);
    met.push(manager.transition(SURVEY, "m-1", to("done")).await.unwrap_err());
    met
}

#[tokio::test]
async fn every_way_to_fail_is_met_and_has_its_status() {
    let buckets = MemoryBuckets::new();
    let manager = Manager::builder(buckets.clone()).create_buckets(1).build();
    manager.register_described(described(SURVEY, ["id", "phase"])).await.unwrap();
    manager.create(SURVEY, &mission("m-1", "planning")).await.unwrap();
    manager.create(SURVEY, &mission("ended", "done")).await.unwrap();
    let mut met = of_registration(&manager).await;
    met.extend(of_entities(&manager, &buckets.bucket("MISSIONS").unwrap()).await);
    let mut names = BTreeSet::new();
    for error in &met {
        let (name, status) = known(error);
        assert_eq!(error.http_status(), status, "{name}");
        let told = error.public_message();
        assert_eq!(told == error.to_string(), status < 500, "{name}: {told}");
        assert!(status < 500 || !told.contains("secret"), "{name}: {told}");
        names.insert(name);
    }
    assert_eq!(names, BTreeSet::from(ALL));
    let unchanged = manager.get(SURVEY, "m-1").await.unwrap();
    assert_eq!(unchanged.value, mission("m-1", "planning"));
}

#[test]
fn a_bucket_is_named_once() {
    let missing = BucketError::Missing("MISSIONS".to_owned());
    let bucket = "MISSIONS of workflow \"survey\"".to_owned();
    let missing = Error::Store { bucket, source: missing };
    assert_eq!(missing.to_string(), "there is no bucket \"MISSIONS\" of workflow \"survey\"");
    let away = BucketError::Unavailable("no connection".to_owned());
    let away = Error::Store { bucket: "MISSIONS".to_owned(), source: away };
    assert_eq!(away.to_string(), "bucket MISSIONS: the store is unavailable: no connection");
}
