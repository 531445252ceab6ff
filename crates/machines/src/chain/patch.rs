//! Merging a patch into a context (RFC 7396): members replace, null removes, objects merge.

use indexmap::IndexMap;
use waypost_kernel::Json;

/// The members of an object, each as the text it arrived in: what a patch does not touch stays as
/// it was, to the digit.
type Members = IndexMap<String, Json>;

pub(super) fn merged(target: Option<&Json>, patch: &Json) -> Json {
    let Ok(changes) = patch.read::<Members>() else { return patch.clone() };
    let mut members = target.and_then(|it| it.read::<Members>().ok()).unwrap_or_default();
    for (name, change) in changes {
        if change.as_str() == "null" {
            members.shift_remove(&name);
        } else {
            let value = merged(members.get(&name), &change);
            members.insert(name, value);
        }
    }
    Json::of(&members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merges_as_the_standard_says() {
        for (target, patch, result) in [
            (r#"{"a":"b"}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"b":"c"}"#, r#"{"a":"b","b":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"a":null}"#, "{}"),
            (r#"{"a":"b","b":"c"}"#, r#"{"a":null}"#, r#"{"b":"c"}"#),
            (r#"{"a":["b"]}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":{"b":"c"}}"#, r#"{"a":{"b":"d","c":null}}"#, r#"{"a":{"b":"d"}}"#),
            (r#"["a","b"]"#, r#"["c","d"]"#, r#"["c","d"]"#),
            (r#"{"a":"b"}"#, "null", "null"),
            (r#"{"e":null}"#, r#"{"a":1}"#, r#"{"e":null,"a":1}"#),
            ("[1,2]", r#"{"a":"b","c":null}"#, r#"{"a":"b"}"#),
            (
                r#"{"n":1.10,"big":123456789012345678901}"#,
                r#"{"x":0}"#,
                r#"{"n":1.10,"big":123456789012345678901,"x":0}"#,
            ),
        ] {
            let merged = merged(Json::parse(target).ok().as_ref(), &Json::parse(patch).unwrap());
            assert_eq!(merged.as_str(), result, "{target} with {patch}");
        }
    }
}
