//! Everything that the library shows has an example that runs.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// The source files below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, found),
            false => found.push(path),
        }
    }
}

/// What the library is made of: itself, its derives, and what it passes on.
fn texts() -> Vec<String> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = vec![crates.join("machines/src/lifecycle.rs")];
    for folder in ["lifecycle/src", "lifecycle-derive/src", "machines/src/lifecycle"] {
        sources(&crates.join(folder), &mut found);
    }
    found.iter().map(|it| fs::read_to_string(it).unwrap()).collect()
}

/// The names that the library shows.
fn shown() -> BTreeSet<String> {
    let root = include_str!("../../src/lib.rs");
    let uses = root.split("pub use ").skip(1).filter_map(|it| it.split(';').next());
    let uses =
        uses.filter(|it| it.contains("::") && !it.contains("probe") && !it.contains("std::"));
    let words = uses.flat_map(|it| it.split(|it: char| !it.is_ascii_alphanumeric()));
    let is_item = |it: &&str| it.starts_with(|it: char| it.is_ascii_uppercase());
    words.filter(is_item).map(str::to_owned).collect()
}

/// The name that a line declares, with the word that declares it.
fn declared(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix("pub ")?;
    let rest = rest.strip_prefix("const fn").map_or(rest, |it| &rest[rest.len() - it.len() - 2..]);
    let rest = rest.strip_prefix("async ").unwrap_or(rest);
    let (what, rest) = rest.split_once(' ')?;
    let end = rest.find(|it: char| !it.is_ascii_alphanumeric() && it != '_');
    Some((what, &rest[..end.unwrap_or(rest.len())]))
}

/// Whether the documentation above a line has an example.
fn has_example(lines: &[&str], index: usize) -> bool {
    let above = lines[..index].iter().rev().map(|it| it.trim_start());
    let mut own =
        above.take_while(|it| it.starts_with("//") || it.starts_with(['#', ')', 'm', 'l']));
    own.any(|it| it.starts_with("/// ```"))
}

#[test]
fn every_type_that_is_shown_has_an_example() {
    let (texts, mut without) = (texts(), shown());
    assert!(without.len() > 50, "{without:?}");
    for text in &texts {
        let lines: Vec<_> = text.lines().collect();
        for (index, line) in lines.iter().enumerate() {
            let Some((what, name)) = declared(line) else { continue };
            let is_type = ["struct", "enum", "trait", "type"].contains(&what);
            if is_type && !line.starts_with(' ') && has_example(&lines, index) {
                without.remove(name);
            }
        }
    }
    assert!(without.is_empty(), "without an example: {without:?}");
}

#[test]
fn every_function_that_is_shown_is_in_an_example() {
    let texts = texts();
    let documented = texts.iter().flat_map(|it| it.lines()).map(str::trim_start);
    let examples: Vec<_> = documented.filter(|it| it.starts_with("/// ")).collect();
    let is_called = |name: &str| {
        let calls =
            ["(", "::<"].map(|it| [format!(".{name}{it}"), format!("::{name}{it}")]).concat();
        examples.iter().any(|it| calls.iter().any(|call| it.contains(call)))
    };
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    sources(&library, &mut found);
    let mut without = BTreeSet::new();
    for path in found {
        let text = fs::read_to_string(&path).unwrap();
        // What the derives write into programs is not for people.
        let text = text.split("pub mod probe").next().unwrap();
        for line in text.lines() {
            if let Some(("fn", name)) = declared(line)
                && !is_called(name)
            {
                without.insert(name.to_owned());
            }
        }
    }
    assert!(without.is_empty(), "not in any example: {without:?}");
}
