//! What SQLite's errors mean for whoever asked.

use rusqlite::{Error, ErrorCode};
use waypost_kernel::StoreError;

/// What an error before the end of a transaction means: nothing has changed.
#[expect(clippy::needless_pass_by_value, reason = "the shape that `map_err` wants")]
pub(super) fn fault(error: Error) -> StoreError {
    let is_unreadable = matches!(
        error,
        Error::FromSqlConversionFailure(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::InvalidColumnType(..)
    );
    if is_unreadable {
        return StoreError::Corrupt(error.to_string());
    }
    let code = error.sqlite_error_code();
    if code == Some(ErrorCode::DiskFull) {
        return StoreError::Unavailable(DISK_FULL.to_owned());
    }
    if matches!(code, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)) {
        return StoreError::Corrupt(format!("{error}; restore the database from a backup"));
    }
    if matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)) {
        return StoreError::Unavailable(LOCKED.to_owned());
    }
    StoreError::Unavailable(error.to_string())
}

const DISK_FULL: &str = "the disk is full; make room, and the store goes on by itself";
const LOCKED: &str = "another program keeps the database locked; close it";

/// Whether a failed `commit` certainly left no trace.
///
/// A full disk is found out while the log is written, before its last frame is: the transaction is
/// not there. Whatever else goes wrong may have gone wrong after that.
pub(super) fn left_no_trace(error: &Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DiskFull | ErrorCode::DatabaseBusy))
}
