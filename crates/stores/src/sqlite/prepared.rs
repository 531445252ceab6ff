//! The writer's statements, each compiled once.

use std::ops::{Deref, DerefMut};

use rusqlite::{Connection, Result, Statement};

/// Statements by their texts. A text is known by where it lies: on the hottest path of all, hashing
/// or comparing it would cost more than finding it among the few there are.
pub(super) struct Prepared<'c> {
    connection: &'c Connection,
    statements: Vec<(&'static str, Statement<'c>)>,
}

impl<'c> Prepared<'c> {
    pub(super) const fn new(connection: &'c Connection) -> Self {
        Self { connection, statements: Vec::new() }
    }

    /// The statement `sql`.
    pub(super) fn get(&mut self, sql: &'static str) -> Result<Lent<'_, 'c>> {
        let found = self.statements.iter().position(|(text, _)| std::ptr::eq(*text, sql));
        let index = match found {
            Some(index) => index,
            None => {
                self.statements.push((sql, self.connection.prepare(sql)?));
                self.statements.len() - 1
            }
        };
        let (_, statement) = self.statements.get_mut(index).expect("it was found or pushed");
        Ok(Lent(statement))
    }
}

/// A statement for one use. What was bound to it is let go at once: SQLite keeps small values in a
/// small fast memory, which others need.
pub(super) struct Lent<'p, 'c>(&'p mut Statement<'c>);

impl<'c> Deref for Lent<'_, 'c> {
    type Target = Statement<'c>;

    fn deref(&self) -> &Self::Target {
        self.0
    }
}

impl DerefMut for Lent<'_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.0
    }
}

impl Drop for Lent<'_, '_> {
    fn drop(&mut self) {
        self.0.clear_bindings();
    }
}
