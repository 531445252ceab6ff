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
    named(line.trim_start().strip_prefix("pub ")?)
}

fn named(rest: &str) -> Option<(&str, &str)> {
    let rest = rest.strip_prefix("const fn").map_or(rest, |it| &rest[rest.len() - it.len() - 2..]);
    let rest = rest.strip_prefix("async ").unwrap_or(rest);
    let (what, rest) = rest.split_once(' ')?;
    let end = rest.find(|it: char| !it.is_ascii_alphanumeric() && it != '_');
    Some((what, &rest[..end.unwrap_or(rest.len())]))
}

/// The functions that a file shows: its own, and those of its traits.
fn functions(text: &str) -> Vec<&str> {
    let (mut is_trait, mut is_hidden, mut found) = (false, false, Vec::new());
    for line in text.lines() {
        match line {
            "}" => is_trait = false,
            line if line.starts_with("pub trait ") => is_trait = true,
            _ => {}
        }
        let method = line.strip_prefix("    ").filter(|_| is_trait).and_then(named);
        let shown = declared(line).or(method).filter(|(what, _)| *what == "fn" && !is_hidden);
        found.extend(shown.map(|(_, name)| name));
        is_hidden = line.ends_with("#[doc(hidden)]");
    }
    found
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

/// The examples of a file, and of the one that its folder belongs to.
fn examples(path: &Path) -> String {
    let parent = path.parent().unwrap().with_extension("rs");
    let texts = [path, &parent].map(|it| fs::read_to_string(it).unwrap_or_default());
    let lines = texts.iter().flat_map(|it| it.lines()).map(str::trim_start);
    lines.filter(|it| it.starts_with("/// ")).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_function_that_is_shown_is_in_an_example_beside_it() {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut found, mut n_functions, mut without) = (Vec::new(), 0, BTreeSet::new());
    sources(&library, &mut found);
    for path in found {
        let text = fs::read_to_string(&path).unwrap();
        let examples = examples(&path);
        // What the derives write into programs is not for people.
        for name in functions(text.split("pub mod probe").next().unwrap()) {
            let calls =
                [".", "::", "fn "].map(|it| ["(", "::<"].map(|end| format!("{it}{name}{end}")));
            n_functions += 1;
            if !calls.as_flattened().iter().any(|it| examples.contains(it)) {
                without.insert(name.to_owned());
            }
        }
    }
    assert!(n_functions > 100, "{n_functions}");
    assert!(without.is_empty(), "not in any example: {without:?}");
}
