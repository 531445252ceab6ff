//! One stream of a compute node, from joining to leaving.

use std::{future::pending, sync::Arc, time::Duration};

use futures_util::{Stream, stream};
use serde::Serialize;
use tokio::{
    sync::{Semaphore, mpsc},
    task::JoinSet,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;
use tonic::{
    Request, Status, Streaming,
    transport::{Channel, Endpoint},
};
use uuid::Uuid;
use waypost_api::{
    entity::{
        Greet, Join,
        event::{
            ACK, CRITERIA_REQUEST, CRITERIA_RESPONSE, GREET, JOIN, KEEP_ALIVE, PROCESSOR_REQUEST,
            PROCESSOR_RESPONSE, SPEC_VERSION, TRANSACTION,
        },
        node::{Ack, Question},
    },
    grpc::{
        cloudevents::{
            CloudEvent,
            cloud_event::{CloudEventAttributeValue, Data, cloud_event_attribute_value::Attr},
        },
        cyoda::cloud_events_service_client::CloudEventsServiceClient,
    },
};

use super::{Functions, NodeOptions};

/// How long a connection may take to come about, and the server to greet.
const JOIN_MAX: Duration = Duration::from_secs(10);
/// How long the server may be silent. It says every ten seconds that it is there.
const SILENCE_MAX: Duration = Duration::from_secs(60);
/// Events that wait to be sent. Who answers faster than that waits.
const QUEUE_MAX: usize = 64;

/// How a stream ended.
pub(super) enum Ending {
    /// As it was wished.
    Stopped,
    /// It was never joined.
    Refused(String),
    /// It broke.
    Lost(String),
}

/// Joins, and answers until the stream breaks or the node is told to stop.
pub(super) async fn attend(
    functions: &Arc<Functions>,
    options: &NodeOptions,
    stop: &CancellationToken,
) -> Ending {
    let (outgoing, queue) = mpsc::channel(QUEUE_MAX);
    let joined = tokio::select! {
        () = stop.cancelled() => return Ending::Stopped,
        joined = timeout(JOIN_MAX, join(options, &outgoing, queue)) => joined,
    };
    let incoming = match joined {
        Ok(Ok(incoming)) => incoming,
        Ok(Err(why)) => return Ending::Refused(why),
        Err(_) => return Ending::Refused("the server did not greet in time".to_owned()),
    };
    let desk = Desk {
        functions: Arc::clone(functions),
        slots: Arc::new(Semaphore::new(options.concurrency.max(1))),
        outgoing,
        running: JoinSet::new(),
    };
    desk.serve(incoming, stop, options.grace).await
}

/// Opens the stream and is greeted.
async fn join(
    options: &NodeOptions,
    outgoing: &mpsc::Sender<CloudEvent>,
    queue: mpsc::Receiver<CloudEvent>,
) -> Result<Streaming<CloudEvent>, String> {
    let told = |status: Status| format!("{:?}: {}", status.code(), status.message());
    let endpoint = Endpoint::from_shared(options.url.clone()).map_err(|it| it.to_string())?;
    let channel = endpoint.connect().await.map_err(|it| it.to_string())?;
    let mut client: CloudEventsServiceClient<Channel> = CloudEventsServiceClient::new(channel);
    client = client.max_decoding_message_size(usize::MAX);
    let id = Uuid::new_v4().to_string();
    let join = Join { id, tags: Some(options.tags.clone()), joined_legal_entity_id: None };
    // The queue is empty, so there is room.
    outgoing.send(event(JOIN, &join)).await.map_err(|it| it.to_string())?;
    let mut request = Request::new(sent(queue));
    if let Some(bearer) = &options.bearer {
        let value = format!("Bearer {bearer}").parse();
        let value = value.map_err(|_| "the bearer cannot be sent".to_owned())?;
        request.metadata_mut().insert("authorization", value);
    }
    let mut incoming = client.start_streaming(request).await.map_err(told)?.into_inner();
    let first = incoming.message().await.map_err(told)?;
    let greet = first.filter(|it| it.r#type == GREET).and_then(|it| read::<Greet>(&it));
    let greet = greet.ok_or_else(|| "the server did not greet".to_owned())?;
    tracing::info!(member = greet.member_id, "the compute node has joined");
    Ok(incoming)
}

fn sent(queue: mpsc::Receiver<CloudEvent>) -> impl Stream<Item = CloudEvent> + Send + 'static {
    stream::unfold(queue, |mut queue| async { Some((queue.recv().await?, queue)) })
}

/// Where questions come in and answers go out.
struct Desk {
    functions: Arc<Functions>,
    slots: Arc<Semaphore>,
    outgoing: mpsc::Sender<CloudEvent>,
    running: JoinSet<()>,
}

impl Desk {
    async fn serve(
        mut self,
        mut incoming: Streaming<CloudEvent>,
        stop: &CancellationToken,
        grace: Duration,
    ) -> Ending {
        let too_late = async {
            stop.cancelled().await;
            sleep(grace).await;
        };
        tokio::pin!(too_late);
        loop {
            let is_stopping = stop.is_cancelled();
            if is_stopping && self.running.is_empty() {
                return Ending::Stopped;
            }
            let next = tokio::select! {
                next = timeout(SILENCE_MAX, incoming.message()) => next,
                Some(_) = self.running.join_next() => continue,
                () = stopped(stop, is_stopping) => continue,
                () = &mut too_late => return Ending::Stopped,
            };
            match next {
                Ok(Ok(Some(event))) => self.hear(event),
                Ok(Ok(None)) => return Ending::Lost("the server has ended the stream".to_owned()),
                Ok(Err(status)) => {
                    return Ending::Lost(format!("{:?}: {}", status.code(), status.message()));
                }
                Err(_) => return Ending::Lost("the server is silent".to_owned()),
            }
        }
    }

    fn hear(&mut self, event: CloudEvent) {
        match event.r#type.as_str() {
            PROCESSOR_REQUEST => self.begin(&event, true),
            CRITERIA_REQUEST => self.begin(&event, false),
            KEEP_ALIVE => self.acknowledge(event.id),
            // What later servers may say besides.
            _ => {}
        }
    }

    /// A queue that is full shows the server well enough that the node is there.
    fn acknowledge(&self, source_event_id: String) {
        let ack = Ack { id: Uuid::new_v4().to_string(), source_event_id, success: true };
        drop(self.outgoing.try_send(event(ACK, &ack)));
    }

    fn begin(&mut self, asked: &CloudEvent, is_processor: bool) {
        let Some(question) = read::<Question>(asked) else {
            tracing::warn!(event = asked.id, "a question cannot be read; it is left alone");
            return;
        };
        let question = Question { ticket: ticket(asked), ..question };
        let (functions, slots) = (Arc::clone(&self.functions), Arc::clone(&self.slots));
        let outgoing = self.outgoing.clone();
        self.running.spawn(async move {
            let Ok(_slot) = slots.acquire().await else { return };
            let answer = match is_processor {
                true => event(PROCESSOR_RESPONSE, &functions.process(question).await),
                false => event(CRITERIA_RESPONSE, &functions.decide(question).await),
            };
            // Nobody waits for it any more if the stream is gone.
            drop(outgoing.send(answer).await);
        });
    }
}

/// Returns when the node is told to stop, once.
async fn stopped(stop: &CancellationToken, is_known: bool) {
    if is_known {
        pending::<()>().await;
    }
    stop.cancelled().await;
}

fn event(kind: &str, payload: &impl Serialize) -> CloudEvent {
    let text = serde_json::to_string(payload).unwrap_or_default();
    CloudEvent {
        id: Uuid::new_v4().to_string(),
        source: "waypost-client".to_owned(),
        spec_version: SPEC_VERSION.to_owned(),
        r#type: kind.to_owned(),
        attributes: Default::default(),
        data: Some(Data::TextData(text)),
    }
}

fn read<T: serde::de::DeserializeOwned>(event: &CloudEvent) -> Option<T> {
    match event.data.as_ref()? {
        Data::TextData(text) => serde_json::from_str(text).ok(),
        Data::BinaryData(bytes) => serde_json::from_slice(bytes).ok(),
        Data::ProtoData(_) => None,
    }
}

fn ticket(event: &CloudEvent) -> String {
    let attribute = event.attributes.get(TRANSACTION);
    match attribute.and_then(|CloudEventAttributeValue { attr }| attr.as_ref()) {
        Some(Attr::CeString(text)) => text.clone(),
        Some(
            Attr::CeBoolean(_)
            | Attr::CeInteger(_)
            | Attr::CeBytes(_)
            | Attr::CeUri(_)
            | Attr::CeUriRef(_)
            | Attr::CeTimestamp(_),
        )
        | None => String::new(),
    }
}
