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
            | Error::ToSqlConversionFailure(..)
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

#[cfg(test)]
mod tests {
    use rusqlite::{Error, ffi};
    use waypost_kernel::StoreError;

    use super::{fault, left_no_trace};

    fn error(code: i32) -> Error {
        Error::SqliteFailure(ffi::Error::new(code), None)
    }

    #[test]
    fn a_full_disk_says_so_and_leaves_no_trace() {
        let full = error(ffi::SQLITE_FULL);
        assert!(left_no_trace(&full));
        let StoreError::Unavailable(text) = fault(full) else { panic!("not unavailable") };
        assert!(text.contains("disk is full"), "{text}");
    }

    #[test]
    fn a_sync_that_failed_leaves_everything_open() {
        for code in [ffi::SQLITE_IOERR, ffi::SQLITE_IOERR_FSYNC, ffi::SQLITE_IOERR_WRITE] {
            assert!(!left_no_trace(&error(code)), "{code}");
        }
    }

    #[test]
    fn a_damaged_database_is_corrupt() {
        for code in [ffi::SQLITE_CORRUPT, ffi::SQLITE_NOTADB] {
            assert!(matches!(fault(error(code)), StoreError::Corrupt(_)), "{code}");
        }
    }
}
