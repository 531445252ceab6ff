//! Schema changes: numbered, forward only, checked against what was applied before.

use waypost_kernel::{StoreError, digest};

/// One step of a schema.
pub(crate) struct Migration {
    pub(crate) number: u32,
    pub(crate) name: &'static str,
    pub(crate) sql: &'static str,
}

impl Migration {
    /// Changes when the text does: an applied migration must never be edited.
    pub(crate) fn checksum(&self) -> String {
        digest(self.sql)
    }
}

/// The migrations still to be applied, given the numbers and checksums of those that were.
pub(crate) fn pending<'a>(
    known: &'a [Migration],
    applied: &[(u32, String)],
) -> Result<&'a [Migration], StoreError> {
    for (index, (number, checksum)) in applied.iter().enumerate() {
        let Some(migration) = known.get(index) else {
            return Err(StoreError::Corrupt(format!(
                "the database is at schema {number}, newer than this program knows; use a newer waypost"
            )));
        };
        if migration.number != *number || migration.checksum() != *checksum {
            return Err(StoreError::Corrupt(format!(
                "migration {number} of the database is not the one this program has ({})",
                migration.name
            )));
        }
    }
    Ok(known.get(applied.len()..).unwrap_or_default())
}
