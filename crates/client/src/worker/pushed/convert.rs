//! Jobs off the wire.

use std::{sync::Arc, time::Duration};

use prost_types::{Struct, Value as Wire, value::Kind};
use serde_json::{Map, Number, Value};
use waypost_api::{Timestamp, grpc::workflow::Job as Pushed, process::Job};

/// Up to here every integer is a double of its own.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

/// The job as it would have been polled. The protocol does not say since when it could be had: that
/// is given as the moment it was leased.
pub(super) fn job(pushed: Pushed, worker_id: &str, lease: Duration) -> Job {
    let until = pushed.lock_expires_at.unwrap_or_default();
    let until = until.seconds.saturating_mul(1_000_000) + i64::from(until.nanos / 1_000);
    let lease = i64::try_from(lease.as_micros()).unwrap_or(i64::MAX);
    let locked_at = Timestamp::from_micros(until.saturating_sub(lease));
    Job {
        id: pushed.id,
        instance_id: pushed.instance_id,
        step_id: pushed.step_id,
        step_execution_id: pushed.step_execution_id,
        job_type: pushed.job_type,
        status: "LOCKED".to_owned(),
        worker_id: worker_id.to_owned(),
        locked_at,
        lock_expires_at: Timestamp::from_micros(until),
        created_at: locked_at,
        retries_remaining: u32::try_from(pushed.retries_remaining).unwrap_or_default(),
        variables: Arc::new(object(pushed.variables.unwrap_or_default())),
    }
}

fn object(object: Struct) -> Map<String, Value> {
    object.fields.into_iter().map(|(name, value)| (name, json(value))).collect()
}

fn json(value: Wire) -> Value {
    match value.kind {
        None | Some(Kind::NullValue(_)) => Value::Null,
        Some(Kind::BoolValue(it)) => Value::Bool(it),
        Some(Kind::NumberValue(it)) => number(it),
        Some(Kind::StringValue(it)) => Value::String(it),
        Some(Kind::ListValue(list)) => list.values.into_iter().map(json).collect(),
        Some(Kind::StructValue(members)) => Value::Object(object(members)),
    }
}

/// The protocol knows nothing but doubles. One that is whole was meant as an integer.
fn number(double: f64) -> Value {
    let is_whole = double.fract() == 0.0 && double.abs() <= WHOLE_MAX;
    let whole = is_whole.then(|| format!("{double:.0}").parse::<i64>().ok()).flatten();
    whole.map_or_else(|| Number::from_f64(double).map_or(Value::Null, Value::Number), Value::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_come_back_as_integers_and_others_as_they_are() {
        for (double, expected) in [
            (0.0, "0"),
            (-3.0, "-3"),
            (1.5, "1.5"),
            (9_007_199_254_740_991.0, "9007199254740991"),
            (1e300, "1e+300"),
            (f64::NAN, "null"),
        ] {
            assert_eq!(number(double).to_string(), expected);
        }
    }
}
