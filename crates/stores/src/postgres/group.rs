//! Lands a group of commits in one transaction: look up, judge, write. Two round trips.

use tokio_postgres::Error;
use waypost_kernel::{Commit, Hint, Receipt, StoreError, Timestamp};

use super::{
    clock::Watch,
    effects::Effects,
    facts::{Facts, Wanted},
    fault::{fault, is_lost, is_race},
    lock::{self, Trouble},
    session::{Session, Stream},
    write::{self, Landing, Place},
};
use crate::check::{Verdict, instant, judge, receipt};

/// For groups without events.
const NOWHERE: Stream = Stream { number: 0, position: 0 };

/// What became of a group.
pub(super) struct Outcomes {
    /// Of each commit, in order.
    pub(super) receipts: Vec<Result<Receipt, StoreError>>,
    /// Hints at the work that was given back.
    pub(super) released: Vec<Hint>,
}

/// Why a group did not land.
pub(super) enum Failure {
    /// The connection is gone. Nothing has changed.
    Lost(StoreError),
    /// Somebody was faster. Nothing has changed, and it may work when tried again.
    Race,
    /// The database said no. Nothing has changed.
    Refused(StoreError),
    /// The connection broke while the transaction was ending.
    Unknown(StoreError),
}

/// Judges the commits in order and lands those whose expectations hold.
pub(super) async fn land(
    session: &mut Session,
    commits: &[&Commit],
    clock: &Watch,
) -> Result<Outcomes, Failure> {
    let has_events = commits.iter().any(|it| !it.events.is_empty());
    let stream = if has_events { session.stream().await.map_err(Failure::Lost)? } else { NOWHERE };
    let wanted = Wanted::of(commits);
    let asks_clock = clock.given().is_none();
    let found = match lock::begin(&session.client, &session.statements, &wanted, asks_clock).await {
        Ok(found) => found,
        Err(Trouble::Statement(error)) => return Err(roll_back(session, error).await),
        Err(Trouble::Rows(error)) => {
            end(session).await?;
            return Err(Failure::Refused(error));
        }
    };
    if let Some(now) = found.now {
        clock.observe(now);
    }
    // Like the database's, a clock that is given is read when all locks are held.
    let now = clock.given().or(found.now).unwrap_or_default();
    let mut facts = found.facts;
    let moment = Moment { now, earliest: clock.earliest(), position: stream.position };
    let (receipts, mut effects, position) = decide(commits, &mut facts, moment);
    if has_events {
        session.advance(position);
    }
    let outcomes = Outcomes { receipts, released: std::mem::take(&mut effects.released) };
    if effects.is_empty() {
        end(session).await?;
        return Ok(outcomes);
    }
    let place = Place {
        client: &session.client,
        statements: &session.statements,
        stream: stream.number,
        now: now.as_micros(),
    };
    match write::land(&place, &effects).await {
        Landing::Landed => Ok(outcomes),
        Landing::Failed(error) => Err(rolled_back(error)),
        Landing::Unknown(error) => Err(Failure::Unknown(StoreError::Unknown(format!(
            "the connection to PostgreSQL broke during the commit ({error})"
        )))),
    }
}

/// When a group is decided, and where its events go.
struct Moment {
    now: Timestamp,
    /// The first time the store may give.
    earliest: Timestamp,
    /// The last one used in the writer's stream.
    position: u64,
}

type Receipts = Vec<Result<Receipt, StoreError>>;

/// Judges the commits, and says what those that hold come to and the last position they use.
fn decide<'a>(
    commits: &[&'a Commit],
    facts: &mut Facts<'a>,
    Moment { now, earliest, mut position }: Moment,
) -> (Receipts, Effects<'a>, u64) {
    let mut effects = Effects::default();
    let mut land = |commit: &'a Commit| match judge(commit, facts, now)? {
        Verdict::Apply => {
            let receipt = receipt(commit, instant(commit, facts, now, earliest)?);
            effects.add(commit, &receipt, facts, &mut position);
            Ok(receipt)
        }
        Verdict::Repeat(receipt) => Ok(receipt),
        Verdict::Refuse(conflict) => Err(StoreError::Conflict(conflict)),
    };
    let receipts = commits.iter().copied().map(&mut land).collect();
    effects.replace_terms(facts);
    (receipts, effects, position)
}

/// Ends a transaction that has changed nothing.
async fn end(session: &Session) -> Result<(), Failure> {
    session.client.batch_execute("rollback").await.map_err(|error| Failure::Lost(fault(error)))
}

async fn roll_back(session: &Session, error: Error) -> Failure {
    match end(session).await {
        Ok(()) => rolled_back(error),
        Err(failure) => failure,
    }
}

/// What an error means when the transaction is over and has left no trace.
fn rolled_back(error: Error) -> Failure {
    if is_lost(&error) {
        Failure::Lost(fault(error))
    } else if is_race(&error) {
        Failure::Race
    } else {
        Failure::Refused(fault(error))
    }
}
