//! Reads TOML, and keeps where everything stands.

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{Member, Node, Value, json::Fault};
use crate::limits::DEPTH_MAX;

/// The tree of a TOML text.
///
/// # Errors
/// What is not TOML about it.
pub(crate) fn parse(text: &str) -> Result<Node, Fault> {
    let table = DeTable::parse(text)
        .map_err(|error| (error.span().map_or(0, |it| it.start), error.message().to_owned()))?;
    let members = members(table.get_ref(), 0)?;
    Ok(Node { span: 0..text.len(), value: Value::Object(members) })
}

fn members(table: &DeTable<'_>, depth: usize) -> Result<Vec<Member>, Fault> {
    let member = |(name, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
        let name_span = name.span();
        let name: &std::borrow::Cow<'_, str> = name.get_ref();
        Ok(Member { name: name.to_string(), name_span, node: node(value, depth + 1)? })
    };
    let mut members = table.iter().map(member).collect::<Result<Vec<_>, Fault>>()?;
    // Tables may come sorted by name.
    members.sort_by_key(|it| it.name_span.start);
    Ok(members)
}

fn node(value: &Spanned<DeValue<'_>>, depth: usize) -> Result<Node, Fault> {
    let span = value.span();
    if depth > DEPTH_MAX {
        return Err((span.start, format!("nested deeper than {DEPTH_MAX} levels")));
    }
    let value = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => Value::Number(number.to_string()),
        DeValue::Float(number) => Value::Number(number.to_string()),
        DeValue::Boolean(yes) => Value::Bool(*yes),
        DeValue::Datetime(at) => Value::Text(at.to_string()),
        DeValue::Array(items) => {
            let items = items.iter().map(|it| node(it, depth + 1));
            Value::List(items.collect::<Result<_, _>>()?)
        }
        DeValue::Table(table) => Value::Object(members(table, depth)?),
    };
    Ok(Node { span, value })
}
