//! Why an entity is in the state it is in.

use std::collections::{BTreeMap, BTreeSet};

use waypost_kernel::{InstanceId, Timestamp};
use waypost_machines::{
    entity::{
        cascade::{Limits, Question},
        explain::{Subject, explain, tags},
    },
    explanation::Explanation,
};

use super::{Entities, Entity, Fault, When};
use crate::limits::VERSIONS_PAGE;

/// Sets of tags that are looked for. A model with more of them is explained without the rest.
const TAGS_MAX: usize = 1_000;

/// Pages of versions that are looked through for when an entity came to its state.
const PAGES_MAX: u32 = 10;

impl Entities {
    /// Why an entity is in the state it is in, and where it can go from there.
    ///
    /// # Errors
    /// When it does not exist.
    pub async fn explain(&self, id: &InstanceId) -> Result<Explanation, Fault> {
        let entity = self.read(id, &When::Now).await?;
        let model = self.stored_model(&entity.model).await?;
        let workflows = &model.workflows.list;
        let served = self.served(tags(workflows)).await;
        let since = self.came_at(id, &entity.state).await?;
        let value = entity.document()?;
        let limits = Limits { visits_max: self.home().rules.state_visits_max, ..Limits::default() };
        let mut judge = |question: Question<'_>| model.workflows.judge(&question);
        let mut subject = Subject {
            entity: entity.in_run(&value),
            workflows,
            limits,
            since,
            judge: &mut judge,
            serves: &|wanted| served.get(wanted).copied(),
        };
        Ok(explain(&mut subject))
    }

    /// When an entity came to the state it is in; none if it was saved there too often since.
    async fn came_at(&self, id: &InstanceId, state: &str) -> Result<Option<Timestamp>, Fault> {
        let key = self.key(id);
        let (mut before, mut since) = (None, None);
        for _ in 0..PAGES_MAX {
            let versions = self.store().versions(&key, before, VERSIONS_PAGE).await?;
            if versions.is_empty() {
                return Ok(since);
            }
            for record in versions {
                before = Some(record.version);
                let then = Entity::read(record)?;
                if then.state != state || then.is_deleted {
                    return Ok(since);
                }
                since = Some(then.updated_at);
            }
        }
        Ok(None)
    }

    /// Of each set of tags, whether a compute member is there that has all of them. Those of which
    /// that is not known are left out.
    pub async fn served(&self, wanted: BTreeSet<Vec<String>>) -> BTreeMap<Vec<String>, bool> {
        let mut served = BTreeMap::new();
        for wanted in wanted.into_iter().take(TAGS_MAX) {
            if let Some(found) = self.home().compute.serves(&self.caller, &wanted).await {
                served.insert(wanted, found);
            }
        }
        served
    }
}
