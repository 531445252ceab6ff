//! Lifecycles in a NATS server that goes away and comes back.

use std::{
    process::{Child, Command, Stdio},
    time::Duration,
};

use reqwest::{Response, StatusCode};
use tokio::time::timeout;
use waypost_lifecycle::{DynManager, Manager};
use waypost_server::{
    Options,
    lifecycle::{Gateway, GatewayOptions, nats_buckets},
};
use waypost_testkit::services;

use super::{mission, survey};
use crate::world::{World, world_with};

/// What must come has this long, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A server of one's own, with its files in a folder that outlives it.
struct Nats {
    port: u16,
    folder: tempfile::TempDir,
    running: Option<Child>,
}

impl Nats {
    fn start() -> Self {
        let port = services::lasting_port().unwrap();
        let mut nats = Self { port, folder: tempfile::tempdir().unwrap(), running: None };
        nats.run();
        nats
    }

    fn run(&mut self) {
        let tools = || std::env::current_exe().unwrap().ancestors().nth(3).unwrap().join("tools");
        let programs = services::nats_programs(None);
        let programs = programs.or_else(|_| services::nats_programs(Some(&tools()))).unwrap();
        let running = Command::new(programs.join("nats-server"))
            .args(["-a", "127.0.0.1", "-p", &self.port.to_string(), "-js", "-sd"])
            .arg(self.folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        self.running = Some(running.unwrap());
    }

    /// As a power cut would.
    fn kill(&mut self) {
        if let Some(mut running) = self.running.take() {
            running.kill().unwrap();
            running.wait().unwrap();
        }
    }

    /// The types, once the server takes connections.
    async fn lifecycles(&self) -> DynManager {
        let url = format!("nats://127.0.0.1:{}", self.port);
        loop {
            let Ok(buckets) = nats_buckets(&url).await else { continue };
            let lifecycles = Manager::builder(buckets).create_buckets(8).build().dynamic().clone();
            match lifecycles.register_described(survey()).await {
                Ok(()) => return lifecycles,
                Err(_) => tokio::task::yield_now().await,
            }
        }
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.kill();
    }
}

async fn go(world: &World, to: &str) -> Response {
    let body = format!(r#"{{"phase":"{to}"}}"#);
    world.post("/workflows/drone-survey/m-1/transition", &body).await
}

/// The phases that a stream shows, until it shows `last`.
async fn shown_until(stream: &mut Response, last: &str) -> Vec<String> {
    let (mut text, mut phases) = (String::new(), Vec::new());
    while phases.last().is_none_or(|it| it != last) {
        let chunk = timeout(PATIENCE, stream.chunk()).await.unwrap().unwrap();
        text += std::str::from_utf8(&chunk.expect("the stream goes on")).unwrap();
        while let Some((event, rest)) = text.split_once("\n\n") {
            let phase = event.split(r#""phase":""#).nth(1).and_then(|it| it.split('"').next());
            phases.extend(phase.map(str::to_owned));
            text = rest.to_owned();
        }
    }
    phases
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outage_is_told_changes_nothing_and_leaves_no_gap() {
    let mut nats = Nats::start();
    let lifecycles = timeout(PATIENCE, nats.lifecycles()).await.unwrap();
    lifecycles.create("drone-survey", &mission("m-1", "ann", None)).await.unwrap();
    let gateway = Gateway::new(lifecycles.clone(), GatewayOptions::default()).unwrap();
    let options = Options { lifecycle: Some(gateway), ..Options::default() };
    let world = world_with(options, waypost_engine::Settings::default()).await;
    let url = format!("http://{}/workflows/drone-survey?stream=true", world.address);
    let watch = world.client.get(url).header("accept", "text/event-stream").send();
    let mut watch = watch.await.unwrap();
    assert_eq!(shown_until(&mut watch, "planning").await, ["planning"]);
    for round in [["flying", "capturing"], ["flying", "landing"]] {
        nats.kill();
        let refused = go(&world, round[0]).await;
        assert_eq!(refused.status(), StatusCode::INTERNAL_SERVER_ERROR);
        let told = refused.text().await.unwrap();
        let expected = r#"{"error":"transition: internal error (operator details in server log)"}"#;
        assert_eq!(told, expected);
        nats.run();
        let comes_back = async {
            while world.get("/workflows/drone-survey/m-1").await.status() != StatusCode::OK {
                tokio::task::yield_now().await;
            }
        };
        timeout(PATIENCE, comes_back).await.unwrap();
        for to in round {
            assert_eq!(go(&world, to).await.status(), StatusCode::OK, "{to}");
        }
        assert_eq!(shown_until(&mut watch, round[1]).await, round);
    }
    let moves = lifecycles.history("drone-survey", "m-1").await.unwrap();
    let phases: Vec<_> = moves.iter().map(|it| it.to.as_str()).collect();
    assert_eq!(phases, ["planning", "flying", "capturing", "flying", "landing"]);
}
