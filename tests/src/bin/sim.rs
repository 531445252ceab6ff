//! `cargo sim`: many seeds, or one with all its details.

use std::process::ExitCode;

use clap::Parser;
use e2e::sim::{Mutant, run};

/// Simulates nodes, workers and clients over a store that loses answers, and checks every promise.
#[derive(Parser)]
struct Args {
    /// How many seeds to run.
    #[arg(long, default_value_t = 10_000)]
    seeds: u64,
    /// The first seed.
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// Plants a bug, to see it found.
    #[arg(long)]
    mutant: Option<Mutant>,
}

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "this is what the program is for")]
fn main() -> ExitCode {
    let args = Args::parse();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let Ok(runtime) = runtime else { return ExitCode::FAILURE };
    let _inside = runtime.enter();
    let (mut chains, mut steps, mut refused, mut faults) = (0, 0, 0, 0);
    for seed in args.from..args.from + args.seeds {
        match run(seed, args.mutant) {
            Ok(report) => {
                chains += report.chains;
                steps += report.steps;
                refused += report.refused;
                faults += report.faults;
            }
            Err(problem) => {
                eprintln!("seed {seed}: {problem}");
                eprintln!("repeat it with: cargo sim --from {seed} --seeds 1");
                return ExitCode::FAILURE;
            }
        }
    }
    println!(
        "{} seeds: {chains} chains, {steps} steps executed, {refused} late reports refused, \
         {faults} faults, 0 promises broken",
        args.seeds
    );
    ExitCode::SUCCESS
}
