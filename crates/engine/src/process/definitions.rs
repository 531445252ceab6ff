//! Deploying and reading definitions of processes.

use waypost_kernel::{
    Commit, Conflict, Definition, DefinitionQuery, DefinitionRef, Json, Kind,
    RejectionCode as Code, StoreError, Urgency,
};
use waypost_machines::process::{Source, violations};

use super::handle::Processes;
use crate::{
    error::Error,
    limits::{DEFINITIONS_MAX, PAGE_MAX, TURN_ATTEMPTS_MAX},
};

/// A definition that is deployed.
#[derive(Clone, Debug)]
pub struct Deployed {
    /// The definition.
    pub definition: Definition,
    /// What people call it.
    pub label: String,
    /// Whether it was deployed before; it has its old version then.
    pub existed: bool,
}

/// Definitions, the newest version of each.
#[derive(Clone, Debug)]
pub struct DefinitionPage {
    /// Those of this page, by id.
    pub items: Vec<Deployed>,
    /// How many there are on all pages.
    pub total: usize,
}

impl Processes {
    /// Deploys a definition, as the next version of its name; what is deployed already keeps its
    /// version.
    ///
    /// # Errors
    /// When it is not well-formed or not sound: everything that is wrong with it.
    pub async fn deploy(&self, text: &str) -> Result<Deployed, Error> {
        let unreadable = |problem: String| {
            Error::rejected(Code::DefinitionInvalid, format!("parse error: parse: {problem}"))
        };
        let source = Source::parse(text).map_err(unreadable)?;
        let found = violations(&source);
        if !found.is_empty() {
            let violations = found.into_iter().map(|it| (String::new(), it)).collect();
            return Err(Error::Invalid { violations });
        }
        let body = Json::parse(text).map_err(|error| unreadable(error.to_string()))?;
        for _ in 0..TURN_ATTEMPTS_MAX {
            match self.deploy_next(&source, &body).await {
                Err(Error::Store(StoreError::Conflict(Conflict::Definition(..)))) => {}
                other => return other,
            }
        }
        Err(Error::Contended { attempts: TURN_ATTEMPTS_MAX })
    }

    async fn deploy_next(&self, source: &Source, body: &Json) -> Result<Deployed, Error> {
        let canonical = source.canonical();
        let (mut offset, mut version) = (0, 1);
        loop {
            let versions = self.versions(&source.id, offset).await?;
            if let Some(newest) = versions.first().filter(|_| offset == 0) {
                version = newest.which.version + 1;
            }
            let is_same = |it: &&Definition| {
                let text = it.body.as_str();
                text == body.as_str()
                    || Source::parse(text).is_ok_and(|it| it.canonical() == canonical)
            };
            if let Some(definition) = versions.iter().find(is_same).cloned() {
                return Ok(Deployed { definition, label: source.name.clone(), existed: true });
            }
            if versions.len() < PAGE_MAX as usize {
                break;
            }
            offset += PAGE_MAX;
        }
        let definition = Definition {
            tenant: self.tenant.clone(),
            kind: Kind::Process,
            which: DefinitionRef { name: source.id.clone(), version },
            body: body.clone(),
            created_at: self.shared.store.now(),
        };
        let definitions = vec![definition.clone()];
        let commit = Commit { definitions, urgency: Urgency::New, ..Commit::default() };
        self.shared.store.commit(commit).await?;
        self.shared.metrics.process.definitions.inc();
        tracing::info!(id = source.id, name = source.name, version, "a definition was stored");
        Ok(Deployed { definition, label: source.name.clone(), existed: false })
    }

    async fn versions(&self, name: &str, offset: u32) -> Result<Vec<Definition>, Error> {
        let name = Some(name.to_owned());
        let query = DefinitionQuery { name, offset, limit: PAGE_MAX, ..self.all() };
        Ok(self.shared.store.definitions(&query).await?)
    }

    fn all(&self) -> DefinitionQuery {
        DefinitionQuery {
            tenant: self.tenant.clone(),
            kind: Kind::Process,
            name: None,
            version: None,
            keyword: None,
            latest_only: false,
            offset: 0,
            limit: 1,
        }
    }

    /// A definition; the one with the highest version if none is given.
    ///
    /// # Errors
    /// When there is none.
    pub async fn definition(&self, name: &str, version: Option<i32>) -> Result<Definition, Error> {
        let unknown = || Error::rejected(Code::DefinitionNotFound, "definition not found");
        // No store is asked about names it could not even write down.
        if name.chars().any(char::is_control) {
            return Err(unknown());
        }
        let query = DefinitionQuery { name: Some(name.to_owned()), version, ..self.all() };
        self.shared.store.definitions(&query).await?.pop().ok_or_else(unknown)
    }

    /// The newest versions whose id or label contains `keyword`, whatever the case, by id.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn definitions(
        &self,
        keyword: &str,
        offset: usize,
        limit: usize,
    ) -> Result<DefinitionPage, Error> {
        let all = DefinitionQuery { latest_only: true, ..self.all() };
        if keyword.is_empty() {
            return self.page(all, offset, limit).await;
        }
        let query = DefinitionQuery { limit: DEFINITIONS_MAX, ..all };
        let keyword = keyword.to_lowercase();
        let mut items = Vec::new();
        for definition in self.shared.store.definitions(&query).await? {
            let label = self.shared.graphs.of(&definition)?.label.clone();
            let contains = |text: &str| text.to_lowercase().contains(&keyword);
            if contains(&definition.which.name) || contains(&label) {
                items.push(Deployed { definition, label, existed: true });
            }
        }
        let total = items.len();
        Ok(DefinitionPage { items: items.into_iter().skip(offset).take(limit).collect(), total })
    }

    /// All versions of a definition, the newest first.
    ///
    /// # Errors
    /// When there is none.
    pub async fn uploads(
        &self,
        name: &str,
        offset: usize,
        limit: usize,
    ) -> Result<DefinitionPage, Error> {
        let newest = self.definition(name, None).await?;
        let query = DefinitionQuery { name: Some(newest.which.name), ..self.all() };
        self.page(query, offset, limit).await
    }

    /// One page of what `query` wants, read as such: only labels have to be looked at one by one.
    async fn page(
        &self,
        query: DefinitionQuery,
        offset: usize,
        limit: usize,
    ) -> Result<DefinitionPage, Error> {
        let narrow = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
        let total = self.shared.store.count_definitions(&query).await?;
        let query = DefinitionQuery { offset: narrow(offset), limit: narrow(limit), ..query };
        let found = self.shared.store.definitions(&query).await?;
        let deployed = |definition: Definition| {
            let label = self.shared.graphs.of(&definition)?.label.clone();
            Ok(Deployed { definition, label, existed: true })
        };
        let items = found.into_iter().map(deployed).collect::<Result<_, Error>>()?;
        Ok(DefinitionPage { items, total: usize::try_from(total).unwrap_or(usize::MAX) })
    }
}
