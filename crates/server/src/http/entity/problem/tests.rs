//! What clients see of failures.

use std::sync::{Arc, Mutex};

use waypost_engine::{
    Error,
    entity::{Fault, Refusal},
};
use waypost_kernel::{Conflict, Key, Kind, Rejection, RejectionCode, StoreError};

use super::*;

async fn read(response: Response) -> (String, Value) {
    let status = response.status().as_u16();
    let after = response.headers().get(header::RETRY_AFTER).cloned();
    let after = after.map_or(String::new(), |it| format!(" after {}", it.to_str().unwrap()));
    let body = axum::body::to_bytes(response.into_body(), 1 << 20).await.unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap();
    let code = body["properties"]["errorCode"].as_str().unwrap();
    let again = if body["properties"]["retryable"] == true { " retryable" } else { "" };
    (format!("{status} {code}{again}{after}"), body)
}

async fn look(fault: impl Into<Fault>) -> String {
    read(Failure::from(fault.into()).answer("/api/x", Verbosity::Sanitized)).await.0
}

fn no(code: Code) -> Refusal {
    Refusal { code, detail: "no".into(), properties: Vec::new(), warnings: Vec::new() }
}

#[tokio::test]
async fn every_code_has_its_status() {
    let mut seen = String::new();
    for code in Code::ALL {
        seen += &look(no(*code)).await;
        seen += "\n";
    }
    expect_test::expect![[r#"
        400 BAD_REQUEST
        400 INVALID_CONDITION
        400 INVALID_FIELD_PATH
        400 CONDITION_TYPE_MISMATCH
        400 POLYMORPHIC_SLOT
        400 INVALID_CHANGE_LEVEL
        400 VALIDATION_FAILED
        400 WORKFLOW_FAILED
        404 TRANSITION_NOT_FOUND
        503 NO_COMPUTE_MEMBER_FOR_TAG retryable after 1
        503 COMPUTE_MEMBER_DISCONNECTED retryable after 1
        503 DISPATCH_FORWARD_FAILED retryable after 1
        404 MODEL_NOT_FOUND
        409 MODEL_NOT_LOCKED
        409 MODEL_ALREADY_LOCKED
        409 MODEL_ALREADY_UNLOCKED
        409 MODEL_HAS_ENTITIES
        404 ENTITY_NOT_FOUND
        412 ENTITY_MODIFIED
        404 WORKFLOW_NOT_FOUND
        404 SEARCH_JOB_NOT_FOUND
        400 SEARCH_RESULT_LIMIT
        409 CONFLICT retryable
        404 TRANSACTION_NOT_FOUND
        403 FORBIDDEN
        400 TRANSACTION_TOO_LARGE
    "#]]
    .assert_eq(&seen);
}

#[tokio::test]
async fn every_failure_of_the_engine_has_its_status() {
    let key = Key::new("t".into(), Kind::Entity, "e-1".into());
    let rejected = |code| Error::Rejected(Rejection::new(code, "no"));
    for (error, expected) in [
        (rejected(RejectionCode::InstanceNotFound), "404 INSTANCE_NOT_FOUND"),
        (rejected(RejectionCode::LeaseLost), "409 LEASE_LOST"),
        (rejected(RejectionCode::FieldInvalid), "400 FIELD_INVALID"),
        (rejected(RejectionCode::SignalBufferFull), "429 SIGNAL_BUFFER_FULL retryable after 1"),
        (Error::Duplicate { existing: key.clone() }, "409 CONFLICT"),
        (Error::Invalid { violations: Vec::new() }, "400 VALIDATION_FAILED"),
        (Error::Overtaken, "409 CONFLICT retryable after 1"),
        (Error::Contended { attempts: 3 }, "409 CONFLICT retryable after 1"),
        (Error::Overloaded { what: "x" }, "503 OVERLOADED retryable after 1"),
        (Error::Defect("x".into()), "500 SERVER_ERROR"),
        (
            Error::Store(StoreError::Conflict(Conflict::Version(key))),
            "409 CONFLICT retryable after 1",
        ),
        (Error::Store(StoreError::Busy), "503 OVERLOADED retryable after 1"),
        (
            Error::Store(StoreError::Unavailable("x".into())),
            "503 STORE_UNAVAILABLE retryable after 2",
        ),
        (Error::Store(StoreError::Unknown("x".into())), "503 OUTCOME_UNKNOWN retryable after 2"),
        (Error::Store(StoreError::Corrupt("x".into())), "500 SERVER_ERROR"),
    ] {
        assert_eq!(look(error).await, expected);
    }
}

#[tokio::test]
async fn a_problem_has_exactly_these_members() {
    let refusal =
        Refusal { properties: vec![("entityId", "e-1".into())], ..no(Code::EntityNotFound) };
    let failure = Failure::from(Fault::from(refusal));
    let (_, body) = read(failure.answer("/api/entity/e-1", Verbosity::Sanitized)).await;
    let expected = serde_json::json!({
        "type": "about:blank", "title": "Not Found", "status": 404,
        "detail": "ENTITY_NOT_FOUND: no", "instance": "/api/entity/e-1",
        "properties": { "entityId": "e-1", "errorCode": "ENTITY_NOT_FOUND" },
    });
    assert_eq!(body, expected);
}

#[tokio::test]
async fn a_defect_is_told_by_its_ticket_or_by_its_cause() {
    let failure = Failure::defect("secret");
    let (_, body) = read(failure.clone().answer("/x", Verbosity::Sanitized)).await;
    let ticket = body["ticket"].as_str().unwrap();
    let expected = format!("SERVER_ERROR: internal error [ticket: {ticket}]");
    assert_eq!(body["detail"], expected.as_str());
    let (_, body) = read(failure.answer("/x", Verbosity::Verbose)).await;
    assert_eq!(body["detail"], "secret");
    assert!(body["ticket"].is_string());
}

/// What is logged.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Seen {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn whoever_shows_a_ticket_is_told_the_cause_by_the_log() {
    let unavailable = Failure::from(StoreError::Unavailable("no way to db-7".into()));
    for (failure, level, cause) in [
        (Failure::defect("page 7 is torn"), "ERROR", "page 7 is torn"),
        (unavailable, "WARN", "no way to db-7"),
    ] {
        let seen = Seen::default();
        let writer = seen.clone();
        let log = tracing_subscriber::fmt().with_writer(move || writer.clone()).with_ansi(false);
        let answer = tracing::subscriber::with_default(log.finish(), || {
            failure.clone().answer("/x", Verbosity::Sanitized)
        });
        let ticket = read(answer).await.1["ticket"].as_str().unwrap().to_owned();
        let logged = String::from_utf8(seen.0.lock().unwrap().clone()).unwrap();
        for part in [level, ticket.as_str(), cause, failure.code] {
            assert!(logged.contains(part), "{part}: {logged}");
        }
        assert_eq!(logged.lines().count(), 1, "{logged}");
    }
}

#[tokio::test]
async fn what_the_store_says_stays_inside() {
    let failure = Failure::from(StoreError::Unavailable("secret".into()));
    let (_, body) = read(failure.answer("/x", Verbosity::Sanitized)).await;
    assert!(!body.to_string().contains("secret"), "{body}");
    assert!(body["ticket"].is_string());
}

#[test]
fn every_code_has_a_page() {
    for code in ALL {
        assert!(crate::errors::page(code).is_some(), "docs/errors/{code}.md is missing");
    }
}
