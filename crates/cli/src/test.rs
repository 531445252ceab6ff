//! `waypost test [PATH…]`: plays scenarios in virtual time, without a server.

mod cover;
mod file;
mod find;
mod junit;
mod report;
mod watch;

use std::path::PathBuf;

use waypost_rehearsal::{Played, coverage::Coverage, rehearse};

use self::file::File;
pub(crate) use self::file::parse;
use crate::{
    exit::{Exit, Failure},
    output::Output,
};

/// What to play.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  waypost test                                  # every *.scenarios.yaml below this folder
  waypost test examples --coverage
  waypost test order.scenarios.yaml --filter paid --watch

Exit codes: 0 all passed, 1 an expectation failed, 2 a file is malformed.")]
pub(crate) struct TestArgs {
    /// Files with scenarios, or folders with files named *.scenarios.yaml, .yml or .json
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,

    /// Only scenarios with this in their name
    #[arg(long, value_name = "NAME")]
    filter: Option<String>,

    /// Show which steps, exits, rules, timers and failures no scenario came to
    #[arg(long)]
    coverage: bool,

    /// Also write the outcome as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    /// Play them again whenever a file changes, until interrupted
    #[arg(long)]
    watch: bool,
}

/// A scenario that was played.
struct Tested {
    file: String,
    line: u64,
    name: String,
    played: Played,
}

impl Tested {
    fn has_passed(&self) -> bool {
        self.played.mismatches.is_empty()
    }
}

/// All that were played, and what they came to.
struct Run {
    tested: Vec<Tested>,
    coverage: Coverage,
}

pub(crate) async fn run(args: TestArgs, output: Output) -> Result<(), Failure> {
    if args.watch {
        return watch::run(&args, output).await;
    }
    once(&args, output)
}

fn once(args: &TestArgs, output: Output) -> Result<(), Failure> {
    let run = play(args)?;
    report::show(&run, args.coverage, output)?;
    if let Some(path) = &args.junit {
        let written = std::fs::write(path, junit::xml(&run.tested));
        written
            .map_err(|error| Failure::new(Exit::Failed, format!("{}: {error}", path.display())))?;
    }
    let n_failed = run.tested.iter().filter(|it| !it.has_passed()).count();
    match n_failed {
        0 => Ok(()),
        n_failed => {
            let what = format!("{n_failed} of {} scenarios failed", run.tested.len());
            Err(Failure::new(Exit::Failed, what))
        }
    }
}

/// Reads everything before the first scenario is played, and tells all that is malformed.
fn play(args: &TestArgs) -> Result<Run, Failure> {
    let (mut files, mut problems) = (Vec::new(), Vec::new());
    for path in find::files(&args.paths)? {
        match File::read(&path) {
            Ok(file) => files.push(file),
            Err(problem) => problems.push(problem),
        }
    }
    if !problems.is_empty() {
        return Err(Failure::usage(problems.join("\n")));
    }
    let is_wanted = |name: &str| args.filter.as_deref().is_none_or(|it| name.contains(it));
    let mut run = Run { tested: Vec::new(), coverage: Coverage::default() };
    for file in &files {
        run.coverage.extend(&file.definitions);
        for (line, scenario) in file.scenarios.iter().filter(|(_, it)| is_wanted(&it.name)) {
            let played = rehearse(scenario, &file.definitions, &file.cast, &mut run.coverage);
            let (file, name) = (file.shown.clone(), scenario.name.clone());
            run.tested.push(Tested { file, line: *line, name, played });
        }
    }
    if run.tested.is_empty() {
        return Err(Failure::usage(match &args.filter {
            Some(filter) => format!("no scenario has {filter:?} in its name"),
            None => "the files have no scenarios".to_owned(),
        }));
    }
    Ok(run)
}
