//! A directory that goes away with its owner.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU32, Ordering},
};

/// How many names are tried before giving up: leftovers of a process with the same number.
const NAMES_MAX: u32 = 1_000;

static NEXT: AtomicU32 = AtomicU32::new(0);

/// Removed, with all that is in it, when it is dropped.
pub(super) struct TemporaryDirectory(PathBuf);

impl TemporaryDirectory {
    pub(super) fn new() -> io::Result<Self> {
        let parent = std::env::temp_dir();
        for _ in 0..NAMES_MAX {
            let count = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("waypost-{}-{count}", process::id()));
            match create_private(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryDirectory {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            tracing::warn!(path = %self.0.display(), %error, "a temporary directory stays behind");
        }
    }
}

/// The directory for temporary files is shared; what is in ours is nobody else's business.
#[cfg(unix)]
fn create_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().mode(0o700).create(path)
}

#[cfg(not(unix))]
fn create_private(path: &Path) -> io::Result<()> {
    fs::create_dir(path)
}
