//! Models as documents for people and programs. Clients compare these byte by byte: members are in
//! the order of their bytes, and nothing is between them.

use std::collections::BTreeMap;

use super::{
    schema::Schema,
    state::Lock,
    types::{Type, Types},
};

/// The entries of one object, by what they are shown as.
type Bucket = BTreeMap<String, String>;

/// The model as a JSON schema.
#[must_use]
pub fn json_schema(schema: &Schema, lock: Lock) -> String {
    let mut out = String::new();
    write_json_schema(schema, &mut out);
    exported(lock, &out)
}

/// The model as lists of members, one for each object, by path.
#[must_use]
pub fn simple_view(schema: &Schema, lock: Lock) -> String {
    let mut buckets = BTreeMap::new();
    match schema {
        Schema::Object(members) => fill("$".to_owned(), members, Bucket::new(), &mut buckets),
        Schema::Leaf(_) | Schema::Array { .. } => {}
    }
    let mut out = String::new();
    write_object(buckets.iter(), &mut out, |bucket, out| {
        write_object(bucket.iter(), out, |types, out| write_text(types, out));
    });
    exported(lock, &out)
}

fn exported(lock: Lock, model: &str) -> String {
    format!(r#"{{"currentState":"{lock}","model":{model}}}"#)
}

/// Fills the bucket of the object at `path`, which has `entries` already, and those below it.
fn fill(
    path: String,
    members: &BTreeMap<String, Schema>,
    mut entries: Bucket,
    buckets: &mut BTreeMap<String, Bucket>,
) {
    for (name, member) in members {
        match member {
            Schema::Leaf(types) => {
                entries.insert(format!(".{name}"), types.to_string());
            }
            Schema::Object(below) => {
                entries.insert(format!("#.{name}"), "OBJECT".to_owned());
                fill(format!("{path}.{name}"), below, Bucket::new(), buckets);
            }
            Schema::Array { element, .. } => match element.as_ref() {
                Schema::Object(below) => {
                    entries.insert(format!("#.{name}"), "OBJECT".to_owned());
                    let mark = Bucket::from([("#".to_owned(), "ARRAY_ELEMENT".to_owned())]);
                    fill(format!("{path}.{name}[*]"), below, mark, buckets);
                }
                Schema::Leaf(types) | Schema::Array { types, .. } => {
                    entries.insert(format!(".{name}[*]"), types.to_string());
                }
            },
        }
    }
    // Names with dots can make two paths one; then nothing of either is lost.
    buckets.entry(path).or_default().append(&mut entries);
}

fn write_json_schema(schema: &Schema, out: &mut String) {
    match schema {
        Schema::Leaf(types) => write_types(*types, out),
        Schema::Array { element, .. } => {
            out.push_str(r#"{"items":"#);
            write_json_schema(element, out);
            out.push_str(r#","type":"array"}"#);
        }
        Schema::Object(members) => {
            out.push_str(r#"{"properties":"#);
            write_object(members.iter(), out, write_json_schema);
            out.push_str(r#","type":"object"}"#);
        }
    }
}

fn write_types(types: Types, out: &mut String) {
    let written: Vec<_> = types.iter().map(|it| format!(r#"{{"type":"{}"}}"#, kind(it))).collect();
    match written.as_slice() {
        [] => out.push_str("{}"),
        [only] => out.push_str(only),
        several => out.push_str(&format!(r#"{{"oneOf":[{}]}}"#, several.join(","))),
    }
}

const fn kind(of: Type) -> &'static str {
    match of {
        Type::Integer | Type::Long | Type::BigInteger | Type::UnboundInteger => "integer",
        Type::Double | Type::BigDecimal | Type::UnboundDecimal => "number",
        Type::String => "string",
        Type::Boolean => "boolean",
        Type::Null => "null",
    }
}

fn write_object<'a, T: 'a>(
    members: impl Iterator<Item = (&'a String, &'a T)>,
    out: &mut String,
    write: impl Fn(&T, &mut String),
) {
    out.push('{');
    for (index, (name, member)) in members.enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_text(name, out);
        out.push(':');
        write(member, out);
    }
    out.push('}');
}

/// A JSON string that can also stand inside of a web page: that is how clients know these bytes.
fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            '\0'..='\x1f' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(character)));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}
