//! What has failed, by cause.

use std::collections::BTreeMap;

use waypost_kernel::{Json, Kind, Query, Record, Timestamp, digest};
use waypost_machines::{
    chain::{self, Chain, StepStatus},
    process::{self, Process, Rest},
};

use crate::{
    engine::Engine,
    error::Error,
    limits::{INCIDENTS_MAX, PAGE_MAX},
    overview::{Narrowed, query},
    turn::read,
};

/// What instances that have failed have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    /// Names the cause, and stays the same.
    pub id: String,
    /// Of which face.
    pub kind: Kind,
    /// The definition's name.
    pub definition: String,
    /// The definition's version.
    pub version: i32,
    /// The step; empty if none has failed.
    pub step: String,
    /// Those that have failed of it, newest instance first.
    pub failed: Vec<Failed>,
}

/// An instance that has failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// Its id.
    pub id: String,
    /// The caller's name for it.
    pub business_key: Option<String>,
    /// Why.
    pub error: String,
    /// When.
    pub at: Timestamp,
}

/// All that has failed, as far as it was looked at.
#[derive(Clone, Debug)]
pub struct Incidents {
    /// The most frequent first.
    pub items: Vec<Incident>,
    /// Whether there are more instances than were looked at.
    pub is_cut: bool,
}

impl Engine {
    /// What has failed, by face, definition, step and error, among the newest [`INCIDENTS_MAX`]
    /// instances of each face.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn incidents(&self) -> Result<Incidents, Error> {
        let mut groups: BTreeMap<String, Incident> = BTreeMap::new();
        let mut is_cut = false;
        for kind in [Kind::Process, Kind::Chain] {
            is_cut |= self.gather(kind, &mut groups).await?;
        }
        let mut items: Vec<Incident> = groups.into_values().collect();
        items.sort_by(|a, b| (b.failed.len(), &a.id).cmp(&(a.failed.len(), &b.id)));
        Ok(Incidents { items, is_cut })
    }

    /// Looks through one face, page by page; says whether something is left.
    async fn gather(
        &self,
        kind: Kind,
        groups: &mut BTreeMap<String, Incident>,
    ) -> Result<bool, Error> {
        let mut next = Query { limit: PAGE_MAX, ..query(kind, "FAILED", &Narrowed::default()) };
        let mut n_seen = 0;
        loop {
            let records = self.store().search(&next).await?;
            next.before = records.last().map(|it| it.key.id.clone());
            let is_last = records.len() < PAGE_MAX as usize;
            for record in &records {
                add(groups, told(kind, record)?);
            }
            n_seen += records.len();
            if is_last || n_seen >= INCIDENTS_MAX {
                return Ok(!is_last);
            }
        }
    }
}

fn add(groups: &mut BTreeMap<String, Incident>, one: Incident) {
    match groups.get_mut(&one.id) {
        Some(group) => group.failed.extend(one.failed),
        None => drop(groups.insert(one.id.clone(), one)),
    }
}

/// The incident that one instance makes.
fn told(kind: Kind, record: &Record) -> Result<Incident, Error> {
    let (step, failed) = match kind {
        Kind::Chain => chain(&read::<Chain>(&record.key, record.version, &record.state)?.state),
        Kind::Process | Kind::Entity | Kind::Lifecycle | Kind::Model | Kind::Register => {
            process(&read::<Process>(&record.key, record.version, &record.state)?.state)
        }
    };
    let failed = Failed { id: record.key.id.as_str().to_owned(), ..failed };
    let which = record.facets.definition.clone().unwrap_or_default();
    let cause = (kind.code(), &which.name, which.version, &step, fingerprint(&failed.error));
    let id = digest(Json::of(&cause).as_str());
    let (definition, version) = (which.name, which.version);
    Ok(Incident { id, kind, definition, version, step, failed: vec![failed] })
}

fn process(state: &process::State) -> (String, Failed) {
    let stay = state.stays.iter().find(|it| it.rest == Rest::Failed);
    let failed = Failed {
        id: String::new(),
        business_key: state.business_key.clone(),
        error: state.reason.clone().unwrap_or_default(),
        at: state.ended_at.unwrap_or(state.started_at),
    };
    (stay.map(|it| it.step.to_string()).unwrap_or_default(), failed)
}

fn chain(state: &chain::State) -> (String, Failed) {
    let step = state.steps.iter().find(|it| it.status == StepStatus::Dead);
    let failed = Failed {
        id: String::new(),
        business_key: state.biz_key.clone(),
        error: step.and_then(|it| it.last_error.clone()).unwrap_or_default(),
        at: state.failed_at.unwrap_or(state.started_at),
    };
    (step.map(|it| it.step_type.clone()).unwrap_or_default(), failed)
}

/// What errors of one cause have in common: numbers, quoted names and ids differ from one instance
/// to the other.
fn fingerprint(error: &str) -> String {
    let mut print = String::new();
    let mut quote = None;
    for word in error.split_inclusive(|it: char| !it.is_alphanumeric()) {
        let (text, end) = match word.char_indices().next_back() {
            Some((at, end)) if !end.is_alphanumeric() => (word.split_at(at).0, Some(end)),
            Some(_) | None => (word, None),
        };
        if quote.is_none() {
            // Names that have digits in them name one thing among many.
            print.push_str(if text.contains(|it: char| it.is_numeric()) { "#" } else { text });
        }
        match (quote, end) {
            (Some(open), Some(end)) if end == open => quote = None,
            (Some(_), _) | (None, None) => continue,
            (None, Some(end @ ('"' | '`'))) => quote = Some(end),
            (None, Some(_)) => {}
        }
        print.extend(end);
    }
    print
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_one_cause_have_one_fingerprint() {
        let same = |a: &str, b: &str| assert_eq!(fingerprint(a), fingerprint(b));
        same("timeout after 30 s at 10.0.0.7", "timeout after 5 s at 10.0.0.12");
        same("no customer \"Ann\" here", "no customer \"Bob Smith\" here");
        same("order 0199a7f2 is gone", "order 7b1e is gone");
        assert_ne!(fingerprint("the bank is closed"), fingerprint("the bank is open"));
        assert_ne!(fingerprint("no \"a\" here"), fingerprint("no \"a\" there"));
    }
}
