//! The one test command, stage by stage. Stops at the first that fails and says which.

use std::{
    env,
    io::Write as _,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use crate::{
    install, root,
    services::{
        NATS, OLD_NATS, POSTGRES, PYTHON, Server, fetch_node_packages, fetch_old_nats,
        fetch_python_worker, python_grpc, start_nats, start_postgres,
    },
    tidy,
};

/// How many simulated days the simulator goes through.
const SEEDS: &str = "10000";

/// Where property tests begin, unless the environment says otherwise: what passed once passes again,
/// and looking for what nobody has seen yet is for those who have time to look at what they find.
const PROPERTIES: (&str, &str) = ("PROPTEST_RNG_SEED", "20261116");

/// How many tests run at once, unless the environment says otherwise: much of what they do is
/// waiting for programs that they have started.
const THREADS: (&str, &str) = ("RUST_TEST_THREADS", "3");

/// The servers the tests talk to. Those that were started end with this value.
struct Servers {
    postgres: String,
    nats: String,
    /// The oldest that is worked with.
    old_nats: String,
    /// The folder with the Python package that workers are written with.
    python: String,
    _started: Vec<Server>,
}

/// Checks everything.
pub(crate) fn test() -> Result<(), String> {
    let started_at = now();
    stage("format", || cargo(&["fmt", "--all", "--check"], &[]))?;
    stage("tidy", tidy::check)?;
    stage("lint", || {
        let all = ["clippy", "--workspace", "--all-targets", "--all-features", "--locked"];
        cargo(&[&all[..], &["--", "-D", "warnings"]].concat(), &[])
    })?;
    let servers = stage("servers", servers)?;
    stage("build", || {
        // With the features of the whole workspace, like the tests: nothing is built twice.
        let all = ["build", "--workspace", "--all-features", "--locked"];
        cargo(&[&all[..], &["--bins", "--tests", "--examples"]].concat(), &[])
    })?;
    let program = programs().join("waypost").display().to_string();
    let unless_set = |(name, value): (&'static str, &str)| {
        (name, env::var(name).unwrap_or_else(|_| value.to_owned()))
    };
    let (seed, threads) = (unless_set(PROPERTIES), unless_set(THREADS));
    let found = [
        (seed.0, seed.1.as_str()),
        (threads.0, threads.1.as_str()),
        (POSTGRES, servers.postgres.as_str()),
        (NATS, servers.nats.as_str()),
        (OLD_NATS, servers.old_nats.as_str()),
        (PYTHON, servers.python.as_str()),
        ("WAYPOST_BIN", program.as_str()),
    ];
    stage("test", || {
        cargo(&["test", "--workspace", "--all-features", "--locked", "--no-fail-fast"], &found)
    })?;
    stage("documents", || {
        let all = ["doc", "--workspace", "--all-features", "--no-deps", "--locked"];
        cargo(&all, &[("RUSTDOCFLAGS", "-D warnings")])
    })?;
    stage("simulate", simulate)?;
    println!("\nAll is well, after {}.", seconds(started_at.elapsed()));
    Ok(())
}

/// Starts the servers and waits to be stopped.
pub(crate) fn services() -> Result<(), String> {
    let servers = servers()?;
    println!("export {POSTGRES}={}", servers.postgres);
    println!("export {NATS}={}", servers.nats);
    println!("export {OLD_NATS}={}", servers.old_nats);
    println!("export {PYTHON}={}", servers.python);
    std::io::stdout().flush().map_err(|error| error.to_string())?;
    loop {
        // The servers end with this process, however it ends.
        std::thread::park();
    }
}

/// Runs a part and tells how long it took.
fn stage<T>(name: &str, run: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    println!("\n=== {name}");
    let started_at = now();
    let result = run();
    let took = seconds(started_at.elapsed());
    match result {
        Ok(value) => {
            println!("=== {name}: done, {took}");
            Ok(value)
        }
        Err(error) => Err(format!("{error}\n=== {name}: FAILED, {took}")),
    }
}

/// Uses the servers the environment names; installs and starts those it does not.
fn servers() -> Result<Servers, String> {
    let mut started = Vec::new();
    let mut find = |variable: &str, start: fn() -> Result<Server, String>| match env::var(variable)
    {
        Ok(url) => Ok(url),
        Err(_) => {
            let server = start()?;
            let url = server.url.clone();
            started.push(server);
            Ok::<_, String>(url)
        }
    };
    let postgres = find(POSTGRES, || {
        install::postgres()?;
        start_postgres()
    })?;
    let nats = find(NATS, || start_nats(install::nats(&target())?.as_deref()))?;
    let old_nats = find(OLD_NATS, || {
        let tools = target().join("tools");
        std::fs::create_dir_all(&tools).map_err(|error| error.to_string())?;
        start_nats(Some(&fetch_old_nats(&tools)?))
    })?;
    let python = install::python(&target().join("tools"), fetch_python_worker)?;
    // Two tests want it at the same time, and would both fetch it.
    python_grpc()?;
    install::node(&root().join("sdks/typescript"), fetch_node_packages)?;
    install::node(&root().join("console"), fetch_node_packages)?;
    install::chromium()?;
    Ok(Servers { postgres, nats, old_nats, python, _started: started })
}

fn simulate() -> Result<(), String> {
    run(Command::new(programs().join("sim")).args(["--seeds", SEEDS]))
}

fn cargo(arguments: &[&str], variables: &[(&str, &str)]) -> Result<(), String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    run(Command::new(cargo).args(arguments).envs(variables.iter().copied()))
}

fn run(command: &mut Command) -> Result<(), String> {
    let status = command.current_dir(root()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?} ended with {status}")),
        Err(error) => Err(format!("{command:?} cannot be run: {error}")),
    }
}

/// Where cargo puts programs: beside this one.
fn programs() -> PathBuf {
    let here = env::current_exe().unwrap_or_default();
    here.parent().unwrap_or(&here).to_owned()
}

fn target() -> PathBuf {
    let programs = programs();
    programs.parent().unwrap_or(Path::new("target")).to_owned()
}

#[expect(clippy::disallowed_methods, reason = "tells people how long they waited")]
fn now() -> Instant {
    Instant::now()
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}
