//! `?dryRun=true`: a command is decided and not committed, and the answer tells what would come of
//! it. A refusal is answered as always.

use std::sync::Arc;

use axum::{
    Json,
    extract::{MatchedPath, Request, State},
    http::{Method, Uri},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use waypost_api::{
    Document,
    forecast::{Forecast, ForeseenInstance, ForeseenTask, ForeseenTimer},
    problem::EdgeCode,
};
use waypost_engine::{Foreseen, foresee};
use waypost_kernel::{self as kernel, Commit, EventRecord, TaskChange, TimerChange, Write};

use super::{app::App, lifecycle, problem::Refusal};

/// The commands that can be tried, those of entities without what their paths lie below. Everything
/// else that changes something is refused: a dry run that acts would be worse than none.
pub(super) const COMMANDS: [(&str, &str); 23] = [
    ("POST", "/v1/instances"),
    ("POST", "/v1/definitions/{id}/instances"),
    ("POST", "/v1/instances/{id}/cancel"),
    ("POST", "/v1/instances/{id}/steps/{stepId}/retry"),
    ("POST", "/v1/instances/{id}/signals/{waitStepId}"),
    ("POST", "/v1/instances/{id}/user-tasks/{userTaskId}/complete"),
    ("POST", "/v1/user-tasks/{id}/complete"),
    ("POST", "/v1/jobs/complete"),
    ("POST", "/v1/jobs/{id}/complete"),
    ("POST", "/v1/jobs/{id}/fail"),
    ("POST", "/v1/chains/instances"),
    ("POST", "/v1/chains/instances/{instanceId}/signals"),
    ("POST", "/v1/chains/instances/{instanceId}/cancel"),
    ("POST", "/v1/chains/tasks/{leaseToken}/result"),
    ("POST", "/entity/{format}/{nameOrId}/{versionOrTransition}"),
    ("PUT", "/entity/{format}/{nameOrId}/{versionOrTransition}"),
    ("PUT", "/entity/{nameOrFormat}/{versionOrId}"),
    ("DELETE", "/entity/{nameOrFormat}/{versionOrId}"),
    ("POST", "/entity/{idOrFormat}"),
    ("PUT", "/entity/{idOrFormat}"),
    ("DELETE", "/entity/{idOrFormat}"),
    OF_LIFECYCLES[0],
    OF_LIFECYCLES[1],
];

/// Those of lifecycles, below the usual prefix. They are tried where they are carried out: what
/// they would write does not go through the engine.
const OF_LIFECYCLES: [(&str, &str); 2] =
    [("POST", "/workflows/{type}/{id}/state"), ("POST", "/workflows/{type}/{id}/transition")];

/// What changes something and is no command: nothing is decided that could be told beforehand. Work
/// is handed out and held, definitions and models are taken in, and the rest is for operators.
#[cfg(test)]
pub(super) const NOT_COMMANDS: [&str; 43] = [
    "DELETE /account/m2m/{clientId}",
    "DELETE /clients/{clientId}",
    "DELETE /message",
    "DELETE /message/{messageId}",
    "DELETE /model/{entityName}/{modelVersion}",
    "DELETE /oauth/keys/keypair/{kid}",
    "DELETE /oauth/keys/trusted/{kid}",
    "POST /account/m2m",
    "POST /account/m2m/{clientId}/secret/reset",
    "POST /admin/log-level",
    "POST /admin/trace-sampler",
    "POST /clients",
    "POST /entity/{entityId}/what-if",
    "POST /message/new/{subject}",
    "POST /model/import/{dataFormat}/{converter}/{entityName}/{modelVersion}",
    "POST /model/validate/{entityName}/{modelVersion}",
    "POST /model/{entityName}/{modelVersion}/changeLevel/{changeLevel}",
    "POST /model/{entityName}/{modelVersion}/workflow/import",
    "POST /oauth/keys/keypair",
    "POST /oauth/keys/keypair/{kid}/invalidate",
    "POST /oauth/keys/keypair/{kid}/reactivate",
    "POST /oauth/keys/trusted",
    "POST /oauth/keys/trusted/{kid}/invalidate",
    "POST /oauth/keys/trusted/{kid}/reactivate",
    "POST /oauth/token",
    "POST /search/async/{entityName}/{modelVersion}",
    "POST /search/direct/{entityName}/{modelVersion}",
    "POST /v1/chains/claim",
    "POST /v1/chains/definitions",
    "POST /v1/chains/instances/{instanceId}/what-if",
    "POST /v1/chains/tasks/{leaseToken}/release",
    "POST /v1/chains/tasks/{leaseToken}/renew",
    "POST /v1/definitions",
    "POST /v1/definitions/{id}/versions/{version}/tables/{stepId}/try",
    "POST /v1/instances/{id}/what-if",
    "POST /v1/jobs/poll",
    "POST /v1/jobs/{id}/heartbeat",
    "POST /v1/lint",
    "PUT /clients/{clientId}/secret",
    "PUT /model/{entityName}/{modelVersion}/indexes",
    "PUT /model/{entityName}/{modelVersion}/lock",
    "PUT /model/{entityName}/{modelVersion}/unlock",
    "PUT /search/async/{jobId}/cancel",
];

/// Whether a command can be tried; `path` is the pattern of its route.
pub(super) fn can_be_tried(method: &str, path: &str) -> bool {
    COMMANDS.contains(&(method, path))
}

/// Whether a request asks for a try.
pub(super) fn is_wanted(uri: &Uri) -> bool {
    asked(uri).is_some_and(|it| matches!(it.as_str(), "true" | ""))
}

/// Lets requests through, and tries those that ask for it.
pub(super) async fn dry_run(
    State(app): State<Arc<App>>,
    mut request: Request,
    next: Next,
) -> Response {
    let is_reading = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let Some(asked) = asked(request.uri()).filter(|_| !is_reading) else {
        return next.run(request).await;
    };
    if lifecycle::owner(&app, request.uri().path()).is_some() {
        return next.run(request).await;
    }
    *request.uri_mut() = without(request.uri());
    match asked.as_str() {
        "true" | "" => {}
        "false" => return next.run(request).await,
        other => {
            let problem = format!("must be true or false, is {other:?}");
            return refusal(&problem).into_response();
        }
    }
    let path = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    let below = path.strip_prefix(app.context()).unwrap_or(path);
    if !can_be_tried(request.method().as_str(), below) {
        return refusal("is not possible for this request").into_response();
    }
    let (response, foreseen) = foresee(next.run(request)).await;
    if !response.status().is_success() {
        return response;
    }
    Json(forecast(&foreseen)).into_response()
}

fn refusal(problem: &str) -> Refusal {
    Refusal::at(EdgeCode::QueryInvalid, "query.dryRun", problem)
}

/// What the request says about it.
pub(super) fn asked(uri: &Uri) -> Option<String> {
    let members = uri.query()?.split('&');
    let mut named = members.filter_map(|it| match it.split_once('=') {
        Some(("dryRun", value)) => Some(value.to_owned()),
        None if it == "dryRun" => Some(String::new()),
        Some(_) | None => None,
    });
    named.next()
}

/// Commands know nothing of it.
fn without(uri: &Uri) -> Uri {
    let is_other = |it: &&str| *it != "dryRun" && !it.starts_with("dryRun=");
    let query: Vec<&str> = uri.query().unwrap_or_default().split('&').filter(is_other).collect();
    let path = match query.is_empty() {
        true => uri.path().to_owned(),
        false => format!("{}?{}", uri.path(), query.join("&")),
    };
    path.parse().unwrap_or_else(|_| uri.clone())
}

fn forecast(foreseen: &Foreseen) -> Forecast {
    let asked = foreseen.asked.clone();
    let mut forecast = Forecast { dry_run: true, asked, ..Forecast::default() };
    for commit in &foreseen.commits {
        add(&mut forecast, commit);
    }
    forecast
}

fn add(forecast: &mut Forecast, commit: &Commit) {
    let events = |write: &Write| {
        let is_its = |it: &&EventRecord| it.key == write.key;
        commit.events.iter().find(is_its).map(|it| document(&it.events))
    };
    forecast.instances.extend(commit.writes.iter().map(|it| instance(it, events(it))));
    for change in &commit.tasks {
        match change {
            TaskChange::Schedule(task) => forecast.tasks.push(ForeseenTask {
                task: task.at.id.as_str().to_owned(),
                queue: task.queue.clone(),
                ready_at: time(task.ready_at),
            }),
            TaskChange::Withdraw(task) => forecast.withdrawn.push(task.id.as_str().to_owned()),
            TaskChange::Extend { .. } | TaskChange::Release(_) => {}
        }
    }
    for change in &commit.timers {
        match change {
            TimerChange::Arm(timer) => forecast.timers.push(ForeseenTimer {
                timer: timer.at.id.as_str().to_owned(),
                due_at: time(timer.due_at),
            }),
            TimerChange::Disarm(timer) => forecast.disarmed.push(timer.id.as_str().to_owned()),
        }
    }
    forecast.messages.extend(commit.messages.iter().filter_map(|it| match it {
        kernel::MessageChange::Send { message, .. } => Some(message.event_type.clone()),
        kernel::MessageChange::Settle { .. } => None,
    }));
}

fn instance(write: &Write, events: Option<Document>) -> ForeseenInstance {
    ForeseenInstance {
        instance_id: write.key.id.as_str().to_owned(),
        face: write.key.kind.as_str().to_owned(),
        version: write.version.0,
        status: write.facets.status.clone(),
        steps: write.facets.steps().map(str::to_owned).collect(),
        state: document(&write.state),
        events: events.unwrap_or_else(|| document(&kernel::Json::of(&[(); 0]))),
    }
}

fn document(json: &kernel::Json) -> Document {
    json.raw().to_owned().into()
}

fn time(at: kernel::Timestamp) -> waypost_api::Timestamp {
    waypost_api::Timestamp::from_micros(at.as_micros())
}
