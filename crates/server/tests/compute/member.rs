//! A compute member, as small as it can be.

use std::time::Duration;

use futures_util::stream;
use serde_json::{Value, json};
use tokio::{sync::mpsc, time::timeout};
use tonic::{Code, Request, Status, Streaming, transport::Channel};
use waypost_api::grpc::{
    cloudevents::{
        CloudEvent,
        cloud_event::{Data, cloud_event_attribute_value::Attr},
    },
    cyoda::cloud_events_service_client::CloudEventsServiceClient,
};

use crate::world::World;

/// Nothing takes as long as this.
const PATIENCE: Duration = Duration::from_secs(600);

pub(crate) type Client = CloudEventsServiceClient<Channel>;

/// One stream.
pub(crate) struct Member {
    pub(crate) id: String,
    pub(crate) outgoing: Option<mpsc::UnboundedSender<CloudEvent>>,
    incoming: Streaming<CloudEvent>,
}

impl World {
    pub(crate) fn client(&self) -> Client {
        Client::new(self.channel.clone()).max_decoding_message_size(usize::MAX)
    }

    /// Opens a stream, and sends nothing.
    pub(crate) async fn open(&self, authorization: Option<&str>) -> Result<Member, Status> {
        let (outgoing, sent) = mpsc::unbounded_channel();
        let sent = stream::unfold(sent, |mut sent| async { Some((sent.recv().await?, sent)) });
        let mut request = Request::new(sent);
        if let Some(value) = authorization {
            request.metadata_mut().insert("authorization", value.parse().unwrap());
        }
        let incoming = self.client().start_streaming(request).await?.into_inner();
        Ok(Member { id: String::new(), outgoing: Some(outgoing), incoming })
    }

    /// Joins with these tags.
    pub(crate) async fn join(&self, tags: &[&str]) -> Member {
        self.join_as(None, tags).await
    }

    pub(crate) async fn join_as(&self, authorization: Option<&str>, tags: &[&str]) -> Member {
        let mut member = self.open(authorization).await.unwrap();
        member.send("CalculationMemberJoinEvent", json!({ "id": "j", "tags": tags }));
        let (kind, greet) = read(member.next().await.unwrap());
        assert_eq!(kind, "CalculationMemberGreetEvent");
        member.id = greet["memberId"].as_str().unwrap().to_owned();
        member
    }
}

impl Member {
    pub(crate) fn send(&self, kind: &str, payload: Value) {
        self.send_event(event(kind, Data::TextData(payload.to_string())));
    }

    pub(crate) fn send_event(&self, event: CloudEvent) {
        self.outgoing.as_ref().unwrap().send(event).unwrap();
    }

    /// The next event, or how the stream ended.
    pub(crate) async fn next(&mut self) -> Result<CloudEvent, (Code, String)> {
        let message = timeout(PATIENCE, self.incoming.message()).await.unwrap();
        match message {
            Ok(Some(event)) => Ok(event),
            Ok(None) => Err((Code::Ok, String::new())),
            Err(status) => Err((status.code(), status.message().to_owned())),
        }
    }

    /// How the stream ends, whatever comes before.
    pub(crate) async fn ending(&mut self) -> (Code, String) {
        loop {
            if let Err(ending) = self.next().await {
                return ending;
            }
        }
    }

    /// The next question.
    pub(crate) async fn asked(&mut self) -> CloudEvent {
        loop {
            let event = self.next().await.unwrap();
            if event.r#type != "CalculationMemberKeepAliveEvent" {
                return event;
            }
        }
    }

    /// The name of the next question.
    pub(crate) async fn request(&mut self) -> String {
        request(&self.asked().await)
    }

    /// Answers as a processor; `rest` are the members besides the name of the question.
    pub(crate) fn process(&self, request: &str, rest: Value) {
        self.answer("EntityProcessorCalculationResponse", request, rest);
    }

    /// Answers as a criterion.
    pub(crate) fn decide(&self, request: &str, rest: Value) {
        self.answer("EntityCriteriaCalculationResponse", request, rest);
    }

    pub(crate) fn answer(&self, kind: &str, request: &str, mut rest: Value) {
        rest["id"] = json!("a");
        rest["requestId"] = json!(request);
        self.send(kind, rest);
    }
}

pub(crate) fn event(kind: &str, data: Data) -> CloudEvent {
    CloudEvent {
        id: "c".to_owned(),
        r#type: kind.to_owned(),
        data: Some(data),
        ..CloudEvent::default()
    }
}

pub(crate) fn text(event: &CloudEvent) -> &str {
    match event.data.as_ref().unwrap() {
        Data::TextData(text) => text,
        Data::BinaryData(_) | Data::ProtoData(_) => panic!("{event:?}"),
    }
}

/// The type and the payload.
pub(crate) fn read(event: CloudEvent) -> (String, Value) {
    let payload = serde_json::from_str(text(&event)).unwrap();
    (event.r#type, payload)
}

pub(crate) fn request(event: &CloudEvent) -> String {
    let payload: Value = serde_json::from_str(text(event)).unwrap();
    payload["requestId"].as_str().unwrap().to_owned()
}

/// A text attribute.
pub(crate) fn attribute(event: &CloudEvent, name: &str) -> Option<String> {
    match event.attributes.get(name)?.attr.as_ref()? {
        Attr::CeString(text) => Some(text.clone()),
        Attr::CeBoolean(_)
        | Attr::CeInteger(_)
        | Attr::CeBytes(_)
        | Attr::CeUri(_)
        | Attr::CeUriRef(_)
        | Attr::CeTimestamp(_) => panic!("{event:?}"),
    }
}
