//! Something to look at in seconds, and nothing left behind.

use e2e::binary::Running;
use serde_json::Value;
use tempfile::TempDir;

use crate::world::World;

#[test]
fn the_demo_runs_chains_and_leaves_nothing_behind() {
    let folder = TempDir::new().unwrap();
    let server = Running::start(folder.path(), &["dev", "--json", "--http", "127.0.0.1:0"]);
    let world = World { folder, server };
    let definitions = world.json(&["list", "definitions"]);
    for face in ["/chains/items", "/processes/items"] {
        let names = definitions.pointer(face).and_then(Value::as_array).unwrap();
        assert_eq!(names.len(), 2, "{definitions}");
    }
    // The first chain waits for its payment after a moment.
    let waits = || {
        let listed = world.json(&["list", "chains", "--awaits", "PAID"]);
        listed.pointer("/items/0").is_some()
    };
    assert!((0..500).any(|_| waits()), "no chain ever waited");
    // The first loan leaves its first step.
    let moves = || {
        let listed = world.json(&["list", "processes"]);
        let id = listed.pointer("/items/0/id").and_then(Value::as_str).map(str::to_owned);
        let shown = id.map(|it| world.json(&["show", &it]));
        shown.is_some_and(|it| it.pointer("/history/1/stepId").is_some())
    };
    assert!((0..500).any(|_| moves()), "no loan ever moved");
    let World { folder, server } = world;
    let (status, err) = server.stop();
    assert_eq!((status.code(), err.as_str()), (Some(0), ""));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
