//! The text files of the repository.

use std::{collections::BTreeMap, fs, path::Path, process::Command};

/// Path from the root, and text. Files that are not text are there with an empty one.
#[derive(Default)]
pub(super) struct Tree(BTreeMap<String, String>);

impl Tree {
    /// Reads what git knows.
    pub(super) fn read(root: &Path) -> Result<Self, String> {
        let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(root).output();
        let listed = listed.map_err(|error| format!("git cannot be run: {error}"))?;
        if !listed.status.success() {
            return Err(String::from_utf8_lossy(&listed.stderr).into_owned());
        }
        let paths = String::from_utf8_lossy(&listed.stdout);
        let read = |path: &str| Some((path.to_owned(), fs::read(root.join(path)).ok()?));
        let files = paths.split_terminator('\0').filter_map(read);
        Ok(Self(
            files
                .map(|(path, bytes)| (path, String::from_utf8(bytes).unwrap_or_default()))
                .collect(),
        ))
    }

    /// A tree made up for a test.
    #[cfg(test)]
    pub(super) fn of<const N: usize>(files: [(&str, &str); N]) -> Self {
        Self(files.map(|(path, text)| (path.to_owned(), text.to_owned())).into())
    }

    /// Every file with its text.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// The files below `folder` whose names end in `suffix`.
    pub(super) fn below<'a>(
        &'a self,
        folder: &'a str,
        suffix: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.files().filter(move |(path, _)| path.starts_with(folder) && path.ends_with(suffix))
    }

    /// The text of one file.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.0.get(path).map(String::as_str)
    }

    /// Whether there is a file or a folder of that name.
    pub(super) fn has(&self, path: &str) -> bool {
        let folder = format!("{}/", path.trim_end_matches('/'));
        path.is_empty()
            || self.0.contains_key(path)
            || self.0.keys().any(|it| it.starts_with(&folder))
    }
}
