//! What the machine offers: time, open files, disk.

use std::path::Path;

use waypost_engine::SystemClock;
use waypost_kernel::{Clock, Timestamp};

use super::finding::Finding;
use crate::settings::Config;

/// No clock that is right shows less: 2026-01-01.
const NOT_BEFORE: Timestamp = Timestamp::from_millis(1_767_225_600_000);
/// Files a server has open beside its connections.
const FILES_BESIDE: u64 = 64;
/// Below this a store is about to stop.
const DISK_LEAST: u64 = 100 << 20;
/// Below this somebody should look.
const DISK_LITTLE: u64 = 1 << 30;

pub(super) fn clock() -> Finding {
    let now = SystemClock.now();
    let shown = crate::when::date_time(waypost_api::Timestamp::from_micros(now.as_micros()));
    if now < NOT_BEFORE {
        let advice = "leases and deadlines go by it: set the time, and keep it right with NTP";
        return Finding::fail("clock", format!("shows {shown}"), Some(advice.to_owned()));
    }
    Finding::ok("clock", format!("shows {shown}"))
}

#[cfg(unix)]
pub(super) fn open_files(config: &Config) -> Option<Finding> {
    use rustix::process::{Resource, getrlimit};
    let limits = &config.limits;
    let connections = limits.connections_max.saturating_add(limits.grpc_connections_max);
    let wanted = u64::try_from(connections).unwrap_or(u64::MAX).saturating_add(FILES_BESIDE);
    Some(match getrlimit(Resource::Nofile).current {
        Some(limit) if limit < wanted => Finding::warn(
            "open files",
            format!("{limit} may be open at a time, but connections alone may need {wanted}"),
            format!(
                "raise the limit (ulimit -n {wanted}), or lower limits.connections_max and limits.grpc_connections_max"
            ),
        ),
        Some(limit) => Finding::ok("open files", format!("{limit} may be open at a time")),
        None => Finding::ok("open files", "any number may be open"),
    })
}

#[cfg(not(unix))]
pub(super) fn open_files(_config: &Config) -> Option<Finding> {
    None
}

#[cfg(unix)]
pub(super) fn free_disk(folder: &Path) -> Option<Finding> {
    let found = rustix::fs::statvfs(folder).ok()?;
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    let detail = format!("{} MiB free at {}", free >> 20, folder.display());
    let advice = "make room before it is full: then nothing can be written";
    Some(match free {
        ..DISK_LEAST => Finding::fail("free disk", detail, Some(advice.to_owned())),
        DISK_LEAST..DISK_LITTLE => Finding::warn("free disk", detail, advice),
        DISK_LITTLE.. => Finding::ok("free disk", detail),
    })
}

#[cfg(not(unix))]
pub(super) fn free_disk(_folder: &Path) -> Option<Finding> {
    None
}

/// The kind of file system a folder is on, where the system tells.
pub(super) fn file_system(folder: &Path) -> Option<Finding> {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    let kind = kind_of(&mounts, &folder.canonicalize().ok()?)?;
    let detail = format!("{} is on {kind}", folder.display());
    let advice = match kind {
        "tmpfs" | "ramfs" => "it is gone after a restart: use a folder on a disk",
        "overlay" | "aufs" => "it is gone with the container: mount a volume there",
        "nfs" | "nfs4" | "cifs" | "smb3" | "9p" => {
            "file locks over a network are not to be trusted: use a local disk, or PostgreSQL"
        }
        _ => return Some(Finding::ok("file system", detail)),
    };
    Some(Finding::warn("file system", detail, advice))
}

/// The type of the mount with the longest path that leads to `folder`.
fn kind_of<'a>(mounts: &'a str, folder: &Path) -> Option<&'a str> {
    let mount = |line: &'a str| {
        let (before, after) = line.split_once(" - ")?;
        let place = before.split(' ').nth(4)?;
        let leads = folder.starts_with(place.replace("\\040", " "));
        leads.then(|| Some((place.len(), after.split(' ').next()?))).flatten()
    };
    mounts.lines().filter_map(mount).max_by_key(|(length, _)| *length).map(|(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_mount_counts() {
        let mounts = "\
            22 1 0:21 / / rw - overlay overlay rw\n\
            23 22 0:22 / /data rw,noatime shared:1 - ext4 /dev/sda1 rw\n\
            24 22 0:23 / /data/my\\040files rw - tmpfs tmpfs rw\n";
        for (folder, expected) in [
            ("/", "overlay"),
            ("/data/x", "ext4"),
            ("/database", "overlay"),
            ("/data/my files", "tmpfs"),
        ] {
            assert_eq!(kind_of(mounts, Path::new(folder)), Some(expected), "{folder}");
        }
    }
}
