//! Whether a document has what is expected of it.

use serde_json::Value;

/// How far a document may go beyond what is expected.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Likeness {
    /// Objects may have more members.
    Partial,
    /// Nothing may be there that is not expected.
    Exact,
}

/// A place where two documents differ: where, what is expected, what is there.
pub(crate) type Difference = (String, String, String);

/// All differences below `place`.
pub(crate) fn differences(
    place: &str,
    (expected, actual): (&Value, &Value),
    likeness: Likeness,
) -> Vec<Difference> {
    let mut found = Vec::new();
    compare(place, (expected, actual), likeness, &mut found);
    found
}

fn compare(
    place: &str,
    (expected, actual): (&Value, &Value),
    likeness: Likeness,
    found: &mut Vec<Difference>,
) {
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => {
            for (name, value) in expected {
                let there = actual.get(name);
                let below = format!("{place}.{name}");
                match there {
                    Some(there) => compare(&below, (value, there), likeness, found),
                    // What is expected to be nothing may be missing.
                    None if value.is_null() && likeness == Likeness::Partial => {}
                    None => found.push((below, value.to_string(), "nothing".to_owned())),
                }
            }
            let is_extra = |name: &&String| !expected.contains_key(*name);
            if likeness == Likeness::Exact {
                found.extend(actual.keys().filter(is_extra).map(|name| {
                    let there = actual.get(name).map(Value::to_string).unwrap_or_default();
                    (format!("{place}.{name}"), "nothing".to_owned(), there)
                }));
            }
        }
        (Value::Array(expected), Value::Array(actual)) if expected.len() == actual.len() => {
            for (index, pair) in expected.iter().zip(actual).enumerate() {
                compare(&format!("{place}[{index}]"), pair, likeness, found);
            }
        }
        // Integers are compared in full; `1` and `1.0` are the same.
        (Value::Number(one), Value::Number(other))
            if (one.is_f64() || other.is_f64()) && one.as_f64() == other.as_f64() => {}
        (expected, actual) if expected == actual => {}
        (expected, actual) => {
            found.push((place.to_owned(), expected.to_string(), actual.to_string()));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_is_expected_counts_unless_it_is_to_be_exact() {
        let actual = json!({ "a": 1.0, "b": { "c": [1, 2], "d": null }, "e": "x" });
        for (expected, partly, exactly) in [
            (json!({ "a": 1 }), 0, 2),
            (json!({ "b": { "c": [1, 2] } }), 0, 3),
            (json!({ "b": { "c": [1] } }), 1, 4),
            (json!({ "a": 2, "f": 1 }), 2, 4),
            (json!({ "f": null }), 0, 4),
            (json!({ "a": 1, "b": { "c": [1, 2], "d": null }, "e": "x" }), 0, 0),
        ] {
            let pair = (&expected, &actual);
            assert_eq!(differences("v", pair, Likeness::Partial).len(), partly, "{expected}");
            assert_eq!(differences("v", pair, Likeness::Exact).len(), exactly, "{expected}");
        }
    }
}
