//! Measuring, with numbers so small that they prove nothing but that it can be done.

use std::collections::BTreeMap;

use e2e::binary::run;
use serde_json::Value;
use tempfile::TempDir;
use waypost_testkit::services;

const SMALL: [&str; 18] = [
    "--callers",
    "2",
    "--entities",
    "60",
    "--few",
    "20",
    "--watches",
    "3",
    "--watched",
    "300",
    "--writes",
    "10",
    "--seconds",
    "1",
    "--rounds",
    "1",
    "--json",
    "--nats",
];

#[test]
fn lifecycles_are_measured_on_every_store() {
    let folder = TempDir::new().unwrap();
    let database = services::fresh_database(&services::postgres().unwrap()).unwrap();
    let nats = services::nats().unwrap();
    let args = [&["bench", "lifecycle"], &SMALL[..], &[&nats, "--postgres", &database]].concat();
    let ran = run(folder.path(), &args);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let rows: Vec<Value> = serde_json::from_str(&ran.out).unwrap();
    let mut of_stores: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for row in &rows {
        assert!(row["perSecond"].as_f64().unwrap() > 0.0, "{row}");
        let measurement = row["measurement"].as_str().unwrap();
        of_stores.entry(row["store"].as_str().unwrap()).or_default().push(measurement);
    }
    let stores: Vec<_> = of_stores.keys().copied().collect();
    assert_eq!(stores, ["memory", "nats", "postgres", "sqlite"]);
    for measured in of_stores.into_values() {
        assert_eq!(
            measured,
            [
                "transitions",
                "transitions, no index",
                "raw: read and update",
                "raw: update alone",
                "list by index, 20 entities",
                "list by reading all, 20 entities",
                "lookup, 20 entities",
                "children, 20 entities",
                "list by index, 60 entities",
                "list by reading all, 60 entities",
                "lookup, 60 entities",
                "children, 60 entities",
                "writes shown to 3 watches of 300 entities",
            ]
        );
    }
    let transitions = rows.iter().filter(|it| it["measurement"] == "transitions");
    assert!(transitions.into_iter().all(|it| it["over read+update"].is_f64()));
}
