//! What workers, people, signals and compute nodes do when it is their turn.

use std::{collections::BTreeMap, fmt, time::Duration};

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor, value::MapAccessDeserializer},
};
use serde_json::{Map, Value};

use crate::{Length, one_or_many::one_or_many};

/// Who does what, by the name of the work.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct Stubs(pub BTreeMap<String, Outcomes>);

/// What is done the first time, the second time and so on; the last is done from then on.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Outcomes(#[serde(deserialize_with = "one_or_many")] pub Vec<Outcome>);

/// What is done, and when.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// What.
    pub answer: Answer,
    /// How long after it could be done.
    pub after: Duration,
    /// How often, before the next outcome in the list has its turn.
    pub times: u32,
}

/// The ways to answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// It is done, with this to show for it.
    Complete(Map<String, Value>),
    /// It could not be done, and may be tried again.
    Fail(String),
    /// It can never be done.
    Fatal(String),
    /// The step of a chain waits for an event.
    Wait {
        /// Which one.
        event: String,
        /// For how long at the most.
        timeout: Option<Duration>,
    },
    /// Somebody takes the work and is not heard of again; the lease is as long as that.
    Vanish(Duration),
    /// A criterion holds, or does not.
    Judge(bool),
    /// Nobody ever answers.
    Never,
}

impl Stubs {
    /// The outcome of the `n_before + 1`-th time.
    #[must_use]
    pub fn outcome(&self, name: &str, n_before: u32) -> Option<&Outcome> {
        let Outcomes(outcomes) = self.0.get(name)?;
        let mut until = 0_u32;
        let turn = outcomes.iter().find(|it| {
            until = until.saturating_add(it.times);
            n_before < until
        });
        turn.or_else(|| outcomes.last())
    }

    /// Those of `general`, except where this says otherwise.
    #[must_use]
    pub fn over(&self, general: &Self) -> Self {
        let mut all = general.0.clone();
        all.extend(self.0.clone());
        Self(all)
    }
}

/// An outcome as it is written.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Written {
    complete: Option<Map<String, Value>>,
    fail: Option<String>,
    fatal: Option<String>,
    wait: Option<String>,
    timeout: Option<Length>,
    vanish: Option<Length>,
    holds: Option<bool>,
    never: Option<bool>,
    after: Option<Length>,
    times: Option<u32>,
}

/// What an outcome must have one of.
const WAYS: &str =
    "an outcome has exactly one of complete, fail, fatal, wait, vanish, holds and never";

impl TryFrom<Written> for Outcome {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let Written { complete, fail, fatal, wait, timeout, vanish, holds, never, after, times } =
            written;
        if timeout.is_some() && wait.is_none() {
            return Err("timeout belongs to wait, which is not there".to_owned());
        }
        let wait = wait.map(|event| Answer::Wait { event, timeout: timeout.map(|Length(it)| it) });
        let ways = [
            complete.map(Answer::Complete),
            fail.map(Answer::Fail),
            fatal.map(Answer::Fatal),
            wait,
            vanish.map(|Length(it)| Answer::Vanish(it)),
            holds.map(Answer::Judge),
            never.filter(|it| *it).map(|_| Answer::Never),
        ];
        let mut ways = ways.into_iter().flatten();
        let (Some(answer), None) = (ways.next(), ways.next()) else { return Err(WAYS.to_owned()) };
        let times = times.unwrap_or(1);
        if times == 0 {
            return Err("times must be at least 1".to_owned());
        }
        Ok(Self { answer, after: after.unwrap_or_default().0, times })
    }
}

impl From<Answer> for Outcome {
    fn from(answer: Answer) -> Self {
        Self { answer, after: Duration::ZERO, times: 1 }
    }
}

impl<'de> Deserialize<'de> for Outcome {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OutcomeVisitor)
    }
}

struct OutcomeVisitor;

impl<'de> Visitor<'de> for OutcomeVisitor {
    type Value = Outcome;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("complete, never, true, false, or an object such as {complete: {…}, after: 2h}")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Outcome, E> {
        match text {
            "complete" => Ok(Answer::Complete(Map::new()).into()),
            "never" => Ok(Answer::Never.into()),
            other => Err(E::custom(format!(
                "{other:?} is no outcome; expected complete, never, true, false, or an object such as {{fail: why}}"
            ))),
        }
    }

    fn visit_bool<E: Error>(self, holds: bool) -> Result<Outcome, E> {
        Ok(Answer::Judge(holds).into())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Outcome, A::Error> {
        let written = Written::deserialize(MapAccessDeserializer::new(map))?;
        Outcome::try_from(written).map_err(A::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answers(stubs: &Value, times: u32) -> Vec<Answer> {
        let stubs: Stubs = serde_json::from_value(json!({ "a": stubs })).unwrap();
        (0..times).map(|n| stubs.outcome("a", n).unwrap().answer.clone()).collect()
    }

    #[test]
    fn outcomes_have_their_turns_and_the_last_stays() {
        let never = || Answer::Never;
        let fail = || Answer::Fail("e".to_owned());
        let list = json!([{ "fail": "e", "times": 2 }, "never"]);
        assert_eq!(answers(&list, 4), [fail(), fail(), never(), never()]);
        assert_eq!(answers(&json!("never"), 2), [never(), never()]);
        assert_eq!(answers(&json!([true, false]), 3).len(), 3);
    }

    #[test]
    fn outcomes_that_say_nothing_or_too_much_are_refused() {
        for (written, why) in [
            (json!({}), WAYS),
            (json!({ "fail": "a", "fatal": "b" }), WAYS),
            (json!({ "complete": {}, "times": 0 }), "times must be at least 1"),
            (json!({ "complete": {}, "timeout": "1h" }), "timeout belongs to wait"),
            (json!("done"), "\"done\" is no outcome"),
            (json!({ "complet": {} }), "unknown field `complet`"),
            (json!({ "never": true, "after": "soon" }), "\"soon\" is no length of time"),
            (json!(7), "one, or a list of them"),
        ] {
            let stubs = serde_json::from_value::<Stubs>(json!({ "a": written }));
            let error = stubs.unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
