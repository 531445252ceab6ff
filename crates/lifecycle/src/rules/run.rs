//! Watching entities and firing rules. A rule fires when its conditions come true; after a restart,
//! for everything for which they are true.

use std::{collections::HashSet, time::Duration};

use futures_util::{StreamExt as _, stream::SelectAll};
use serde_json::Value;

use super::{Rule, RuleError, Rules, condition::hold};
use crate::{BucketError, Error, Snapshot, Watch, WatchEvent};

/// How often a rule is tried again when the store is in trouble, or others keep being faster.
const ATTEMPTS: u32 = 5;

/// The first pause before that; each is twice as long as the one before.
const PAUSE: Duration = Duration::from_millis(20);

/// The pause before a watch that broke is begun again.
const RESTART: Duration = Duration::from_millis(200);

/// For which rules and entities the conditions were true when they were last looked at.
type Standing = HashSet<(usize, String)>;

impl Rules {
    /// Watches the types that rules look at and acts, until it is dropped. What a rule cannot do is
    /// logged, and does not keep the others from doing what they can.
    ///
    /// # Errors
    /// When a rule looks at a type that is not registered. It does not end otherwise.
    pub async fn run(&self) -> Result<(), RuleError> {
        let workflows: HashSet<&str> = self.rules.iter().map(|it| it.workflow.as_str()).collect();
        for workflow in &workflows {
            self.manager.get_workflow_definition(workflow)?;
        }
        loop {
            match self.follow(&workflows).await {
                Ok(()) => {}
                Err(error) => tracing::warn!(%error, "rules lost sight of their entities"),
            }
            tokio::time::sleep(RESTART).await;
        }
    }

    /// Acts on what is seen until a watch breaks.
    async fn follow(&self, workflows: &HashSet<&str>) -> Result<(), RuleError> {
        let mut events: SelectAll<Watch<WatchEvent<Value>>> = SelectAll::new();
        for workflow in workflows {
            events.push(self.manager.watch(workflow).await?);
        }
        let mut standing = Standing::new();
        while let Some(event) = events.next().await {
            match event {
                WatchEvent::Value(snapshot) => self.see(&snapshot, &mut standing).await,
                WatchEvent::Deleted { entity_id } => standing.retain(|(_, it)| *it != entity_id),
                WatchEvent::CaughtUp => {}
                WatchEvent::Failed(source) => return Err(lost(source)),
            }
        }
        Ok(())
    }

    async fn see(&self, snapshot: &Snapshot<Value>, standing: &mut Standing) {
        for (index, rule) in self.rules.iter().enumerate() {
            if rule.workflow != snapshot.workflow {
                continue;
            }
            let place = (index, snapshot.entity_id.clone());
            match hold(&rule.when, Some(snapshot)) {
                Ok(true) if standing.insert(place) => self.attempt(rule, &snapshot.entity_id).await,
                Ok(true) => {}
                Ok(false) => drop(standing.remove(&(index, snapshot.entity_id.clone()))),
                Err(error) => tell(rule, &snapshot.entity_id, &error),
            }
        }
    }

    async fn attempt(&self, rule: &Rule, entity_id: &str) {
        let mut pause = PAUSE;
        for attempt in 1..=ATTEMPTS {
            match self.fire_rule(rule, entity_id).await {
                Ok(_) => return,
                Err(error) if attempt < ATTEMPTS && may_pass(&error) => {
                    tokio::time::sleep(pause).await;
                    pause *= 2;
                }
                Err(error) => return tell(rule, entity_id, &error),
            }
        }
    }
}

/// Whether trying again may help.
fn may_pass(error: &RuleError) -> bool {
    matches!(
        error,
        RuleError::Lifecycle(Error::UpdateRetriesExhausted { .. })
            | RuleError::Lifecycle(Error::Store { source: BucketError::Unavailable(_), .. })
    )
}

fn lost(source: BucketError) -> RuleError {
    Error::Store { bucket: String::new(), source }.into()
}

fn tell(rule: &Rule, entity_id: &str, error: &RuleError) {
    let rule = rule.name.as_str();
    tracing::warn!(rule, entity_id, %error, "a rule could not act");
}
