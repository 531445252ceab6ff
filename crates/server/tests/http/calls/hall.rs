//! A server with room for compute members, and a little language to talk to it over gRPC: a line is
//! the type of an event and its payload, to which a name is added. Lines that HTTP understands are
//! said over HTTP.

use std::{fmt::Write as _, sync::Arc};

use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use tonic::{Code, Request, Status, transport::Channel};
use waypost_api::grpc::{
    cloudevents::{CloudEvent, cloud_event::Data},
    cyoda::cloud_events_service_client::CloudEventsServiceClient,
};
use waypost_engine::{Settings, entity::Rules};
use waypost_kernel::Store;
use waypost_server::{
    EntityOptions, Options,
    auth::AuthOptions,
    compute::{ComputeOptions, Members},
};
use waypost_testkit::clock::SimClock;

use crate::{
    entity::play::{abridged, compare, spelled_out},
    grpc::talk::endpoint,
    world::{World, world_in},
};

pub(crate) type Client = CloudEventsServiceClient<Channel>;

/// The name of every event that is sent.
const EVENT: &str = "event-1";

pub(crate) struct Hall {
    pub(crate) world: World,
    /// What tickets run out by.
    pub(crate) clock: Arc<SimClock>,
    pub(crate) client: Client,
}

/// A server that asks nobody who they are.
pub(crate) async fn hall() -> Hall {
    hall_with(AuthOptions::default(), Options::default()).await
}

pub(crate) async fn hall_with(auth: AuthOptions, options: Options) -> Hall {
    hall_in(|store| store, auth, options).await
}

/// A server over what is made of the store.
pub(crate) async fn hall_in(
    trouble: impl FnOnce(Arc<dyn Store>) -> Arc<dyn Store>,
    auth: AuthOptions,
    options: Options,
) -> Hall {
    let compute = ComputeOptions::default();
    hall_of(trouble, auth, options, (compute, Rules::default())).await
}

/// A server that gives members so much time, and goes by these rules.
pub(crate) async fn hall_under(compute: ComputeOptions, rules: Rules) -> Hall {
    let (auth, options) = (AuthOptions::default(), Options::default());
    hall_of(|store| store, auth, options, (compute, rules)).await
}

async fn hall_of(
    trouble: impl FnOnce(Arc<dyn Store>) -> Arc<dyn Store>,
    auth: AuthOptions,
    options: Options,
    (compute, rules): (ComputeOptions, Rules),
) -> Hall {
    let clock = Arc::new(SimClock::default());
    let members = Members::new(compute, clock.clone()).unwrap();
    let settings = Settings { compute: Arc::new(members.clone()), rules, ..Settings::default() };
    let entity = EntityOptions { auth, members: Some(members), ..EntityOptions::default() };
    let grpc = Some("127.0.0.1:0".parse().unwrap());
    let world = world_in(trouble, Options { grpc, entity, ..options }, settings).await;
    let client = Client::new(endpoint(&world).connect().await.unwrap());
    let client = client.max_decoding_message_size(64 << 20);
    Hall { world, clock, client }
}

/// What was answered: types and payloads.
pub(crate) type Answers = Vec<(String, Value)>;

impl Hall {
    /// The locked model `m`, whose entities have processor `p` on their way from `A` to `B`.
    pub(crate) async fn with_processor(&self, header: &[String]) {
        let workflow = json!({"workflows": [{"name": "w", "initialState": "A", "states": {
            "A": {"transitions": [{"name": "T", "next": "B", "processors": [{"name": "p"}]}]},
            "B": {},
        }}]});
        for text in [
            r#"POST /api/model/import/JSON/SAMPLE_DATA/m/1 {"n":1}"#.to_owned(),
            "PUT /api/model/m/1/lock".to_owned(),
            format!("POST /api/model/m/1/workflow/import {workflow}"),
        ] {
            assert_eq!(self.world.say(&text, header).await.status, 200, "{text}");
        }
    }

    /// Asks with an event of that type, by the method that takes it.
    pub(crate) async fn ask(&self, kind: &str, payload: Value) -> Result<Answers, Status> {
        self.ask_with(kind, payload, &[]).await
    }

    /// Asks, with metadata beside it.
    pub(crate) async fn ask_with(
        &self,
        kind: &str,
        mut payload: Value,
        metadata: &[(&'static str, &str)],
    ) -> Result<Answers, Status> {
        payload["id"] = json!("payload-1");
        let event = event(kind, Data::TextData(payload.to_string()));
        self.send(method(kind), event, metadata).await
    }

    /// Asks, and has one answer that says it went well.
    pub(crate) async fn done(&self, kind: &str, payload: Value) -> Value {
        let mut answers = self.ask(kind, payload).await.unwrap();
        assert_eq!(answers.len(), 1, "{answers:?}");
        let (_, answer) = answers.pop().unwrap();
        assert_eq!(answer["success"], true, "{answer}");
        answer
    }

    /// Asks, and has one answer that says why it did not go well.
    pub(crate) async fn refused(&self, kind: &str, payload: Value) -> Value {
        let mut answers = self.ask(kind, payload).await.unwrap();
        let (_, answer) = answers.pop().unwrap();
        assert_eq!(answer["success"], false, "{answer}");
        answer["error"].clone()
    }

    /// Sends an event to a method. Every answer names the event it answers.
    pub(crate) async fn send(
        &self,
        method: &str,
        event: CloudEvent,
        metadata: &[(&'static str, &str)],
    ) -> Result<Answers, Status> {
        let mut request = Request::new(event);
        for (name, value) in metadata {
            request.metadata_mut().insert(*name, value.parse().unwrap());
        }
        let mut client = self.client.clone();
        let answers: Vec<Result<CloudEvent, Status>> = match method {
            "entityModelManage" => {
                vec![Ok(client.entity_model_manage(request).await?.into_inner())]
            }
            "entityManage" => vec![Ok(client.entity_manage(request).await?.into_inner())],
            "entitySearch" => vec![Ok(client.entity_search(request).await?.into_inner())],
            "entityManageCollection" => {
                client.entity_manage_collection(request).await?.into_inner().collect().await
            }
            "entitySearchCollection" => {
                client.entity_search_collection(request).await?.into_inner().collect().await
            }
            other => panic!("no method {other}"),
        };
        answers.into_iter().map(|it| it.map(read)).collect()
    }

    /// Plays the story in the file of that name, and compares what is answered.
    pub(crate) async fn play(&self, name: &str) {
        let path = format!("{}/tests/http/calls/stories/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        let story = std::fs::read_to_string(&path).unwrap();
        let mut seen = String::new();
        for line in story.lines().filter(|it| !it.starts_with(' ')) {
            seen += &format!("{line}\n");
            if line.is_empty() || line.starts_with("# ") {
                continue;
            }
            let told = match line.split_once(' ') {
                Some(("wait", seconds)) => {
                    let seconds = std::time::Duration::from_secs(seconds.parse().unwrap());
                    self.world.clock.advance(seconds);
                    String::new()
                }
                Some(("until", rest)) => self.until(rest).await,
                Some(("ready" | "flow" | "tell", _)) => self.world.shown(line, &[]).await,
                Some((word, _)) if word.chars().all(char::is_uppercase) => {
                    self.world.say(line, &[]).await.shown()
                }
                Some(_) | None => shown(&self.say(line).await),
            };
            seen += &told;
        }
        compare(&path, &story, &seen);
    }

    /// `<method>:<type> <payload>`, where the method may be left out.
    async fn say(&self, line: &str) -> Result<Answers, Status> {
        let line = spelled_out(line);
        let (kind, payload) = line.split_once(' ').unwrap();
        let (method, kind) = kind.split_once(':').unwrap_or((method(kind), kind));
        let payload = match payload.strip_prefix('{') {
            Some(rest) if !payload.contains("\"id\":") && rest != "}" => {
                format!(r#"{{"id":"payload-1",{rest}"#)
            }
            Some(_) if payload == "{}" => r#"{"id":"payload-1"}"#.to_owned(),
            Some(_) | None => payload.to_owned(),
        };
        self.send(method, event(kind, Data::TextData(payload)), &[]).await
    }

    /// Says it again and again until a word is in the answer.
    async fn until(&self, rest: &str) -> String {
        let (word, line) = rest.split_once(' ').unwrap();
        for _ in 0..10_000 {
            let told = shown(&self.say(line).await);
            if told.contains(word) {
                return told;
            }
        }
        panic!("never {word}: {line}");
    }
}

/// The method that takes events of a type.
pub(crate) fn method(kind: &str) -> &'static str {
    match kind {
        "EntityCreateRequest" | "EntityUpdateRequest" => "entityManage",
        "EntityDeleteRequest" | "EntityTransitionRequest" => "entityManage",
        "EntityCreateCollectionRequest" | "EntityUpdateCollectionRequest" => {
            "entityManageCollection"
        }
        "EntityDeleteAllRequest" => "entityManageCollection",
        "EntityGetRequest" | "EntitySnapshotSearchRequest" => "entitySearch",
        "SnapshotGetStatusRequest" | "SnapshotCancelRequest" => "entitySearch",
        kind if kind.starts_with("EntityModel") => "entityModelManage",
        _ => "entitySearchCollection",
    }
}

pub(crate) fn event(kind: &str, data: Data) -> CloudEvent {
    CloudEvent {
        id: EVENT.to_owned(),
        source: "test".to_owned(),
        spec_version: "1.0".to_owned(),
        r#type: kind.to_owned(),
        data: Some(data),
        ..CloudEvent::default()
    }
}

/// The type and the payload of an answer, which names what it answers.
fn read(event: CloudEvent) -> (String, Value) {
    assert_eq!((event.source.as_str(), event.spec_version.as_str()), ("cyoda", "1.0"));
    assert_eq!(event.id.len(), 36);
    let Some(Data::TextData(text)) = event.data else { panic!("no text: {:?}", event.r#type) };
    let payload: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&payload["id"], &payload["requestId"]), (&json!(EVENT), &json!(EVENT)));
    (event.r#type, payload)
}

/// A line for each answer, without what all of them have.
fn shown(answers: &Result<Answers, Status>) -> String {
    let mut shown = String::new();
    match answers {
        Err(status) => writeln!(shown, "  {:?}: {}", status.code(), status.message()).unwrap(),
        Ok(answers) if answers.is_empty() => shown += "  nothing\n",
        Ok(answers) => {
            for (kind, payload) in answers {
                let mut payload = payload.clone();
                let members = payload.as_object_mut().unwrap();
                members.retain(|name, _| name != "id" && name != "requestId");
                if members["success"] == true {
                    members.shift_remove("success");
                }
                writeln!(shown, "  {kind} {}", abridged(&payload.to_string())).unwrap();
            }
        }
    }
    shown
}

/// How a call ended that should not have gone well.
pub(crate) fn code<T>(answer: Result<T, Status>) -> Code {
    answer.map_or_else(|status| status.code(), |_| Code::Ok)
}

/// Everything at once.
pub(crate) async fn together<T>(
    futures: impl IntoIterator<Item = impl Future<Output = T>>,
) -> Vec<T> {
    let futures: Vec<_> = futures.into_iter().collect();
    let n_futures = futures.len().max(1);
    stream::iter(futures).buffered(n_futures).collect().await
}
