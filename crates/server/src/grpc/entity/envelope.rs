//! Requests as they come and answers as they go. What makes no sense as a request ends the call
//! with a status; what fails in the doing is an answer that says so.

use std::pin::Pin;

use futures_util::{Stream, StreamExt as _, stream};
use serde::de::DeserializeOwned;
use tokio::sync::OwnedSemaphorePermit;
use tonic::{Request, Status};
use waypost_api::{
    entity::operation::{Answer, OperationError, Response},
    grpc::cloudevents::CloudEvent,
};
use waypost_engine::entity::{Caller, Entities, Fault};

use crate::{
    auth::Verbosity,
    compute::{
        Events,
        event::{event, read, text},
    },
    grpc::door::full,
    http::{
        App,
        entity::{BODY_MAX, join, problem::Failure},
    },
};

/// Carries the transaction that a compute member works in.
pub(in crate::grpc) const TICKET: &str = "tx-token";

/// What came of a request.
pub(super) struct Done<T> {
    pub(super) said: T,
    pub(super) warnings: Vec<String>,
    /// Why nothing came of it.
    pub(super) failure: Option<Failure>,
}

impl<T> From<T> for Done<T> {
    fn from(said: T) -> Self {
        Self { said, warnings: Vec::new(), failure: None }
    }
}

impl<T: Default> Done<T> {
    fn failed(failure: Failure) -> Self {
        Self { failure: Some(failure), ..Self::from(T::default()) }
    }
}

/// Why a request was not carried out.
pub(super) enum No {
    /// It makes no sense.
    Malformed(Status),
    /// It does, and could not be done.
    Failed(Failure),
}

impl From<Status> for No {
    fn from(status: Status) -> Self {
        Self::Malformed(status)
    }
}

impl From<Failure> for No {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<Fault> for No {
    fn from(fault: Fault) -> Self {
        Self::Failed(fault.into())
    }
}

/// Answers as they are found. The last may be a failure.
pub(super) type Many<T> = Pin<Box<dyn Stream<Item = Result<T, Fault>> + Send>>;

/// These answers.
pub(super) fn all<T: Send + 'static>(items: Vec<T>) -> Many<T> {
    Box::pin(stream::iter(items).map(Ok))
}

/// A request that was opened.
pub(super) struct Opened {
    kind: String,
    text: String,
    /// The entities of the caller, in the transaction it has named.
    entities: Result<Entities, Failure>,
    sender: Sender,
    _room: Option<OwnedSemaphorePermit>,
}

/// Opens a request.
pub(super) fn open(
    app: &App,
    caller: Caller,
    request: Request<CloudEvent>,
) -> Result<Opened, Status> {
    let (metadata, _, mut event) = request.into_parts();
    let (id, kind) = (std::mem::take(&mut event.id), std::mem::take(&mut event.r#type));
    let text = text(event).map_err(Status::invalid_argument)?;
    if text.len() > BODY_MAX {
        let problem = format!("the payload has {} bytes; at most {BODY_MAX}", text.len());
        return Err(Status::invalid_argument(problem));
    }
    let room = app.admission.carry(text.len()).map_err(|it| full(&it))?;
    let entities = app.engine.entities(caller);
    let entities = match metadata.get(TICKET) {
        Some(ticket) => join(app.members.as_ref(), &entities, ticket.to_str().unwrap_or_default()),
        None => Ok(entities),
    };
    let sender = Sender { id, verbosity: app.doorway.verbosity() };
    Ok(Opened { kind, text, entities, sender, _room: room })
}

impl Opened {
    /// The type of the event.
    pub(super) fn kind(&self) -> &str {
        &self.kind
    }

    /// What is said about an event that `method` does not know.
    pub(super) fn unknown(&self, method: &str) -> Status {
        let kind: String = self.kind.chars().take(100).collect();
        Status::invalid_argument(format!("{method} does not take events of type {kind:?}"))
    }

    /// Does what is asked, and answers.
    pub(super) async fn answer<R, T, F>(
        self,
        operation: impl FnOnce(Entities, R) -> F,
    ) -> Result<CloudEvent, Status>
    where
        R: DeserializeOwned,
        T: Response,
        F: Future<Output = Result<Done<T>, No>>,
    {
        let Self { text, entities, sender, _room, .. } = self;
        let request = request(text)?;
        let done = match entities {
            Ok(entities) => operation(entities, request).await,
            Err(failure) => Err(No::Failed(failure)),
        };
        match done {
            Ok(done) => sender.write(done),
            Err(No::Failed(failure)) => sender.write(Done::<T>::failed(failure)),
            Err(No::Malformed(status)) => Err(status),
        }
    }

    /// Does what is asked, and answers with a stream of one event.
    pub(super) async fn answer_once<R, T, F>(
        self,
        operation: impl FnOnce(Entities, R) -> F,
    ) -> Result<Events, Status>
    where
        R: DeserializeOwned,
        T: Response,
        F: Future<Output = Result<Done<T>, No>>,
    {
        let answer = self.answer(operation).await?;
        Ok(Box::pin(stream::iter([Ok(answer)])))
    }

    /// Does what is asked, and answers with as many events as come of it.
    pub(super) async fn answer_each<R, T, F>(
        self,
        operation: impl FnOnce(Entities, R) -> F,
    ) -> Result<Events, Status>
    where
        R: DeserializeOwned,
        T: Response + Send + 'static,
        F: Future<Output = Result<Many<T>, No>>,
    {
        let Self { text, entities, sender, _room, .. } = self;
        let request = request(text)?;
        let found = match entities {
            Ok(entities) => operation(entities, request).await,
            Err(failure) => Err(No::Failed(failure)),
        };
        match found {
            Ok(found) => Ok(Box::pin(found.map(move |it| match it {
                Ok(said) => sender.write(Done::from(said)),
                Err(fault) => sender.write(Done::<T>::failed(fault.into())),
            }))),
            Err(No::Failed(failure)) => {
                let answer = sender.write(Done::<T>::failed(failure))?;
                Ok(Box::pin(stream::iter([Ok(answer)])))
            }
            Err(No::Malformed(status)) => Err(status),
        }
    }
}

fn request<R: DeserializeOwned>(text: String) -> Result<R, Status> {
    read(&text).map_err(Status::invalid_argument)
}

/// Writes answers to one request.
struct Sender {
    /// The id of the request's event.
    id: String,
    verbosity: Verbosity,
}

impl Sender {
    fn write<T: Response>(&self, done: Done<T>) -> Result<CloudEvent, Status> {
        let Done { said, mut warnings, failure } = done;
        let error = failure.map(|it| {
            let spoken = it.spoken(self.verbosity);
            warnings.extend(spoken.warnings);
            let code = if spoken.is_defect { "SERVER_ERROR" } else { "CLIENT_ERROR" };
            let retryable = spoken.is_retryable.then_some(true);
            OperationError { code, message: spoken.text, retryable }
        });
        let answer = Answer {
            id: &self.id,
            request_id: &self.id,
            success: error.is_none(),
            error,
            warnings: &warnings,
            rest: &said,
        };
        event(T::KIND, &answer)
    }
}
