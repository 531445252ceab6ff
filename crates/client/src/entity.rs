//! The routes of models and entities that people and programs need most, typed.

mod answer;
mod query;

use std::collections::BTreeMap;

use reqwest::{
    Method, RequestBuilder,
    header::{CONTENT_TYPE, IF_MATCH},
};
use serde::{Serialize, de::DeserializeOwned};
use waypost_api::{
    Document, Timestamp, entity::http::ModelKey, forecast::Forecast, what_if::Tried,
};

pub use self::{
    answer::{
        Actor, AuditEvent, AuditPage, AuditPlace, Created, CreationError, Deleted, Entity,
        EntityChange, EntityMeta, Model, ModelAction, ModelExport, SearchPage, SearchPlace,
        SearchState, StateCount, Transaction,
    },
    query::{AuditQuery, EntityQuery, SearchQuery, When},
};
use crate::{
    client::{ANSWER_MAX, Client, with_query},
    error::Error,
};

/// The query of a command that is only tried.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Dry {
    dry_run: bool,
}

const DRY: Dry = Dry { dry_run: true };

/// Where entities are unless the server is set otherwise.
const CONTEXT_PATH: &str = "/api";

/// A sample that a model learns from.
#[derive(Clone, Copy, Debug)]
pub enum Sample<'a> {
    /// A JSON document.
    Json(&'a Document),
    /// The text of an XML document.
    Xml(&'a str),
}

/// How a model is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelView {
    /// As a JSON Schema.
    JsonSchema,
    /// As paths and their types.
    Simple,
}

/// The models and entities of a server. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Entities {
    client: Client,
    context_path: String,
}

impl Entities {
    pub(crate) fn new(client: Client) -> Self {
        Self { client, context_path: CONTEXT_PATH.to_owned() }
    }

    /// The same below another context path.
    #[must_use]
    pub fn below(self, context_path: &str) -> Self {
        Self { context_path: context_path.to_owned(), ..self }
    }

    /// The same, signed in with a bearer token.
    ///
    /// # Errors
    /// When it has characters that cannot be sent.
    pub fn signed_in(self, token: &str) -> Result<Self, Error> {
        Ok(Self { client: self.client.signed_in(token)?, ..self })
    }

    /// All models, by name and version.
    ///
    /// # Errors
    /// When the server cannot answer.
    pub async fn models(&self) -> Result<Vec<Model>, Error> {
        self.read(&["model"], &()).await
    }

    /// The text at a path below the context path, such as a picture.
    ///
    /// # Errors
    /// As the path has them.
    pub async fn text_at(&self, path: &[&str], query: &[(&str, &str)]) -> Result<String, Error> {
        let query: BTreeMap<&str, &str> = query.iter().copied().collect();
        let request = self.request(Method::GET, path, &query).timeout(ANSWER_MAX);
        self.client.read_text(request).await
    }

    /// Has a model learn from a sample; makes the model if there is none. Says its id.
    ///
    /// # Errors
    /// `MODEL_ALREADY_LOCKED`, or `BAD_REQUEST` when the sample cannot be read.
    pub async fn import_sample(
        &self,
        model: &ModelKey,
        sample: Sample<'_>,
    ) -> Result<String, Error> {
        let (format, kind, text) = match sample {
            Sample::Json(document) => ("JSON", "application/json", document.as_str()),
            Sample::Xml(text) => ("XML", "application/xml", text),
        };
        let version = model.version.to_string();
        let path = ["model", "import", format, "SAMPLE_DATA", &model.name, &version];
        let request = self.quick(Method::POST, &path);
        self.client.answer(request.header(CONTENT_TYPE, kind).body(text.to_owned())).await
    }

    /// From now on entities may be written, and no samples imported.
    ///
    /// # Errors
    /// `MODEL_NOT_FOUND`, or `MODEL_ALREADY_LOCKED`.
    pub async fn lock(&self, model: &ModelKey) -> Result<ModelAction, Error> {
        let version = model.version.to_string();
        let request = self.quick(Method::PUT, &["model", &model.name, &version, "lock"]);
        self.client.answer(request).await
    }

    /// From now on samples may be imported, and no entities written.
    ///
    /// # Errors
    /// `MODEL_NOT_FOUND`, `MODEL_ALREADY_UNLOCKED`, or `MODEL_HAS_ENTITIES`.
    pub async fn unlock(&self, model: &ModelKey) -> Result<ModelAction, Error> {
        let version = model.version.to_string();
        let request = self.quick(Method::PUT, &["model", &model.name, &version, "unlock"]);
        self.client.answer(request).await
    }

    /// Deletes a model and its workflows.
    ///
    /// # Errors
    /// `MODEL_NOT_FOUND`, `MODEL_ALREADY_LOCKED`, or `MODEL_HAS_ENTITIES`.
    pub async fn delete_model(&self, model: &ModelKey) -> Result<ModelAction, Error> {
        let request =
            self.quick(Method::DELETE, &["model", &model.name, &model.version.to_string()]);
        self.client.answer(request).await
    }

    /// What a model has learned.
    ///
    /// # Errors
    /// `MODEL_NOT_FOUND` when there is none.
    pub async fn export_model(
        &self,
        model: &ModelKey,
        view: ModelView,
    ) -> Result<ModelExport, Error> {
        let view = match view {
            ModelView::JsonSchema => "JSON_SCHEMA",
            ModelView::Simple => "SIMPLE_VIEW",
        };
        let version = model.version.to_string();
        self.read(&["model", "export", view, &model.name, &version], &()).await
    }

    /// Takes in workflows: `workflows` and, unless they are to be merged, `importMode`. The text
    /// is sent as it is.
    ///
    /// # Errors
    /// `VALIDATION_FAILED`, with everything that is wrong; nothing has changed.
    pub async fn import_workflows(&self, model: &ModelKey, import: &Document) -> Result<(), Error> {
        let version = model.version.to_string();
        let path = ["model", &model.name, &version, "workflow", "import"];
        self.client.send(self.quick(Method::POST, &path).json(import)).await.map(drop)
    }

    /// The workflows of a model, in their order.
    ///
    /// # Errors
    /// `WORKFLOW_NOT_FOUND` when it has none.
    pub async fn export_workflows(&self, model: &ModelKey) -> Result<Document, Error> {
        let version = model.version.to_string();
        self.read(&["model", &model.name, &version, "workflow", "export"], &()).await
    }

    /// How many entities of a model are in which state.
    ///
    /// # Errors
    /// `MODEL_NOT_FOUND` when there is none.
    pub async fn count_states(
        &self,
        model: &ModelKey,
        at: Option<Timestamp>,
    ) -> Result<Vec<StateCount>, Error> {
        let version = model.version.to_string();
        let when = When { at, ..When::default() };
        self.read(&["entity", "stats", "states", &model.name, &version], &when).await
    }

    /// Creates an entity, or one for each element of an array, a hundred in one transaction. Waits
    /// for compute members as long as they take.
    ///
    /// # Errors
    /// `MODEL_NOT_FOUND`, `MODEL_NOT_LOCKED`, or what stands in the way of the first transaction.
    pub async fn create(&self, model: &ModelKey, value: &Document) -> Result<Vec<Created>, Error> {
        let path = ["entity", "JSON", &model.name, &model.version.to_string()];
        self.client.answer(self.request(Method::POST, &path, &()).json(value)).await
    }

    /// Entities of a model, by id.
    ///
    /// # Errors
    /// `MODEL_NOT_FOUND` when there is none.
    pub async fn list(&self, model: &ModelKey, query: &EntityQuery) -> Result<Vec<Entity>, Error> {
        self.read(&["entity", &model.name, &model.version.to_string()], query).await
    }

    /// One entity, as it is or as it was.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND` when there is none, or was none then.
    pub async fn show(&self, id: &str, when: &When) -> Result<Entity, Error> {
        self.read(&["entity", id], when).await
    }

    /// The names of the transitions an entity can be taken through.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND` when there is none, or was none then.
    pub async fn transitions(&self, id: &str, when: &When) -> Result<Vec<String>, Error> {
        self.read(&["entity", id, "transitions"], when).await
    }

    /// Gives an entity another value and takes it through a transition; only if it was saved last
    /// by the transaction `if_match`, where one is given. Waits for compute members as long as they
    /// take.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`, `TRANSITION_NOT_FOUND`, `ENTITY_MODIFIED`, or `WORKFLOW_FAILED` when
    /// something stands in the way.
    pub async fn take(
        &self,
        id: &str,
        transition: &str,
        value: &Document,
        if_match: Option<&str>,
    ) -> Result<Transaction, Error> {
        self.save(&["entity", "JSON", id, transition], value, if_match).await
    }

    /// Gives an entity another value, which may set off what it does by itself; only if it was
    /// saved last by the transaction `if_match`, where one is given. Waits for compute members as
    /// long as they take.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`, `ENTITY_MODIFIED`, or `WORKFLOW_FAILED` when something stands in the way.
    pub async fn update(
        &self,
        id: &str,
        value: &Document,
        if_match: Option<&str>,
    ) -> Result<Transaction, Error> {
        self.save(&["entity", "JSON", id], value, if_match).await
    }

    /// What would become of an entity if it were written and others did what `what` says, as in a
    /// scenario.
    ///
    /// # Errors
    /// When there is no such entity, or `what` cannot be tried with it.
    pub async fn what_if(&self, id: &str, what: &serde_json::Value) -> Result<Tried, Error> {
        self.client.answer(self.quick(Method::POST, &["entity", id, "what-if"]).json(what)).await
    }

    /// What would come of creating an entity, or several, while nothing changes.
    ///
    /// # Errors
    /// Those of [`Self::create`].
    pub async fn foresee_create(
        &self,
        model: &ModelKey,
        value: &Document,
    ) -> Result<Forecast, Error> {
        let path = ["entity", "JSON", &model.name, &model.version.to_string()];
        self.client.answer(self.request(Method::POST, &path, &DRY).json(value)).await
    }

    /// What would come of [`Self::take`], or of [`Self::update`] without a transition, while nothing
    /// changes.
    ///
    /// # Errors
    /// Those of the write.
    pub async fn foresee_save(
        &self,
        id: &str,
        transition: Option<&str>,
        value: &Document,
        if_match: Option<&str>,
    ) -> Result<Forecast, Error> {
        let path: Vec<&str> = ["entity", "JSON", id].into_iter().chain(transition).collect();
        let mut request = self.request(Method::PUT, &path, &DRY);
        if let Some(transaction) = if_match {
            request = request.header(IF_MATCH, transaction);
        }
        self.client.answer(request.json(value)).await
    }

    /// What would come of [`Self::delete`], while nothing changes.
    ///
    /// # Errors
    /// When it does not exist.
    pub async fn foresee_delete(&self, id: &str) -> Result<Forecast, Error> {
        self.client.answer(self.request(Method::DELETE, &["entity", id], &DRY)).await
    }

    async fn save(
        &self,
        path: &[&str],
        value: &Document,
        if_match: Option<&str>,
    ) -> Result<Transaction, Error> {
        let mut request = self.request(Method::PUT, path, &());
        if let Some(transaction) = if_match {
            request = request.header(IF_MATCH, transaction);
        }
        self.client.answer(request.json(value)).await
    }

    /// What was done to an entity until then, newest first.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND` when it has never existed.
    pub async fn changes(
        &self,
        id: &str,
        until: Option<Timestamp>,
    ) -> Result<Vec<EntityChange>, Error> {
        let when = When { at: until, ..When::default() };
        self.read(&["entity", id, "changes"], &when).await
    }

    /// A page of what happened to an entity and what its machine did, newest first.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND` when it has never existed.
    pub async fn audit(&self, id: &str, query: &AuditQuery) -> Result<AuditPage, Error> {
        self.read(&["audit", "entity", id], query).await
    }

    /// The entities of a model that match a condition, by id.
    ///
    /// # Errors
    /// `MODEL_NOT_FOUND`, `BAD_REQUEST` when the condition cannot be read, or
    /// `SEARCH_RESULT_LIMIT` when more match than the limit, and that is at most 1000.
    pub async fn search(
        &self,
        model: &ModelKey,
        condition: &Document,
        query: &SearchQuery,
    ) -> Result<Vec<Entity>, Error> {
        let path = ["search", "direct", &model.name, &model.version.to_string()];
        self.client.lines(self.request(Method::POST, &path, query).json(condition)).await
    }

    /// Begins a search in the background, which finds all that matched at one instant, however
    /// many. Says its id.
    ///
    /// # Errors
    /// `MODEL_NOT_FOUND`, or `BAD_REQUEST` when the condition cannot be read.
    pub async fn begin_search(
        &self,
        model: &ModelKey,
        condition: &Document,
        at: Option<Timestamp>,
    ) -> Result<String, Error> {
        let path = ["search", "async", &model.name, &model.version.to_string()];
        let when = When { at, ..When::default() };
        let request = self.request(Method::POST, &path, &when).timeout(ANSWER_MAX);
        self.client.answer(request.json(condition)).await
    }

    /// Where a search in the background stands.
    ///
    /// # Errors
    /// `SEARCH_JOB_NOT_FOUND` when there is none, or it is forgotten.
    pub async fn search_state(&self, id: &str) -> Result<SearchState, Error> {
        self.read(&["search", "async", id, "status"], &()).await
    }

    /// A page of what a search in the background has found.
    ///
    /// # Errors
    /// `SEARCH_JOB_NOT_FOUND`, or `BAD_REQUEST` when it has not ended well.
    pub async fn search_page(&self, id: &str, query: &EntityQuery) -> Result<SearchPage, Error> {
        self.read(&["search", "async", id], query).await
    }

    /// Ends a search in the background that is under way.
    ///
    /// # Errors
    /// `SEARCH_JOB_NOT_FOUND`, or `BAD_REQUEST` when it has ended.
    pub async fn cancel_search(&self, id: &str) -> Result<(), Error> {
        let request = self.quick(Method::PUT, &["search", "async", id, "cancel"]);
        self.client.send(request).await.map(drop)
    }

    /// Deletes an entity. Its past stays.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND` when there is none.
    pub async fn delete(&self, id: &str) -> Result<Deleted, Error> {
        self.client.answer(self.request(Method::DELETE, &["entity", id], &())).await
    }

    async fn read<T: DeserializeOwned, Q: Serialize>(
        &self,
        path: &[&str],
        query: &Q,
    ) -> Result<T, Error> {
        self.client.answer(self.request(Method::GET, path, query).timeout(ANSWER_MAX)).await
    }

    /// A request that waits for nobody outside of the server.
    fn quick(&self, method: Method, path: &[&str]) -> RequestBuilder {
        self.request(method, path, &()).timeout(ANSWER_MAX)
    }

    fn request<Q: Serialize>(&self, method: Method, path: &[&str], query: &Q) -> RequestBuilder {
        let context = self.context_path.split('/').filter(|it| !it.is_empty());
        let segments: Vec<&str> = context.chain(path.iter().copied()).collect();
        self.client.request(method, with_query(self.client.path(&segments), query))
    }
}
