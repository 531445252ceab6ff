//! The configuration file: every value with its place, unknown keys refused.

use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use super::{catalog, nearest::nearest};
use crate::exit::Failure;

/// One value of the file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) path: Vec<String>,
    pub(super) text: String,
    pub(super) line: usize,
}

/// The file that is read when none is named, if it is there.
pub(super) const DEFAULT: &str = "waypost.toml";

/// Which file to read: the named one, or the default if it exists.
pub(super) fn choose(named: Option<&Path>) -> Option<PathBuf> {
    let default = || Some(PathBuf::from(DEFAULT)).filter(|it| it.is_file());
    named.map(Path::to_owned).or_else(default)
}

/// Everything the file sets.
pub(super) fn read(path: &Path) -> Result<Vec<Entry>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        Failure::usage(format!("the configuration {} cannot be read: {error}", path.display()))
            .advise("name another file with --config, or leave it out to use the defaults")
    })?;
    entries(&text).map_err(|problem| {
        let failure = Failure::usage(format!("{} {}", path.display(), problem.what));
        Failure { advice: problem.advice, ..failure }
    })
}

/// What is wrong, without the name of the file.
struct Problem {
    what: String,
    advice: Option<String>,
}

fn entries(text: &str) -> Result<Vec<Entry>, Problem> {
    let table = DeTable::parse(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_of(text, span.start));
        Problem { what: format!("line {line}: {}", first_line(error.message())), advice: None }
    })?;
    let mut found = Vec::new();
    collect(text, &mut Vec::new(), table.get_ref(), &mut found)?;
    Ok(found)
}

fn collect(
    text: &str,
    path: &mut Vec<String>,
    table: &DeTable<'_>,
    found: &mut Vec<Entry>,
) -> Result<(), Problem> {
    for (name, value) in table {
        let line = line_of(text, name.span().start);
        path.push(name.get_ref().to_string());
        if let DeValue::Table(table) = value.get_ref() {
            collect(text, path, table, found)?;
        } else {
            known(path, line)?;
            let text = scalar(value.get_ref()).map_err(|what| Problem {
                what: format!("line {line}: {} {what}", path.join(".")),
                advice: None,
            })?;
            found.push(Entry { path: path.clone(), text, line });
        }
        path.pop();
    }
    Ok(())
}

fn scalar(value: &DeValue<'_>) -> Result<String, String> {
    match value {
        DeValue::String(text) => Ok(text.to_string()),
        DeValue::Integer(number) if number.radix() == 10 => Ok(number.as_str().to_owned()),
        DeValue::Boolean(value) => Ok(value.to_string()),
        DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Datetime(_)
        | DeValue::Array(_)
        | DeValue::Table(_) => {
            let found = value.type_str();
            Err(format!("must be a text, a whole number or true/false, and is of type {found}"))
        }
    }
}

fn known(path: &[String], line: usize) -> Result<(), Problem> {
    if catalog::ALL.iter().any(|key| key.matches(path)) {
        return Ok(());
    }
    let given = path.join(".");
    let advice = match nearest(&given, catalog::ALL.iter().map(|key| filled(key.path, path))) {
        Some(meant) => format!("did you mean {meant}?"),
        None => "`waypost serve --print-config` shows the keys there are".to_owned(),
    };
    Err(Problem { what: format!("line {line}: unknown key {given}"), advice: Some(advice) })
}

/// The pattern with the names that were given at its free places.
fn filled(pattern: &str, path: &[String]) -> String {
    let part = |(index, part): (usize, &str)| match path.get(index) {
        Some(given) if part == "*" => given.clone(),
        Some(_) | None => part.to_owned(),
    };
    pattern.split('.').enumerate().map(part).collect::<Vec<_>>().join(".")
}

fn line_of(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|it| *it == b'\n').count() + 1
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or("cannot be read")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        match entries(text) {
            Ok(found) => format!("{found:?}"),
            Err(Problem { what, advice }) => format!("{what}; {}", advice.unwrap_or_default()),
        }
    }

    #[test]
    fn values_keep_their_place() {
        let found =
            entries("http = \"[::1]:1\"\n[chain.types.\"a.b\".steps.PAY]\nmax_attempts = 3");
        let Ok(found) = found else { panic!("the file is right") };
        assert_eq!(found.len(), 2);
        let last = found.iter().find(|it| it.text == "3").map(|it| (it.path.join("/"), it.line));
        assert_eq!(last, Some(("chain/types/a.b/steps/PAY/max_attempts".to_owned(), 3)));
    }

    #[test]
    fn unknown_keys_are_refused_with_what_was_meant() {
        assert_eq!(problem("stroe = \"x\""), "line 1: unknown key stroe; did you mean store?");
        assert_eq!(
            problem("\n[chian]\nstrict_signals = true"),
            "line 3: unknown key chian.strict_signals; did you mean chain.strict_signals?"
        );
        assert_eq!(
            problem("[chain.types.order]\nmax_atempts = 1"),
            "line 2: unknown key chain.types.order.max_atempts; did you mean chain.types.order.max_attempts?"
        );
        assert_eq!(
            problem("colour = 1"),
            "line 1: unknown key colour; `waypost serve --print-config` shows the keys there are"
        );
    }

    #[test]
    fn what_is_not_toml_is_refused_with_its_line() {
        assert!(problem("http = \"a\"\nstore = ").starts_with("line 2: "), "{}", problem("a = "));
        assert_eq!(
            problem("http = [1]"),
            "line 1: http must be a text, a whole number or true/false, and is of type array; "
        );
    }
}
