//! Rules that move entities: when conditions come true, actions follow. Validated by the same table
//! as everybody else, with the rights of operators and no others.

mod act;
mod condition;
mod run;
mod substitute;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use waypost_machines::lifecycle::SetError;

pub use self::condition::{Condition, Operator};
use crate::{DynManager, Error, IdPattern};

/// Something to do when something is so.
///
/// ```
/// use waypost_lifecycle::Rule;
///
/// let rule: Rule = serde_json::from_str(
///     r#"{
///         "name": "land when the battery is low",
///         "workflow": "drone-survey",
///         "when": [
///             {"field": "$entity.lifecycle.phase", "value": "flying"},
///             {"field": "battery", "operator": "lt", "value": 20}
///         ],
///         "then": [
///             {
///                 "type": "lifecycle_transition",
///                 "phase": "landing",
///                 "reason": "battery",
///                 "set": {"landings": {"op": "increment"}}
///             }
///         ]
///     }"#,
/// )?;
/// assert_eq!(rule.when.len(), 2);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// What people call it.
    pub name: String,
    /// The type whose entities it looks at.
    pub workflow: String,
    /// Which of them, if not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entities: Option<IdPattern>,
    /// What must be so, all of it.
    #[serde(default)]
    pub when: Vec<Condition>,
    /// What is done then, one after the other, to the same entity.
    pub then: Vec<Action>,
}

/// Something to do to the entity that set off a rule.
///
/// ```
/// use waypost_lifecycle::Action;
///
/// let fail: Action =
///     serde_json::from_str(r#"{"type": "lifecycle_fail", "reason": "in $entity.room"}"#)?;
/// assert!(matches!(fail, Action::Fail { workflow: None, .. }));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", deny_unknown_fields)]
pub enum Action {
    /// Moves it, and sets fields in the same write.
    #[serde(rename = "lifecycle_transition")]
    Transition {
        /// Where to.
        phase: String,
        /// Its type; found by its id, if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        workflow: Option<String>,
        /// By the name of the field: a value, or `{"op": "set" | "increment" | "decrement"}`.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        set: Map<String, Value>,
        /// What history says about it.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// Ends it.
    #[serde(rename = "lifecycle_complete")]
    Complete {
        /// Its type; found by its id, if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        workflow: Option<String>,
    },
    /// Ends it in the phase `failed`.
    #[serde(rename = "lifecycle_fail")]
    Fail {
        /// Why.
        reason: String,
        /// Its type; found by its id, if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        workflow: Option<String>,
    },
}

/// Why a rule could not do what it says.
///
/// ```
/// use waypost_lifecycle::{Action, RuleError, Rules};
///
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/lamps.rs"));
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let manager = manager();
/// let rules = Rules::new(manager.dynamic().clone(), Vec::new())?;
/// let end = Action::Complete { workflow: None };
/// let refused = rules.execute(&end, None).await;
/// assert!(matches!(refused, Err(RuleError::NoEntity)));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RuleError {
    /// The rule makes no sense.
    #[error("rule {rule:?}: {reason}")]
    Invalid {
        /// Which.
        rule: String,
        /// What is wrong with it.
        reason: String,
    },
    /// There is no entity to do it to.
    #[error("the action has no entity")]
    NoEntity,
    /// Something is named that cannot be found out.
    #[error("unresolved template variables in {0:?}")]
    Unresolved(String),
    /// Nothing is left of a name.
    #[error("the {0} is empty")]
    Empty(&'static str),
    /// A condition must be known, and is not.
    #[error("the condition on {0:?} is required, and the field is absent")]
    Absent(String),
    /// A field does not let itself be set so.
    #[error("field {field:?}: {source}")]
    Set {
        /// Which.
        field: String,
        /// Why.
        #[source]
        source: SetError,
    },
    /// The entity could not be moved.
    #[error(transparent)]
    Lifecycle(#[from] Error),
}

/// Rules over the types of a manager.
///
/// ```
/// use serde_json::json;
/// use waypost_lifecycle::{Action, Rules};
///
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/lamps.rs"));
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let manager = manager();
/// # let lamps = manager.register::<Lamp>().await?;
/// lamps.create(&lamp("l-1")).await?;
/// let rules = Rules::new(manager.dynamic().clone(), serde_json::from_value(json!([{
///     "name": "let there be light",
///     "workflow": "lamp",
///     "when": [{"field": "$entity.lifecycle.phase", "value": "dark"}],
///     "then": [{
///         "type": "lifecycle_transition",
///         "phase": "lit",
///         "set": {"switched": {"op": "increment"}}
///     }]
/// }]))?)?;
/// assert!(rules.fire("let there be light", "l-1").await?);
/// assert!(!rules.fire("let there be light", "l-1").await?, "it is lit now");
/// assert_eq!(lamps.get("l-1").await?.switched, 1);
///
/// // One action, whatever is so.
/// rules.execute(&Action::Complete { workflow: None }, Some("l-1")).await?;
/// assert_eq!(lamps.get("l-1").await?.phase, "worn");
///
/// // Or for as long as the program runs, whenever something comes to be so.
/// let running = tokio::spawn(async move { rules.run().await });
/// lamps.create(&lamp("l-2")).await?;
/// while lamps.get("l-2").await?.phase != "lit" {
///     tokio::task::yield_now().await;
/// }
/// running.abort();
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Rules {
    manager: DynManager,
    rules: Vec<Rule>,
}

impl Rule {
    /// Whether it looks at this one, among the entities of its type.
    fn is_about(&self, entity_id: &str) -> bool {
        self.entities.as_ref().is_none_or(|it| it.matches(entity_id))
    }
}

impl Rules {
    /// Takes rules in.
    ///
    /// # Errors
    /// When one has no name, the name of another, or nothing to do.
    pub fn new(manager: DynManager, rules: Vec<Rule>) -> Result<Self, RuleError> {
        for (index, rule) in rules.iter().enumerate() {
            let is_repeated = rules.iter().take(index).any(|it| it.name == rule.name);
            let reason = match rule {
                Rule { name, .. } if name.is_empty() => "it has no name",
                Rule { then, .. } if then.is_empty() => "it does nothing",
                _ if is_repeated => "another rule has the same name",
                _ => continue,
            };
            return Err(RuleError::Invalid { rule: rule.name.clone(), reason: reason.to_owned() });
        }
        Ok(Self { manager, rules })
    }

    fn rule(&self, name: &str) -> Result<&Rule, RuleError> {
        let found = self.rules.iter().find(|it| it.name == name);
        found.ok_or_else(|| RuleError::Invalid {
            rule: name.to_owned(),
            reason: "there is no such rule".to_owned(),
        })
    }
}
