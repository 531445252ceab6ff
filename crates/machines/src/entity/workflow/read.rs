//! Reads workflows from documents. Unknown members are ignored at every level, and `null` counts as
//! absent; a member of the wrong type, or one that asks for what is not there, is refused with its
//! place.

use std::{collections::BTreeMap, fmt};

use waypost_documents::document::{Members, Value};

use super::{Config, Processor, Schedule, State, Transition, Workflow, cut, limits};

/// Why a document does not hold workflows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Where, as `workflows[0].states.NEW`; empty for the whole document.
    pub place: String,
    pub problem: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place.as_str() {
            "" => out.write_str(&self.problem),
            place => write!(out, "{place}: {}", self.problem),
        }
    }
}

impl std::error::Error for Malformed {}

/// Reads back what [`super::stored`] wrote.
///
/// # Errors
/// When `text` is not an array of workflows.
pub fn read_stored(text: &str) -> Result<Vec<Workflow>, Malformed> {
    let document = Value::parse(text)
        .map_err(|error| Malformed { place: String::new(), problem: error.to_string() })?;
    elements(&document, &Place::Root, workflow)
}

/// An object and where it is.
pub(super) struct Object<'a> {
    members: &'a Members,
    place: &'a Place<'a>,
}

/// Where something is in the document.
pub(super) enum Place<'a> {
    Root,
    Member(&'a Self, &'a str),
    Element(&'a Self, usize),
}

pub(super) fn workflow(value: &Value, place: &Place<'_>) -> Result<Workflow, Malformed> {
    let object = Object::of(value, place)?;
    Ok(Workflow {
        version: object.text("version")?,
        name: object.text("name")?,
        description: object.text("desc")?,
        initial_state: object.text("initialState")?,
        is_active: object.flag("active")?,
        criterion: object.as_written("criterion"),
        states: states(&object)?,
    })
}

fn states(workflow: &Object<'_>) -> Result<BTreeMap<String, State>, Malformed> {
    let Some(value) = workflow.member("states") else { return Ok(BTreeMap::new()) };
    let place = Place::Member(workflow.place, "states");
    let states = Object::of(value, &place)?;
    let read = |(name, value): (&String, &Value)| {
        let place = Place::Member(&place, name);
        let transitions = match value {
            Value::Null => Vec::new(),
            Value::Bool(_)
            | Value::Number(_)
            | Value::Text(_)
            | Value::List(_)
            | Value::Object(_) => Object::of(value, &place)?.list("transitions", transition)?,
        };
        Ok((name.clone(), State { transitions }))
    };
    states.members.iter().map(read).collect()
}

fn transition(value: &Value, place: &Place<'_>) -> Result<Transition, Malformed> {
    let object = Object::of(value, place)?;
    Ok(Transition {
        name: object.text("name")?,
        next: object.text("next")?,
        is_manual: object.flag("manual")?,
        is_disabled: object.flag("disabled")?,
        schedule: match object.member("schedule") {
            Some(value) => Some(schedule(value, &Place::Member(place, "schedule"))?),
            None => None,
        },
        criterion: object.as_written("criterion"),
        processors: object.list("processors", processor)?,
    })
}

fn schedule(value: &Value, place: &Place<'_>) -> Result<Schedule, Malformed> {
    let object = Object::of(value, place)?;
    // Read without it, the transition would be taken at another time than is wanted.
    if object.member("function").is_some() {
        let problem = "a function cannot say when yet; delayMs can".to_owned();
        return Err(Place::Member(place, "function").problem(problem));
    }
    Ok(Schedule {
        delay_millis: object.whole("delayMs")?,
        timeout_millis: object.number("timeoutMs")?,
    })
}

fn processor(value: &Value, place: &Place<'_>) -> Result<Processor, Malformed> {
    let object = Object::of(value, place)?;
    Ok(Processor {
        // None given means the only one there is.
        kind: Some(object.text("type")?)
            .filter(|it| !it.is_empty())
            .unwrap_or_else(|| Processor::EXTERNAL.to_owned()),
        name: object.text("name")?,
        mode: object.text("executionMode")?,
        config: match object.member("config") {
            Some(value) => config(value, &Place::Member(place, "config"))?,
            None => Config::default(),
        },
    })
}

fn config(value: &Value, place: &Place<'_>) -> Result<Config, Malformed> {
    let object = Object::of(value, place)?;
    Ok(Config {
        attach_entity: object.flag("attachEntity")?,
        tags: object.text("calculationNodesTags")?,
        timeout_millis: object.whole("responseTimeoutMs")?,
        retry_policy: object.text("retryPolicy")?,
        context: object.text("context")?,
    })
}

impl<'a> Object<'a> {
    pub(super) fn of(value: &'a Value, place: &'a Place<'a>) -> Result<Self, Malformed> {
        match value {
            Value::Object(members) => Ok(Self { members, place }),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::List(_) => {
                Err(place.expected("an object", value))
            }
        }
    }

    /// The member `name`, unless it is absent or `null`.
    fn member(&self, name: &str) -> Option<&'a Value> {
        self.members.get(name).filter(|it| !it.is_null())
    }

    /// The member `name`, whatever it is; a `null` that was written is kept.
    fn as_written(&self, name: &str) -> Option<Value> {
        self.members.get(name).cloned()
    }

    pub(super) fn text(&self, name: &str) -> Result<String, Malformed> {
        let Some(value) = self.member(name) else { return Ok(String::new()) };
        let text = value.as_text().map(ToOwned::to_owned);
        text.ok_or_else(|| Place::Member(self.place, name).expected("text", value))
    }

    pub(super) fn flag(&self, name: &str) -> Result<bool, Malformed> {
        match self.member(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(value) => Err(Place::Member(self.place, name).expected("true or false", value)),
        }
    }

    fn whole(&self, name: &str) -> Result<i64, Malformed> {
        self.number(name).map(Option::unwrap_or_default)
    }

    fn number(&self, name: &str) -> Result<Option<i64>, Malformed> {
        let place = Place::Member(self.place, name);
        match self.member(name) {
            None => Ok(None),
            Some(Value::Number(number)) => number.as_str().parse().map(Some).map_err(|_| {
                let found = cut(number.as_str(), limits::NAME_SHOWN_MAX);
                place.problem(format!("expected a whole number of 64 bits, found {found}"))
            }),
            Some(value) => Err(place.expected("a whole number", value)),
        }
    }

    pub(super) fn list<T>(
        &self,
        name: &str,
        read: impl Fn(&Value, &Place<'_>) -> Result<T, Malformed>,
    ) -> Result<Vec<T>, Malformed> {
        match self.member(name) {
            Some(value) => elements(value, &Place::Member(self.place, name), read),
            None => Ok(Vec::new()),
        }
    }
}

fn elements<T>(
    value: &Value,
    place: &Place<'_>,
    read: impl Fn(&Value, &Place<'_>) -> Result<T, Malformed>,
) -> Result<Vec<T>, Malformed> {
    let Value::List(elements) = value else { return Err(place.expected("an array", value)) };
    let read = |(index, element)| read(element, &Place::Element(place, index));
    elements.iter().enumerate().map(read).collect()
}

impl Place<'_> {
    fn expected(&self, wanted: &str, found: &Value) -> Malformed {
        let found = match found {
            Value::Null => "null",
            Value::Bool(true) => "true",
            Value::Bool(false) => "false",
            Value::Number(_) => "a number",
            Value::Text(_) => "text",
            Value::List(_) => "an array",
            Value::Object(_) => "an object",
        };
        self.problem(format!("expected {wanted}, found {found}"))
    }

    fn problem(&self, problem: String) -> Malformed {
        Malformed { place: self.to_string(), problem }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Member(Self::Root, name) => out.write_str(cut(name, limits::NAME_SHOWN_MAX)),
            Self::Member(parent, name) => {
                write!(out, "{parent}.{}", cut(name, limits::NAME_SHOWN_MAX))
            }
            Self::Element(parent, index) => write!(out, "{parent}[{index}]"),
        }
    }
}
