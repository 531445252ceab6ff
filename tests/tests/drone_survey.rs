//! The drone survey of the examples: killed in the middle, started again, steered by operators from
//! the command line and through the gateway, and seen to end.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics has failed")]

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use e2e::binary::{Running, drone_survey, run};
use serde_json::{Value, json};
use tempfile::TempDir;
use waypost_testkit::services;

/// What must be said has this long, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// The pace of a survey that is killed in the middle: slow enough that a test that gets no turn for
/// seconds still finds it there.
const SLOW: &str = "1000";
const FAST: &str = "100";

/// The program, and what it says.
struct Survey {
    child: Child,
    lines: Receiver<String>,
}

impl Survey {
    fn start(folder: &Path, args: &[&str], pace: &str) -> Self {
        let mut child = Command::new(drone_survey())
            .args(args)
            .args(["--missions", "2", "--pace", pace])
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(child.stdout.take().unwrap()).lines();
        let (tell, lines) = channel();
        // It ends with the program, or when nobody listens any more.
        thread::spawn(move || said.map_while(Result::ok).try_for_each(|it| tell.send(it)));
        Self { child, lines }
    }

    /// Reads on to a line that says this; says the line.
    fn until(&self, said: &str) -> String {
        let mut before = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            if line.contains(said) {
                return line;
            }
            before.push(line);
        }
        unreachable!("{said:?} was not said, but {before:#?}")
    }

    /// As a power cut would.
    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits until it ends by itself.
    fn ended(mut self) {
        self.until("every mission has ended");
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Survey {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn waypost(folder: &Path, server: &str, args: &[&str]) -> String {
    let ran = run(folder, &[args, &["--server", server]].concat());
    assert_eq!(ran.code, Some(0), "{args:?}: {}{}", ran.out, ran.err);
    ran.out
}

fn charge(folder: &Path, server: &str, id: &str) {
    waypost(folder, server, &["patch", "lifecycle", "drone-survey", id, r#"{"battery": 90}"#]);
}

/// Calls the second mission off.
async fn call_off(server: &str) {
    let url = format!("{server}/workflows/drone-survey/m-2/transition");
    let body = json!({"phase": "aborted", "note": "a storm is near"});
    let answer = reqwest::Client::new().post(url).json(&body).send().await.unwrap();
    assert_eq!(answer.status(), 200, "{}", answer.text().await.unwrap());
}

async fn photos(server: &str, id: &str) -> u64 {
    let found = reqwest::get(format!("{server}/workflows/drone-survey/{id}")).await.unwrap();
    found.json::<Value>().await.unwrap()["photos"].as_u64().unwrap()
}

fn phases(moves: &str) -> Vec<String> {
    let moves: Value = serde_json::from_str(moves).unwrap();
    let moves = moves.as_array().unwrap().iter();
    moves.map(|it| it["to"].as_str().unwrap().to_owned()).collect()
}

/// From planning over five photos to the end, whatever happened in between.
fn whole_flight() -> Vec<&'static str> {
    let mut phases = vec!["planning", "flying"];
    phases.extend(["capturing", "flying"].repeat(5));
    phases.extend(["landing", "completed"]);
    phases
}

#[tokio::test]
async fn a_survey_in_a_file_goes_on_after_a_kill_and_does_what_operators_say() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let args = ["--store", "survey.db", "--http", "127.0.0.1:0"];
    let survey = Survey::start(path, &args, SLOW);
    let server = survey.until("http://");
    survey.until("m-2 is planned");
    charge(path, &server, "m-1");
    survey.until("m-1 is flying with 2 photos");
    survey.kill();

    let survey = Survey::start(path, &args, FAST);
    let server = survey.until("http://");
    let found = survey.until("m-1 is");
    assert!(!found.contains("planned") && !found.contains(" 0 photos"), "{found}");
    survey.until("m-2 is planning with 0 photos");
    survey.until("m-1 is completed with 5 photos");
    assert_eq!(photos(&server, "m-1").await, 5);
    let moves = ["history", "lifecycle", "drone-survey", "m-1", "--json"];
    assert_eq!(phases(&waypost(path, &server, &moves)), whole_flight());
    call_off(&server).await;
    survey.ended();
}

#[tokio::test]
async fn a_survey_in_nats_goes_on_after_a_kill_and_is_steered_through_another_server() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    // A server of one's own: the bucket has the name that everybody uses.
    let tools = std::env::current_exe().unwrap().ancestors().nth(3).unwrap().join("tools");
    let nats = services::start_nats(None).or_else(|_| services::start_nats(Some(&tools)));
    let nats = nats.unwrap();
    let args = ["--nats", nats.url.as_str()];
    let survey = Survey::start(path, &args, SLOW);
    survey.until("m-2 is planned");
    let types = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/lifecycles.toml");
    let settings =
        format!("[lifecycle]\ntypes = \"{}\"\nnats = \"{}\"\n", types.display(), nats.url);
    std::fs::write(path.join("waypost.toml"), settings).unwrap();
    let server = Running::serve(path, &["--store", "sqlite:w.db"]);
    charge(path, &server.url, "m-1");
    survey.until("m-1 is flying with 2 photos");
    survey.kill();
    // What operators do meanwhile is seen when it is back.
    let before = photos(&server.url, "m-1").await;
    assert!((2..5).contains(&before), "{before}");
    call_off(&server.url).await;

    let survey = Survey::start(path, &args, FAST);
    survey.until("m-2 is aborted");
    survey.until("m-1 is completed with 5 photos");
    survey.ended();
    let moves = ["history", "lifecycle", "drone-survey", "m-1", "--json"];
    assert_eq!(phases(&waypost(path, &server.url, &moves)), whole_flight());
}
