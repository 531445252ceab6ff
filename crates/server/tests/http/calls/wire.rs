//! What lies on the wire, byte by byte; and what is told when the server is in trouble.

use std::{sync::Arc, time::Duration};

use bytes::{Buf as _, BufMut as _, Bytes};
use serde_json::{Value, json};
use tonic::{
    Code, Request, Status,
    client::Grpc,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
};
use waypost_api::grpc::cloudevents::{CloudEvent, cloud_event::Data};
use waypost_kernel::Store;
use waypost_server::{Options, auth::AuthOptions};

use super::{
    compute::new,
    hall::{Hall, code, event, hall, hall_in, hall_with},
};
use crate::{
    entity::tenants::{bearer, jwt},
    grpc::talk::endpoint,
    trouble::{Trouble, Troubled},
};

/// Passes bytes on as they are.
#[derive(Clone, Copy, Default)]
struct Plain;

impl Codec for Plain {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Plain {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, item: Bytes, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put(item);
        Ok(())
    }
}

impl Decoder for Plain {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(buffer.copy_to_bytes(buffer.remaining())))
    }
}

/// A text as a field of that number.
fn field(number: u8, text: &str) -> Vec<u8> {
    let mut bytes = vec![(number << 3) | 2];
    let mut length = text.len();
    while length > 127 {
        bytes.push(u8::try_from(length & 127).unwrap() | 128);
        length >>= 7;
    }
    bytes.push(u8::try_from(length).unwrap());
    bytes.extend(text.as_bytes());
    bytes
}

/// The fields of a message by their numbers.
fn parts(mut bytes: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let mut parts = Vec::new();
    while let [tag, rest @ ..] = bytes {
        assert_eq!(tag & 7, 2, "a field that is neither text nor message");
        bytes = rest;
        let (mut length, mut shift) = (0, 0);
        while let [byte, rest @ ..] = bytes {
            bytes = rest;
            length |= usize::from(byte & 127) << shift;
            shift += 7;
            if byte & 128 == 0 {
                break;
            }
        }
        let (part, rest) = bytes.split_at(length);
        parts.push((tag >> 3, part.to_vec()));
        bytes = rest;
    }
    parts
}

/// The same of a message that has only texts.
fn fields(bytes: &[u8]) -> Vec<(u8, String)> {
    let text = |it: Vec<u8>| String::from_utf8(it).unwrap();
    parts(bytes).into_iter().map(|(number, it)| (number, text(it))).collect()
}

#[tokio::test]
async fn an_event_is_these_bytes_and_a_method_has_this_path() {
    let hall = hall().await;
    hall.with_states(json!({"NEW": {}})).await;
    let payload = json!({
        "id": "p", "dataFormat": "JSON",
        "payload": {"model": {"name": "m", "version": 1}, "data": {"n": 1}},
    });
    let payload = payload.to_string();
    for data in [6, 7] {
        let message = [
            field(1, "event-7"),
            field(2, "test"),
            field(3, "1.0"),
            field(4, "EntityCreateRequest"),
            field(data, &payload),
        ];
        let channel = endpoint(&hall.world).connect().await.unwrap();
        let mut client = Grpc::new(channel);
        client.ready().await.unwrap();
        let path = "/org.cyoda.cloud.api.grpc.CloudEventsService/entityManage";
        let path = path.parse().unwrap();
        let request = Request::new(Bytes::from(message.concat()));
        let answer = client.unary(request, path, Plain).await.unwrap().into_inner();
        let fields = fields(&answer);
        let numbers: Vec<_> = fields.iter().map(|it| it.0).collect();
        assert_eq!(numbers, [1, 2, 3, 4, 7]);
        assert_eq!((fields[1].1.as_str(), fields[2].1.as_str()), ("cyoda", "1.0"));
        assert_eq!(fields[3].1, "EntityTransactionResponse");
        let told: Value = serde_json::from_str(&fields[4].1).unwrap();
        assert_eq!((&told["requestId"], &told["success"]), (&json!("event-7"), &json!(true)));
    }
    assert_eq!(hall.count().await, 2);
}

#[tokio::test]
async fn an_attribute_is_a_name_and_a_text_in_these_fields() {
    let hall = hall().await;
    hall.through(json!([{"name": "p"}])).await;
    let channel = endpoint(&hall.world).connect().await.unwrap();
    let mut client = Grpc::new(channel);
    client.ready().await.unwrap();
    let path = "/org.cyoda.cloud.api.grpc.CloudEventsService/startStreaming";
    let saying = |kind: &str, payload: Value| {
        let payload = payload.to_string();
        let message =
            [field(1, "e"), field(2, "test"), field(3, "1.0"), field(4, kind), field(7, &payload)];
        Bytes::from(message.concat())
    };
    let (outgoing, incoming) = tokio::sync::mpsc::unbounded_channel();
    outgoing.send(saying("CalculationMemberJoinEvent", json!({"id": "j"}))).unwrap();
    let incoming = futures_util::stream::unfold(incoming, |mut it| async move {
        let message = it.recv().await?;
        Some((message, it))
    });
    let request = Request::new(Box::pin(incoming));
    let answers = client.streaming(request, path.parse().unwrap(), Plain).await;
    let mut answers = answers.unwrap().into_inner();
    let answering = async {
        loop {
            let event = parts(&answers.message().await.unwrap().unwrap());
            if event[3].1 == b"EntityProcessorCalculationRequest" {
                let payload: Value = serde_json::from_slice(&event.last().unwrap().1).unwrap();
                let said = json!({"id": "a", "requestId": payload["requestId"]});
                outgoing.send(saying("EntityProcessorCalculationResponse", said)).unwrap();
                return event;
            }
        }
    };
    let (event, _) = tokio::join!(answering, hall.create(json!({"n": 1})));
    let attributes = event.iter().filter(|it| it.0 == 5).map(|it| parts(&it.1));
    let ticket = attributes.into_iter().find(|it| it[0].1 == b"cyodatxtoken").unwrap();
    assert_eq!([ticket[0].0, ticket[1].0], [1, 2]);
    let text = fields(&ticket[1].1);
    assert_eq!((text[0].0, text.len()), (3, 1));
    assert!(!text[0].1.is_empty());
}

#[tokio::test]
async fn who_sends_an_event_and_by_which_version_is_not_asked() {
    let hall = hall().await;
    hall.through(json!([{"name": "p"}])).await;
    let mut payload = new(json!({"n": 1}));
    payload["id"] = json!("p");
    for (source, version) in [("", ""), ("test", "0.3"), ("not a URI", "1.0")] {
        let from = |kind: &str, payload: Value| CloudEvent {
            source: source.to_owned(),
            spec_version: version.to_owned(),
            ..event(kind, Data::TextData(payload.to_string()))
        };
        let mut line = hall.open(None).await.unwrap();
        line.outgoing.send(from("CalculationMemberJoinEvent", json!({"id": "j"}))).unwrap();
        let answering = async {
            let asked = line.asked().await;
            let said = json!({"id": "a", "requestId": asked["requestId"]});
            let said = from("EntityProcessorCalculationResponse", said);
            line.outgoing.send(said).unwrap();
            asked
        };
        hall.until_figure("waypost_compute_members", 1).await;
        let creating = hall.send("entityManage", from("EntityCreateRequest", payload.clone()), &[]);
        let (_, made) = tokio::join!(answering, creating);
        assert_eq!(made.unwrap()[0].1["success"], true, "{source} {version}");
        drop(line);
        hall.until_figure("waypost_compute_members", 0).await;
    }
    assert_eq!(hall.count().await, 3);
}

/// A hall over a store that may get into trouble, with an entity in it.
async fn troubled() -> (Hall, Arc<Troubled>, String) {
    let mut troubled = None;
    let trouble = |store: Arc<dyn Store>| {
        let store = Troubled::new(store);
        troubled = Some(Arc::clone(&store));
        store as Arc<dyn Store>
    };
    let hall = hall_in(trouble, AuthOptions::default(), Options::default()).await;
    hall.with_states(json!({"NEW": {}})).await;
    let id = hall.create(json!({"n": 1})).await;
    (hall, troubled.unwrap(), id)
}

#[tokio::test]
pub(crate) async fn a_defect_is_told_by_a_ticket_and_a_store_that_is_away_may_be_asked_again() {
    let (hall, store, id) = troubled().await;
    let get = || json!({"entityId": id});
    store.be(Trouble::Corrupt);
    let defect = hall.refused("EntityGetRequest", get()).await;
    assert_eq!(defect["code"], "SERVER_ERROR");
    let message = defect["message"].as_str().unwrap();
    assert!(message.starts_with("SERVER_ERROR: internal error [ticket: "), "{message}");
    assert!(defect.get("retryable").is_none(), "{defect}");
    store.be(Trouble::Away);
    let away = hall.refused("EntityGetRequest", get()).await;
    assert_eq!((&away["code"], &away["retryable"]), (&json!("CLIENT_ERROR"), &json!(true)));
    assert!(!away.to_string().contains("db-7"), "{away}");
    store.be(Trouble::None);
    hall.done("EntityGetRequest", get()).await;
}

#[tokio::test]
pub(crate) async fn a_search_that_runs_can_be_canceled() {
    let (hall, store, _) = troubled().await;
    store.be(Trouble::SearchesHang);
    let all = json!({"type": "group", "operator": "AND", "conditions": []});
    let begin = json!({"model": {"name": "m", "version": 1}, "condition": all});
    let begun = hall.done("EntitySnapshotSearchRequest", begin).await;
    assert_eq!(begun["status"]["status"], "RUNNING");
    let which = || json!({"snapshotId": begun["status"]["snapshotId"]});
    let status = hall.done("SnapshotGetStatusRequest", which()).await;
    assert_eq!(status["status"]["status"], "RUNNING");
    let page = hall.refused("SnapshotGetRequest", which()).await;
    assert!(page["message"].as_str().unwrap().starts_with("BAD_REQUEST: "), "{page}");
    let canceled = hall.done("SnapshotCancelRequest", which()).await;
    assert_eq!(canceled["status"]["status"], "CANCELLED");
    let again = hall.refused("SnapshotCancelRequest", which()).await;
    assert!(again["message"].as_str().unwrap().contains("is not running"), "{again}");
}

#[tokio::test]
pub(crate) async fn a_page_has_twenty_entities_and_one_of_a_search_ten() {
    let hall = hall().await;
    hall.with_states(json!({"NEW": {}})).await;
    let model = json!({"name": "m", "version": 1});
    let payloads: Vec<_> = (0..25).map(|n| json!({"model": model, "data": {"n": n}})).collect();
    let made = json!({"dataFormat": "JSON", "payloads": payloads});
    hall.done("EntityCreateCollectionRequest", made).await;
    let n_shown = async |kind: &str, payload: Value| hall.ask(kind, payload).await.unwrap().len();
    assert_eq!(n_shown("EntityGetAllRequest", json!({"model": model})).await, 20);
    let second = json!({"model": model, "pageNumber": 1});
    assert_eq!(n_shown("EntityGetAllRequest", second).await, 5);
    let all = json!({"type": "group", "operator": "AND", "conditions": []});
    let begin = json!({"model": model, "condition": all});
    let begun = hall.done("EntitySnapshotSearchRequest", begin).await;
    let id = begun["status"]["snapshotId"].as_str().unwrap();
    crate::entity::search::ended_of(&hall.world, id, &[]).await;
    assert_eq!(n_shown("SnapshotGetRequest", json!({"snapshotId": id})).await, 10);
    let third = json!({"snapshotId": id, "pageNumber": 2});
    assert_eq!(n_shown("SnapshotGetRequest", third).await, 5);
}

#[tokio::test]
pub(crate) async fn the_past_of_an_entity_has_a_thousand_changes_at_the_most() {
    let hall = hall().await;
    hall.with_states(json!({"NEW": {}})).await;
    let id = hall.create(json!({"n": 0})).await;
    for n in 1..=1_000 {
        let update = json!({"dataFormat": "JSON", "payload": {"entityId": id, "data": {"n": n}}});
        hall.done("EntityUpdateRequest", update).await;
    }
    let changes = hall.ask("EntityChangesMetadataGetRequest", json!({"entityId": id})).await;
    let changes = changes.unwrap();
    assert_eq!(changes.len(), 1_000);
    let kinds = changes.iter().map(|it| &it.1["changeMeta"]["changeType"]);
    assert_eq!(kinds.filter(|it| *it == "UPDATE").count(), 1_000, "the newest come first");
}

#[tokio::test]
async fn a_token_that_runs_out_does_not_end_a_stream() {
    let hall = hall_with(jwt(), Options::default()).await;
    let program = bearer(&hall.world, "one", &["ROLE_M2M"]);
    let mut line = hall.open(Some(&program)).await.unwrap();
    line.send("CalculationMemberJoinEvent", json!({"id": "j"}));
    line.next().await.unwrap().unwrap();
    hall.world.clock.advance(Duration::from_secs(3_600));
    let late =
        hall.ask_with("EntityModelGetAllRequest", json!({}), &[("authorization", &program)]).await;
    assert_eq!(code(late), Code::Unauthenticated);
    let fresh = bearer(&hall.world, "one", &[]);
    let header = [format!("Authorization: {fresh}")];
    hall.with_processor(&header).await;
    let answering = async {
        let asked = line.asked().await;
        let said = json!({"id": "a", "requestId": asked["requestId"]});
        line.send("EntityProcessorCalculationResponse", said);
    };
    let creating = hall.world.say(r#"POST /api/entity/JSON/m/1 {"n":1}"#, &header);
    let ((), made) = tokio::join!(answering, creating);
    assert_eq!(made.status, 200, "{}", made.text);
}

#[tokio::test]
async fn who_comes_back_does_not_answer_what_was_asked_before() {
    let hall = hall().await;
    hall.through(json!([{"name": "p"}])).await;
    let mut before = hall.join(&[]).await;
    let leaving = async {
        let asked = before.asked().await;
        drop(before);
        asked["requestId"].clone()
    };
    let creating = hall.ask("EntityCreateRequest", new(json!({"n": 1})));
    let (old, refused) = tokio::join!(leaving, creating);
    assert_eq!(refused.unwrap()[0].1["success"], false);
    let mut after = hall.join(&[]).await;
    let answering = async {
        let asked = after.asked().await;
        for (request, by) in [(&old, "old"), (&asked["requestId"], "new")] {
            let payload = json!({"data": {"by": by}});
            let said = json!({"id": "a", "requestId": request, "payload": payload});
            after.send("EntityProcessorCalculationResponse", said);
        }
    };
    let ((), id) = tokio::join!(answering, hall.create(json!({"n": 1})));
    assert_eq!(hall.show(&id).await["data"], json!({"by": "new"}));
    assert_eq!(hall.count().await, 1);
}
