//! What is done in a scenario: how it begins, and what is done to the instance.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor, value::MapAccessDeserializer},
};
use serde_json::{Map, Value};

use crate::{Expect, Length};

/// The four faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// Graphs of steps.
    Process,
    /// Lines of steps.
    Chain,
    /// Documents with states.
    Entity,
    /// Things with phases.
    Lifecycle,
}

impl Face {
    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Chain => "chain",
            Self::Entity => "entity",
            Self::Lifecycle => "lifecycle",
        }
    }
}

/// How an instance begins.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "WrittenBegin")]
pub struct Begin {
    /// Of which face.
    pub face: Face,
    /// The definition; of an entity the model, which is only a name here.
    pub definition: String,
    /// Of a chain; the latest if absent.
    pub version: Option<i32>,
    /// The caller's name for it.
    pub business_key: Option<String>,
    /// Variables, context or document.
    pub variables: Value,
    /// The transition an entity takes at once.
    pub transition: Option<String>,
    /// The phase a lifecycle begins in.
    pub phase: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WrittenBegin {
    process: Option<String>,
    chain: Option<String>,
    entity: Option<String>,
    lifecycle: Option<String>,
    version: Option<i32>,
    #[serde(alias = "bizKey")]
    business_key: Option<String>,
    #[serde(alias = "context", alias = "document")]
    variables: Option<Map<String, Value>>,
    transition: Option<String>,
    phase: Option<String>,
}

impl TryFrom<WrittenBegin> for Begin {
    type Error = String;

    fn try_from(written: WrittenBegin) -> Result<Self, String> {
        let WrittenBegin { process, chain, entity, lifecycle, version, .. } = written;
        let named = [
            (Face::Process, process),
            (Face::Chain, chain),
            (Face::Entity, entity),
            (Face::Lifecycle, lifecycle),
        ];
        let mut named = named.into_iter().filter_map(|(face, name)| Some((face, name?)));
        let (Some((face, definition)), None) = (named.next(), named.next()) else {
            let why = "start names exactly one process, chain, entity or lifecycle";
            return Err(why.to_owned());
        };
        if face == Face::Lifecycle && written.phase.is_none() {
            return Err("the start of a lifecycle needs a phase".to_owned());
        }
        Ok(Self {
            face,
            definition,
            version,
            business_key: written.business_key,
            variables: Value::Object(written.variables.unwrap_or_default()),
            transition: written.transition,
            phase: written.phase,
        })
    }
}

/// Something that is done, and what is to come of it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "WrittenDeed")]
pub struct Deed {
    /// What.
    pub action: Action,
    /// The code with which it is to be refused.
    pub rejected: Option<String>,
    /// What must be so right after it.
    pub expect: Option<Expect>,
}

/// What can be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Nothing; it is only looked at.
    Look,
    /// Time passes, and what is due in it happens.
    Advance(Length),
    /// Whatever happens happens, until the instance is at that step.
    Until(String),
    /// The task at a step is done.
    Complete(AtStep),
    /// The task at a step fails.
    Fail(FailAt),
    /// A signal, or an event.
    Signal(SignalTo),
    /// A failed step is tried again.
    Retry(AtStep),
    /// The instance is canceled.
    Cancel(String),
    /// An entity is asked to take a transition.
    Transition(String),
    /// An entity gets another document.
    Update(Value),
    /// A lifecycle moves to a phase.
    Move(String),
}

/// A step, with what is brought there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AtStep {
    /// Which one.
    pub step: String,
    /// What is brought.
    pub variables: Map<String, Value>,
}

/// A step whose task fails.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FailAt {
    /// Which one.
    pub step: String,
    /// Why.
    #[serde(default)]
    pub error: String,
    /// Whether trying again makes no sense.
    #[serde(default)]
    pub fatal: bool,
}

/// What is signaled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SignalTo {
    /// The step of a process, or the type of the event for a chain.
    pub name: String,
    /// What the event is called, so that repeats are recognized.
    pub id: Option<String>,
    /// What it brings.
    pub variables: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WrittenDeed {
    advance: Option<Length>,
    until: Option<String>,
    complete: Option<AtStep>,
    fail: Option<FailAt>,
    signal: Option<SignalTo>,
    retry: Option<AtStep>,
    cancel: Option<String>,
    transition: Option<String>,
    update: Option<Map<String, Value>>,
    #[serde(rename = "move")]
    to_phase: Option<String>,
    rejected: Option<String>,
    expect: Option<Expect>,
}

impl TryFrom<WrittenDeed> for Deed {
    type Error = String;

    fn try_from(written: WrittenDeed) -> Result<Self, String> {
        let WrittenDeed { advance, until, complete, fail, signal, retry, cancel, .. } = written;
        let ways = [
            advance.map(Action::Advance),
            until.map(Action::Until),
            complete.map(Action::Complete),
            fail.map(Action::Fail),
            signal.map(Action::Signal),
            retry.map(Action::Retry),
            cancel.map(Action::Cancel),
            written.transition.map(Action::Transition),
            written.update.map(|it| Action::Update(Value::Object(it))),
            written.to_phase.map(Action::Move),
        ];
        let mut ways = ways.into_iter().flatten();
        let (rejected, expect) = (written.rejected, written.expect);
        let action = match (ways.next(), ways.next()) {
            (Some(action), None) => action,
            (None, _) if expect.is_some() => Action::Look,
            (None | Some(_), _) => return Err(WAYS.to_owned()),
        };
        let is_command = !matches!(action, Action::Look | Action::Advance(_) | Action::Until(_));
        if rejected.is_some() && !is_command {
            return Err("only a command can be rejected".to_owned());
        }
        Ok(Self { action, rejected, expect })
    }
}

/// What a deed must have one of.
const WAYS: &str = "a deed has exactly one of advance, until, complete, fail, signal, retry, cancel, transition, update and move; or only expect";

impl Action {
    /// Whether an instance of that face can be asked to do it.
    #[must_use]
    pub const fn fits(&self, face: Face) -> bool {
        match self {
            Self::Look | Self::Advance(_) | Self::Until(_) => true,
            Self::Complete(_) | Self::Fail(_) | Self::Signal(_) | Self::Cancel(_) => {
                matches!(face, Face::Process | Face::Chain)
            }
            Self::Retry(_) => matches!(face, Face::Process),
            Self::Transition(_) | Self::Update(_) => matches!(face, Face::Entity),
            Self::Move(_) => matches!(face, Face::Lifecycle),
        }
    }

    /// Its name in a scenario.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Look => "expect",
            Self::Advance(_) => "advance",
            Self::Until(_) => "until",
            Self::Complete(_) => "complete",
            Self::Fail(_) => "fail",
            Self::Signal(_) => "signal",
            Self::Retry(_) => "retry",
            Self::Cancel(_) => "cancel",
            Self::Transition(_) => "transition",
            Self::Update(_) => "update",
            Self::Move(_) => "move",
        }
    }
}

/// A name alone, or an object with it and more.
trait Named<'de>: Sized {
    type Written: Deserialize<'de>;
    const EXPECTED: &'static str;
    fn named(name: String) -> Self;
    fn of(written: Self::Written) -> Self;
}

struct NamedVisitor<T>(std::marker::PhantomData<T>);

impl<'de, T: Named<'de>> Visitor<'de> for NamedVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<T, E> {
        Ok(T::named(name.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::Written::deserialize(MapAccessDeserializer::new(map)).map(T::of)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WrittenAtStep {
    step: String,
    #[serde(default)]
    variables: Map<String, Value>,
}

impl Named<'_> for AtStep {
    type Written = WrittenAtStep;
    const EXPECTED: &'static str = "the name of a step, or {step: …, variables: {…}}";

    fn named(step: String) -> Self {
        Self { step, variables: Map::new() }
    }

    fn of(written: WrittenAtStep) -> Self {
        Self { step: written.step, variables: written.variables }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WrittenSignal {
    #[serde(alias = "event")]
    step: String,
    id: Option<String>,
    #[serde(default, alias = "payload")]
    variables: Map<String, Value>,
}

impl Named<'_> for SignalTo {
    type Written = WrittenSignal;
    const EXPECTED: &'static str =
        "the name of a step or event, or {step: …, variables: {…}}, or {event: …, payload: {…}}";

    fn named(name: String) -> Self {
        Self { name, ..Self::default() }
    }

    fn of(written: WrittenSignal) -> Self {
        Self { name: written.step, id: written.id, variables: written.variables }
    }
}

impl<'de> Deserialize<'de> for AtStep {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NamedVisitor(std::marker::PhantomData))
    }
}

impl<'de> Deserialize<'de> for SignalTo {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NamedVisitor(std::marker::PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn deeds_are_named_by_their_only_member() {
        for (written, name) in [
            (json!({ "advance": "48h" }), "advance"),
            (json!({ "complete": "review" }), "complete"),
            (json!({ "signal": { "event": "PAID", "payload": { "n": 1 } } }), "signal"),
            (json!({ "retry": { "step": "a", "variables": {} }, "rejected": "X" }), "retry"),
            (json!({ "move": "flying" }), "move"),
            (json!({ "expect": { "status": "WAITING" } }), "expect"),
        ] {
            let deed: Deed = serde_json::from_value(written).unwrap();
            assert_eq!(deed.action.name(), name);
        }
    }

    #[test]
    fn deeds_that_say_nothing_or_too_much_are_refused() {
        for (written, why) in [
            (json!({}), WAYS),
            (json!({ "advance": "1h", "cancel": "x" }), WAYS),
            (json!({ "advance": "1h", "rejected": "X" }), "only a command can be rejected"),
            (json!({ "complete": 7 }), "the name of a step, or"),
            (json!({ "signal": { "evnt": "PAID" } }), "unknown field `evnt`"),
        ] {
            let error = serde_json::from_value::<Deed>(written).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn a_start_names_one_definition() {
        for (written, why) in [
            (json!({}), "exactly one process, chain"),
            (json!({ "process": "a", "chain": "b" }), "exactly one process, chain"),
            (json!({ "lifecycle": "a" }), "needs a phase"),
        ] {
            let error = serde_json::from_value::<Begin>(written).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
        let begin: Begin =
            serde_json::from_value(json!({ "chain": "order", "context": { "n": 1 } })).unwrap();
        assert_eq!((begin.face, begin.variables), (Face::Chain, json!({ "n": 1 })));
    }
}
