//! Goes through the instances of one definition by id, as they are and as they were, and counts them.

use waypost_kernel::{
    DefinitionRef, Key, Kind, Lookup, PAGE_BYTES_MAX, Record, Sift, StoreError, Tally, TallyQuery,
    Timestamp, Version,
};

use super::{
    conditions::Conditions,
    pool::Connections,
    rows::{Keys, RECORD, column, record, signed, unsigned},
};
use crate::steps::enclosed;

pub(super) async fn sift(readers: &Connections, sift: &Sift) -> Result<Vec<Record>, StoreError> {
    let mut conditions = Conditions::none();
    let view = View::of(&mut conditions, sift.at);
    conditions.add("i.tenant = ?", Some(sift.tenant.as_str()));
    restrict_kind(&mut conditions, sift.kind);
    conditions.add("i.definition = ?", Some(sift.definition.name.as_str()));
    conditions.add("i.definition_version = ?", Some(sift.definition.version));
    conditions.add("i.id > ?", sift.after.as_ref().map(|it| it.as_str()));
    conditions.add(&format!("{} = ?", view.column("status")), sift.status.as_deref());
    restrict_steps(&mut conditions, &view.column("step"), &sift.steps);
    let lookup = sift.lookup.as_ref().filter(|_| sift.at.is_none());
    if lookup.is_some_and(|it| it.spans.is_empty()) {
        return Ok(Vec::new());
    }
    let (source, order) = match lookup {
        Some(lookup) => (looked_up(&mut conditions, sift, lookup), "t.id"),
        None => (view.source(), "i.id"),
    };
    let offset = conditions.place(i64::from(sift.offset));
    let limit = conditions.place(i64::from(sift.limit));
    let sql = format!(
        "select {} from {source} where {} order by {order} offset {offset} limit {limit}",
        view.record(),
        conditions.sql
    );
    let rows = readers.read(&page(&sql, "id"), &conditions.parameters()).await?;
    rows.iter().map(record).collect()
}

/// Only what a page has room for of what a statement selects in this order. The database knows how
/// long a state is without reading it.
fn page(sql: &str, order: &str) -> String {
    format!(
        "select {RECORD} from (
            select *, sum(octet_length(state)) over (
                order by {order} rows between unbounded preceding and 1 preceding
            ) as n_bytes from ({sql}) q
        ) p where coalesce(n_bytes, 0) < {PAGE_BYTES_MAX} order by {order}"
    )
}

/// The index of entities is for these alone, and a number that is bound proves nothing.
fn restrict_kind(conditions: &mut Conditions<'_>, kind: Kind) {
    conditions.add("i.kind = ?", Some(kind.code()));
    if kind == Kind::Entity {
        conditions.sql.push_str(" and i.kind = 1");
    }
}

/// Only instances at one of the steps.
fn restrict_steps<'q>(conditions: &mut Conditions<'q>, step: &str, steps: &'q [String]) {
    if steps.is_empty() {
        return;
    }
    let enclosed: Vec<Option<String>> = steps.iter().map(|it| enclosed(it)).collect();
    let places = conditions.place(enclosed);
    // Null is in nothing.
    conditions.sql.push_str(&format!(
        " and exists (select 1 from unnest({places}::text[]) as s (name)
            where position(s.name in chr(31) || {step} || chr(31)) > 0)"
    ));
}

/// Instances with a term in one of the spans: first their ids in order, each once, then the rest. The
/// offset keeps the database from reading all instances first when it takes them for few.
fn looked_up<'q>(conditions: &mut Conditions<'q>, sift: &'q Sift, lookup: &'q Lookup) -> String {
    let tenant = conditions.place(sift.tenant.as_str());
    let kind = conditions.place(sift.kind.code());
    let name = conditions.place(sift.definition.name.as_str());
    let version = conditions.place(sift.definition.version);
    let path = conditions.place(lookup.path.as_str());
    let after = sift.after.as_ref().map(|it| conditions.place(it.as_str()));
    let after = after.map_or_else(String::new, |it| format!(" and id > {it}"));
    let mut spans = Vec::new();
    for span in &lookup.spans {
        let from = conditions.place(span.from.as_slice());
        let to = span.to.as_deref().map(|to| conditions.place(to));
        let to = to.map_or_else(String::new, |it| format!(" and key < {it}"));
        spans.push(format!(
            "select id from terms where tenant = {tenant} and kind = {kind}
                and definition = {name} and definition_version = {version} and path = {path}
                and key >= {from}{to}{after}"
        ));
    }
    let ids = spans.join(" union all ");
    format!(
        "(select distinct id from ({ids}) u order by id) t
        cross join lateral (
            select * from instances
            where tenant = {tenant} and kind = {kind} and id = t.id offset 0
        ) i"
    )
}

pub(super) async fn tally(
    readers: &Connections,
    query: &TallyQuery,
) -> Result<Vec<Tally>, StoreError> {
    let mut conditions = Conditions::none();
    let view = View::of(&mut conditions, query.at);
    conditions.add("i.tenant = ?", Some(query.tenant.as_str()));
    restrict_kind(&mut conditions, query.kind);
    let definition = query.definition.as_ref();
    conditions.add("i.definition = ?", definition.map(|it| it.name.as_str()));
    conditions.add("i.definition_version = ?", definition.map(|it| it.version));
    conditions.add(&format!("{} = ?", view.column("status")), query.status.as_deref());
    let sql = format!(
        "select i.definition, i.definition_version, coalesce({}, '') as step, count(*)
        from {} where {} and i.definition is not null group by 1, 2, 3",
        view.column("step"),
        view.source(),
        conditions.sql
    );
    let mut tallies = Vec::new();
    for row in readers.read(&sql, &conditions.parameters()).await? {
        let number: i32 = column(&row, 1)?;
        let definition = DefinitionRef { name: column(&row, 0)?, version: number };
        let (step, count) = (column(&row, 2)?, unsigned(column(&row, 3)?));
        tallies.push(Tally { definition, step, count });
    }
    tallies.sort_unstable();
    Ok(tallies)
}

pub(super) async fn past(
    readers: &Connections,
    keys: &[Key],
    at: Timestamp,
) -> Result<Vec<Option<Record>>, StoreError> {
    let mut found: Vec<Option<Record>> = keys.iter().map(|_| None).collect();
    if keys.is_empty() {
        return Ok(found);
    }
    let mut conditions = Conditions::none();
    let view = View::of(&mut conditions, Some(at));
    let columns: Keys<'_> = keys.iter().collect();
    let tenants = conditions.place(columns.tenants);
    let kinds = conditions.place(columns.kinds);
    let ids = conditions.place(columns.ids);
    let sql = format!(
        "select {}, k.n
        from unnest({tenants}::text[], {kinds}::smallint[], {ids}::text[])
            with ordinality as k (tenant, kind, id, n)
        join {} on true
        where i.tenant = k.tenant and i.kind = k.kind and i.id = k.id and {}",
        view.record(),
        view.nested(),
        conditions.sql
    );
    for row in readers.read(&sql, &conditions.parameters()).await? {
        let number: i64 = column(&row, row.len() - 1)?;
        let index = usize::try_from(number - 1).unwrap_or(usize::MAX);
        if let Some(place) = found.get_mut(index) {
            *place = Some(record(&row)?);
        }
    }
    Ok(found)
}

pub(super) async fn versions(
    readers: &Connections,
    key: &Key,
    before: Option<Version>,
    limit: u32,
) -> Result<Vec<Record>, StoreError> {
    let address = "i.tenant = $1 and i.kind = $2 and i.id = $3";
    let sql = format!(
        "select {} from instances i where {address} and i.version < $4
        union all
        (select {} from instances i
        join versions v on v.tenant = i.tenant and v.kind = i.kind and v.id = i.id
        where {address} and v.version < $4 order by v.version desc limit $5)
        order by version desc limit $5",
        columns(|it| format!("i.{it}")),
        columns(|it| format!("v.{it}")),
    );
    let before = before.map_or(i64::MAX, |it| signed(it.0));
    let (tenant, kind, id) = (key.tenant.as_str(), key.kind.code(), key.id.as_str());
    let sql = page(&sql, "version desc");
    let rows = readers.read(&sql, &[&tenant, &kind, &id, &before, &i64::from(limit)]).await?;
    rows.iter().map(record).collect()
}

/// What is looked at: instances as they are, or as they were.
struct View {
    /// How the statement names the instant.
    at: Option<String>,
}

impl View {
    /// At an instant, there is only what had begun.
    fn of(conditions: &mut Conditions<'_>, at: Option<Timestamp>) -> Self {
        let at = at.map(|it| conditions.place(it.as_micros()));
        if let Some(at) = &at {
            conditions.sql.push_str(&format!(" and i.created_at <= {at}"));
        }
        Self { at }
    }

    /// Each instance, beside the version it had if it has changed since and that was kept.
    fn source(&self) -> String {
        match &self.at {
            Some(at) => format!(
                "instances i left join lateral (
                    select {} from versions p
                    where p.tenant = i.tenant and p.kind = i.kind and p.id = i.id
                        and i.updated_at > {at} and p.updated_at <= {at}
                    order by p.version desc limit 1
                ) v on true",
                columns(|name| format!("p.{name}"))
            ),
            None => "instances i".to_owned(),
        }
    }

    /// The same, to be joined with something else.
    fn nested(&self) -> String {
        format!("({})", self.source())
    }

    /// What changes from version to version, as an expression.
    fn column(&self, name: &str) -> String {
        match self.at {
            Some(_) => format!("case when v.version is null then i.{name} else v.{name} end"),
            None => format!("i.{name}"),
        }
    }

    /// Selects what [`record`] reads.
    fn record(&self) -> String {
        columns(|name| self.column(name))
    }
}

/// Selects what [`record`] reads, given how to name what changes from version to version.
fn columns(changing: impl Fn(&str) -> String) -> String {
    let column = |name: &str| match name {
        "tenant" | "kind" | "id" | "created_at" => format!("i.{name}"),
        _ => changing(name),
    };
    let named = RECORD.split(", ").map(|name| format!("{} as {name}", column(name)));
    named.collect::<Vec<_>>().join(", ")
}
