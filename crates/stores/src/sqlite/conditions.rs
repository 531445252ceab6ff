//! What a list asks for, as SQL: only the conditions that are asked for are in the statement, so that
//! each combination finds its index.

use rusqlite::ToSql;
use waypost_kernel::{Kind, Tenant};

/// Conditions joined by `and`, and what is compared.
pub(super) struct Conditions<'q> {
    pub(super) sql: String,
    values: Vec<Box<dyn ToSql + 'q>>,
}

impl<'q> Conditions<'q> {
    /// Everything of a tenant's face.
    pub(super) fn of(tenant: &'q Tenant, kind: Kind) -> Self {
        let values: Vec<Box<dyn ToSql + 'q>> =
            vec![Box::new(tenant.as_str()), Box::new(kind.code())];
        Self { sql: "tenant = ? and kind = ?".to_owned(), values }
    }

    /// The same, of a table that is called `alias`.
    pub(super) fn within(alias: &str, tenant: &'q Tenant, kind: Kind) -> Self {
        let sql = format!("{alias}.tenant = ? and {alias}.kind = ?");
        Self { sql, ..Self::of(tenant, kind) }
    }

    /// Only what compares with `value`, if there is one. Its place in the condition is a `?`.
    pub(super) fn add(&mut self, condition: &str, value: Option<impl ToSql + 'q>) {
        let Some(value) = value else { return };
        self.sql.push_str(" and ");
        self.sql.push_str(condition);
        self.values.push(Box::new(value));
    }

    /// Binds a value whose place was written into the statement.
    pub(super) fn bind(&mut self, value: impl ToSql + 'q) {
        self.values.push(Box::new(value));
    }

    /// Binds what `other` compares, whose text was written into the statement.
    pub(super) fn take(&mut self, other: Self) {
        self.values.extend(other.values);
    }

    /// What to bind, in order.
    pub(super) fn parameters(&self) -> Vec<&dyn ToSql> {
        self.values.iter().map(|it| &**it as &dyn ToSql).collect()
    }
}
