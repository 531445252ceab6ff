//! What must be so for a rule to act.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use super::RuleError;
use crate::{Snapshot, held::Held, registration::Registration};

/// Something that must be so about an entity.
///
/// ```
/// use waypost_lifecycle::{Condition, Operator};
///
/// let low: Condition =
///     serde_json::from_str(r#"{"field": "battery", "operator": "lt", "value": 20}"#)?;
/// assert_eq!((low.operator, low.required), (Operator::Lt, false));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// A field of the entity, or `$entity.lifecycle.phase`, `.terminal` or `.workflow`.
    pub field: String,
    /// How it compares.
    #[serde(default)]
    pub operator: Operator,
    /// With what.
    #[serde(default)]
    pub value: Value,
    /// Whether it is a mistake, and not just untrue, if the field is absent.
    #[serde(default)]
    pub required: bool,
}

/// How two values compare.
///
/// ```
/// use waypost_lifecycle::Operator;
///
/// let operator: Operator = serde_json::from_str("\"in\"")?;
/// assert_eq!((operator, Operator::default()), (Operator::In, Operator::Eq));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Operator {
    /// They are equal.
    #[default]
    Eq,
    /// They are not.
    Ne,
    /// The field is less.
    Lt,
    /// The field is less, or equal.
    Lte,
    /// The field is more.
    Gt,
    /// The field is more, or equal.
    Gte,
    /// The field is one of a list.
    In,
}

/// What conditions and substitutions can see of an entity.
pub(super) trait View {
    fn phase(&self) -> &str;
    fn is_terminal(&self) -> bool;
    fn workflow(&self) -> &str;
    fn field(&self, name: &str) -> Option<Value>;

    /// By the names that conditions use.
    fn named(&self, name: &str) -> Option<Value> {
        match name.strip_prefix("$entity.lifecycle.") {
            Some("phase") => Some(self.phase().into()),
            Some("terminal") => Some(self.is_terminal().into()),
            Some("workflow") => Some(self.workflow().into()),
            Some(_) => None,
            None => self.field(name.strip_prefix("$entity.").unwrap_or(name)),
        }
    }
}

impl View for Snapshot<Value> {
    fn phase(&self) -> &str {
        &self.phase
    }

    fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    fn workflow(&self) -> &str {
        &self.workflow
    }

    fn field(&self, name: &str) -> Option<Value> {
        self.value.get(name).cloned()
    }
}

/// An entity in the middle of a change.
pub(super) struct Open<'o>(pub(super) &'o dyn Held, pub(super) &'o Registration);

impl View for Open<'_> {
    fn phase(&self) -> &str {
        self.0.phase()
    }

    fn is_terminal(&self) -> bool {
        self.0.is_terminal(&self.1.table)
    }

    fn workflow(&self) -> &str {
        &self.1.workflow
    }

    /// As it is written, like what rules see before they act: not all of it need be a field.
    fn field(&self, name: &str) -> Option<Value> {
        self.0.to_value().ok()?.get_mut(name).map(Value::take)
    }
}

/// Whether all of it is so.
pub(super) fn hold(conditions: &[Condition], view: Option<&dyn View>) -> Result<bool, RuleError> {
    for condition in conditions {
        let found = view.and_then(|it| it.named(&condition.field));
        match found {
            Some(found) if condition.holds(&found) => {}
            Some(_) => return Ok(false),
            None if condition.required => return Err(RuleError::Absent(condition.field.clone())),
            None => return Ok(false),
        }
    }
    Ok(true)
}

impl Condition {
    fn holds(&self, found: &Value) -> bool {
        let order = compare(found, &self.value);
        match self.operator {
            Operator::Eq => order == Some(Ordering::Equal),
            Operator::Ne => order != Some(Ordering::Equal),
            Operator::Lt => order == Some(Ordering::Less),
            Operator::Lte => order.is_some_and(Ordering::is_le),
            Operator::Gt => order == Some(Ordering::Greater),
            Operator::Gte => order.is_some_and(Ordering::is_ge),
            Operator::In => self.value.as_array().is_some_and(|values| {
                values.iter().any(|it| compare(found, it) == Some(Ordering::Equal))
            }),
        }
    }
}

/// Numbers by size, texts by their bytes; anything else is equal or not.
fn compare(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => match (integer(left), integer(right)) {
            (Some(left), Some(right)) => Some(left.cmp(&right)),
            (Some(left), None) => against(left, right.as_f64()?),
            (None, Some(right)) => against(right, left.as_f64()?).map(Ordering::reverse),
            (None, None) => left.as_f64()?.partial_cmp(&right.as_f64()?),
        },
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        (left, right) => (left == right).then_some(Ordering::Equal),
    }
}

fn integer(number: &Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

/// An integer and a number with a fraction. No integer becomes one that has fewer digits.
fn against(integer: i128, float: f64) -> Option<Ordering> {
    #[expect(clippy::cast_possible_truncation, reason = "what is larger than all is the largest")]
    let whole = float.trunc() as i128;
    let rest = || 0.0_f64.partial_cmp(&float.fract());
    match integer.cmp(&whole) {
        Ordering::Equal => rest(),
        order @ (Ordering::Less | Ordering::Greater) => Some(order),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_compare_as_one_expects() {
        for (found, operator, value, holds) in [
            (json!("a"), Operator::Eq, json!("a"), true),
            (json!("a"), Operator::Eq, json!("A"), false),
            (json!(3), Operator::Eq, json!(3.0), true),
            (json!(3), Operator::Eq, json!("3"), false),
            (json!(3), Operator::Ne, json!("3"), true),
            (json!(true), Operator::Eq, json!(true), true),
            (json!(true), Operator::Eq, json!("true"), false),
            (json!(19), Operator::Lt, json!(20), true),
            (json!(20), Operator::Lte, json!(20), true),
            (json!(20), Operator::Gt, json!(20), false),
            (json!("b"), Operator::Gte, json!("a"), true),
            (json!("b"), Operator::Gt, json!(1), false),
            (json!("b"), Operator::In, json!(["a", "b"]), true),
            (json!("c"), Operator::In, json!(["a", "b"]), false),
            (json!(null), Operator::Eq, json!(null), true),
            (json!(u64::MAX), Operator::Eq, json!(u64::MAX - 1), false),
            (json!(u64::MAX), Operator::Gt, json!(u64::MAX - 1), true),
            (json!(u64::MAX), Operator::Gt, json!(i64::MIN), true),
            (json!(u64::MAX), Operator::Lt, json!(18_446_744_073_709_551_616.0), true),
            (json!(9_007_199_254_740_993_i64), Operator::Eq, json!(9_007_199_254_740_992.0), false),
            (json!(9_007_199_254_740_993_i64), Operator::Gt, json!(9_007_199_254_740_992.0), true),
            (json!(-2), Operator::Gt, json!(-2.5), true),
            (json!(2.5), Operator::Gt, json!(2), true),
            (json!(1e300), Operator::Gt, json!(u64::MAX), true),
            (json!(-1e300), Operator::Lt, json!(i64::MIN), true),
            (json!(-0.0), Operator::Eq, json!(0), true),
            (json!(0.1), Operator::Lt, json!(0.2), true),
        ] {
            let condition = Condition { field: String::new(), operator, value, required: false };
            assert_eq!(condition.holds(&found), holds, "{found} {operator:?} {}", condition.value);
        }
    }
}
