//! Every event that can be asked with: how it goes well, and how it does not.

use serde_json::json;
use tonic::Code;
use waypost_api::grpc::cloudevents::{CloudEvent, cloud_event::Data};

use super::hall::{code, event, hall, method};
use crate::{
    entity::play::{finish, stories},
    on::{On, each},
};

/// Plays what is in the folder, each story in a hall of its own.
fn all(on: On) {
    let names = stories("http/calls/stories");
    let stories = names.iter().map(|it| {
        let name = it.as_str();
        (name, move || finish(async move { hall().await.play(name).await }))
    });
    each(on, stories);
}

#[test]
fn events_are_answered_like_this_in_memory() {
    all(On::Memory);
}

#[test]
fn events_are_answered_the_same_way_on_sqlite() {
    all(On::Sqlite);
}

#[test]
fn events_are_answered_the_same_way_on_postgresql() {
    all(On::Postgres);
}

pub(super) const KINDS: [&str; 22] = [
    "EntityModelImportRequest",
    "EntityModelExportRequest",
    "EntityModelTransitionRequest",
    "EntityModelDeleteRequest",
    "EntityModelGetAllRequest",
    "EntityCreateRequest",
    "EntityUpdateRequest",
    "EntityDeleteRequest",
    "EntityTransitionRequest",
    "EntityCreateCollectionRequest",
    "EntityUpdateCollectionRequest",
    "EntityDeleteAllRequest",
    "EntityGetRequest",
    "EntitySnapshotSearchRequest",
    "SnapshotGetStatusRequest",
    "SnapshotCancelRequest",
    "EntityGetAllRequest",
    "EntitySearchRequest",
    "SnapshotGetRequest",
    "EntityStatsGetRequest",
    "EntityStatsByStateGetRequest",
    "EntityChangesMetadataGetRequest",
];

const METHODS: [&str; 5] = [
    "entityModelManage",
    "entityManage",
    "entityManageCollection",
    "entitySearch",
    "entitySearchCollection",
];

#[tokio::test]
async fn every_event_has_one_method_and_a_name() {
    let hall = hall().await;
    for kind in KINDS {
        for other in METHODS.into_iter().filter(|it| *it != method(kind)) {
            let event = event(kind, Data::TextData(r#"{"id":"p"}"#.to_owned()));
            let status = hall.send(other, event, &[]).await.unwrap_err();
            let text = format!("{other} does not take events of type {kind:?}");
            assert_eq!((status.code(), status.message()), (Code::InvalidArgument, text.as_str()));
        }
        let nameless = event(kind, Data::TextData("{}".to_owned()));
        let status = hall.send(method(kind), nameless, &[]).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{kind}");
        assert!(status.message().contains("missing field `id`"), "{kind}: {}", status.message());
    }
}

#[tokio::test]
async fn payloads_are_text_or_bytes_and_nothing_else() {
    let hall = hall().await;
    let kind = "EntityModelGetAllRequest";
    let bytes = Data::BinaryData(br#"{"id":"p"}"#.to_vec());
    let answers = hall.send(method(kind), event(kind, bytes), &[]).await.unwrap();
    assert_eq!(answers[0].1["models"], json!([]));
    let empty = CloudEvent { data: None, ..event(kind, Data::TextData(String::new())) };
    let any = prost_types::Any::default();
    for event in [
        empty,
        event(kind, Data::ProtoData(any)),
        event(kind, Data::BinaryData(vec![0xff])),
        event(kind, Data::TextData("[\"p\"]".to_owned())),
        event(kind, Data::TextData("{".to_owned())),
    ] {
        let text = format!("{event:?}");
        assert_eq!(
            code(hall.send(method(kind), event, &[]).await),
            Code::InvalidArgument,
            "{text}"
        );
    }
}

#[tokio::test]
pub(crate) async fn numbers_stay_as_they_were_written() {
    let hall = hall().await;
    hall.world
        .prepare(&[
            "POST /api/model/import/JSON/SAMPLE_DATA/m/1 {\"n\":1.5}",
            "PUT /api/model/m/1/lock",
        ])
        .await;
    let value = r#"{"n":12.50}"#;
    let payload = format!(
        r#"{{"id":"p","dataFormat":"JSON","payload":{{"model":{{"name":"m","version":1}},"data":{value}}}}}"#
    );
    let kind = "EntityCreateRequest";
    let answers = hall.send(method(kind), event(kind, Data::TextData(payload)), &[]).await.unwrap();
    let id = &answers[0].1["transactionInfo"]["entityIds"][0];
    let asked =
        event("EntityGetRequest", Data::TextData(format!(r#"{{"id":"p","entityId":{id}}}"#)));
    let answer = hall.client.clone().entity_search(asked).await.unwrap().into_inner();
    let Some(Data::TextData(text)) = answer.data else { panic!("no text") };
    assert!(text.contains(&format!(r#""data":{value},"#)), "{text}");
}

#[tokio::test]
pub(crate) async fn a_payload_of_ten_mebibytes_is_taken_and_a_larger_one_is_not() {
    let hall = hall().await;
    let kind = "EntityModelImportRequest";
    let around = json!({
        "id": "p", "model": {"name": "m", "version": 1}, "dataFormat": "JSON",
        "converter": "SAMPLE_DATA", "payload": {"a": ""},
    });
    let around = around.to_string().len();
    for (n_bytes, expected) in [
        (10 << 20, Code::Ok),
        ((10 << 20) + 1, Code::InvalidArgument),
        (13 << 20, Code::OutOfRange),
    ] {
        let payload = json!({
            "id": "p", "model": {"name": "m", "version": 1}, "dataFormat": "JSON",
            "converter": "SAMPLE_DATA", "payload": {"a": "x".repeat(n_bytes - around)},
        });
        let event = event(kind, Data::TextData(payload.to_string()));
        let answered = hall.send(method(kind), event, &[]).await;
        assert_eq!(code(answered), expected, "{n_bytes}");
    }
}

#[tokio::test]
pub(crate) async fn a_search_has_no_end_but_the_last_that_matches() {
    let hall = hall().await;
    hall.world
        .prepare(&[
            "POST /api/model/import/JSON/SAMPLE_DATA/m/1 {\"n\":1}",
            "PUT /api/model/m/1/lock",
        ])
        .await;
    let model = json!({"name": "m", "version": 1});
    for first in [0, 1_000] {
        let payloads: Vec<_> =
            (first..first + 1_000).map(|n| json!({"model": model, "data": {"n": n}})).collect();
        let payload = json!({"dataFormat": "JSON", "payloads": payloads});
        hall.done("EntityCreateCollectionRequest", payload).await;
    }
    let all = json!({"type": "group", "operator": "AND", "conditions": []});
    let search = async |limit: u32| {
        let payload = json!({"model": model, "condition": all, "limit": limit});
        hall.ask("EntitySearchRequest", payload).await.unwrap()
    };
    assert_eq!(search(0).await.len(), 2_000);
    assert_eq!(search(1_500).await.len(), 1_500);
    let ids: Vec<_> =
        search(0).await.iter().map(|it| it.1["payload"]["meta"]["id"].to_string()).collect();
    assert!(ids.is_sorted());
}

/// Not every database can write down such a name, not even to look for it.
#[tokio::test]
pub(crate) async fn names_with_a_null_character_are_not_there() {
    let hall = hall().await;
    let model = json!({"name": "m\u{0}", "version": 1});
    for (kind, payload) in [
        (
            "EntityCreateRequest",
            json!({"dataFormat": "JSON", "payload": {"model": model, "data": {}}}),
        ),
        ("EntityGetAllRequest", json!({"model": model})),
        (
            "EntitySnapshotSearchRequest",
            json!({"model": model, "condition": {"type": "group", "operator": "AND", "conditions": []}}),
        ),
        ("EntityModelExportRequest", json!({"model": model, "converter": "JSON_SCHEMA"})),
    ] {
        let error = hall.refused(kind, payload).await;
        assert!(
            error["message"].as_str().unwrap().starts_with("MODEL_NOT_FOUND: "),
            "{kind} {error}"
        );
    }
    for (kind, payload) in [
        ("EntityGetRequest", json!({"entityId": "e\u{0}"})),
        ("SnapshotGetStatusRequest", json!({"snapshotId": "s\u{0}"})),
    ] {
        let refused = hall.ask(kind, payload).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument, "{kind} {refused}");
    }
}
