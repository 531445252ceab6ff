//! Why an entity is in the state it is in.

use std::collections::BTreeMap;

use waypost_kernel::InstanceId;
use waypost_machines::{
    entity::{
        cascade::{self, Limits, Question},
        explain::{Subject, explain, tags},
    },
    explanation::Explanation,
};

use super::{Entities, Fault, When};

/// Sets of tags that are looked for. A model with more of them is explained without the rest.
const TAGS_MAX: usize = 1_000;

impl Entities {
    /// Why an entity is in the state it is in, and where it can go from there.
    ///
    /// # Errors
    /// When it does not exist.
    pub async fn explain(&self, id: &InstanceId) -> Result<Explanation, Fault> {
        let entity = self.read(id, &When::Now).await?;
        let model = self.stored_model(&entity.model).await?;
        let workflows = &model.workflows.list;
        let mut served = BTreeMap::new();
        for wanted in tags(workflows).into_iter().take(TAGS_MAX) {
            let found = self.home().compute.serves(&self.caller, &wanted).await;
            served.insert(wanted, found);
        }
        let value = entity.document()?;
        let limits = Limits { visits_max: self.home().rules.state_visits_max, ..Limits::default() };
        let mut judge = |question: Question<'_>| model.workflows.judge(&question);
        let mut subject = Subject {
            entity: cascade::Entity {
                id: id.as_str(),
                value: &value,
                state: &entity.state,
                workflow: entity.save.workflow.as_deref(),
                previous_transition: &entity.save.transition,
                created_at: entity.created_at,
                updated_at: entity.updated_at,
                transaction: &entity.save.transaction,
            },
            workflows,
            limits,
            judge: &mut judge,
            serves: &|wanted| served.get(wanted).copied().flatten(),
        };
        Ok(explain(&mut subject))
    }
}
