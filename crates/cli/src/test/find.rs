//! Which files have scenarios.

use std::path::{Path, PathBuf};

use crate::exit::Failure;

/// What names of files in folders end with.
const ENDINGS: [&str; 3] = [".scenarios.yaml", ".scenarios.yml", ".scenarios.json"];

/// Folders within folders: deeper ones are a link to themselves.
const DEPTH_MAX: usize = 32;

/// Files that are played at once. Who has more names a folder.
const FILES_MAX: usize = 10_000;

/// The files that are named, and those below the folders that are named, in a stable order.
pub(super) fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for path in paths {
        match path.is_dir() {
            true => below(path, 0, &mut found)?,
            false => found.push(path.clone()),
        }
    }
    if found.is_empty() {
        let advice =
            "files with scenarios end with .scenarios.yaml, .scenarios.yml or .scenarios.json";
        return Err(Failure::usage("no scenarios found").advise(advice));
    }
    Ok(found)
}

fn below(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::usage(format!("{}: {error}", folder.display()));
    let entries = std::fs::read_dir(folder).map_err(failed)?;
    let mut paths =
        entries.map(|it| it.map(|it| it.path())).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    paths.sort();
    for path in paths {
        let name = path.file_name().map(|it| it.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        let is_hidden = name.starts_with('.') || name == "target" || name == "node_modules";
        match path.is_dir() {
            true if !is_hidden && depth < DEPTH_MAX => below(&path, depth + 1, found)?,
            false if ENDINGS.iter().any(|it| name.ends_with(it)) => found.push(path),
            true | false => {}
        }
        if found.len() > FILES_MAX {
            return Err(Failure::usage(format!("more than {FILES_MAX} files with scenarios")));
        }
    }
    Ok(())
}
