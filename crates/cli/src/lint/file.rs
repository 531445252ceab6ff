//! The files to look at: those that are named, and those in folders that are.

use std::path::{Path, PathBuf};

use waypost_lint::limits::TEXT_MAX;

use crate::{exit::Failure, remote::read};

/// Files of all folders together. More is not a folder of definitions.
const FILES_MAX: usize = 10_000;

/// How deep folders are looked into.
const DEPTH_MAX: usize = 16;

/// A text and where it came from.
pub(super) struct Text {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) is_from_folder: bool,
}

/// All texts, in the order they were named, those of a folder by name.
pub(super) fn texts(names: &[String]) -> Result<Vec<Text>, Failure> {
    let mut texts = Vec::new();
    for name in names {
        if !Path::new(name).is_dir() {
            texts.push(Text { name: name.clone(), text: limited(name)?, is_from_folder: false });
            continue;
        }
        for path in inside(Path::new(name))? {
            let name = path.display().to_string();
            texts.push(Text { text: limited(&name)?, name, is_from_folder: true });
        }
    }
    Ok(texts)
}

fn limited(name: &str) -> Result<String, Failure> {
    let length = std::fs::metadata(name).map_or(0, |it| it.len());
    if usize::try_from(length).is_ok_and(|it| it > TEXT_MAX) {
        let what = format!("{name} has {length} bytes, of {TEXT_MAX} allowed");
        return Err(Failure::usage(what));
    }
    read(name)
}

/// The files of a folder that may be definitions.
fn inside(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    let mut open = vec![(folder.to_path_buf(), 0)];
    while let Some((folder, depth)) = open.pop() {
        let failed =
            |error| Failure::usage(format!("{} cannot be read: {error}", folder.display()));
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let is_hidden =
                path.file_name().is_some_and(|it| it.to_string_lossy().starts_with('.'));
            let is_definition = path.extension().is_some_and(|it| it == "json" || it == "toml");
            if path.is_dir() && !is_hidden && depth < DEPTH_MAX {
                open.push((path, depth + 1));
            } else if is_definition && path.is_file() {
                found.push(path);
            }
        }
        if found.len() > FILES_MAX {
            let what = format!("{} has more than {FILES_MAX} files", folder.display());
            return Err(Failure::usage(what));
        }
    }
    found.sort();
    Ok(found)
}
