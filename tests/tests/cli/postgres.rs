//! The same program on PostgreSQL.

use e2e::binary::{Ran, Running, command, run};
use serde_json::{Value, json};
use tempfile::TempDir;
use waypost_testkit::services;

use crate::world::{ORDER, World, told};

#[test]
fn two_servers_share_one_database_and_survive_one_of_them() {
    let url = services::postgres().and_then(|it| services::fresh_database(&it)).unwrap();
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("order.json"), ORDER).unwrap();
    let migrate = |action: &str| -> Value {
        let ran = run(folder.path(), &["migrate", action, "--json", "--store", &url]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        serde_json::from_str(&ran.out).unwrap()
    };
    assert_eq!(migrate("status").get("applied"), Some(&json!([])));
    assert_eq!(migrate("up").get("pending"), Some(&json!([])));

    let first = Running::serve(folder.path(), &["--store", &url]);
    let second = Running::serve(folder.path(), &["--store", &url]);
    let world = World { folder, server: first };
    world.json(&["deploy", "order.json"]);
    let id = world.start();
    let World { folder, server } = world;
    server.kill();
    let world = World { folder, server: second };
    let shown = world.json(&["show", "chain", &id]);
    assert_eq!(shown.get("status"), Some(&json!("RUNNING")));

    let ran = run(world.folder.path(), &["doctor", "--http", "127.0.0.1:0", "--store", &url]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.contains("agrees with the clock of this machine"), "{ran:?}");
    let (status, err) = world.server.stop();
    assert_eq!(status.code(), Some(0), "{err}");
}

#[test]
fn a_server_may_be_told_not_to_change_the_schema() {
    let url = services::postgres().and_then(|it| services::fresh_database(&it)).unwrap();
    let folder = TempDir::new().unwrap();
    let listeners = ["--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0", "--log=error"];
    let mut serve = command(folder.path());
    serve.args(["serve", "--store", &url]).args(listeners);
    let ran = serve.env("CYODA_POSTGRES_AUTO_MIGRATE", "false").output().unwrap();
    let refused = told(&Ran::from(ran));
    assert!(refused.contains("changes of the store's schema are pending"), "{refused}");
    assert!(refused.contains("run `waypost migrate up`"), "{refused}");
    let status = run(folder.path(), &["migrate", "status", "--json", "--store", &url]);
    let status: Value = serde_json::from_str(&status.out).unwrap();
    assert_eq!(status.get("applied"), Some(&json!([])));
    // Once it is as it must be, nothing is in the way.
    run(folder.path(), &["migrate", "up", "--store", &url]);
    let settings = folder.path().join("waypost.toml");
    std::fs::write(settings, "[postgres]\nauto_migrate = false\n").unwrap();
    let (status, err) = Running::serve(folder.path(), &["--store", &url]).stop();
    assert_eq!(status.code(), Some(0), "{err}");
}
