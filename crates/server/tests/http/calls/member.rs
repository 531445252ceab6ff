//! A compute member that answers by itself.

use std::{pin::Pin, sync::Arc};

use futures_util::stream;
use serde_json::{Value, json};
use tokio::{sync::mpsc, task::JoinHandle};
use tonic::{Request, Status, Streaming};
use waypost_api::grpc::cloudevents::{
    CloudEvent,
    cloud_event::{Data, cloud_event_attribute_value::Attr},
};

use super::hall::{Hall, event};

/// A question.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// The name of the processor or function.
    pub(crate) name: String,
    pub(crate) payload: Value,
    /// What lets the member into the transaction.
    pub(crate) ticket: String,
}

impl Asked {
    /// The entity's value.
    pub(crate) fn value(&self) -> Value {
        self.payload["payload"]["data"].clone()
    }

    /// Says that all is well, with the value and more.
    pub(crate) fn with(&self, name: &str, more: impl Into<Value>) -> Value {
        let mut value = self.value();
        value[name] = more.into();
        json!({ "success": true, "payload": { "type": "JSON", "data": value } })
    }
}

type Answer = Pin<Box<dyn Future<Output = Value> + Send>>;

/// A member that is there until it is dropped.
pub(crate) struct Member(JoinHandle<()>);

impl Drop for Member {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// An open stream.
pub(crate) struct Line {
    pub(crate) outgoing: mpsc::UnboundedSender<CloudEvent>,
    pub(crate) incoming: Streaming<CloudEvent>,
}

impl Line {
    pub(crate) fn send(&self, kind: &str, payload: Value) {
        // Nobody listens if the server has ended the stream.
        drop(self.outgoing.send(event(kind, Data::TextData(payload.to_string()))));
    }

    pub(crate) async fn next(&mut self) -> Result<Option<(CloudEvent, Value)>, Status> {
        let Some(event) = self.incoming.message().await? else { return Ok(None) };
        let Some(Data::TextData(text)) = &event.data else { panic!("no text: {event:?}") };
        let payload = serde_json::from_str(text).unwrap();
        Ok(Some((event, payload)))
    }

    /// The payload of the next question.
    pub(crate) async fn asked(&mut self) -> Value {
        self.question().await.1
    }

    /// The next question.
    pub(crate) async fn question(&mut self) -> (CloudEvent, Value) {
        loop {
            let (event, payload) = self.next().await.unwrap().unwrap();
            if event.r#type.ends_with("CalculationRequest") {
                return (event, payload);
            }
        }
    }
}

impl Hall {
    /// Opens a stream, and says nothing.
    pub(crate) async fn open(&self, authorization: Option<&str>) -> Result<Line, Status> {
        let (outgoing, sent) = mpsc::unbounded_channel();
        let sent = stream::unfold(sent, |mut sent| async { Some((sent.recv().await?, sent)) });
        let mut request = Request::new(sent);
        if let Some(value) = authorization {
            request.metadata_mut().insert("authorization", value.parse().unwrap());
        }
        let incoming = self.client.clone().start_streaming(request).await?.into_inner();
        Ok(Line { outgoing, incoming })
    }

    /// Joins with these tags.
    pub(crate) async fn join(&self, tags: &[&str]) -> Line {
        let mut line = self.open(None).await.unwrap();
        line.send("CalculationMemberJoinEvent", json!({ "id": "j", "tags": tags }));
        let (greet, _) = line.next().await.unwrap().unwrap();
        assert_eq!(greet.r#type, "CalculationMemberGreetEvent");
        line
    }

    /// A member that answers at once.
    pub(crate) async fn member(
        &self,
        tags: &[&str],
        answer: impl Fn(Asked) -> Value + Send + Sync + 'static,
    ) -> Member {
        let answer = move |asked| -> Answer { Box::pin(std::future::ready(answer(asked))) };
        self.member_calling(tags, answer).await
    }

    /// A member that does something before it answers.
    pub(crate) async fn member_calling(
        &self,
        tags: &[&str],
        answer: impl Fn(Asked) -> Answer + Send + Sync + 'static,
    ) -> Member {
        let mut line = self.join(tags).await;
        let answer = Arc::new(answer);
        let task = tokio::spawn(async move {
            while let Ok(Some((event, payload))) = line.next().await {
                let (kind, name) = match event.r#type.as_str() {
                    "EntityProcessorCalculationRequest" => {
                        ("EntityProcessorCalculationResponse", "processorName")
                    }
                    "EntityCriteriaCalculationRequest" => {
                        ("EntityCriteriaCalculationResponse", "criteriaName")
                    }
                    _ => continue,
                };
                let name = payload[name].as_str().unwrap().to_owned();
                let asked = Asked { name, ticket: ticket(&event), payload };
                let (answer, outgoing) = (Arc::clone(&answer), line.outgoing.clone());
                tokio::spawn(async move {
                    let request = asked.payload["requestId"].clone();
                    let mut said = answer(asked).await;
                    said["id"] = json!("a");
                    said["requestId"] = request;
                    drop(outgoing.send(super::hall::event(kind, Data::TextData(said.to_string()))));
                });
            }
        });
        Member(task)
    }
}

fn ticket(event: &CloudEvent) -> String {
    let attribute = event.attributes["cyodatxtoken"].attr.as_ref();
    let Some(Attr::CeString(text)) = attribute else { panic!("no text: {attribute:?}") };
    text.clone()
}
