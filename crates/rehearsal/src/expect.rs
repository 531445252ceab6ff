//! What must be so, and where it is not.

use std::{collections::BTreeMap, fmt::Display};

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{
    Length, Mismatch, Standing,
    likeness::{Likeness, differences},
    one_or_many::one_or_many,
};

/// What must be so. What is left out does not matter.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Expect {
    /// The status of a process or chain, the state of an entity, the phase of a lifecycle.
    #[serde(alias = "state", alias = "phase")]
    pub status: Option<String>,
    /// The steps it is at: all of them, in any order.
    #[serde(deserialize_with = "some_or_many")]
    pub at: Option<Vec<String>>,
    /// Some of the variables, of the context or of the document; objects may have more members.
    #[serde(alias = "context", alias = "document")]
    pub variables: Option<Map<String, Value>>,
    /// All of them.
    pub exactly: Option<Map<String, Value>>,
    /// A part of the reason why it failed.
    pub reason: Option<String>,
    /// Steps it came to, in this order; others may lie between.
    #[serde(deserialize_with = "some_or_many")]
    pub visited: Option<Vec<String>>,
    /// All steps it came to, in this order.
    #[serde(deserialize_with = "some_or_many")]
    pub path: Option<Vec<String>>,
    /// Steps it never came to.
    #[serde(deserialize_with = "some_or_many")]
    pub not_visited: Option<Vec<String>>,
    /// How often it came to steps.
    pub visits: Option<BTreeMap<String, usize>>,
    /// What happened, in this order; other things may lie between. `TIMER_FIRED` or
    /// `TIMER_FIRED review`.
    #[serde(deserialize_with = "some_or_many")]
    pub history: Option<Vec<String>>,
    /// How long it took.
    pub elapsed: Option<Length>,
    /// How many timers fired.
    pub timers_fired: Option<u32>,
    /// The code with which the start, or what a stub did, was refused.
    pub rejected: Option<String>,
    /// What must be so of the instance that follows.
    pub next: Option<Box<Self>>,
    /// Whether an instance follows.
    pub followed: Option<bool>,
}

fn some_or_many<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<String>>, D::Error> {
    one_or_many(deserializer).map(Some)
}

impl Expect {
    /// Where `standings`, the first of which this is about, are not as they must be.
    pub(crate) fn mismatches(&self, place: &str, standings: &[Standing]) -> Vec<Mismatch> {
        let mut found = Found { place, mismatches: Vec::new() };
        let Some((standing, followers)) = standings.split_first() else {
            found.differ("", "an instance", "none");
            return found.mismatches;
        };
        self.check_place(standing, &mut found);
        self.check_path(standing, &mut found);
        self.check_time(standing, &mut found);
        if let Some(followed) = self.followed {
            found.compare("followed", followed, !followers.is_empty());
        }
        let mut mismatches = found.mismatches;
        if let Some(next) = &self.next {
            mismatches.extend(next.mismatches(&format!("{place}.next"), followers));
        }
        mismatches
    }

    fn check_place(&self, standing: &Standing, found: &mut Found<'_>) {
        if let Some(status) = &self.status {
            found.compare("status", status, &standing.status);
        }
        if let Some(at) = &self.at {
            let sorted = |steps: &[String]| {
                let mut steps = steps.to_vec();
                steps.sort();
                steps
            };
            if sorted(at) != sorted(&standing.at) {
                found.differ("at", list(at), list(&standing.at));
            }
        }
        if let Some(reason) = &self.reason {
            let actual = standing.reason.as_deref().unwrap_or("no reason");
            if !actual.contains(reason.as_str()) {
                found.differ("reason", format!("a reason with {reason:?}"), actual);
            }
        }
        for (name, expected, likeness) in [
            ("variables", &self.variables, Likeness::Partial),
            ("exactly", &self.exactly, Likeness::Exact),
        ] {
            let Some(expected) = expected else { continue };
            let expected = Value::Object(expected.clone());
            let pair = (&expected, &standing.variables);
            for (at, expected, actual) in differences(name, pair, likeness) {
                found.differ(&at, expected, actual);
            }
        }
    }

    fn check_path(&self, standing: &Standing, found: &mut Found<'_>) {
        let visits = &standing.visits;
        if let Some(visited) = &self.visited
            && let Some(missing) = first_missing(visited, visits, |wanted, it| wanted == it)
        {
            let expected = format!("{missing} after what comes before it in {}", list(visited));
            found.differ("visited", expected, list(visits));
        }
        if let Some(path) = &self.path
            && path != visits
        {
            found.differ("path", list(path), list(visits));
        }
        for step in self.not_visited.iter().flatten().filter(|it| visits.contains(it)) {
            found.differ("notVisited", format!("never at {step}"), list(visits));
        }
        for (step, count) in self.visits.iter().flatten() {
            let actual = visits.iter().filter(|it| *it == step).count();
            found.compare(&format!("visits.{step}"), count, &actual);
        }
        let is = |wanted: &str, it: &crate::Happening| it.is(wanted);
        if let Some(history) = &self.history
            && let Some(missing) = first_missing(history, &standing.history, is)
        {
            let told: Vec<String> = standing.history.iter().map(crate::Happening::told).collect();
            let expected = format!("{missing} after what comes before it in {}", list(history));
            found.differ("history", expected, list(&told));
        }
    }

    fn check_time(&self, standing: &Standing, found: &mut Found<'_>) {
        if let Some(elapsed) = self.elapsed {
            found.compare("elapsed", elapsed, Length(standing.elapsed));
        }
        if let Some(count) = self.timers_fired {
            found.compare("timersFired", count, standing.n_fired);
        }
    }
}

/// The first of `wanted` that does not come, in order, among `there`.
fn first_missing<'w, T>(
    wanted: &'w [String],
    there: &[T],
    is: impl Fn(&str, &T) -> bool,
) -> Option<&'w str> {
    let mut rest = there.iter();
    wanted.iter().map(String::as_str).find(|wanted| !rest.any(|it| is(wanted, it)))
}

fn list(items: &[String]) -> String {
    format!("[{}]", items.join(", "))
}

struct Found<'p> {
    place: &'p str,
    mismatches: Vec<Mismatch>,
}

impl Found<'_> {
    fn compare<T: PartialEq + Display>(&mut self, name: &str, expected: T, actual: T) {
        if expected != actual {
            self.differ(name, expected, actual);
        }
    }

    fn differ(&mut self, name: &str, expected: impl Display, actual: impl Display) {
        let place = match name {
            "" => self.place.to_owned(),
            name => format!("{}.{name}", self.place),
        };
        let (expected, actual) = (expected.to_string(), actual.to_string());
        self.mismatches.push(Mismatch { place, expected, actual });
    }
}
