//! The `waypost` program as its users have it: built, run, served from, killed.

use std::{
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Output, Stdio},
    sync::OnceLock,
};

/// The path of the program: the one `WAYPOST_BIN` names, or one that is built now, once per test
/// process. An old one would prove nothing.
///
/// # Panics
/// When it cannot be built.
pub fn waypost() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| match std::env::var_os("WAYPOST_BIN") {
        Some(built) => built.into(),
        None => built("waypost", &["--bin", "waypost"], "waypost"),
    })
}

/// The path of the drone survey of the examples, built now.
///
/// # Panics
/// When it cannot be built.
pub fn drone_survey() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| example("waypost", "drone_survey"))
}

/// The path of an example of a package: the one beside the program that `WAYPOST_BIN` names, which
/// was built with it, or one that is built now.
///
/// # Panics
/// When it cannot be built.
#[must_use]
pub fn example(package: &str, name: &str) -> PathBuf {
    let path = format!("examples/{name}");
    let beside = std::env::var_os("WAYPOST_BIN")
        .map(|program| Path::new(&program).with_file_name(&path))
        .filter(|it| it.exists());
    beside.unwrap_or_else(|| built(package, &["--all-features", "--example", name], &path))
}

/// Builds a program of a package in the profile of the tests; says where it is.
fn built(package: &str, what: &[&str], name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its own path");
    let folder = test.parent().and_then(Path::parent).expect("tests lie in target/*/deps");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--quiet", "--package", package]).args(what);
    if folder.ends_with("release") {
        cargo.arg("--release");
    }
    let target = folder.parent().expect("profiles lie in target");
    let built = cargo
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("CARGO_TARGET_DIR", target)
        .status()
        .expect("cargo can be run");
    assert!(built.success(), "{name} cannot be built");
    folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// The program with nothing of the caller's environment that could set it up differently.
pub fn command(folder: &Path) -> Command {
    let mut command = Command::new(waypost());
    for (name, _) in std::env::vars_os() {
        let name_text = name.to_string_lossy();
        if name_text.starts_with("WAYPOST_")
            || name_text.starts_with("WE_")
            || name_text.starts_with("CYODA_")
        {
            command.env_remove(name);
        }
    }
    command.current_dir(folder).env("TMPDIR", folder).env("NO_COLOR", "1").stdin(Stdio::null());
    command
}

/// What a run of the program came to.
#[derive(Debug)]
pub struct Ran {
    /// Its exit code; none when a signal ended it.
    pub code: Option<i32>,
    /// What it wrote for its user.
    pub out: String,
    /// What it complained about.
    pub err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

/// Runs the program in `folder` until it ends.
///
/// # Panics
/// When it cannot be run.
pub fn run(folder: &Path, args: &[&str]) -> Ran {
    command(folder).args(args).output().expect("the program can be run").into()
}

/// A program that runs beside the test, and is killed with it.
pub struct Running {
    child: Child,
    /// Where it listens.
    pub url: String,
    /// Where it speaks gRPC.
    pub grpc: Option<String>,
}

impl Running {
    /// Starts a server in `folder` on a free port.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn serve(folder: &Path, args: &[&str]) -> Self {
        let args = [&["serve", "--json", "--http", "127.0.0.1:0", "--log", "warn"], args].concat();
        Self::start(folder, &args)
    }

    /// Starts a command that says in JSON where it listens.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn start(folder: &Path, args: &[&str]) -> Self {
        let mut child = command(folder)
            .args(args)
            // Servers of other tests run at the same time.
            .env("WAYPOST_GRPC", "127.0.0.1:0")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can be run");
        let mut line = String::new();
        let out = child.stdout.as_mut().expect("its output is piped");
        BufReader::new(out).read_line(&mut line).expect("its output can be read");
        let said: Result<serde_json::Value, _> = serde_json::from_str(&line);
        let said = said.unwrap_or_default();
        let place = |name: &str| said.get(name)?.as_str().map(str::to_owned);
        match place("http") {
            Some(url) => Self { child, url, grpc: place("grpc") },
            None => {
                drop(child.kill());
                let ran = Ran::from(child.wait_with_output().expect("it has ended"));
                unreachable!("it does not serve: {line}{ran:?}")
            }
        }
    }

    /// Its process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal, such as `TERM`.
    ///
    /// # Panics
    /// When there is no `kill`.
    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args([&format!("-{name}"), &id]).status();
        assert!(sent.expect("signals can be sent").success());
    }

    /// Whether it has ended.
    ///
    /// # Panics
    /// When it cannot be asked.
    pub fn is_over(&mut self) -> bool {
        self.child.try_wait().expect("it can be asked").is_some()
    }

    /// Waits until it ends; says how, and what it complained about.
    ///
    /// # Panics
    /// When it cannot be waited for.
    pub fn ended(mut self) -> (ExitStatus, String) {
        let mut err = String::new();
        let stderr = self.child.stderr.take();
        stderr.expect("it is piped").read_to_string(&mut err).expect("it can be read");
        (self.child.wait().expect("it ends"), err)
    }

    /// Asks it to stop and waits until it has.
    pub fn stop(self) -> (ExitStatus, String) {
        self.signal("TERM");
        self.ended()
    }

    /// Ends it at once, as a power failure would.
    pub fn kill(self) {
        self.signal("KILL");
        drop(self.ended());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
