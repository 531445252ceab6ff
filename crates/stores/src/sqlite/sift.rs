//! Instances of one definition by id, as they are and as they were, and how many of them there are.

use rusqlite::{Connection, OptionalExtension, Result, ToSql, params};
use waypost_kernel::{
    DefinitionRef, Key, Kind, Lookup, Record, Sift, Tally, TallyQuery, Timestamp, Version,
};

use super::{conditions::Conditions, rows};
use crate::{page::room, steps::enclosed};

/// Instances as they are.
const NOW: &str = "instances i";
/// The same, found by the index that has entities in order.
const NOW_SIFTED: &str = "instances i indexed by instances_sift";
/// The version an instance had at the instant `?1`, if it has changed since and that was kept.
const THEN: &str = " left join versions v on v.rowid = (
    select rowid from versions
    where instance = i.number and i.updated_at > ?1 and updated_at <= ?1
    order by version desc limit 1)";

pub(super) fn sift(connection: &Connection, sift: &Sift) -> Result<Vec<Record>> {
    let view = View::of(sift.kind, sift.at);
    let mut conditions = Conditions::within("i", &sift.tenant, sift.kind);
    view.restrict(&mut conditions, sift.kind);
    conditions.add("i.definition = ?", Some(sift.definition.name.as_str()));
    conditions.add("i.definition_version = ?", Some(sift.definition.version));
    conditions.add("i.id > ?", sift.after.as_ref().map(|it| it.as_str()));
    conditions.add(&format!("{} = ?", view.column("status")), sift.status.as_deref());
    restrict_steps(&mut conditions, &view.column("step"), &sift.steps);
    let lookup = sift.lookup.as_ref().filter(|_| sift.at.is_none());
    if let Some(lookup) = lookup {
        restrict_ids(&mut conditions, sift, lookup);
    }
    // A lookup leaves few, which are found by their keys.
    let source = if lookup.is_some() { NOW.to_owned() } else { view.source() };
    let sql = format!(
        "select {} from {source} where {} order by i.id limit ? offset ?",
        view.record(),
        conditions.sql
    );
    let mut parameters = view.parameters();
    parameters.extend(conditions.parameters());
    parameters.extend([&sift.limit as &dyn ToSql, &sift.offset]);
    page(connection.prepare_cached(&sql)?.query_map(&*parameters, rows::record)?)
}

/// What a page has room for. The rest is not read.
fn page(records: impl Iterator<Item = Result<Record>>) -> Result<Vec<Record>> {
    let mut room = room();
    records.take_while(|it| it.as_ref().map_or(true, &mut room)).collect()
}

/// Only instances at one of the steps.
fn restrict_steps<'q>(conditions: &mut Conditions<'q>, step: &str, steps: &'q [String]) {
    if steps.is_empty() {
        return;
    }
    // Null is in nothing.
    let at = format!("coalesce(instr(char(31) || {step} || char(31), ?), 0)");
    let any = vec![at; steps.len()].join(" + ");
    conditions.sql.push_str(&format!(" and {any} > 0"));
    steps.iter().for_each(|it| conditions.bind(enclosed(it)));
}

/// Only instances with a term in one of the spans. Those of all spans together are told apart once.
fn restrict_ids<'q>(conditions: &mut Conditions<'q>, sift: &'q Sift, lookup: &'q Lookup) {
    let mut spans = Vec::new();
    for span in &lookup.spans {
        let mut within = Conditions::of(&sift.tenant, sift.kind);
        within.add("definition = ?", Some(sift.definition.name.as_str()));
        within.add("definition_version = ?", Some(sift.definition.version));
        within.add("path = ?", Some(lookup.path.as_str()));
        within.add("key >= ?", Some(span.from.as_slice()));
        within.add("key < ?", span.to.as_deref());
        within.add("id > ?", sift.after.as_ref().map(|it| it.as_str()));
        spans.push(format!("select id from terms indexed by terms_lookup where {}", within.sql));
        conditions.take(within);
    }
    let ids = if spans.is_empty() { "null".to_owned() } else { spans.join(" union ") };
    conditions.sql.push_str(&format!(" and i.id in ({ids})"));
}

pub(super) fn tally(connection: &Connection, query: &TallyQuery) -> Result<Vec<Tally>> {
    let view = View::of(query.kind, query.at);
    let mut conditions = Conditions::within("i", &query.tenant, query.kind);
    view.restrict(&mut conditions, query.kind);
    let definition = query.definition.as_ref();
    conditions.add("i.definition = ?", definition.map(|it| it.name.as_str()));
    conditions.add("i.definition_version = ?", definition.map(|it| it.version));
    conditions.add(&format!("{} = ?", view.column("status")), query.status.as_deref());
    let sql = format!(
        "select i.definition, i.definition_version, coalesce({}, '') as step, count(*)
         from {} where {} and i.definition is not null group by 1, 2, 3 order by 1, 2, 3",
        view.column("step"),
        view.source(),
        conditions.sql
    );
    let mut parameters = view.parameters();
    parameters.extend(conditions.parameters());
    connection
        .prepare_cached(&sql)?
        .query_map(&*parameters, |row| {
            let definition = DefinitionRef { name: row.get(0)?, version: row.get(1)? };
            Ok(Tally { definition, step: row.get(2)?, count: rows::number(row, 3)? })
        })?
        .collect()
}

pub(super) fn past(
    connection: &Connection,
    keys: &[Key],
    at: Timestamp,
) -> Result<Vec<Option<Record>>> {
    let view = View { is_sifted: false, at: Some(at.as_micros()) };
    let mut statement = connection.prepare_cached(&format!(
        "select {} from {}
         where i.created_at <= ?1 and i.tenant = ?2 and i.kind = ?3 and i.id = ?4",
        view.record(),
        view.source()
    ))?;
    keys.iter()
        .map(|key| {
            let (tenant, id) = (key.tenant.as_str(), key.id.as_str());
            let parameters = params![at.as_micros(), tenant, key.kind.code(), id];
            statement.query_row(parameters, rows::record).optional()
        })
        .collect()
}

pub(super) fn versions(
    connection: &Connection,
    key: &Key,
    before: Option<Version>,
    limit: u32,
) -> Result<Vec<Record>> {
    let address = "i.tenant = ?1 and i.kind = ?2 and i.id = ?3";
    let sql = format!(
        "select {} from instances i where {address} and i.version < ?4
         union all
         select {} from instances i join versions v indexed by versions_history
             on v.instance = i.number
         where {address} and v.version < ?4
         order by 1 desc limit ?5",
        record(|it| format!("i.{it}")),
        record(|it| format!("v.{it}")),
    );
    let before = before.map_or(i64::MAX, |it| rows::signed(it.0));
    let parameters = params![key.tenant.as_str(), key.kind.code(), key.id.as_str(), before, limit];
    page(connection.prepare_cached(&sql)?.query_map(parameters, rows::record)?)
}

/// What is looked at: instances as they are, or as they were.
struct View {
    /// Whether the index that has entities in order leads to them.
    is_sifted: bool,
    /// In microseconds.
    at: Option<i64>,
}

impl View {
    fn of(kind: Kind, at: Option<Timestamp>) -> Self {
        Self { is_sifted: kind == Kind::Entity, at: at.map(Timestamp::as_micros) }
    }

    fn source(&self) -> String {
        let instances = if self.is_sifted { NOW_SIFTED } else { NOW };
        let then = if self.at.is_some() { THEN } else { "" };
        format!("{instances}{then}")
    }

    /// Only what was there.
    fn restrict(&self, conditions: &mut Conditions<'_>, kind: Kind) {
        if kind == Kind::Entity {
            // The index is for these alone, and a number that is bound proves nothing.
            conditions.sql.push_str(" and i.kind = 1");
        }
        if self.at.is_some() {
            conditions.sql.push_str(" and i.created_at <= ?1");
        }
    }

    /// What changes from version to version, as an expression.
    fn column(&self, name: &str) -> String {
        match self.at {
            Some(_) => format!("iif(v.rowid is null, i.{name}, v.{name})"),
            None => format!("i.{name}"),
        }
    }

    /// Selects what [`rows::record`] reads.
    fn record(&self) -> String {
        record(|name| self.column(name))
    }

    /// What to bind before all else.
    fn parameters(&self) -> Vec<&dyn ToSql> {
        self.at.iter().map(|it| it as &dyn ToSql).collect()
    }
}

/// Selects what [`rows::record`] reads, given how to name what changes from version to version.
fn record(changing: impl Fn(&str) -> String) -> String {
    let column = |name: &str| match name {
        "created_at" | "tenant" | "kind" | "id" => format!("i.{name}"),
        _ => changing(name),
    };
    rows::RECORD.split(", ").map(column).collect::<Vec<_>>().join(", ")
}
