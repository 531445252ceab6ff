//! What is different between two documents, place by place.

use serde_json::Value;

/// Changes that are told. Whoever has more compares the documents themselves.
pub const CHANGES_MAX: usize = 10_000;

/// One place where two documents differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Where, as a JSON Pointer.
    pub path: String,
    /// What was there; none if nothing was.
    pub before: Option<Value>,
    /// What is there; none if nothing is.
    pub after: Option<Value>,
}

impl Change {
    /// What kind of change it is, in the words of JSON Patch.
    #[must_use]
    pub const fn operation(&self) -> &'static str {
        match (&self.before, &self.after) {
            (None, _) => "add",
            (Some(_), None) => "remove",
            (Some(_), Some(_)) => "replace",
        }
    }
}

/// What makes `after` of `before`: members by their names, elements by their places. At most
/// [`CHANGES_MAX`].
#[must_use]
pub fn difference(before: &Value, after: &Value) -> Vec<Change> {
    let mut changes = Vec::new();
    // A list of what is to be compared instead of calls inside of calls: documents may be deep.
    let mut pending = vec![(String::new(), Some(before), Some(after))];
    while let Some((path, before, after)) = pending.pop() {
        if before == after || changes.len() >= CHANGES_MAX {
            continue;
        }
        let inner = match (before, after) {
            (Some(Value::Object(one)), Some(Value::Object(other))) => {
                let added = other.keys().filter(|it| !one.contains_key(*it));
                let names = one.keys().chain(added);
                names.map(|it| (under(&path, it), one.get(it), other.get(it))).collect()
            }
            (Some(Value::Array(one)), Some(Value::Array(other))) => {
                let places = 0..one.len().max(other.len());
                places.map(|it| (format!("{path}/{it}"), one.get(it), other.get(it))).collect()
            }
            (before, after) => {
                let (before, after) = (before.cloned(), after.cloned());
                changes.push(Change { path, before, after });
                Vec::new()
            }
        };
        pending.extend(inner.into_iter().rev());
    }
    changes
}

fn under(path: &str, name: &str) -> String {
    format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(before: &Value, after: &Value) -> Vec<String> {
        let shown = |it: &Option<Value>| it.as_ref().map_or("-".to_owned(), Value::to_string);
        let line = |it: &Change| {
            format!("{} {} {} {}", it.operation(), it.path, shown(&it.before), shown(&it.after))
        };
        difference(before, after).iter().map(line).collect()
    }

    #[test]
    fn every_place_that_differs_is_told_in_order() {
        let before = json!({"a": 1, "b": {"c": [1, 2, 3], "d": null}, "e/f": "x"});
        let after = json!({"a": 2, "b": {"c": [1, 4], "d": null, "n": {}}, "g": true});
        assert_eq!(
            told(&before, &after),
            [
                "replace /a 1 2",
                "replace /b/c/1 2 4",
                "remove /b/c/2 3 -",
                "add /b/n - {}",
                "remove /e~1f \"x\" -",
                "add /g - true",
            ]
        );
    }

    #[test]
    fn what_is_alike_has_no_difference_and_what_is_of_another_kind_is_replaced() {
        assert!(told(&json!({"a": [1, {}]}), &json!({"a": [1, {}]})).is_empty());
        assert_eq!(told(&json!({"a": []}), &json!({"a": {}})), ["replace /a [] {}"]);
        assert_eq!(told(&json!(1), &json!("1")), ["replace  1 \"1\""]);
    }

    #[test]
    fn there_is_an_end_to_what_is_told() {
        let many: Vec<usize> = (0..CHANGES_MAX + 5).collect();
        assert_eq!(difference(&json!([]), &json!(many)).len(), CHANGES_MAX);
    }
}
