//! The TypeScript package for workers: built, and its own tests run against the program.

use std::{path::Path, process::Command};

use e2e::binary::waypost;
use waypost_testkit::services;

#[test]
fn the_typescript_package_passes_its_tests() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sdks/typescript");
    services::fetch_node_packages(&folder).unwrap();
    // What waits for something that does not come is cut off.
    let ran = Command::new("timeout")
        .args(["600", "npm", "test", "--silent"])
        .current_dir(&folder)
        .env("WAYPOST_BIN", waypost())
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&ran.stdout);
    let err = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{out}\n{err}");
    // A run that finds no tests would be green, too.
    let passed =
        out.lines().find_map(|line| line.split("pass ").nth(1)?.trim().parse::<u32>().ok());
    assert!(passed.is_some_and(|it| it > 40), "{out}");
}
