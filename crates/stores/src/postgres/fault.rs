//! What PostgreSQL's errors mean for whoever asked.

use std::error::Error as _;

use tokio_postgres::{Error, error::SqlState};
use waypost_kernel::StoreError;

/// What an error before the end of a transaction means: nothing has changed.
#[expect(clippy::needless_pass_by_value, reason = "the shape that `map_err` wants")]
pub(super) fn fault(error: Error) -> StoreError {
    let Some(found) = error.as_db_error() else {
        return if error.is_closed() || is_io(&error) {
            StoreError::Unavailable("the connection to PostgreSQL was lost".to_owned())
        } else {
            StoreError::Corrupt(chain(&error))
        };
    };
    let code = found.code();
    if *code == SqlState::LOCK_NOT_AVAILABLE || *code == SqlState::QUERY_CANCELED {
        return StoreError::Busy;
    }
    let advice = if *code == SqlState::DISK_FULL {
        "; make room on the database's disk, and the store goes on by itself"
    } else if *code == SqlState::READ_ONLY_SQL_TRANSACTION {
        "; the URL must lead to the primary, not to a standby"
    } else if *code == SqlState::INSUFFICIENT_PRIVILEGE {
        "; grant the user the right to use the tables"
    } else {
        ""
    };
    StoreError::Unavailable(format!("PostgreSQL says: {}{advice}", found.message()))
}

/// Whether the connection is gone, so that another one may fare better.
pub(super) fn is_lost(error: &Error) -> bool {
    match error.as_db_error() {
        // Classes 57P and 08: the server says goodbye.
        Some(found) => {
            let code = found.code().code();
            code.starts_with("57P") || code.starts_with("08")
        }
        None => error.is_closed() || is_io(error),
    }
}

/// Whether the same statements may succeed when they are begun again: somebody was faster.
pub(super) fn is_race(error: &Error) -> bool {
    error.code().is_some_and(|code| {
        *code == SqlState::UNIQUE_VIOLATION
            || *code == SqlState::T_R_SERIALIZATION_FAILURE
            || *code == SqlState::T_R_DEADLOCK_DETECTED
    })
}

/// Why no connection came about, with what to check.
pub(super) fn unreachable(error: &Error, address: &str) -> StoreError {
    let text = match error.code().map(SqlState::code) {
        Some("28P01" | "28000") => format!(
            "PostgreSQL at {address} refuses the sign-in ({}); check the user and the password in the URL",
            detail(error)
        ),
        Some("3D000") => {
            format!("{} at {address}; create it, or correct the URL", detail(error))
        }
        Some("53300") => format!(
            "PostgreSQL at {address} has no connection left; raise max_connections or run fewer nodes"
        ),
        Some(_) => format!("PostgreSQL at {address} says: {}", detail(error)),
        None => format!(
            "no connection to PostgreSQL at {address} ({}); check that it runs there and the URL is right",
            chain(error)
        ),
    };
    StoreError::Unavailable(text)
}

fn detail(error: &Error) -> String {
    error.as_db_error().map_or_else(|| chain(error), |it| it.message().to_owned())
}

fn is_io(error: &Error) -> bool {
    error.source().is_some_and(|source| source.is::<std::io::Error>())
}

/// The error with all its causes.
pub(super) fn chain(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(found) = cause {
        text = format!("{text}: {found}");
        cause = found.source();
    }
    text
}
