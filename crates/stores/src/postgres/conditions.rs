//! What a list asks for, as SQL: only the conditions that are asked for are in the statement, so that
//! each combination finds its index.

use tokio_postgres::types::ToSql;
use waypost_kernel::{Kind, Tenant};

/// Conditions joined by `and`, and what is compared.
pub(super) struct Conditions<'q> {
    pub(super) sql: String,
    values: Vec<Box<dyn ToSql + Send + Sync + 'q>>,
}

impl<'q> Conditions<'q> {
    /// Everything of a tenant's face.
    pub(super) fn of(tenant: &'q Tenant, kind: Kind) -> Self {
        let mut conditions = Self::none();
        conditions.add("tenant = ?", Some(tenant.as_str()));
        conditions.add("kind = ?", Some(kind.code()));
        conditions
    }

    /// No condition yet.
    pub(super) fn none() -> Self {
        Self { sql: "true".to_owned(), values: Vec::new() }
    }

    /// Only what compares with `value`, if there is one. Its place in the condition is a `?`.
    pub(super) fn add(&mut self, condition: &str, value: Option<impl ToSql + Send + Sync + 'q>) {
        let Some(value) = value else { return };
        let place = self.place(value);
        self.sql.push_str(" and ");
        self.sql.push_str(&condition.replace('?', &place));
    }

    /// Binds a value without a condition; says how the statement names it.
    pub(super) fn place(&mut self, value: impl ToSql + Send + Sync + 'q) -> String {
        self.values.push(Box::new(value));
        format!("${}", self.values.len())
    }

    /// What to bind, in order.
    pub(super) fn parameters(&self) -> Vec<&(dyn ToSql + Sync)> {
        self.values.iter().map(|it| &**it as &(dyn ToSql + Sync)).collect()
    }
}
