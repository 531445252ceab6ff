//! Words in rules that stand for something about the entity.

use serde_json::Value;

use super::{RuleError, condition::View};

const ENTITY: &str = "$entity.";

/// What begins a word that stands for something. One that is left over is a mistake.
const MARKS: [&str; 6] = [ENTITY, "$related.", "$state.", "$schedule.", "$caller.", "$message."];

/// Whether there is anything to look up.
pub(super) fn needs_entity(text: &str) -> bool {
    text.contains(ENTITY)
}

/// The text with what is known put in. What is not known stays as it is.
pub(super) fn substitute(text: &str, view: Option<&dyn View>, definition: Option<&str>) -> String {
    let Some(view) = view else { return text.to_owned() };
    let (mut done, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(ENTITY) {
        let (before, found) = rest.split_at(at);
        let is_word = |it: char| it.is_ascii_alphanumeric() || "_.-".contains(it);
        // The mark is skipped: its dollar begins this word, another one begins the next.
        let end = found.char_indices().skip(1).find(|(_, it)| !is_word(*it));
        let (word, after) = found.split_at(end.map_or(found.len(), |(at, _)| at));
        done.push_str(before);
        let known = names(word).find_map(|it| Some((it, value(it, view, definition)?)));
        match known {
            Some((name, value)) => {
                done.push_str(&value);
                done.push_str(word.get(name.len()..).unwrap_or_default());
            }
            None => done.push_str(word),
        }
        rest = after;
    }
    done.push_str(rest);
    done
}

/// What a word may be the name of, longest first: a name may have hyphens, and what follows a name may
/// begin with one. A full stop after a word ends a sentence.
fn names(word: &str) -> impl Iterator<Item = &str> {
    let shorter = |it: &&str| it.rfind('-').and_then(|at| word.get(..at));
    std::iter::successors(Some(word), move |it| shorter(it)).map(|it| it.trim_end_matches('.'))
}

fn value(name: &str, view: &dyn View, definition: Option<&str>) -> Option<String> {
    if name == "$entity.lifecycle.workflow_def" {
        return definition.map(str::to_owned);
    }
    match view.named(name)? {
        Value::String(text) => Some(text),
        value @ (Value::Bool(_) | Value::Number(_)) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The text, unless something in it is left over.
pub(super) fn resolved(text: String) -> Result<String, RuleError> {
    match MARKS.iter().any(|it| text.contains(it)) {
        true => Err(RuleError::Unresolved(text)),
        false => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Revision, Snapshot};

    fn done(text: &str, definition: Option<&str>) -> String {
        let snapshot = Snapshot {
            workflow: "survey".to_owned(),
            entity_id: "m-1".to_owned(),
            phase: "flying".to_owned(),
            is_terminal: false,
            degraded: false,
            parent: None,
            revision: Revision(1),
            value: json!({"owner": "ann", "photos": 3, "log": [], "home-base": "hangar"}),
        };
        substitute(text, Some(&snapshot), definition)
    }

    #[test]
    fn words_become_what_they_stand_for() {
        for (text, expected) in [
            ("nothing", "nothing"),
            ("was $entity.lifecycle.phase.", "was flying."),
            ("$entity.lifecycle.terminal", "false"),
            ("$entity.lifecycle.workflow/$entity.owner:$entity.photos", "survey/ann:3"),
            ("$entity.lifecycle.unknown stays", "$entity.lifecycle.unknown stays"),
            ("$entity.log $message.x", "$entity.log $message.x"),
            ("$entity.owner-$entity.lifecycle.phase", "ann-flying"),
            ("$entity.owner$entity.photos", "ann3"),
            ("$entity.owner-7-$entity.photos.", "ann-7-3."),
            ("$entity.home-base", "hangar"),
            ("$entity.home-base-2", "hangar-2"),
            ("$entity.photos.of-ann", "$entity.photos.of-ann"),
        ] {
            assert_eq!(done(text, None), expected);
        }
    }

    #[test]
    fn the_longer_word_is_not_damaged_by_the_shorter_one() {
        let text = "$entity.lifecycle.workflow_def $entity.lifecycle.workflow";
        assert_eq!(done(text, Some("{}")), "{} survey");
        assert_eq!(done(text, None), "$entity.lifecycle.workflow_def survey");
    }

    #[test]
    fn without_an_entity_everything_stays() {
        let text = "$entity.lifecycle.phase";
        assert_eq!(substitute(text, None, None), text);
        assert!(matches!(resolved(text.to_owned()), Err(RuleError::Unresolved(_))));
        for text in ["$state.x", "a $related.b", "$schedule.", "$caller.c", "$message.d"] {
            assert!(resolved(text.to_owned()).is_err(), "{text}");
        }
        assert_eq!(resolved("5 $ and entity.".to_owned()).ok().as_deref(), Some("5 $ and entity."));
    }
}
