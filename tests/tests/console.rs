//! The console: what is committed is what is built, and its own tests drive the program in a
//! browser.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use e2e::binary::{drone_survey, waypost};
use waypost_testkit::services;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../console")
}

/// Runs npm in the console. What waits for something that does not come is cut off.
fn npm(arguments: &[&str], more: &[(&str, &Path)]) -> String {
    services::fetch_node_packages(&folder()).unwrap();
    let ran = Command::new("timeout")
        .args(["1800", "npm"])
        .args(arguments)
        .current_dir(folder())
        .env("WAYPOST_BIN", waypost())
        .envs(more.iter().copied())
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&ran.stdout);
    let err = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{out}\n{err}");
    out.into_owned()
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            let below = files(&path);
            found.extend(below.into_iter().map(|(inner, text)| (format!("{name}/{inner}"), text)));
        } else {
            found.insert(name, fs::read(path).unwrap());
        }
    }
    found
}

#[test]
fn what_is_committed_is_what_is_built() {
    let fresh = tempfile::tempdir().unwrap();
    let place = fresh.path().join("dist").display().to_string();
    npm(&["run", "build", "--silent", "--", "--outDir", &place, "--emptyOutDir"], &[]);
    let (built, kept) = (files(Path::new(&place)), files(&folder().join("dist")));
    let names = |of: &BTreeMap<String, Vec<u8>>| of.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&built), names(&kept), "run `npm run build` in console and commit dist");
    for (name, content) in built {
        assert!(kept[&name] == content, "{name} is not what is built");
    }
}

#[test]
fn the_console_passes_its_tests() {
    let out = npm(&["test", "--silent"], &[("WAYPOST_DRONES", drone_survey())]);
    // A run that finds no tests would be green, too.
    let passed =
        out.lines().find_map(|line| line.split("pass ").nth(1)?.trim().parse::<u32>().ok());
    assert!(passed.is_some_and(|it| it > 100), "{out}");
}
