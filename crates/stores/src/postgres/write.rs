//! Writes what a group of commits comes to: a handful of multi-row statements and the `commit`,
//! all sent at once.

mod instance;
mod ledger;
mod letter;
mod past;
mod pending;

use tokio_postgres::{Client, Error, Statement, types::ToSql};

pub(super) use self::{
    instance::{INSERT_EVENTS, INSERT_INSTANCES, UPDATE_INSTANCES},
    ledger::{INSERT_DEFINITIONS, INSERT_REQUESTS},
    letter::{DELETE_LETTERS, INSERT_LETTERS, UPDATE_LETTERS},
    past::{DELETE_TERMS, ERASE, INSERT_TERMS, INSERT_VERSIONS, KEEP_VERSIONS},
    pending::{DELETE_TASKS, DELETE_TIMERS, HOLD_TASKS, PUT_TASKS, PUT_TIMERS},
};
use super::{
    effects::Effects,
    pipeline::{Asking, in_order},
    rows::Keys,
    session::Statements,
};

/// How the end of a transaction went.
pub(super) enum Landing {
    Landed,
    /// A statement failed, so nothing has changed.
    Failed(Error),
    /// The end was sent, and no answer came.
    Unknown(Error),
}

/// Where and when a group is written.
pub(super) struct Place<'a> {
    pub(super) client: &'a Client,
    pub(super) statements: &'a Statements,
    /// The writer's stream of events.
    pub(super) stream: i64,
    /// In microseconds.
    pub(super) now: i64,
}

type Count = Result<u64, Error>;
type Parameters<'p> = Vec<&'p (dyn ToSql + Sync)>;

/// Writes everything and commits.
pub(super) async fn land(place: &Place<'_>, effects: &Effects<'_>) -> Landing {
    let commit: Asking<'_, Count> =
        Box::pin(async { place.client.batch_execute("commit").await.map(|()| 0) });
    let answers = in_order([
        Box::pin(ledger::insert_definitions(place, effects)),
        Box::pin(ledger::insert_requests(place, effects)),
        // What is erased may begin anew in the same group.
        Box::pin(past::erase(place, effects)),
        Box::pin(past::keep_versions(place, effects)),
        Box::pin(past::insert_versions(place, effects)),
        // Updates first: they may free a unique key that an insert takes.
        Box::pin(instance::update_instances(place, effects)),
        Box::pin(instance::insert_instances(place, effects)),
        Box::pin(instance::insert_events(place, effects)),
        Box::pin(past::delete_terms(place, effects)),
        Box::pin(past::insert_terms(place, effects)),
        Box::pin(pending::delete_tasks(place, effects)),
        Box::pin(pending::hold_tasks(place, effects)),
        Box::pin(pending::put_tasks(place, effects)),
        Box::pin(pending::delete_timers(place, effects)),
        Box::pin(pending::put_timers(place, effects)),
        Box::pin(letter::delete_letters(place, effects)),
        Box::pin(letter::update_letters(place, effects)),
        Box::pin(letter::insert_letters(place, effects)),
        commit,
    ])
    .await;
    judge(answers)
}

/// The server answers in order. If it says no to a statement, the `commit` after it ends the
/// transaction without a trace. If it falls silent, or dies at the `commit`, it may have come to
/// the end before.
fn judge<const N: usize>(answers: [Count; N]) -> Landing {
    let failed = answers.into_iter().enumerate().find_map(|(index, it)| Some((index, it.err()?)));
    let Some((index, error)) = failed else { return Landing::Landed };
    let is_last = index + 1 == N;
    if error.as_db_error().is_some() && !(is_last && super::fault::is_lost(&error)) {
        Landing::Failed(error)
    } else {
        Landing::Unknown(error)
    }
}

/// Runs a statement that needs no more than names.
async fn by_name(place: &Place<'_>, statement: &Statement, keys: &Keys<'_>, ids: &[&str]) -> Count {
    if ids.is_empty() {
        return Ok(0);
    }
    place.client.execute(statement, &[&keys.tenants, &keys.kinds, &keys.ids, &ids]).await
}
