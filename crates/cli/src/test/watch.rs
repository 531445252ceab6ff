//! Again and again, whenever a file changes.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    time::{Duration, SystemTime},
};

use super::{TestArgs, file::File, find, once};
use crate::{exit::Failure, output::Output};

/// How often files are looked at: as soon as somebody notices.
const APART: Duration = Duration::from_millis(200);

/// Plays until it is interrupted. What is malformed is told, and may be mended.
pub(super) async fn run(args: &TestArgs, output: Output) -> Result<(), Failure> {
    loop {
        let seen = stamps(args);
        match once(args, output) {
            Err(failure) if failure.is_silent => return Err(failure),
            Err(failure) => output.line(&format!("error: {failure}"))?,
            Ok(()) => {}
        }
        output.line("watching for changes")?;
        while stamps(args) == seen {
            tokio::time::sleep(APART).await;
        }
    }
}

/// When each file was changed, and how long it is.
fn stamps(args: &TestArgs) -> BTreeMap<PathBuf, Option<(SystemTime, u64)>> {
    let files = find::files(&args.paths).unwrap_or_default();
    let parts = files.iter().flat_map(|it| File::parts(it));
    let stamp = |path: PathBuf| {
        let metadata = std::fs::metadata(&path).ok();
        let stamp = metadata.and_then(|it| Some((it.modified().ok()?, it.len())));
        (path, stamp)
    };
    parts.map(stamp).collect()
}
