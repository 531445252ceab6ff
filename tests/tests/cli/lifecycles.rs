//! Lifecycles that a server shows because a file describes them.

use std::path::Path;

use e2e::binary::{Running, command};
use expect_test::expect;
use tempfile::TempDir;

use crate::world::told;

/// The drone survey of the examples.
const SURVEY: &str = include_str!("../../../examples/lifecycles.toml");

fn folder(settings: &str, types: Option<&str>) -> TempDir {
    let folder = TempDir::new().unwrap();
    let file = format!("[lifecycle]\ntypes = \"lifecycles.toml\"\n{settings}");
    std::fs::write(folder.path().join("waypost.toml"), file).unwrap();
    if let Some(types) = types {
        std::fs::write(folder.path().join("lifecycles.toml"), types).unwrap();
    }
    folder
}

#[tokio::test]
async fn types_that_a_file_describes_are_there_for_operators() {
    let folder = folder("create_buckets = true\npath_prefix = \"ops\"", Some(SURVEY));
    let server = Running::serve(folder.path(), &["--store", "sqlite:w.db"]);
    let types = reqwest::get(format!("{}/ops", server.url)).await.unwrap();
    let types = types.text().await.unwrap();
    expect![[r#"[{"workflow":"drone-survey","kv_bucket":"MISSIONS","phases":["aborted","capturing","completed","failed","flying","landing","planning"],"terminal_phases":["aborted","completed","failed"],"operator_writable_fields":["battery","owner_org_id"],"counts_by_phase":{}}]"#]]
        .assert_eq(&types);
}

fn refused(folder: &Path) -> String {
    let output =
        command(folder).args(["serve", "--store", "sqlite::memory:", "--log", "error"]).output();
    told(&output.unwrap().into())
}

#[test]
fn a_file_that_cannot_be_used_is_refused_at_the_start() {
    let unknown = SURVEY.replace("[\"flying\", \"aborted\"]", "[\"flying\", \"lost\"]");
    let cases = [
        ("", None),
        ("", Some("types = 7")),
        ("create_buckets = true", Some(unknown.as_str())),
        ("", Some(SURVEY)),
        ("path_prefix = \"v1\"\ncreate_buckets = true", Some(SURVEY)),
    ];
    let told = cases.map(|(settings, types)| refused(folder(settings, types).path()));
    expect![[r#"
        error: lifecycles.toml: No such file or directory (os error 2)
        [exit 2]

        error: lifecycles.toml: TOML parse error at line 1, column 9
          |
        1 | types = 7
          |         ^
        invalid type: integer `7`, expected a sequence

        [exit 2]

        error: lifecycles.toml: the transitions of workflow "drone-survey" are invalid: "planning" leads to "lost", which is not declared
        [exit 2]

        error: lifecycles.toml: bucket "MISSIONS (of workflow \"drone-survey\")": there is no bucket "MISSIONS"
        [exit 2]

        error: lifecycle.path_prefix: /v1 is taken; use another, such as /workflows
        [exit 2]
    "#]].assert_eq(&told.join("\n"));
}
