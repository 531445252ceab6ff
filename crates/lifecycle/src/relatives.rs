//! Parents, children, and which type an entity is of.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    Error, ListOptions, Result,
    core::{Core, Stored},
    list::CHUNK,
    registration::Registration,
};

/// An entity and its type.
pub(crate) type Relative = (Arc<Registration>, Stored);

impl Core {
    /// The entities of all types that belong to `parent`, by type, then by id: at most `limit`, from
    /// `offset` on.
    pub(crate) async fn children(
        &self,
        parent: &str,
        offset: usize,
        limit: usize,
    ) -> Result<Vec<Relative>> {
        if parent.is_empty() {
            let entity_id = String::new();
            return Err(Error::InvalidEntityId { entity_id, reason: "it is empty" });
        }
        let (mut children, enough) = (Vec::new(), offset.saturating_add(limit));
        for registration in self.registrations() {
            if children.len() >= enough {
                break;
            }
            let own = self.children_of(&registration, parent, enough - children.len()).await?;
            children.extend(own.into_iter().map(|it| (Arc::clone(&registration), it)));
        }
        Ok(children.into_iter().skip(offset).take(limit).collect())
    }

    /// Those of one type, and not many more than are enough.
    async fn children_of(
        &self,
        registration: &Registration,
        parent: &str,
        enough: usize,
    ) -> Result<Vec<Stored>> {
        let is_child = |it: &Stored| it.held.parent() == Some(parent);
        let Some(ids) = registration.index.ask(|it| it.children(parent)) else {
            let all = self.scan(registration, &ListOptions::default()).await?;
            return Ok(all.into_iter().filter(is_child).collect());
        };
        if ids.is_empty() {
            self.vouch(registration).await?;
        }
        let mut children = Vec::new();
        for ids in ids.chunks(CHUNK) {
            children.extend(self.read_many(registration, ids).await?.into_iter().filter(is_child));
            if children.len() >= enough {
                break;
            }
        }
        Ok(children)
    }

    /// The parent, its parent, and so on to the root.
    pub(crate) async fn ancestors(&self, entity_id: &str) -> Result<Vec<Relative>> {
        let (_, start) = self.lookup(entity_id).await?;
        let (mut seen, mut ancestors) = (BTreeSet::from([entity_id.to_owned()]), Vec::new());
        let mut next = start.held.parent().map(str::to_owned);
        while let Some(parent) = next {
            if !seen.insert(parent.clone()) {
                tracing::warn!(entity_id, parent, "the ancestors go round in a circle");
                break;
            }
            match self.lookup(&parent).await {
                Ok(found) => {
                    next = found.1.held.parent().map(str::to_owned);
                    ancestors.push(found);
                }
                Err(Error::EntityNotFound { .. } | Error::InvalidEntityId { .. }) => {
                    tracing::warn!(entity_id, parent, "an ancestor is missing");
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(ancestors)
    }

    /// The entity of that id: of the first type by name, if several have it. Those types are read that
    /// it may be of by what is known; the others only if it is of none of them, because somebody else
    /// may have made it just now.
    pub(crate) async fn lookup(&self, entity_id: &str) -> Result<Relative> {
        let may_have = |it: &Arc<Registration>| it.index.ask(|it| it.has(entity_id)) != Some(false);
        let (likely, others): (Vec<_>, Vec<_>) =
            self.registrations().into_iter().partition(may_have);
        let found = match self.first_of(likely, entity_id).await? {
            Some(found) => Some(found),
            None => self.first_of(others, entity_id).await?,
        };
        let missing = || Error::EntityNotFound { workflow: None, entity_id: entity_id.to_owned() };
        found.ok_or_else(missing)
    }

    async fn first_of(
        &self,
        registrations: Vec<Arc<Registration>>,
        entity_id: &str,
    ) -> Result<Option<Relative>> {
        let mut found: Option<Relative> = None;
        for registration in registrations {
            match self.load(&registration, entity_id).await {
                Ok(stored) => match &found {
                    None => found = Some((registration, stored)),
                    Some((first, _)) => {
                        let (first, second) = (&first.workflow, &registration.workflow);
                        tracing::warn!(entity_id, first, second, "two types have this id");
                    }
                },
                Err(Error::EntityNotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }
}
