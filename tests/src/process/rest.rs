//! Processes over REST.
#![expect(clippy::indexing_slicing, reason = "a missing member of a JSON value is null")]

use async_trait::async_trait;
use serde_json::{Value, json};

use super::{Job, Seen, Wire};
use crate::load::text;

/// The name of the one worker.
const WORKER: &str = "worker";

/// A client of the server at an address.
pub struct Rest {
    url: String,
    http: reqwest::Client,
}

impl Rest {
    /// A client of the server at `url`.
    #[must_use]
    pub fn new(url: &str) -> Self {
        Self { url: url.to_owned(), http: reqwest::Client::new() }
    }

    /// Posts; gives the status, whether the answer says that it was ignored, and the answer.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn post(
        &self,
        path: &str,
        body: &Value,
        key: Option<&str>,
    ) -> Result<(u16, bool, Value), reqwest::Error> {
        let mut request = self.http.post(format!("{}{path}", self.url)).json(body);
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        let response = request.send().await?;
        let status = response.status().as_u16();
        let is_ignored = response.headers().contains_key("waypost-callback");
        let text = response.text().await?;
        Ok((status, is_ignored, serde_json::from_str(&text).unwrap_or(Value::Null)))
    }

    /// Reads a document.
    ///
    /// # Panics
    /// When there is none.
    pub async fn get(&self, path: &str) -> Value {
        let response = self.http.get(format!("{}{path}", self.url)).send().await;
        let response = response.expect("the server answers");
        assert!(response.status().is_success(), "{path}: {}", response.status());
        response.json().await.expect("the answer is JSON")
    }

    /// Takes what there is to do; the server waits up to `wait_ms` for some.
    ///
    /// # Panics
    /// When the server does not answer as it should.
    pub async fn poll_for(&self, job_types: &[&str], wait_ms: u32) -> Vec<Job> {
        let body = json!({"workerId": WORKER, "jobTypes": job_types, "maxJobs": 64,
                          "waitMs": wait_ms});
        let answer = self.must("/v1/jobs/poll", &body, 200).await;
        let job = |it: &Value| Job {
            id: text(&it["id"]),
            job_type: text(&it["jobType"]),
            instance: text(&it["instanceId"]),
            variables: it["variables"].clone(),
        };
        answer["jobs"].as_array().into_iter().flatten().map(job).collect()
    }

    async fn must(&self, path: &str, body: &Value, expected: u16) -> Value {
        let (status, _, answer) = self.post(path, body, None).await.expect("the server answers");
        assert_eq!(status, expected, "{path}: {answer}");
        answer
    }
}

#[async_trait]
impl Wire for Rest {
    async fn upload(&self, definition: &Value) {
        self.must("/v1/definitions", definition, 201).await;
    }

    async fn start(&self, definition: &str, key: &str, variables: &Value) -> String {
        let body = json!({"definitionId": definition, "businessKey": key, "variables": variables});
        text(&self.must("/v1/instances", &body, 201).await["id"])
    }

    async fn poll(&self, job_types: &[&str]) -> Vec<Job> {
        self.poll_for(job_types, 0).await
    }

    async fn complete(&self, job: &str, variables: &Value) {
        let body = json!({"workerId": WORKER, "variables": variables});
        self.must(&format!("/v1/jobs/{job}/complete"), &body, 204).await;
    }

    async fn complete_task(&self, instance: &str, step: &str, variables: &Value) {
        let path = format!("/v1/instances/{instance}/user-tasks/{step}/complete");
        self.must(&path, &json!({"variables": variables}), 204).await;
    }

    async fn find(&self, definition: &str, key: &str) -> Vec<Seen> {
        let page =
            self.get(&format!("/v1/instances?definitionId={definition}&businessKey={key}")).await;
        let mut found = Vec::new();
        for item in page["items"].as_array().into_iter().flatten() {
            let id = text(&item["id"]);
            let history = self.get(&format!("/v1/instances/{id}/history")).await;
            let last = history["items"].as_array().and_then(|it| it.last().cloned());
            let last_step = text(&last.unwrap_or_default()["stepId"]);
            found.push(Seen { id, status: text(&item["status"]), last_step });
        }
        found
    }
}
