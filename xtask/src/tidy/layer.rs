//! Crates are layers: each knows only what is below it, and the lowest know nothing of the world.

use super::tree::Tree;

/// Crates that do no I/O, read no clock, draw no random numbers and do not log.
const PURE: [&str; 4] = ["diagram", "documents", "kernel", "machines"];

/// What a pure crate has no use for.
const IMPURE: [&str; 24] = [
    "async-nats",
    "axum",
    "chrono",
    "deadpool-postgres",
    "fastrand",
    "futures-util",
    "getrandom",
    "hyper",
    "libc",
    "log",
    "mio",
    "rand",
    "reqwest",
    "rusqlite",
    "rustix",
    "socket2",
    "tempfile",
    "time",
    "tokio",
    "tokio-postgres",
    "tokio-util",
    "tower",
    "tracing",
    "uuid",
];

/// Who may depend on whom. The arrows of ARCHITECTURE.md, followed to their ends.
const BELOW: [(&str, &[&str]); 13] = [
    ("documents", &[]),
    ("kernel", &[]),
    ("machines", &["documents", "kernel"]),
    ("diagram", &["documents", "kernel", "machines"]),
    ("stores", &["kernel"]),
    ("engine", &["documents", "kernel", "machines"]),
    ("lifecycle", &["kernel", "lifecycle-derive", "machines"]),
    ("lifecycle-derive", &[]),
    ("api", &[]),
    ("server", &["documents", "kernel", "machines", "diagram", "engine", "lifecycle", "api"]),
    ("client", &["api"]),
    (
        "cli",
        &[
            "documents",
            "kernel",
            "machines",
            "diagram",
            "engine",
            "lifecycle",
            "api",
            "server",
            "client",
            "stores",
        ],
    ),
    ("testkit", &["kernel"]),
];

const FACES: [&str; 4] = ["entity", "process", "chain", "lifecycle"];

const MAP: &str = "ARCHITECTURE.md";

pub(super) fn every_crate_is_on_the_map(tree: &Tree) -> Vec<String> {
    let map = tree.text(MAP).unwrap_or_default();
    let is_named = |name: &str| {
        [format!("`{name}`"), format!("crates/{name}`")].iter().any(|it| map.contains(it))
    };
    let missing = crates(tree).filter(|(name, _)| !is_named(name));
    missing.map(|(name, _)| format!("{MAP}: does not name crates/{name}")).collect()
}

pub(super) fn pure_crates_stay_pure(tree: &Tree) -> Vec<String> {
    crates(tree)
        .filter(|(name, _)| PURE.contains(name))
        .flat_map(|(name, manifest)| dependencies(manifest).map(move |it| (name, it)))
        .filter(|(_, dependency)| IMPURE.contains(dependency))
        .map(|(name, it)| format!("crates/{name}/Cargo.toml: is pure and must not need {it}"))
        .collect()
}

pub(super) fn dependencies_point_down(tree: &Tree) -> Vec<String> {
    let mut findings = Vec::new();
    for (name, manifest) in crates(tree) {
        let Some((_, below)) = BELOW.iter().find(|(it, _)| *it == name) else {
            findings.push(format!("crates/{name}/Cargo.toml: has no place among the layers"));
            continue;
        };
        let ours = dependencies(manifest).filter_map(|it| it.strip_prefix("waypost-"));
        let above = ours.filter(|it| !below.contains(it));
        findings.extend(above.map(|it| format!("crates/{name}/Cargo.toml: must not know {it}")));
    }
    findings
}

pub(super) fn faces_do_not_know_each_other(tree: &Tree) -> Vec<String> {
    let mut findings = Vec::new();
    for face in FACES {
        let (file, folder) =
            (format!("crates/machines/src/{face}.rs"), format!("crates/machines/src/{face}/"));
        for (path, text) in tree.below("crates/machines/src/", ".rs") {
            if path != file && !path.starts_with(&folder) {
                continue;
            }
            let others = FACES.iter().filter(|it| **it != face && imports(text, it));
            findings.extend(others.map(|other| format!("{path}: must not know crate::{other}")));
        }
    }
    findings
}

/// The crates and their manifests.
fn crates(tree: &Tree) -> impl Iterator<Item = (&str, &str)> {
    tree.files().filter_map(|(path, text)| {
        let name = path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")?;
        (!name.contains('/')).then_some((name, text))
    })
}

/// What a manifest needs outside tests.
fn dependencies(manifest: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    manifest.lines().filter_map(move |line| {
        if let Some(section) = line.strip_prefix('[') {
            inside = section.starts_with("dependencies]") || section.starts_with("target.");
            let table = section.strip_prefix("dependencies.");
            return table.map(|it| it.trim_end_matches(']'));
        }
        let name = line.split(['=', '.', ' ']).next().filter(|it| !it.is_empty())?;
        (inside && !name.starts_with('#')).then_some(name)
    })
}

/// Whether the text has `crate::name` or `crate::{…, name…}` at the first level of the braces.
fn imports(text: &str, name: &str) -> bool {
    text.match_indices("crate::").any(|(at, found)| {
        let rest = text.get(at + found.len()..).unwrap_or_default();
        match rest.strip_prefix('{') {
            Some(group) => first_level(group).iter().any(|path| starts_with_word(path, name)),
            None => starts_with_word(rest, name),
        }
    })
}

/// The parts of a group of imports, up to its closing brace.
fn first_level(group: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0_u32, 0, Vec::new());
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                parts.push(group.get(start..at).unwrap_or_default().trim());
                start = at + 1;
                if character == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    parts
}

fn starts_with_word(text: &str, word: &str) -> bool {
    let goes_on = |it: char| it.is_alphanumeric() || it == '_';
    text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(goes_on))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_that_is_not_on_the_map_is_found() {
        let tree = Tree::of([
            (MAP, "`crates/kernel` is small, `api` is wide, machines are many"),
            ("crates/kernel/Cargo.toml", ""),
            ("crates/api/Cargo.toml", ""),
            ("crates/attic/Cargo.toml", ""),
        ]);
        assert_eq!(
            every_crate_is_on_the_map(&tree),
            ["ARCHITECTURE.md: does not name crates/attic"]
        );
    }

    #[test]
    fn a_pure_crate_that_needs_the_world_is_found() {
        let manifest = "[package]\nname = \"x\"\n[dependencies]\nserde.workspace = true\n\
                        tokio = { version = \"1\" }\n[dev-dependencies]\nuuid = \"1\"\n";
        let tree = Tree::of([
            ("crates/machines/Cargo.toml", manifest),
            ("crates/engine/Cargo.toml", manifest),
        ]);
        assert_eq!(
            pure_crates_stay_pure(&tree),
            ["crates/machines/Cargo.toml: is pure and must not need tokio"]
        );
    }

    #[test]
    fn a_dependency_that_points_up_is_found() {
        let tree = Tree::of([
            ("crates/stores/Cargo.toml", "[dependencies]\nwaypost-machines.workspace = true\n"),
            ("crates/api/Cargo.toml", "[dependencies.waypost-kernel]\nworkspace = true\n"),
            (
                "crates/engine/Cargo.toml",
                "[dependencies]\nwaypost-kernel.workspace = true\n[dev-dependencies]\n\
                 waypost-stores.workspace = true\n",
            ),
            ("crates/attic/Cargo.toml", ""),
        ]);
        assert_eq!(
            dependencies_point_down(&tree),
            [
                "crates/api/Cargo.toml: must not know kernel",
                "crates/attic/Cargo.toml: has no place among the layers",
                "crates/stores/Cargo.toml: must not know machines",
            ]
        );
    }

    #[test]
    fn a_face_that_knows_another_is_found() {
        let tree = Tree::of([
            ("crates/machines/src/chain.rs", "use crate::process::Graph;"),
            ("crates/machines/src/chain/decide.rs", "use crate::{text, entity::{process, x}};"),
            ("crates/machines/src/process/parse.rs", "use crate::{process::{chain}, chained};"),
            ("crates/machines/src/lib.rs", "pub use crate::{chain, process};"),
        ]);
        assert_eq!(
            faces_do_not_know_each_other(&tree),
            [
                "crates/machines/src/chain.rs: must not know crate::process",
                "crates/machines/src/chain/decide.rs: must not know crate::entity",
            ]
        );
    }
}
