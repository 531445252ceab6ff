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

/// How many levels of objects and arrays a document has.
pub(super) fn depth(document: &Json) -> usize {
    let (mut level, mut deepest) = (0_usize, 0);
    let mut bytes = document.as_str().bytes();
    let mut is_text = false;
    while let Some(byte) = bytes.next() {
        match (is_text, byte) {
            (true, b'\\') => drop(bytes.next()),
            (_, b'"') => is_text = !is_text,
            (false, b'{' | b'[') => {
                level += 1;
                deepest = deepest.max(level);
            }
            (false, b'}' | b']') => level -= 1,
            (true | false, _) => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_counts_objects_and_arrays_outside_of_text() {
        for (document, levels) in [
            ("1", 0),
            (r#""{[""#, 0),
            ("{}", 1),
            (r#"{"a":[],"b":{"c":1}}"#, 2),
            (r#"[[1],[2,{"a\"{":"\\"}]]"#, 3),
        ] {
            assert_eq!(depth(&Json::parse(document).unwrap()), levels, "{document}");
        }
    }

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
