//! The functions of a compute node, and what they say.

use std::{collections::BTreeMap, fmt::Display, future::Future, pin::Pin, sync::Arc};

use serde::Serialize;
use waypost_api::{
    Document,
    entity::node::{Fault, Question, Reply, Value},
};

use crate::{error::Error, worker::lease::caught};

type Answer<T> = Pin<Box<dyn Future<Output = Result<T, Refused>> + Send>>;
type Function<T> = Arc<dyn Fn(Arc<Question>) -> Answer<T> + Send + Sync>;

/// Why a function has no answer: the write that asked fails with these words. Any error becomes one
/// that asking again does not help; see [`Refused::retryable`] for the others.
#[derive(Clone, Debug)]
pub struct Refused {
    message: String,
    is_retryable: bool,
}

impl Refused {
    /// Asking again may help: a definition whose retry policy says so has it done.
    #[must_use]
    pub fn retryable(message: impl Into<String>) -> Self {
        Self { message: message.into(), is_retryable: true }
    }

    /// Asking again cannot help.
    #[must_use]
    pub fn fatal(message: impl Into<String>) -> Self {
        Self { message: message.into(), is_retryable: false }
    }
}

impl<E: Display> From<E> for Refused {
    fn from(error: E) -> Self {
        Self::fatal(error.to_string())
    }
}

/// The functions of a node, by name.
#[derive(Clone, Default)]
pub struct Functions {
    processors: BTreeMap<String, Function<Option<Document>>>,
    criteria: BTreeMap<String, Function<bool>>,
}

impl Functions {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a processor. What it returns becomes the entity's value as a whole: anything that is
    /// an object in JSON, or `()` to leave it as it is. It may run more than once for the same
    /// change: make it so that this does no harm.
    ///
    /// # Errors
    /// When there is a processor of that name already.
    pub fn processor<F, R, T>(mut self, name: &str, run: F) -> Result<Self, Error>
    where
        F: Fn(Arc<Question>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<T, Refused>> + Send + 'static,
        T: Serialize,
    {
        let run: Function<Option<Document>> = Arc::new(move |question| {
            let running = run(question);
            Box::pin(async move { value(&running.await?) })
        });
        match self.processors.insert(name.to_owned(), run) {
            None => Ok(self),
            Some(_) => Err(Error::NameTwice { name: name.to_owned() }),
        }
    }

    /// Adds a function that decides whether a workflow or transition is taken.
    ///
    /// # Errors
    /// When there is a criterion of that name already.
    pub fn criterion<F, R>(mut self, name: &str, run: F) -> Result<Self, Error>
    where
        F: Fn(Arc<Question>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<bool, Refused>> + Send + 'static,
    {
        let run: Function<bool> = Arc::new(move |question| Box::pin(run(question)));
        match self.criteria.insert(name.to_owned(), run) {
            None => Ok(self),
            Some(_) => Err(Error::NameTwice { name: name.to_owned() }),
        }
    }

    /// What the processor says that is asked for.
    pub(super) async fn process(&self, question: Question) -> Reply {
        let question = Arc::new(question);
        let said = answer(self.processors.get(&question.name), &question).await;
        let reply = addressed(&question);
        match said {
            Ok(data) => {
                let payload = data.map(|data| Value { format: "JSON", data });
                Reply { payload, ..reply }
            }
            Err(refused) => failed(reply, refused),
        }
    }

    /// What the criterion says that is asked for.
    pub(super) async fn decide(&self, question: Question) -> Reply {
        let question = Arc::new(question);
        let said = answer(self.criteria.get(&question.name), &question).await;
        let reply = addressed(&question);
        match said {
            Ok(matches) => Reply { matches: Some(matches), ..reply },
            Err(refused) => failed(reply, refused),
        }
    }
}

async fn answer<T>(function: Option<&Function<T>>, question: &Arc<Question>) -> Result<T, Refused> {
    let Some(run) = function else {
        return Err(Refused::fatal(format!("this node has no function {:?}", question.name)));
    };
    match caught(|| run(Arc::clone(question))).await {
        Ok(said) => said,
        Err(panic) => Err(Refused::fatal(panic)),
    }
}

fn addressed(question: &Question) -> Reply {
    Reply {
        id: question.request_id.clone(),
        request_id: question.request_id.clone(),
        entity_id: question.entity_id.clone(),
        success: true,
        ..Reply::default()
    }
}

fn failed(reply: Reply, refused: Refused) -> Reply {
    let Refused { message, is_retryable: retryable } = refused;
    Reply { success: false, error: Some(Fault { code: "FAILED", message, retryable }), ..reply }
}

fn value<T: Serialize>(given: &T) -> Result<Option<Document>, Refused> {
    let document = Document::of(given).map_err(|error| Refused::fatal(error.to_string()))?;
    match document.as_str() {
        "null" => Ok(None),
        text if text.starts_with('{') => Ok(Some(document)),
        _ => Err(Refused::fatal("what the function returned is no object")),
    }
}
