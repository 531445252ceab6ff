//! The gateway of lifecycles, typed: what types there are, their entities, and what operators do.

use reqwest::Url;
use serde::Serialize;
use serde_json::{Map, Value};
use waypost_api::{
    forecast::Forecast,
    lifecycle::{Definition, Done, Move, Snapshot, Transition, Type},
};

use crate::{
    client::{Client, with_query},
    error::Error,
    watch::Messages,
};

/// Where the gateway is unless the server is set otherwise.
const PREFIX: &str = "workflows";

/// Which entities to list. By default all that one answer holds, sorted by id.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LifecycleQuery {
    /// Only those in this phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// Only those that have not come to their end.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub active: bool,
    /// Only those whose fields hold this, as text.
    #[serde(skip)]
    pub matches: Vec<(String, String)>,
    /// How many to pass over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// How many at the most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// The lifecycles of a server. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Lifecycles {
    client: Client,
    prefix: String,
}

impl Lifecycles {
    pub(crate) fn new(client: Client) -> Self {
        Self { client, prefix: PREFIX.to_owned() }
    }

    /// The same below another prefix.
    #[must_use]
    pub fn below(self, prefix: &str) -> Self {
        Self { prefix: prefix.trim_matches('/').to_owned(), ..self }
    }

    /// The types there are, by name, with how many of their entities are where.
    ///
    /// # Errors
    /// When the server cannot answer, or shows no lifecycles.
    pub async fn types(&self) -> Result<Vec<Type>, Error> {
        self.client.answer(self.client.get(self.path(&[]))).await
    }

    /// A type with the moves between its phases.
    ///
    /// # Errors
    /// When there is no such type.
    pub async fn definition(&self, workflow: &str) -> Result<Definition, Error> {
        let url = flagged(self.path(&[workflow]), "definition");
        self.client.answer(self.client.get(url)).await
    }

    /// The entities that `query` wants.
    ///
    /// # Errors
    /// When there is no such type, or a field cannot be matched.
    pub async fn list(
        &self,
        workflow: &str,
        query: &LifecycleQuery,
    ) -> Result<Vec<Snapshot>, Error> {
        let mut url = flagged(with_query(self.path(&[workflow]), query), "snapshot");
        let matches = query.matches.iter().map(|(name, it)| (format!("match.{name}"), it));
        url.query_pairs_mut().extend_pairs(matches);
        self.client.answer(self.client.get(url)).await
    }

    /// One entity.
    ///
    /// # Errors
    /// When there is none.
    pub async fn show(&self, workflow: &str, id: &str) -> Result<Snapshot, Error> {
        let url = flagged(self.path(&[workflow, id]), "snapshot");
        self.client.answer(self.client.get(url)).await
    }

    /// How an entity got where it is, oldest first.
    ///
    /// # Errors
    /// When there has never been one.
    pub async fn history(&self, workflow: &str, id: &str) -> Result<Vec<Move>, Error> {
        self.client.answer(self.client.get(self.path(&[workflow, id, "history"]))).await
    }

    /// The entities, of whatever type, that belong to this one.
    ///
    /// # Errors
    /// When the server cannot answer.
    pub async fn children(&self, workflow: &str, id: &str) -> Result<Vec<Snapshot>, Error> {
        let url = flagged(self.path(&[workflow, id, "children"]), "snapshot");
        self.client.answer(self.client.get(url)).await
    }

    /// Writes fields, all or none.
    ///
    /// # Errors
    /// When a field is not there, is not for operators, or does not take the value.
    pub async fn patch(
        &self,
        workflow: &str,
        id: &str,
        fields: &Map<String, Value>,
    ) -> Result<Done, Error> {
        let url = self.path(&[workflow, id, "state"]);
        self.client.answer(self.client.post(url, fields)).await
    }

    /// Moves an entity along its table.
    ///
    /// # Errors
    /// When the table does not let it.
    pub async fn transition(
        &self,
        workflow: &str,
        id: &str,
        to: &Transition,
    ) -> Result<Done, Error> {
        let url = self.path(&[workflow, id, "transition"]);
        self.client.answer(self.client.post(url, to)).await
    }

    /// What would come of [`Self::patch`], while nothing changes.
    ///
    /// # Errors
    /// Those of the write.
    pub async fn foresee_patch(
        &self,
        workflow: &str,
        id: &str,
        fields: &Map<String, Value>,
    ) -> Result<Forecast, Error> {
        let url = flagged(self.path(&[workflow, id, "state"]), "dryRun");
        self.client.answer(self.client.post(url, fields)).await
    }

    /// What would come of [`Self::transition`], while nothing changes.
    ///
    /// # Errors
    /// Those of the move.
    pub async fn foresee_transition(
        &self,
        workflow: &str,
        id: &str,
        to: &Transition,
    ) -> Result<Forecast, Error> {
        let url = flagged(self.path(&[workflow, id, "transition"]), "dryRun");
        self.client.answer(self.client.post(url, to)).await
    }

    /// Entities as they are written; those that are there come first.
    ///
    /// # Errors
    /// When there is no such type, or too many watch already.
    pub async fn watch(&self, workflow: &str) -> Result<LifecycleWatch, Error> {
        let url = flagged(self.path(&[workflow]), "stream");
        let url = flagged(flagged(url, "snapshot"), "bootstrap");
        Ok(LifecycleWatch { messages: Messages::open(self.client.clone(), url).await? })
    }

    fn path(&self, segments: &[&str]) -> Url {
        let prefix = self.prefix.split('/');
        let path: Vec<&str> = prefix.chain(segments.iter().copied()).collect();
        self.client.path(&path)
    }
}

fn flagged(mut url: Url, flag: &str) -> Url {
    url.query_pairs_mut().append_pair(flag, "true");
    url
}

/// Something to see of a type.
#[derive(Clone, Debug, PartialEq)]
pub enum Sight {
    /// An entity: one that is there, or one that was just written.
    Entity(Box<Snapshot>),
    /// An entity was deleted.
    Deleted {
        /// Which.
        entity_id: String,
    },
    /// All that was there has been shown.
    CaughtUp,
}

/// Entities as they are written. Dropping it ends the stream.
#[derive(Debug)]
pub struct LifecycleWatch {
    messages: Messages,
}

impl LifecycleWatch {
    /// The next thing to see; nothing when the server ends the stream.
    ///
    /// # Errors
    /// When the connection breaks. A new stream begins with what is there then.
    pub async fn next(&mut self) -> Result<Option<Sight>, Error> {
        while let Some(message) = self.messages.next().await? {
            let seen = match message.event.as_str() {
                "entity" => serde_json::from_str(&message.data).ok().map(Sight::Entity),
                "deleted" => serde_json::from_str(&message.data).ok().map(deleted),
                "bootstrap_complete" => Some(Sight::CaughtUp),
                // A later version may show more.
                _ => continue,
            };
            match seen {
                Some(seen) => return Ok(Some(seen)),
                None => tracing::warn!(data = message.data, "not understood and left out"),
            }
        }
        Ok(None)
    }
}

#[derive(serde::Deserialize)]
struct Deleted {
    entity_id: String,
}

fn deleted(it: Deleted) -> Sight {
    Sight::Deleted { entity_id: it.entity_id }
}
