//! The same program on PostgreSQL.

use e2e::binary::{Running, run};
use serde_json::{Value, json};
use tempfile::TempDir;
use waypost_testkit::services;

use crate::world::{ORDER, World};

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
