//! The console: what is committed is what is built, and its own tests drive the program in a
//! browser.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use e2e::binary::{drone_survey, waypost};
use tokio::task::JoinSet;
use waypost_engine::{Engine, Settings, SystemClock, process::StartProcess};
use waypost_stores::{SqliteOptions, SqliteStore};
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

/// How many instances a list is opened with, and how many are stored at a time.
const INSTANCES: usize = 1_000;
const FILLERS: usize = 256;

/// A process that waits for a signal, which nobody sends.
const STORED: &str = r#"{"id":"stored","name":"Stored","steps":[
    {"id":"wait","name":"Wait","type":"WAIT","nextStep":"end"},
    {"id":"end","name":"End","type":"END"}]}"#;

/// Makes a store with many instances, faster than over HTTP.
#[tokio::main]
async fn fill(file: &Path) {
    let options = SqliteOptions::default();
    let store = Arc::new(SqliteStore::open(file, options, Arc::new(SystemClock)).unwrap());
    let engine = Engine::new(Arc::<SqliteStore>::clone(&store), Settings::default());
    engine.process().deploy(STORED).await.unwrap();
    let mut fillers = JoinSet::new();
    for _ in 0..FILLERS {
        let processes = engine.process();
        fillers.spawn(async move {
            for _ in 0..INSTANCES / FILLERS + 1 {
                let definition = "stored".to_owned();
                let start = StartProcess { definition, ..StartProcess::default() };
                processes.start(start).await.unwrap();
            }
        });
    }
    fillers.join_all().await;
    drop(engine);
    store.close().await.unwrap();
}

#[test]
fn the_console_passes_its_tests() {
    let folder = tempfile::tempdir().unwrap();
    let many = folder.path().join("many.db");
    fill(&many);
    let more = [("WAYPOST_DRONES", drone_survey()), ("WAYPOST_MANY", many.as_path())];
    let out = npm(&["test", "--silent"], &more);
    // A run that finds no tests would be green, too.
    let passed =
        out.lines().find_map(|line| line.split("pass ").nth(1)?.trim().parse::<u32>().ok());
    assert!(passed.is_some_and(|it| it > 100), "{out}");
}
