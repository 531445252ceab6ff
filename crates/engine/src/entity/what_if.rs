//! What would become of an entity if it were written, and compute members did this or that.

use waypost_kernel::InstanceId;
use waypost_rehearsal::{Definitions, EntityStage, Face, ForkedEntity, WhatIf, play};

use super::{Entities, Fault, When};
use crate::what_if::{Tried, apart, check};

impl Entities {
    /// Forks an entity in memory and plays `what` with it. Nobody is asked.
    ///
    /// # Errors
    /// When it does not exist, or that cannot be tried with an entity.
    pub async fn what_if(&self, id: &InstanceId, what: WhatIf) -> Result<Tried, Fault> {
        check(&what, Face::Entity)?;
        let entity = self.read(id, &When::Now).await?;
        let workflows = self.workflows(&entity.model).await?;
        let now = self.store().now();
        let real = ForkedEntity {
            id: id.as_str().to_owned(),
            model: entity.model.name.clone(),
            value: entity.document()?,
            state: entity.state.clone(),
            workflow: entity.save.workflow.clone(),
            transition: entity.save.transition.clone(),
            armed: entity.save.armed.clone(),
            created_at: entity.created_at,
            updated_at: entity.updated_at,
        };
        let played = apart(move || {
            let mut definitions = Definitions::default();
            definitions.add_workflows(workflows);
            let mut stage = EntityStage::new(&definitions, what.cast());
            stage.fork(real, now);
            play(&mut stage, Ok(()), (&what.deeds, &what.expect))
        });
        Ok(Tried { forked_at: now, played: played.await? })
    }
}
