//! What waits to be claimed, and who claims it.

use std::{collections::BTreeMap, sync::Arc};

use axum::{Json, extract::State};
use waypost_api::operations::{Face, Member, Queue, QueuePage, Worker, WorkerPage};
use waypost_engine::{Asking, limits::PAGE_MAX};
use waypost_kernel::{QueueFigures, Task};

use super::{
    app::App,
    overview::{face, time},
    problem::Refusal,
};

/// What waits to be claimed: how much of each kind of work, and for how long.
#[utoipa::path(
    get, path = "/v1/queues", tag = "Operations",
    responses((status = 200, description = "By kind of work", body = QueuePage)),
)]
pub(super) async fn queues(State(app): State<Arc<App>>) -> Result<Json<QueuePage>, Refusal> {
    let items = app.engine.queues().await?.into_iter().filter_map(queue).collect();
    Ok(Json(QueuePage { items }))
}

pub(super) fn queue(figures: QueueFigures) -> Option<Queue> {
    let QueueFigures { kind, queue, family, ready, first_at } = figures;
    Some(Queue { face: face(kind)?, queue, definition: family, ready, first_at: time(first_at) })
}

/// Who is at work, and who could be: workers of jobs and steps, and programs that work on entities.
///
/// Who holds something is known wherever it has asked; who only asks is known to the node it asks.
#[utoipa::path(
    get, path = "/v1/workers", tag = "Operations",
    responses((status = 200, description = "By name", body = WorkerPage)),
)]
pub(super) async fn workers(State(app): State<Arc<App>>) -> Result<Json<WorkerPage>, Refusal> {
    let held = app.engine.held(PAGE_MAX).await?;
    let workers = put_together(app.engine.asking(), &held);
    // Where users sign in, whoever comes here is of one tenant and sees those of that one alone.
    let tenant = app.doorway.authenticator().tenant();
    let members = app.members.as_ref().map_or_else(Vec::new, |it| it.list(tenant));
    let members = members.into_iter().map(|it| Member {
        id: it.id,
        tags: it.tags,
        pending: it.n_pending as u64,
        seen_ms_ago: u64::try_from(it.silent_for.as_millis()).unwrap_or(u64::MAX),
    });
    Ok(Json(WorkerPage { workers, members: members.collect() }))
}

/// Those who ask and those who hold, each once.
fn put_together(asking: Vec<Asking>, held: &[Task]) -> Vec<Worker> {
    let mut workers: BTreeMap<(Face, String), Worker> = BTreeMap::new();
    for it in asking {
        let Some(face) = face(it.kind) else { continue };
        let worker_id = it.worker.as_str().to_owned();
        let worker = Worker {
            face,
            worker_id: worker_id.clone(),
            queues: it.queues.unwrap_or_default(),
            asked_at: Some(time(it.at)),
            held: 0,
            leased_until: None,
        };
        workers.insert((face, worker_id), worker);
    }
    for task in held {
        let (Some(face), Some(lease)) = (face(task.at.key.kind), &task.lease) else { continue };
        let worker_id = lease.worker.as_str().to_owned();
        let worker = workers.entry((face, worker_id.clone())).or_insert_with(|| Worker {
            face,
            worker_id,
            queues: vec![task.queue.clone()],
            asked_at: None,
            held: 0,
            leased_until: None,
        });
        worker.held += 1;
        // They come in the order of their ends.
        worker.leased_until.get_or_insert(time(lease.until));
        let is_told = worker.asked_at.is_some() || worker.queues.contains(&task.queue);
        if !is_told {
            worker.queues.push(task.queue.clone());
        }
    }
    workers.into_values().collect()
}
