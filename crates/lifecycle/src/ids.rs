//! Ids of entities that say where they belong: `org.platform.domain.system.type.instance`.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

const PARTS: usize = 6;
const LENGTH_MAX: usize = 256;
const ANY: &str = "*";

/// Which ids are meant: six parts, of which each is given or any (`*`).
///
/// ```
/// use waypost_lifecycle::IdPattern;
///
/// let surveys: IdPattern = "acme.*.air.survey.mission.*".parse()?;
/// assert!(surveys.matches("acme.ops.air.survey.mission.m-1"));
/// assert!(!surveys.matches("other.ops.air.survey.mission.m-1"));
/// assert!("acme.*".parse::<IdPattern>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct IdPattern(String);

impl IdPattern {
    /// Whether an id is one of those. An id of another shape never is.
    #[must_use]
    pub fn matches(&self, entity_id: &str) -> bool {
        let mut pairs = self.0.split('.').zip(entity_id.split('.'));
        is_federated(entity_id) && pairs.all(|(meant, part)| meant == ANY || meant == part)
    }
}

impl FromStr for IdPattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match has_parts(text, |it| it == ANY || is_part(it)) {
            true => Ok(Self(text.to_owned())),
            false => Err(format!(
                "{text:?} is not a pattern of ids: expected six parts between dots, each a word of \
                 letters, digits, `_` and `-`, or `*` for any"
            )),
        }
    }
}

impl TryFrom<String> for IdPattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<IdPattern> for String {
    fn from(pattern: IdPattern) -> Self {
        pattern.0
    }
}

impl fmt::Display for IdPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether an id has all six parts.
pub(crate) fn is_federated(entity_id: &str) -> bool {
    has_parts(entity_id, is_part)
}

fn has_parts(text: &str, is_good: impl Fn(&str) -> bool) -> bool {
    text.len() <= LENGTH_MAX && text.split('.').count() == PARTS && text.split('.').all(is_good)
}

fn is_part(part: &str) -> bool {
    let goes_on = |it: char| it.is_ascii_alphanumeric() || "_-".contains(it);
    part.starts_with(|it: char| it.is_ascii_alphanumeric()) && part.chars().all(goes_on)
}

#[cfg(test)]
mod tests {
    use super::{IdPattern, is_federated};

    #[test]
    fn a_federated_id_has_six_good_parts() {
        assert!(is_federated("acme.ops.air.survey.mission.m-1_a"));
        for id in ["a.b.c.d.e", "a.b.c.d.e.f.g", "a.b.c.d.e.", "a.b.c.d.e.-f", "a.b.c.d.e.f/g"] {
            assert!(!is_federated(id), "{id}");
        }
        assert!(!is_federated("a.b.c.d.e.*"), "that is a pattern");
        assert!(!is_federated(&format!("a.b.c.d.e.{}", "f".repeat(300))));
    }

    #[test]
    fn a_pattern_has_the_same_shape_and_stands_for_whole_parts() {
        for text in ["", "*", "a.b.c.d.e", "a.b.c.d.e.f*", "a.b.c.d.e.**", "a..c.d.e.f"] {
            let refused = text.parse::<IdPattern>().unwrap_err();
            assert!(refused.contains("six parts"), "{refused}");
        }
        let any: IdPattern = "*.*.*.*.*.*".parse().unwrap();
        assert!(any.matches("a.b.c.d.e.f") && !any.matches("a") && !any.matches("a.b.c.d.e.f.g"));
        let one: IdPattern = "a.b.c.d.e.f".parse().unwrap();
        assert!(one.matches("a.b.c.d.e.f") && !one.matches("a.b.c.d.e.g"));
        let read: IdPattern = serde_json::from_str(r#""a.*.c.*.e.*""#).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), r#""a.*.c.*.e.*""#);
        assert_eq!(read.to_string(), "a.*.c.*.e.*");
        assert!(serde_json::from_str::<IdPattern>(r#""a.*""#).is_err());
    }
}
