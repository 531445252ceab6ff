//! Everything that would be a script: `cargo xtask --help`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "talks to a terminal")]

mod install;
#[expect(dead_code, unreachable_pub, reason = "the tests use the rest of it")]
#[path = "../../crates/testkit/src/services.rs"]
mod services;
mod stages;
mod tidy;

use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
};

const HELP: &str = "\
Usage: cargo xtask <COMMAND>

Commands:
  test      Checks everything: format, lints, tests with PostgreSQL and NATS, documents, simulator.
            Installs and starts the servers where they are missing.
  tidy      Checks what no compiler does: layers, sizes, links, pages of error codes.
  services  Starts PostgreSQL and NATS, prints how to find them, and runs until Ctrl-C.

Environment:
  WAYPOST_TEST_POSTGRES  URL of a PostgreSQL server to use instead of starting one
  WAYPOST_TEST_NATS      URL of a NATS server to use instead of starting one
  WAYPOST_NATS_BIN       folder of the nats-server program, when it is not on the path
  WAYPOST_CHROMIUM       browser for the tests of the console, instead of Debian's
";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match *arguments.as_slice() {
        ["test"] => stages::test(),
        ["tidy"] => tidy::check(),
        ["services"] => stages::services(),
        ["--help" | "-h" | "help"] => {
            print!("{HELP}");
            Ok(())
        }
        [] => Err(format!("a command is missing\n\n{HELP}")),
        [other, ..] => Err(format!("{other} is not understood\n\n{HELP}")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Where the repository is.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}
