//! `waypost diff`: what is different between two moments of an instance.

use serde_json::Value;
use waypost_api::explain::{Change, Difference};

use crate::{
    exit::Failure,
    output::{Output, Tone, printable},
    place::{Place, PlaceArgs},
    when::instant,
};

/// Which instance.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Diff {
    /// Two moments of a chain
    Chain(DiffArgs),
    /// Two moments of a process
    Process(DiffArgs),
    /// Two moments of an entity
    Entity(DiffArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  waypost diff process ID --from 2 --to 5
  waypost diff chain ID --from 2026-01-31T12:00:00Z
  waypost diff entity ID --from 2026-01-31 --to 2026-02-01")]
pub(crate) struct DiffArgs {
    /// Its id
    id: String,

    /// The earlier moment: an RFC 3339 time, a day, or a version
    #[arg(long, value_name = "MOMENT", value_parser = moment)]
    from: String,

    /// The later moment; as it is unless given
    #[arg(long, value_name = "MOMENT", value_parser = moment)]
    to: Option<String>,

    #[command(flatten)]
    remote: PlaceArgs,
}

/// A moment, as the server reads it.
fn moment(given: &str) -> Result<String, String> {
    let is_version = !given.is_empty() && given.bytes().all(|it| it.is_ascii_digit());
    match is_version {
        true => Ok(given.to_owned()),
        false => instant(given).map(|it| it.to_string()),
    }
}

pub(crate) async fn run(which: Diff, output: Output) -> Result<(), Failure> {
    let (place, args) = match which {
        Diff::Chain(args) => (Place::Chain { id: args.id.clone() }, args),
        Diff::Process(args) => (Place::Process { id: args.id.clone() }, args),
        Diff::Entity(args) => (Place::Entity { id: args.id.clone() }, args),
    };
    let mut query = vec![("from", args.from.as_str())];
    query.extend(args.to.as_deref().map(|it| ("to", it)));
    let found: Difference = place.read(&args.remote, (&["diff"], &query)).await?;
    if output.is_json {
        return output.json(&found);
    }
    let (from, to) = (found.from.version, found.to.version);
    if found.changes.is_empty() {
        return output.line(&format!("version {from} and version {to} are alike"));
    }
    output.line(&format!("from version {from} to version {to}"))?;
    found.changes.iter().try_for_each(|it| output.line(&told(it, output)))
}

fn told(change: &Change, output: Output) -> String {
    let path = printable(&change.path);
    let value = |it: &Option<Value>| {
        printable(&it.as_ref().map_or_else(|| "nothing".to_owned(), Value::to_string))
    };
    let (before, after) = (value(&change.from), value(&change.to));
    match change.op.as_str() {
        "add" => output.paint(&format!("+ {path}  {after}"), Tone::Good),
        "remove" => output.paint(&format!("- {path}  {before}"), Tone::Bad),
        _ => format!("~ {path}  {before} → {after}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_moment_is_a_version_a_time_or_a_day() {
        assert_eq!(moment("12").unwrap(), "12");
        assert_eq!(moment("2026-01-31").unwrap(), moment("2026-01-31T00:00:00Z").unwrap());
        assert!(moment("").is_err());
        assert!(moment("soon").is_err());
    }

    #[test]
    fn changes_are_told_in_a_line() {
        let change = |op: &str, from: Option<Value>, to: Option<Value>| {
            told(&Change { op: op.into(), path: "/a".into(), from, to }, Output::new(false))
        };
        assert_eq!(change("replace", Some(json!(1)), Some(json!("x"))), "~ /a  1 → \"x\"");
        assert!(change("add", None, Some(json!({}))).contains("+ /a  {}"));
        assert!(change("remove", Some(Value::Null), None).contains("- /a  null"));
    }
}
