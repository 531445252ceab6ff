//! What nobody should send. None of it may end in a failure of the server.

use std::time::Duration;

use tokio::time::timeout;
use waypost_server::HttpLimits;

use crate::world::{World, world, world_limited};

async fn with_model() -> World {
    let world = world().await;
    world
        .prepare(&[
            r#"POST /api/model/import/JSON/SAMPLE_DATA/m/1 {"a":1,"s":"x"}"#,
            "PUT /api/model/m/1/lock",
        ])
        .await;
    world
}

async fn look(world: &World, line: &str) -> String {
    let answer = world.say(line, &[]).await;
    format!("{} {}", answer.status, answer.code()).trim_end().to_owned()
}

/// With threads to spare, so that the time can run out while somebody computes.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
pub(crate) async fn numbers_that_would_take_for_ever_are_answered_at_once() {
    let world = with_model().await;
    let far = "1e99999999999999999999";
    for (number, import) in [
        ("1e20000000", "200"),
        ("-1e20000000", "200"),
        ("1e-20000000", "200"),
        (far, "400 BAD_REQUEST"),
    ] {
        let checked = if number == far { "400 BAD_REQUEST" } else { "200" };
        for (line, expected) in [
            (format!(r#"POST /api/entity/JSON/m/1 {{"a":{number}}}"#), "400 BAD_REQUEST"),
            (format!(r#"POST /api/model/validate/m/1 {{"a":{number}}}"#), checked),
            (format!(r#"POST /api/model/import/JSON/SAMPLE_DATA/n/1 {{"a":{number}}}"#), import),
        ] {
            let answered = timeout(Duration::from_secs(10), look(&world, &line)).await;
            assert_eq!(answered.as_deref(), Ok(expected), "{line}");
        }
    }
}

#[tokio::test]
pub(crate) async fn documents_that_are_nested_too_deep_are_refused() {
    let world = with_model().await;
    let nested = |depth: usize| format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
    let import = |depth| format!("POST /api/model/import/JSON/SAMPLE_DATA/n/1 {}", nested(depth));
    assert_eq!(look(&world, &import(120)).await, "200");
    assert_eq!(look(&world, &import(121)).await, "400 BAD_REQUEST");
    assert_eq!(look(&world, &import(100_000)).await, "400 BAD_REQUEST");
    let list = format!("POST /api/entity/JSON {}{}", "[".repeat(1_000), "]".repeat(1_000));
    assert_eq!(look(&world, &list).await, "400 BAD_REQUEST");
    let payload = nested(121).replace('"', "\\\"");
    let item = format!(r#"[{{"model":{{"name":"m","version":1}},"payload":"{payload}"}}]"#);
    assert_eq!(look(&world, &format!("POST /api/entity/JSON {item}")).await, "400 BAD_REQUEST");
    // The innermost has nothing in it: it lies in fifty.
    let groups = |depth: usize| {
        let open = r#"{"type":"group","operator":"AND","conditions":["#;
        format!("POST /api/search/direct/m/1 {}{}", open.repeat(depth), "]}".repeat(depth))
    };
    assert_eq!(look(&world, &groups(51)).await, "200");
    assert_eq!(look(&world, &groups(52)).await, "400 BAD_REQUEST");
    let guarded = |depth: usize| {
        let open = r#"{"type":"group","operator":"AND","conditions":["#;
        let criterion = format!("{}{}", open.repeat(depth), "]}".repeat(depth));
        format!(
            r#"POST /api/model/m/1/workflow/import {{"workflows":[{{"name":"w","initialState":"A",
                "states":{{"A":{{"transitions":[{{"name":"t","next":"A","manual":true,
                "criterion":{criterion}}}]}}}}}}]}}"#
        )
        .replace('\n', "")
    };
    assert_eq!(look(&world, &guarded(51)).await, "200");
    assert_eq!(look(&world, &guarded(52)).await, "400 VALIDATION_FAILED");
    let xml = |depth: usize| format!("{}{}", "<a>".repeat(depth), "</a>".repeat(depth));
    let line = format!("POST /api/model/import/XML/SAMPLE_DATA/n/1 {}", xml(10_000));
    assert_eq!(look(&world, &line).await, "400 BAD_REQUEST");
}

#[tokio::test]
pub(crate) async fn bodies_have_ten_mebibytes_at_the_most() {
    let world = with_model().await;
    let create = |length: usize| {
        let frame = r#"{"s":""}"#.len();
        format!(r#"POST /api/entity/JSON/m/1 {{"s":"{}"}}"#, "x".repeat(length - frame))
    };
    assert_eq!(look(&world, &create(10 << 20)).await, "200");
    assert_eq!(look(&world, &create((10 << 20) + 1)).await, "400 BAD_REQUEST");
    let answer = world.say("GET /api/entity/#2", &[]).await;
    assert_eq!(answer.json()["data"]["s"].as_str().unwrap().len(), (10 << 20) - 8);
}

#[tokio::test]
async fn every_body_has_ten_mebibytes_at_the_most() {
    let world = with_model().await;
    world.prepare(&[r#"POST /api/entity/JSON/m/1 {"a":1}"#]).await;
    let item = r#"{"model":{"name":"m","version":1},"payload":"{}"}"#;
    let change = r#"{"id":"00000002-0000-1000-8000-000000000000","payload":"{}"}"#;
    for (path, body) in [
        ("POST /api/model/import/JSON/SAMPLE_DATA/n/1", r#"{"a":1}"#.to_owned()),
        ("POST /api/model/validate/m/1", r#"{"a":1}"#.to_owned()),
        ("POST /api/model/m/1/workflow/import", r#"{"workflows":[]}"#.to_owned()),
        ("POST /api/search/direct/m/1", r#"{"type":"group","operator":"AND"}"#.to_owned()),
        ("POST /api/search/async/m/1", r#"{"type":"group","operator":"AND"}"#.to_owned()),
        ("POST /api/entity/JSON", format!("[{item}]")),
        ("PUT /api/entity/JSON", format!("[{change}]")),
    ] {
        // What is blank does not matter, but it counts.
        let blank = " ".repeat((10 << 20) - body.len());
        assert_eq!(look(&world, &format!("{path} {body}{blank}")).await, "200", "{path}");
        let line = format!("{path} {body}{blank} ");
        assert_eq!(look(&world, &line).await, "400 BAD_REQUEST", "{path}");
    }
}

#[tokio::test]
async fn a_body_without_a_length_is_limited_too() {
    let world = with_model().await;
    let head = "POST /api/entity/JSON/m/1 HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
                transfer-encoding: chunked\r\n\r\n";
    let chunk = format!("a00001\r\n{}\r\n", " ".repeat((10 << 20) + 1));
    let answer = world.shout(format!("{head}{chunk}").as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 400"), "{}", answer.get(..200).unwrap_or(&answer));
}

#[tokio::test]
pub(crate) async fn what_is_not_text_is_refused() {
    let world = with_model().await;
    let url = format!("http://{}/api/entity/JSON/m/1", world.address);
    let response = world.client.post(url).body(vec![b'"', 0xff, b'"']).send().await.unwrap();
    assert_eq!(response.status(), 400);
    let text = response.text().await.unwrap();
    assert!(text.contains("byte 1 of the body is not UTF-8"), "{text}");
}

#[tokio::test]
async fn documents_that_refer_to_others_are_refused() {
    let world = with_model().await;
    let bomb = r#"<!DOCTYPE m [<!ENTITY a "x"><!ENTITY b "&a;&a;&a;&a;">]><m><s>&b;</s></m>"#;
    let line = format!("POST /api/entity/XML/m/1 {bomb}");
    assert_eq!(look(&world, &line).await, "400 BAD_REQUEST");
    let outside = r#"<!DOCTYPE m [<!ENTITY a SYSTEM "file:///etc/passwd">]><m><s>&a;</s></m>"#;
    let line = format!("POST /api/entity/XML/m/1 {outside}");
    assert_eq!(look(&world, &line).await, "400 BAD_REQUEST");
}

#[tokio::test]
pub(crate) async fn names_may_be_anything_that_can_be_written() {
    let world = world().await;
    for (name, expected) in [
        ("a%20b", "200"),
        ("%C3%BC", "200"),
        ("%27%3B--", "200"),
        ("a%2Fb", "200"),
        ("%00", "400 BAD_REQUEST"),
        ("%0A", "400 BAD_REQUEST"),
        ("%FF", "400 BAD_REQUEST"),
        (&"x".repeat(256), "200"),
        (&"x".repeat(257), "400 BAD_REQUEST"),
    ] {
        let line = format!(r#"POST /api/model/import/JSON/SAMPLE_DATA/{name}/1 {{"a":1}}"#);
        assert_eq!(look(&world, &line).await, expected, "{name}");
    }
}

/// What cannot be written down is not there. No store is asked for it, since not every one of them
/// could be.
#[tokio::test]
pub(crate) async fn what_cannot_be_a_name_is_not_there() {
    let world = with_model().await;
    let all = r#"{"type":"group","operator":"AND"}"#;
    let missing = "404 MODEL_NOT_FOUND";
    for name in ["%00", "a%00b", "%0A", &"x".repeat(257)] {
        for (line, expected) in [
            (format!("GET /api/model/export/JSON_SCHEMA/{name}/1"), missing),
            (format!("POST /api/model/validate/{name}/1 {{}}"), missing),
            (format!("PUT /api/model/{name}/1/lock"), missing),
            (format!("PUT /api/model/{name}/1/unlock"), missing),
            (format!("POST /api/model/{name}/1/changeLevel/TYPE"), missing),
            (format!("DELETE /api/model/{name}/1"), missing),
            (format!("GET /api/model/{name}/1/indexes"), missing),
            (format!(r#"PUT /api/model/{name}/1/indexes {{"paths":["$.a"]}}"#), missing),
            (format!("GET /api/model/{name}/1/workflow/export"), "404 WORKFLOW_NOT_FOUND"),
            (format!("GET /api/model/{name}/1/workflow/diagram.svg"), "404 WORKFLOW_NOT_FOUND"),
            (
                format!(r#"POST /api/model/{name}/1/workflow/import {{"workflows":[]}}"#),
                "400 BAD_REQUEST",
            ),
            (format!("POST /api/search/direct/{name}/1 {all}"), missing),
            (format!("POST /api/search/async/{name}/1 {all}"), missing),
            (format!("GET /api/entity/{name}/1"), missing),
            (format!("DELETE /api/entity/{name}/1"), missing),
            (format!("POST /api/entity/JSON/{name}/1 {{}}"), missing),
            (format!("POST /api/entity/JSON/{name}/1 [{{}},{{}}]"), missing),
            (format!("POST /api/entity/XML/{name}/1 <a/>"), missing),
            (format!("GET /api/entity/stats/{name}/1"), missing),
            (format!("GET /api/entity/stats/states/{name}/1"), missing),
            (format!("GET /api/entity/{name}"), "400 BAD_REQUEST"),
            (format!("DELETE /api/entity/{name}"), "400 BAD_REQUEST"),
            (format!("GET /api/search/async/{name}"), "400 BAD_REQUEST"),
            (format!("GET /api/search/async/{name}/status"), "400 BAD_REQUEST"),
            (format!("GET /api/message/{name}"), "400 BAD_REQUEST"),
            (format!("GET /api/audit/entity/{name}"), "400 BAD_REQUEST"),
        ] {
            assert_eq!(look(&world, &line).await, expected, "{line}");
        }
    }
    let item = r#"[{"model":{"name":"a\u0000","version":1},"payload":"{}"}]"#;
    assert_eq!(look(&world, &format!("POST /api/entity/JSON {item}")).await, missing);
}

/// Names of states are among what stores look for, and values are not.
#[tokio::test]
pub(crate) async fn what_databases_cannot_write_down_is_refused_but_in_documents() {
    let world = world().await;
    world.prepare(&[r#"POST /api/model/import/JSON/SAMPLE_DATA/m/1 {"s":"x"}"#]).await;
    let index = r#"PUT /api/model/m/1/indexes {"paths":["$['a\u0000']"]}"#;
    assert_eq!(look(&world, index).await, "400 BAD_REQUEST");
    let flow = |name: &str| {
        format!(
            r#"POST /api/model/m/1/workflow/import {{"workflows":[{{"name":"w","initialState":"{name}","states":{{"{name}":{{}}}}}}]}}"#
        )
    };
    assert_eq!(look(&world, &flow(r"A\u0000")).await, "400 VALIDATION_FAILED");
    let find = r#"POST /api/search/direct/m/1 {"type":"simple","jsonPath":"$.s","operatorType":"EQUALS","value":"\u0000"}"#;
    world
        .prepare(&[
            r#"PUT /api/model/m/1/indexes {"paths":["$.s"]}"#,
            "PUT /api/model/m/1/lock",
            &flow(r"A\u0001"),
            r#"POST /api/entity/JSON/m/1 {"s":"\u0000"}"#,
            "GET /api/entity/stats/states/m/1?states=%00",
        ])
        .await;
    assert_eq!(world.say(find, &[]).await.text.lines().count(), 1);
    let taken = look(&world, "PUT /api/entity/JSON/#2/%00 {}").await;
    assert_eq!(taken, "404 TRANSITION_NOT_FOUND");
}

#[tokio::test]
pub(crate) async fn models_have_their_bounds() {
    let world = world().await;
    let import =
        |sample: String| format!("POST /api/model/import/JSON/SAMPLE_DATA/bounds/1 {sample}");
    let named = |length: usize| format!(r#"{{"{}":1}}"#, "x".repeat(length));
    assert_eq!(look(&world, &import(named(256))).await, "200");
    assert_eq!(look(&world, &import(named(257))).await, "400 BAD_REQUEST");
    // The object counts, and the member that is there already.
    let wide = |members: usize| {
        let members: Vec<_> = (0..members).map(|it| format!(r#""m{it}":1"#)).collect();
        format!("{{{}}}", members.join(","))
    };
    assert_eq!(look(&world, &import(wide(9_998))).await, "200");
    assert_eq!(look(&world, &import(wide(9_999))).await, "400 BAD_REQUEST");
    // Eight names of 250 bytes, and what is between them.
    let deep = |n: usize| {
        let name = format!(r#"{{"{}":"#, "x".repeat(250));
        format!("{}1{}", name.repeat(n), "}".repeat(n))
    };
    let import =
        |sample: String| format!("POST /api/model/import/JSON/SAMPLE_DATA/deep/1 {sample}");
    assert_eq!(look(&world, &import(deep(7))).await, "200");
    assert_eq!(look(&world, &import(deep(9))).await, "400 BAD_REQUEST");
}

#[tokio::test]
async fn a_transaction_token_nobody_has_made_is_refused() {
    let world = with_model().await;
    for line in [
        r#"POST /api/entity/JSON/m/1 {"a":1}"#,
        "GET /api/entity/m/1",
        r#"POST /api/search/direct/m/1 {"type":"group","operator":"AND"}"#,
    ] {
        let answer = world.say(line, &["X-Tx-Token: nonsense".to_owned()]).await;
        assert_eq!((answer.status, answer.code().as_str()), (401, "UNAUTHORIZED"), "{line}");
    }
}

#[tokio::test]
async fn large_bodies_are_refused_when_there_are_too_many_of_them() {
    let limits = HttpLimits { bodies_max: 1 << 20, ..HttpLimits::default() };
    let world = world_limited(limits).await;
    let line = |length: usize| format!("POST /api/model/validate/m/1 {}", " ".repeat(length));
    assert_eq!(look(&world, &line(60_000)).await, "404 MODEL_NOT_FOUND");
    assert_eq!(look(&world, &line(1 << 20)).await, "404 MODEL_NOT_FOUND");
    assert_eq!(look(&world, &line((1 << 20) + 1)).await, "503 OVERLOADED");
    let message = |length: usize| {
        let payload = "x".repeat(length - r#"{"payload":""}"#.len());
        format!(r#"POST /api/message/new/a {{"payload":"{payload}"}}"#)
    };
    let headers = ["Content-Type: application/json".to_owned()];
    assert_eq!(world.say(&message(1 << 20), &headers).await.status, 200);
    let refused = world.say(&message((1 << 20) + 1), &headers).await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "OVERLOADED"));
}

/// With threads to spare, so that the time can run out while somebody computes.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
pub(crate) async fn numbers_that_would_take_for_ever_are_kept_and_found_at_once() {
    let world = world().await;
    let huge = "1e20000000";
    world
        .prepare(&[
            &format!(r#"POST /api/model/import/JSON/SAMPLE_DATA/n/1 {{"a":{huge}}}"#),
            "PUT /api/model/n/1/lock",
            &format!(r#"POST /api/entity/JSON/n/1 [{{"a":{huge}}},{{"a":-{huge}}},{{"a":7}}]"#),
        ])
        .await;
    for (operator, value, expected) in [
        ("EQUALS", huge.to_owned(), vec![huge]),
        ("EQUALS", "10e19999999".to_owned(), vec![huge]),
        ("NOT_EQUAL", huge.to_owned(), vec!["-1e20000000", "7"]),
        ("GREATER_THAN", "1e19999999".to_owned(), vec![huge]),
        ("LESS_THAN", "-1e19999999".to_owned(), vec!["-1e20000000"]),
        ("BETWEEN", "[1e19999999,1e20000001]".to_owned(), vec![huge]),
        ("BETWEEN_INCLUSIVE", format!("[-{huge},{huge}]"), vec!["-1e20000000", "7", huge]),
        ("BETWEEN", format!("[-{huge},{huge}]"), vec!["7"]),
    ] {
        let condition = format!(
            r#"{{"type":"simple","jsonPath":"$.a","operatorType":"{operator}","value":{value}}}"#
        );
        let line = format!("POST /api/search/direct/n/1 {condition}");
        let searching = timeout(Duration::from_secs(10), world.say(&line, &[])).await;
        let answer = searching.unwrap_or_else(|_| panic!("{condition} takes too long"));
        assert_eq!(answer.status, 200, "{condition} {}", answer.text);
        let mut found: Vec<_> = answer.text.lines().map(number).collect();
        found.sort_unstable();
        let mut expected = expected;
        expected.sort_unstable();
        assert_eq!(found, expected, "{condition}");
    }
}

/// The digits of `a` in an envelope, as they are written.
fn number(envelope: &str) -> &str {
    let (_, rest) = envelope.split_once(r#"{"a":"#).unwrap();
    rest.split_once('}').unwrap().0
}

#[tokio::test]
pub(crate) async fn what_a_body_is_called_does_not_matter() {
    let world = with_model().await;
    world.prepare(&[r#"POST /api/entity/JSON/m/1 {"a":1}"#]).await;
    let all = r#"{"type":"group","operator":"AND"}"#;
    let none = r#"{"type":"simple","jsonPath":"$.a","operatorType":"EQUALS","value":99}"#;
    let flow = r#"{"workflows":[{"name":"w","initialState":"A","states":{"A":{}}}]}"#;
    for kind in ["text/html", "application/xml", "nonsense", "multipart/form-data; boundary=x"] {
        for line in [
            r#"POST /api/model/import/JSON/SAMPLE_DATA/n/1 {"a":1}"#.to_owned(),
            format!("POST /api/model/n/1/workflow/import {flow}"),
            r#"POST /api/entity/JSON/m/1 {"a":2}"#.to_owned(),
            r##"PUT /api/entity/JSON [{"id":"#2","payload":"{\"a\":3}"}]"##.to_owned(),
            format!("POST /api/search/async/m/1 {all}"),
            format!("POST /api/search/direct/m/1 {all}"),
            format!("DELETE /api/entity/m/1 {none}"),
        ] {
            let answer = world.say(&line, &[format!("Content-Type: {kind}")]).await;
            assert_eq!(answer.status, 200, "{kind} {line} {}", answer.text);
        }
    }
}

#[tokio::test]
pub(crate) async fn a_body_that_cannot_be_unpacked_is_refused() {
    let world = with_model().await;
    let line = r#"POST /api/entity/JSON/m/1 {"a":1}"#;
    for (coding, expected) in [
        ("br", (415, "UNSUPPORTED_MEDIA_TYPE")),
        ("zstd", (415, "UNSUPPORTED_MEDIA_TYPE")),
        ("gzip", (400, "BAD_REQUEST")),
        ("identity", (200, "")),
    ] {
        let answer = world.say(line, &[format!("Content-Encoding: {coding}")]).await;
        assert_eq!((answer.status, answer.code().as_str()), expected, "{coding} {}", answer.text);
    }
    assert_eq!(world.say("GET /api/entity/stats/m/1", &[]).await.json()["count"], 1);
}
