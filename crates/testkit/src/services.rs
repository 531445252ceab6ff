//! Finds or starts the servers that tests talk to: PostgreSQL and NATS.
//!
//! Uses nothing but the standard library, so that `xtask` can share this file.

use std::{
    env,
    io::{BufRead as _, BufReader, Read as _},
    net::TcpListener,
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        OnceLock,
        atomic::{AtomicU16, AtomicU32, Ordering},
    },
};

/// Names a PostgreSQL server to use instead of starting one.
pub const POSTGRES: &str = "WAYPOST_TEST_POSTGRES";

/// Names a NATS server to use instead of starting one.
pub const NATS: &str = "WAYPOST_TEST_NATS";

/// Names a NATS server of the oldest version that is worked with, to use instead of starting one.
pub const OLD_NATS: &str = "WAYPOST_TEST_NATS_OLD";

/// Names a folder with the `nats-server` program, when it is not on the path.
pub const NATS_FOLDER: &str = "WAYPOST_NATS_BIN";

/// What runs between us and a server: starts it in a folder of its own, says when it is ready, and
/// stops it when our end of the pipe closes. That happens however we end, even when we are killed.
const GUARD: &str = r#"
set -u
folder=$(mktemp -d "${TMPDIR:-/tmp}/waypost-test.XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
start >"$folder/log" 2>&1
for attempt in $(seq 300); do
    ready >/dev/null 2>&1 && break
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
done
if ready 2>/dev/null; then cat >/dev/null; else cat "$folder/log" >&2; fi
kill -QUIT "$server" 2>/dev/null
wait "$server"
"#;

/// Sorts like a dictionary where it can, so that a store that relies on the order of bytes without
/// saying so is found out.
const POSTGRES_GUARD: &str = r#"
start() {
    create="$programs/initdb -D $folder/data -U postgres -A trust -E UTF8 --no-sync"
    $create --locale-provider=icu --icu-locale=en || { rm -rf "$folder/data"; $create; }
    "$programs/postgres" -D "$folder/data" -p "$port" -k "$folder" \
        -c listen_addresses=127.0.0.1 -c max_connections=200 &
    server=$!
}
ready() {
    grep -q ready "$folder/data/postmaster.pid" &&
        echo "postgres://postgres@127.0.0.1:$port/postgres"
}
"#;

const NATS_GUARD: &str = r#"
start() {
    "$programs/nats-server" -a 127.0.0.1 -p -1 -js -sd "$folder/data" \
        --ports_file_dir "$folder" &
    server=$!
}
ready() { grep -o 'nats://[^"]*' "$folder"/*.ports; }
"#;

/// A server that runs until this value or the process is gone.
pub struct Server {
    /// Where it is.
    pub url: String,
    guard: Child,
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        // Without a guard there is nothing left to stop.
        let _stopped = self.guard.wait();
    }
}

/// The URL of a PostgreSQL server: the one the environment names, or one started for this process.
///
/// # Errors
/// When there is none and none can be started; says what to do.
pub fn postgres() -> Result<String, String> {
    static STARTED: OnceLock<Result<Server, String>> = OnceLock::new();
    find(POSTGRES, &STARTED, start_postgres)
}

/// The URL of a NATS server: the one the environment names, or one started for this process.
///
/// # Errors
/// When there is none and none can be started; says what to do.
pub fn nats() -> Result<String, String> {
    static STARTED: OnceLock<Result<Server, String>> = OnceLock::new();
    find(NATS, &STARTED, || start_nats(None))
}

/// The URL of a NATS server of the oldest version that is worked with: the one the environment names,
/// or one fetched and started for this process.
///
/// # Errors
/// When there is none and none can be started; says what to do.
pub fn old_nats() -> Result<String, String> {
    static STARTED: OnceLock<Result<Server, String>> = OnceLock::new();
    find(OLD_NATS, &STARTED, || start_nats(Some(&fetch_old_nats(&env::temp_dir())?)))
}

/// Puts Debian's `nats-server`, which is 2.9, into a folder below `parent`, unless it is there; says
/// into which. It is not installed: the path keeps the server it has, and no service begins.
///
/// # Errors
/// When it cannot be fetched; says what to do.
pub fn fetch_old_nats(parent: &Path) -> Result<PathBuf, String> {
    let unpacked = parent.join("waypost-old-nats");
    let place = |below: &Path| ["usr/sbin", "usr/bin"].map(|it| below.join(it));
    let has_it = |it: &PathBuf| it.join("nats-server").is_file();
    if let Some(found) = place(&unpacked).into_iter().find(has_it) {
        return Ok(found);
    }
    // Whoever fetches it at the same time does so elsewhere, and the first is the one that counts.
    let fresh = parent.join(format!("waypost-old-nats.{}", std::process::id()));
    let script = "mkdir -p \"$0\" && cd \"$0\" &&
        { apt-get download nats-server || { apt-get update && apt-get download nats-server; }; } &&
        dpkg-deb -x nats-server_*.deb . && { mv -T \"$0\" \"$1\" || rm -rf \"$0\"; }";
    let fetched = Command::new("sh")
        .args(["-c", script])
        .args([&fresh, &unpacked])
        .output()
        .map_err(|error| format!("a shell cannot be started: {error}"))?;
    let said = String::from_utf8_lossy(&fetched.stderr).trim().to_owned();
    place(&unpacked)
        .into_iter()
        .find(has_it)
        .ok_or_else(|| format!("{said}\nset {OLD_NATS} to the URL of a NATS server of version 2.9"))
}

/// The Python package that workers of processes are written with.
const PYTHON_WORKER: &str = "rochallor-sdk==1.1.0";

/// The Python package that compiles protocols; what speaks them comes with it.
const PYTHON_GRPC: &str = "grpcio-tools==1.85.1";

/// The Python package that checks types.
const PYTHON_TYPES: &str = "mypy==1.20.1";

/// Names a folder that has the Python package.
pub const PYTHON: &str = "WAYPOST_TEST_PYTHON";

/// The folder with the Python package: the one the environment names, or one it is put into now.
///
/// # Errors
/// When it cannot be fetched; says what to do.
pub fn python_worker() -> Result<PathBuf, String> {
    match env::var_os(PYTHON) {
        Some(folder) => Ok(folder.into()),
        None => fetch_python_worker(&env::temp_dir()),
    }
}

/// Puts the Python package into a folder below `parent`, unless it is there.
///
/// # Errors
/// When it cannot be fetched; says what to do.
pub fn fetch_python_worker(parent: &Path) -> Result<PathBuf, String> {
    fetch_python(&parent.join("waypost-python-worker"), PYTHON_WORKER, "workflow_sdk")
}

/// The folder of the Python packages that speak gRPC, for programs that know nothing of Waypost.
///
/// # Errors
/// When they cannot be fetched; says what to do.
pub fn python_grpc() -> Result<PathBuf, String> {
    let folder = env::temp_dir().join("waypost-python-grpc");
    fetch_python(&folder, PYTHON_GRPC, "grpc_tools")
}

/// The folder of the Python package that checks types.
///
/// # Errors
/// When it cannot be fetched; says what to do.
pub fn python_types() -> Result<PathBuf, String> {
    fetch_python(&env::temp_dir().join("waypost-python-types"), PYTHON_TYPES, "mypy")
}

/// Puts a Python package into a folder, unless it is there.
fn fetch_python(folder: &Path, package: &str, module: &str) -> Result<PathBuf, String> {
    if folder.join(module).is_dir() {
        return Ok(folder.to_owned());
    }
    let fetched = Command::new("python3")
        .args(["-m", "pip", "install", "--quiet", "--target"])
        .args([folder.as_os_str(), package.as_ref()])
        .output()
        .map_err(|error| format!("python3 cannot be run: {error}; install python3-pip"))?;
    match fetched.status.success() {
        true => Ok(folder.to_owned()),
        false => Err(String::from_utf8_lossy(&fetched.stderr).trim().to_owned()),
    }
}

/// Puts what the TypeScript package in `folder` is built and tested with beside it, as its lock file
/// says, unless it is there.
///
/// # Errors
/// When it cannot be fetched; says what to do.
pub fn fetch_node_packages(folder: &Path) -> Result<(), String> {
    let changed_at = |path: &str| folder.join(path).metadata().and_then(|it| it.modified()).ok();
    // What npm has put there, and when.
    let fetched_at = changed_at("node_modules/.package-lock.json");
    if fetched_at.is_some() && fetched_at >= changed_at("package-lock.json") {
        return Ok(());
    }
    let fetched = Command::new("npm")
        .args(["ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"])
        .current_dir(folder)
        .output()
        .map_err(|error| format!("npm cannot be run: {error}; install nodejs and npm"))?;
    match fetched.status.success() {
        true => Ok(()),
        false => Err(format!("npm ci: {}", String::from_utf8_lossy(&fetched.stderr).trim())),
    }
}

/// Makes an empty database on the server at `url` and returns its URL.
///
/// # Errors
/// When the server does not want to.
pub fn fresh_database(url: &str) -> Result<String, String> {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let name = format!("test_{}_{number}", std::process::id());
    let (server, _) = url.rsplit_once('/').ok_or_else(|| format!("{url} names no database"))?;
    let installed = postgres_programs().ok().map(|it| it.join("psql")).filter(|it| it.is_file());
    let made = Command::new(installed.unwrap_or_else(|| "psql".into()))
        .args(["-q", "-X", "-v", "ON_ERROR_STOP=1", url])
        .args(["-c", &format!("drop database if exists {name}")])
        .args(["-c", &format!("create database {name}")])
        .output()
        .map_err(|error| format!("psql cannot be run: {error}"))?;
    if made.status.success() {
        Ok(format!("{server}/{name}"))
    } else {
        Err(String::from_utf8_lossy(&made.stderr).into_owned())
    }
}

/// Starts PostgreSQL on a free port of this machine, with its files in a temporary folder.
///
/// # Errors
/// When it is not installed, or does not start; says what to do.
pub fn start_postgres() -> Result<Server, String> {
    let programs = postgres_programs()?;
    let port = free_port().map_err(|error| format!("no port is free: {error}"))?;
    guard(unprivileged_shell(), POSTGRES_GUARD, &programs, port)
}

/// Starts NATS with JetStream on a free port of this machine, with its files in a temporary folder.
/// Its program is on the path or in `folder`.
///
/// # Errors
/// When it is not installed, or does not start; says what to do.
pub fn start_nats(folder: Option<&Path>) -> Result<Server, String> {
    guard(Command::new("sh"), NATS_GUARD, &nats_programs(folder)?, 0)
}

/// The folder of PostgreSQL's programs: on the path, or where Debian keeps them.
///
/// # Errors
/// When there is none; says what to do.
pub fn postgres_programs() -> Result<PathBuf, String> {
    let mut debian: Vec<_> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .map(|version| version.path().join("bin"))
        .collect();
    debian.sort_by_key(|folder| {
        let version = folder.parent().and_then(Path::file_name).and_then(|it| it.to_str());
        version.and_then(|it| it.parse::<u32>().ok())
    });
    let has_both = |it: &PathBuf| it.join("initdb").is_file() && it.join("postgres").is_file();
    on_path().chain(debian.into_iter().rev()).find(has_both).ok_or_else(|| {
        format!("PostgreSQL is not installed: install it, or set {POSTGRES} to a server's URL")
    })
}

/// The folder of the `nats-server` program: `folder`, or what the environment says.
///
/// # Errors
/// When there is none; says what to do.
pub fn nats_programs(folder: Option<&Path>) -> Result<PathBuf, String> {
    let named = folder.map(Path::to_owned).into_iter();
    let named = named.chain(env::var_os(NATS_FOLDER).map(PathBuf::from));
    named.chain(on_path()).find(|it| it.join("nats-server").is_file()).ok_or_else(|| {
        format!(
            "nats-server is not installed: install it, set {NATS_FOLDER} to its folder, or set \
             {NATS} to a server's URL"
        )
    })
}

fn find(
    variable: &str,
    started: &'static OnceLock<Result<Server, String>>,
    start: fn() -> Result<Server, String>,
) -> Result<String, String> {
    if let Ok(url) = env::var(variable) {
        return Ok(url);
    }
    started.get_or_init(start).as_ref().map(|server| server.url.clone()).map_err(String::clone)
}

fn on_path() -> impl Iterator<Item = PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).collect::<Vec<_>>().into_iter()
}

/// A port for a server that is stopped and started again: the system does not give it to others
/// while the server is away, because those that it gives are higher.
///
/// # Errors
/// When none is free.
pub fn lasting_port() -> Result<u16, String> {
    static TAKEN: AtomicU16 = AtomicU16::new(0);
    const PORTS: u16 = 2_000;
    let process = u16::try_from(std::process::id() % 10_000).unwrap_or(0);
    for _ in 0..PORTS {
        let port = 20_000 + process + TAKEN.fetch_add(1, Ordering::Relaxed) % PORTS;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return Ok(port);
        }
    }
    Err("no port is free".to_owned())
}

/// A port nobody listens on. Somebody may take it before we do; that has not happened yet.
fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

/// Starts what `functions` describe and waits until it is ready.
fn guard(
    mut shell: Command,
    functions: &str,
    programs: &Path,
    port: u16,
) -> Result<Server, String> {
    let mut guard = shell
        .args(["-c", &format!("{functions}{GUARD}")])
        .env("programs", programs)
        .env("port", port.to_string())
        .current_dir("/")
        // A Ctrl-C at the terminal is for us; the server ends after us.
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("a shell cannot be started: {error}"))?;
    let mut url = String::new();
    let said = guard.stdout.take().map(|stdout| BufReader::new(stdout).read_line(&mut url));
    if matches!(said, Some(Ok(length)) if length > 0) {
        return Ok(Server { url: url.trim().to_owned(), guard });
    }
    let mut log = String::new();
    if let Some(mut stderr) = guard.stderr.take() {
        stderr.read_to_string(&mut log).map_err(|error| error.to_string())?;
    }
    Err(format!("the server in {} did not start:\n{log}", programs.display()))
}

/// A shell that runs as somebody without privileges: PostgreSQL refuses to run as root.
fn unprivileged_shell() -> Command {
    let says = |arguments: &[&str]| {
        let said = Command::new("id").args(arguments).output().ok()?;
        said.status.success().then(|| String::from_utf8_lossy(&said.stdout).trim().to_owned())
    };
    if says(&["-u"]).as_deref() != Some("0") {
        return Command::new("sh");
    }
    let user = if says(&["-u", "postgres"]).is_some() { "postgres" } else { "nobody" };
    let mut shell = Command::new("runuser");
    shell.args(["-u", user, "--", "sh"]);
    shell
}
