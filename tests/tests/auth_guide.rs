//! The guide of authentication tells the truth: a server is set up as it says, and asked for a token.

use std::process::Command;

use e2e::{
    binary::{Ran, Running},
    guide::{Reader, blocks, seen},
};
use tempfile::TempDir;

const GUIDE: &str = include_str!("../../docs/guides/authentication.md");

#[test]
fn a_server_that_is_set_up_as_the_guide_says_gives_tokens_to_its_client() {
    let shown = blocks(GUIDE, "sh");
    let [set_up, ask] = shown.as_slice() else { unreachable!("there are two blocks of commands") };
    let folder = TempDir::new().unwrap();
    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", set_up])
        .current_dir(folder.path())
        .output();
    let ran = Ran::from(output.unwrap());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let server = Running::serve(folder.path(), &["--store", "sqlite:w.db"]);
    let out = Reader::beside(folder, server).types(ask);
    seen(&out, &[r#""token_type":"Bearer""#, "shop", "ann", "no models"]);
}
