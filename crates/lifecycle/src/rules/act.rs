//! Doing what a rule says, to one entity.

use serde_json::{Map, Value};
use waypost_machines::lifecycle::{FAILED, FieldKind, FieldValue, Goal, SetOperation, Source};

use super::{
    Action, Condition, Rule, RuleError, Rules,
    condition::{Open, View, hold},
    substitute::{needs_entity, resolved, substitute},
};
use crate::{
    BucketError, DynManager, Error, Snapshot, change::Move, held::Held, registration::Registration,
};

/// One firing. What is looked up is looked up once, also when nothing is found, and again after
/// something was done.
pub(super) struct Firing<'f> {
    manager: &'f DynManager,
    entity_id: &'f str,
    /// The type the rule looks at; found by the entity's id, if absent.
    workflow: Option<&'f str>,
    known: Option<Option<Snapshot<Value>>>,
    /// What the last action named, as it was understood.
    meant: Meant,
}

/// What an action names: the type, and the phase, if it is known by then and there is one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Meant {
    workflow: Option<String>,
    phase: Option<String>,
}

/// How far a firing has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// The action that is next.
    action: usize,
    /// Whether it may have been done: the store did not say.
    is_unsure: bool,
    /// What it named, as it was understood then: what was done has changed the entity.
    meant: Meant,
}

/// A firing that could not go on.
pub(super) struct Interrupted {
    pub(super) place: Place,
    pub(super) error: RuleError,
}

/// The conditions were true and are not any more, now that it matters.
#[derive(Debug, thiserror::Error)]
#[error("the conditions do not hold any more")]
struct Stale;

/// What is set, checked as far as it can be before the entity is read.
struct Setting {
    field: String,
    kind: FieldKind,
    what: What,
}

enum What {
    Value(FieldValue),
    Count(SetOperation),
}

impl Rules {
    /// Does what the rule says to the entity, if its conditions hold. Says whether it did.
    ///
    /// # Errors
    /// When the rule is not there, or the entity cannot be moved as it says.
    pub async fn fire(&self, rule: &str, entity_id: &str) -> Result<bool, RuleError> {
        let fired = self.fire_from(self.rule(rule)?, entity_id, Place::default()).await;
        fired.map_err(|it| it.error)
    }

    /// Does what the rule says from a place on. Its conditions count as long as nothing was done.
    pub(super) async fn fire_from(
        &self,
        rule: &Rule,
        entity_id: &str,
        place: Place,
    ) -> Result<bool, Interrupted> {
        if !rule.is_about(entity_id) {
            return Ok(false);
        }
        let mut firing = Firing::new(&self.manager, entity_id, Some(&rule.workflow));
        let begun = firing.begin(rule, &place).await;
        let begun = begun.map_err(|error| Interrupted { place, error })?;
        let Some(begin) = begun else { return Ok(false) };
        for (index, action) in rule.then.iter().enumerate().skip(begin) {
            // The first action ends what was so; the others follow from it.
            let still: &[Condition] = if index == 0 { &rule.when } else { &[] };
            match firing.act(action, still).await {
                Err(RuleError::Lifecycle(Error::Mutator(source))) if source.is::<Stale>() => {
                    return Ok(false);
                }
                Err(error) => {
                    let is_unsure = is_unsure(&error);
                    let meant = if is_unsure { firing.meant } else { Meant::default() };
                    let place = Place { action: index, is_unsure, meant };
                    return Err(Interrupted { place, error });
                }
                Ok(()) => {}
            }
        }
        Ok(true)
    }

    /// Does one thing to an entity, whatever is so.
    ///
    /// # Errors
    /// When there is no entity, or it cannot be moved as the action says.
    pub async fn execute(&self, action: &Action, entity_id: Option<&str>) -> Result<(), RuleError> {
        let entity_id = entity_id.filter(|it| !it.is_empty()).ok_or(RuleError::NoEntity)?;
        Firing::new(&self.manager, entity_id, None).act(action, &[]).await
    }
}

impl<'f> Firing<'f> {
    const fn new(manager: &'f DynManager, entity_id: &'f str, workflow: Option<&'f str>) -> Self {
        let meant = Meant { workflow: None, phase: None };
        Self { manager, entity_id, workflow, known: None, meant }
    }

    /// The action to begin with; none, if the conditions do not hold.
    async fn begin(&mut self, rule: &Rule, place: &Place) -> Result<Option<usize>, RuleError> {
        let Place { action, is_unsure, ref meant } = *place;
        if is_unsure
            && let Some(unsure) = rule.then.get(action)
            && self.has_done(unsure, meant).await?
        {
            return Ok(Some(action + 1));
        }
        if action > 0 {
            return Ok(Some(action));
        }
        let view = self.look_up().await?.map(|it| it as &dyn View);
        Ok(hold(&rule.when, view)?.then_some(action))
    }

    /// Whether the last move of what it was for, which may be of another type than the rule looks at,
    /// is what the action does. An answer that got lost may have been that it was done. A move to the
    /// same phase leaves nothing to go by.
    async fn has_done(&self, action: &Action, meant: &Meant) -> Result<bool, RuleError> {
        let Some(workflow) = &meant.workflow else { return Ok(false) };
        let Some(found) = found_or_none(self.manager.get(workflow, self.entity_id).await)? else {
            return Ok(false);
        };
        let last = self.manager.history(workflow, self.entity_id).await?.pop();
        let last = last.filter(|it| it.triggered == Source::Rule && it.to == found.phase);
        Ok(last.is_some_and(|last| match action {
            Action::Transition { reason, .. } => {
                meant.phase.as_ref() == Some(&last.to) && last.note == *reason
            }
            Action::Complete { .. } => found.is_terminal,
            Action::Fail { .. } => last.to == FAILED,
        }))
    }

    async fn look_up(&mut self) -> Result<Option<&Snapshot<Value>>, RuleError> {
        if self.known.is_none() {
            let found = match self.workflow {
                Some(workflow) => self.manager.get(workflow, self.entity_id).await,
                None => self.manager.lookup_by_entity_id(self.entity_id).await,
            };
            self.known = Some(found_or_none(found)?);
        }
        Ok(self.known.as_ref().and_then(Option::as_ref))
    }

    async fn substituted(&mut self, text: &str) -> Result<String, RuleError> {
        if !needs_entity(text) {
            return resolved(text.to_owned());
        }
        let manager = self.manager;
        let view = self.look_up().await?;
        let definition = view.and_then(|it| manager.get_workflow_definition(&it.workflow).ok());
        let definition = definition.and_then(|it| serde_json::to_string(&it).ok());
        let view = view.map(|it| it as &dyn View);
        resolved(substitute(text, view, definition.as_deref()))
    }

    /// A name that must not be empty.
    async fn name(&mut self, text: &str, what: &'static str) -> Result<String, RuleError> {
        let name = self.substituted(text).await?.trim().to_owned();
        if name.is_empty() { Err(RuleError::Empty(what)) } else { Ok(name) }
    }

    async fn workflow(&mut self, given: Option<&str>) -> Result<String, RuleError> {
        if let Some(given) = given {
            return self.name(given, "workflow").await;
        }
        let found = self.look_up().await?.map(|it| it.workflow.clone());
        let entity_id = self.entity_id.to_owned();
        Ok(found.ok_or(Error::EntityNotFound { workflow: None, entity_id })?)
    }

    async fn act(&mut self, action: &Action, still: &[Condition]) -> Result<(), RuleError> {
        self.meant = Meant::default();
        match action {
            Action::Transition { phase, workflow, set, reason } => {
                let phase = self.name(phase, "phase").await?;
                self.meant.phase = Some(phase.clone());
                let workflow = self.workflow(workflow.as_deref()).await?;
                let settings = self.settings(&workflow, set).await?;
                let asked = Move { goal: Goal::Move(&phase), source: Source::Rule, note: reason };
                self.go(&workflow, asked, still, &settings).await
            }
            Action::Complete { workflow } => {
                let workflow = self.workflow(workflow.as_deref()).await?;
                let asked = Move { goal: Goal::Complete, source: Source::Rule, note: "" };
                self.go(&workflow, asked, still, &[]).await
            }
            Action::Fail { reason, workflow } => {
                let reason = self.name(reason, "reason").await?;
                let workflow = self.workflow(workflow.as_deref()).await?;
                let asked = Move { goal: Goal::Fail, source: Source::Rule, note: &reason };
                self.go(&workflow, asked, still, &[]).await
            }
        }
    }

    /// Asks for all fields whether they may be written, before anything else.
    async fn settings(
        &mut self,
        workflow: &str,
        set: &Map<String, Value>,
    ) -> Result<Vec<Setting>, RuleError> {
        let registration = self.manager.core.registration(workflow)?;
        for field in set.keys() {
            registration.writable(field)?;
        }
        let mut settings = Vec::with_capacity(set.len());
        for (name, json) in set {
            let field = registration.writable(name)?;
            let operation = SetOperation::parse(json)
                .map_err(|source| RuleError::Set { field: name.clone(), source })?;
            let what = match operation {
                SetOperation::Literal(mut json) => {
                    for text in texts(&mut json) {
                        *text = self.substituted(text).await?;
                    }
                    What::Value(registration.value_of(field, &json)?)
                }
                count @ (SetOperation::Increment | SetOperation::Decrement) => What::Count(count),
            };
            settings.push(Setting { field: name.clone(), kind: field.kind.clone(), what });
        }
        Ok(settings)
    }

    async fn go(
        &mut self,
        workflow: &str,
        asked: Move<'_>,
        still: &[Condition],
        settings: &[Setting],
    ) -> Result<(), RuleError> {
        let core = &self.manager.core;
        let registration = core.registration(workflow)?;
        self.meant.workflow = Some(workflow.to_owned());
        // Conditions are about what the rule looks at. Of another type they were true just now: two
        // entities cannot be judged and moved in one write.
        let is_own = self.workflow.is_none_or(|it| it == workflow);
        let still = if is_own { still } else { &[] };
        let change = &mut |held: &mut dyn Held| {
            check(held, &registration, still)?;
            settings.iter().try_for_each(|it| apply(held, &registration, it))
        };
        let moved = core.transition(&registration, self.entity_id, asked, change).await;
        // What was known is what was before.
        self.known = None;
        match moved {
            Ok(_) => Ok(()),
            Err(Error::Mutator(source)) => Err(match source.downcast::<RuleError>() {
                Ok(own) => *own,
                Err(other) => Error::Mutator(other).into(),
            }),
            Err(error) => Err(error.into()),
        }
    }
}

/// All texts of a value, however deep inside they are. Names of members are what they are.
fn texts(json: &mut Value) -> Vec<&mut String> {
    let (mut texts, mut open) = (Vec::new(), vec![json]);
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => texts.push(text),
            Value::Array(values) => open.extend(values),
            Value::Object(members) => open.extend(members.values_mut()),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    texts
}

/// The entity, or that there is none.
fn found_or_none(
    found: Result<Snapshot<Value>, Error>,
) -> Result<Option<Snapshot<Value>>, RuleError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Error::EntityNotFound { .. } | Error::InvalidEntityId { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Whether a write may have landed although it failed.
const fn is_unsure(error: &RuleError) -> bool {
    matches!(error, RuleError::Lifecycle(Error::Store { source: BucketError::Unavailable(_), .. }))
}

/// Looks again, in the value that is about to be replaced: two who saw the same act once.
fn check(
    held: &dyn Held,
    registration: &Registration,
    conditions: &[Condition],
) -> Result<(), Error> {
    match hold(conditions, Some(&Open(held, registration))) {
        Ok(true) => Ok(()),
        Ok(false) => Err(Error::Mutator(Stale.into())),
        Err(error) => Err(Error::Mutator(error.into())),
    }
}

fn apply(held: &mut dyn Held, registration: &Registration, setting: &Setting) -> Result<(), Error> {
    let Setting { field, kind, what } = setting;
    let value = match what {
        What::Value(value) => value.clone(),
        What::Count(operation) => {
            let current = held.get(field).unwrap_or(FieldValue::Unset);
            operation.apply(kind, &current).map_err(|source| {
                Error::Mutator(RuleError::Set { field: field.clone(), source }.into())
            })?
        }
    };
    held.set(field, value).map_err(|it| Error::TypeMismatch {
        workflow: registration.workflow.clone(),
        field: field.clone(),
        expected: kind.clone(),
        found: it.found,
    })
}
