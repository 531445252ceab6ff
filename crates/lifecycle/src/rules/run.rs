//! Watching entities and firing rules. A rule fires when its conditions come true; after a restart,
//! for everything for which they are true. What a store in trouble keeps it from doing it does later,
//! going on where it was interrupted.

use std::{
    collections::{HashMap, HashSet},
    pin::Pin,
    time::Duration,
};

use futures_util::{
    StreamExt as _,
    stream::{FuturesUnordered, SelectAll},
};
use serde_json::Value;

use super::{
    Rule, RuleError, Rules,
    act::{Interrupted, Place},
    condition::hold,
};
use crate::{BucketError, Error, Snapshot, Watch, WatchEvent};

/// The first and the longest pause before a rule is tried again that the store was in trouble for,
/// or others were faster than. Each is twice as long as the one before.
const PAUSE: Duration = Duration::from_millis(20);
const PAUSE_MAX: Duration = Duration::from_secs(5);

/// How many firings may wait to be tried again. With more, everything is looked at anew later.
const WAITING_MAX: usize = 100_000;

/// The pause before a watch that broke is begun again.
const RESTART: Duration = Duration::from_millis(200);

/// A rule, by number, and an entity.
type Pair = (usize, String);

/// The pause before a firing is tried again, and which of its pauses it is.
type Alarm = Pin<Box<dyn Future<Output = (Pair, u64)> + Send>>;

/// A firing that was interrupted.
struct Waiting {
    place: Place,
    pause: Duration,
    /// The pause that it waits for; others that come are of firings that were given up.
    alarm: u64,
    /// Whether the conditions have come true once more since.
    is_due_again: bool,
}

/// What rules remember of what they have seen.
#[derive(Default)]
struct Memory {
    /// For which rules and entities the conditions were true when they were last looked at.
    standing: HashSet<Pair>,
    waiting: HashMap<Pair, Waiting>,
    alarms: FuturesUnordered<Alarm>,
    n_alarms: u64,
}

impl Rules {
    /// Watches the types that rules look at and acts, until it is dropped. What a rule cannot do is
    /// logged, and does not keep the others from doing what they can. When the store is in trouble,
    /// what is to be done is done once it is over.
    ///
    /// After writes were missed, what is so is acted upon when it is written next, as it is after a
    /// restart.
    ///
    /// # Errors
    /// When a rule looks at a type that is not registered, or when the manager keeps no trail: nobody
    /// could tell then what was done although the store did not say so. It does not end otherwise.
    pub async fn run(&self) -> Result<(), RuleError> {
        self.check_trail()?;
        let workflows: HashSet<&str> = self.rules.iter().map(|it| it.workflow.as_str()).collect();
        for workflow in &workflows {
            self.manager.get_workflow_definition(workflow)?;
        }
        let mut memory = Memory::default();
        loop {
            // What is there is shown again, and what is so is acted upon again.
            memory.standing.clear();
            if let Err(error) = self.follow(&workflows, &mut memory).await {
                tracing::warn!(%error, "rules lost sight of their entities");
            }
            tokio::time::sleep(RESTART).await;
        }
    }

    fn check_trail(&self) -> Result<(), RuleError> {
        match self.rules.first() {
            Some(rule) if !self.manager.core.settings.keeps_trail => Err(RuleError::Invalid {
                rule: rule.name.clone(),
                reason: "it cannot run without a trail, which says what it has done".to_owned(),
            }),
            Some(_) | None => Ok(()),
        }
    }

    /// Acts on what is seen until a watch breaks.
    async fn follow(
        &self,
        workflows: &HashSet<&str>,
        memory: &mut Memory,
    ) -> Result<(), RuleError> {
        let mut events: SelectAll<Watch<(String, WatchEvent<Value>)>> = SelectAll::new();
        for workflow in workflows {
            let name = (*workflow).to_owned();
            let seen = self.manager.watch(workflow).await?;
            events.push(seen.map(move |it| (name.clone(), it)).boxed());
        }
        loop {
            tokio::select! {
                Some((pair, alarm)) = memory.alarms.next(), if !memory.alarms.is_empty() => {
                    self.try_again(&pair, alarm, memory).await;
                }
                event = events.next() => match event {
                    Some((_, WatchEvent::Value(snapshot))) => self.see(&snapshot, memory).await?,
                    Some((workflow, WatchEvent::Deleted { entity_id })) => {
                        self.forget(&workflow, &entity_id, memory);
                    }
                    Some((workflow, WatchEvent::Missed { .. })) => self.doubt(&workflow, memory),
                    Some((_, WatchEvent::CaughtUp)) => {}
                    Some((_, WatchEvent::Failed(source))) => return Err(lost(source)),
                    None => return Ok(()),
                },
            }
        }
    }

    async fn see(&self, snapshot: &Snapshot<Value>, memory: &mut Memory) -> Result<(), RuleError> {
        for (index, rule) in self.rules.iter().enumerate() {
            if rule.workflow != snapshot.workflow || !rule.is_about(&snapshot.entity_id) {
                continue;
            }
            let pair = (index, snapshot.entity_id.clone());
            match hold(&rule.when, Some(snapshot)) {
                Ok(true) if memory.standing.insert(pair.clone()) => {
                    self.begin(rule, pair, memory).await?;
                }
                Ok(true) => {}
                Ok(false) => memory.settle(&pair),
                // What cannot be told is not so, or it could never come to be so again.
                Err(error) => {
                    memory.settle(&pair);
                    tell(rule, &snapshot.entity_id, &error);
                }
            }
        }
        Ok(())
    }

    /// Writes were missed: what was so may have ceased and begun again. As after a restart, what is
    /// seen to be so is acted upon.
    fn doubt(&self, workflow: &str, memory: &mut Memory) {
        let is_of =
            |number: usize| self.rules.get(number).is_some_and(|it| it.workflow == workflow);
        memory.standing.retain(|(number, _)| !is_of(*number));
    }

    /// The entity is gone. One of another type may have the same id.
    fn forget(&self, workflow: &str, entity_id: &str, memory: &mut Memory) {
        let rules = self.rules.iter().enumerate().filter(|(_, it)| it.workflow == workflow);
        for (index, _) in rules {
            let pair = (index, entity_id.to_owned());
            memory.standing.remove(&pair);
            memory.waiting.remove(&pair);
        }
    }

    /// Fires, unless an earlier firing has something left to do, which comes first.
    async fn begin(&self, rule: &Rule, pair: Pair, memory: &mut Memory) -> Result<(), RuleError> {
        if let Some(waiting) = memory.waiting.get_mut(&pair) {
            waiting.is_due_again = true;
            return Ok(());
        }
        if memory.waiting.len() >= WAITING_MAX {
            return Err(lost(BucketError::Lagged));
        }
        if let Err(interrupted) = self.fire_from(rule, &pair.1, Place::default()).await {
            memory.interrupted(rule, pair, interrupted, PAUSE);
        }
        Ok(())
    }

    async fn try_again(&self, pair: &Pair, alarm: u64, memory: &mut Memory) {
        let is_current = memory.waiting.get(pair).is_some_and(|it| it.alarm == alarm);
        let waiting = if is_current { memory.waiting.remove(pair) } else { None };
        let (Some(waiting), Some(rule)) = (waiting, self.rules.get(pair.0)) else { return };
        let Waiting { mut place, mut pause, is_due_again, .. } = waiting;
        let mut firings = 1 + u32::from(is_due_again);
        while firings > 0 {
            firings -= 1;
            if let Err(interrupted) = self.fire_from(rule, &pair.1, place).await {
                let pause = (pause * 2).min(PAUSE_MAX);
                memory.interrupted(rule, pair.clone(), interrupted, pause);
                if let Some(waiting) = memory.waiting.get_mut(pair) {
                    waiting.is_due_again = firings > 0;
                    return;
                }
            }
            (place, pause) = (Place::default(), PAUSE);
        }
    }
}

impl Memory {
    /// Has a firing wait, if waiting may help.
    fn interrupted(&mut self, rule: &Rule, pair: Pair, it: Interrupted, pause: Duration) {
        let Interrupted { place, error } = it;
        if !may_pass(&error) {
            return tell(rule, &pair.1, &error);
        }
        if pause == PAUSE {
            let (rule, entity_id) = (rule.name.as_str(), pair.1.as_str());
            tracing::warn!(rule, entity_id, %error, "a rule could not act, and tries again");
        }
        self.n_alarms += 1;
        let alarm = self.n_alarms;
        let waiting = Waiting { place, pause, alarm, is_due_again: false };
        self.waiting.insert(pair.clone(), waiting);
        self.alarms.push(Box::pin(async move {
            tokio::time::sleep(pause).await;
            (pair, alarm)
        }));
    }

    /// The conditions are not true any more. A firing that has not begun is not wanted any more; one
    /// that has, or may have, goes on.
    fn settle(&mut self, pair: &Pair) {
        self.standing.remove(pair);
        if let Some(waiting) = self.waiting.get_mut(pair) {
            waiting.is_due_again = false;
            if waiting.place == Place::default() {
                self.waiting.remove(pair);
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
