//! How it goes with all of it: counts, what is held, what is due later.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use axum::{Json, extract::State};
use waypost_api::{
    Timestamp,
    operations::{
        ArmedTimer, CountQuery, Counts, Face, FaceCounts, HeldTask, OutboxFigures, Overview, Rate,
        Roots, SizeQuery, StatusCount, TaskFigures, TimerFigures, TimerPage, WorkPage,
    },
};
use waypost_engine as engine;
use waypost_kernel::{self as kernel, Kind};

use super::{
    app::App,
    incidents,
    params::{Params, page_size},
    problem::Refusal,
    routes::Routes,
    workers,
};

/// How old an overview may be. However many look, the store counts once within it.
const AGE_MAX: Duration = Duration::from_secs(1);

/// What was found out last, and when.
pub(super) struct Latest<T>(Mutex<Option<(kernel::Timestamp, Arc<T>)>>);

impl<T> Default for Latest<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T> Latest<T> {
    /// What is known, unless it is too old.
    pub(super) fn get(&self, now: kernel::Timestamp) -> Option<Arc<T>> {
        let latest = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        latest.filter(|(at, _)| now < *at + AGE_MAX).map(|(_, it)| it)
    }

    pub(super) fn set(&self, at: kernel::Timestamp, it: T) -> Arc<T> {
        let it = Arc::new(it);
        let latest = Some((at, Arc::clone(&it)));
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = latest;
        it
    }
}

pub(super) fn routes(routes: Routes) -> Routes {
    routes
        .get("/v1/overview", show)
        .get("/v1/counts", counts)
        .get("/v1/work", work)
        .get("/v1/queues", workers::queues)
        .get("/v1/workers", workers::workers)
        .get("/v1/timers", timers)
        .get("/v1/incidents", incidents::list)
        .get("/v1/incidents/{id}", incidents::show)
        .get("/v1/console", roots)
}

/// How it goes: how many instances stand where, what waits, and for how long.
#[utoipa::path(
    get, path = "/v1/overview", tag = "Operations",
    responses((status = 200, description = "Up to a second old", body = Overview)),
)]
pub(super) async fn show(State(app): State<Arc<App>>) -> Result<Json<Overview>, Refusal> {
    let overview = match app.overview.get(app.engine.store().now()) {
        Some(overview) => overview,
        None => {
            let overview = app.engine.overview().await?;
            app.overview.set(overview.at, overview)
        }
    };
    let members = app.members.as_ref().map_or(0, crate::compute::Members::count);
    Ok(Json(told(engine::Overview::clone(&overview), members)))
}

fn told(overview: engine::Overview, members: u64) -> Overview {
    let engine::Overview { at, faces, figures, next_timer_at, queues, minutes } = overview;
    let faces = faces.into_iter().filter_map(|(kind, counts)| {
        Some(FaceCounts { face: face(kind)?, counts: by_status(counts) })
    });
    Overview {
        at: time(at),
        faces: faces.collect(),
        tasks: TaskFigures {
            ready: figures.tasks_ready,
            oldest_ready_at: figures.oldest_ready_at.map(time),
            leased: figures.tasks_leased,
            awaiting: figures.awaiting,
        },
        timers: TimerFigures { due: figures.timers_due, next_at: next_timer_at.map(time) },
        outbox: OutboxFigures {
            pending: figures.messages_pending,
            oldest_at: figures.oldest_message_at.map(time),
            dead: figures.messages_dead,
        },
        members,
        commits: figures.commits,
        queues: queues.into_iter().filter_map(workers::queue).collect(),
        rates: minutes.into_iter().filter_map(rate).collect(),
    }
}

fn rate(minute: engine::Minute) -> Option<Rate> {
    let engine::Minute { kind, from, started, completed, failed } = minute;
    Some(Rate { face: face(kind)?, from: time(from), started, completed, failed })
}

fn by_status(counts: Vec<(&str, u64)>) -> Vec<StatusCount> {
    let count = |(status, count): (&str, u64)| StatusCount { status: status.to_owned(), count };
    counts.into_iter().map(count).collect()
}

/// How many processes or chains there are of a kind, by status.
#[utoipa::path(
    get, path = "/v1/counts", tag = "Operations", params(CountQuery),
    responses((status = 200, description = "Every status is there", body = Counts)),
)]
pub(super) async fn counts(
    State(app): State<Arc<App>>,
    Params(query): Params<CountQuery>,
) -> Result<Json<Counts>, Refusal> {
    let kind = match query.face {
        Face::Process => Kind::Process,
        Face::Chain => Kind::Chain,
    };
    let at = |it: Timestamp| kernel::Timestamp::from_micros(it.as_micros());
    let narrowed = engine::Narrowed {
        definition: query.definition,
        version: query.version,
        business_key: query.business_key,
        step: query.step,
        from: query.started_after.map(at),
        until: query.started_before.map(at),
    };
    Ok(Json(Counts { counts: by_status(app.engine.counts(kind, &narrowed).await?) }))
}

/// Where the server has what can lie elsewhere: for the console, which is asked for without knowing.
#[utoipa::path(
    get, path = "/v1/console", tag = "Operations",
    responses((status = 200, description = "Paths without a slash at their end", body = Roots)),
)]
pub(super) async fn roots(State(app): State<Arc<App>>) -> Json<Roots> {
    let lifecycles = app.lifecycle.as_ref().map(|it| it.root.clone());
    Json(Roots { entities: app.context().to_owned(), lifecycles })
}

/// Tasks that workers hold: who is at work on what, and for how long it is theirs.
#[utoipa::path(
    get, path = "/v1/work", tag = "Operations", params(SizeQuery),
    responses((status = 200, description = "Those whose lease ends first", body = WorkPage)),
)]
pub(super) async fn work(
    State(app): State<Arc<App>>,
    Params(query): Params<SizeQuery>,
) -> Result<Json<WorkPage>, Refusal> {
    let size = page_size(query.page_size)?;
    let tasks = app.engine.held(size + 1).await?;
    let has_more = tasks.len() > size as usize;
    let items = tasks.into_iter().take(size as usize).filter_map(held).collect();
    Ok(Json(WorkPage { items, has_more }))
}

fn held(task: kernel::Task) -> Option<HeldTask> {
    let lease = task.lease?;
    Some(HeldTask {
        face: face(task.at.key.kind)?,
        instance_id: task.at.key.id.as_str().to_owned(),
        definition: task.family,
        queue: task.queue,
        worker_id: lease.worker.as_str().to_owned(),
        leased_until: time(lease.until),
        ready_at: time(task.ready_at),
    })
}

/// Timers that are armed. Deadlines of chains are not among them: those are part of their steps.
#[utoipa::path(
    get, path = "/v1/timers", tag = "Operations", params(SizeQuery),
    responses((status = 200, description = "Those that are due first", body = TimerPage)),
)]
pub(super) async fn timers(
    State(app): State<Arc<App>>,
    Params(query): Params<SizeQuery>,
) -> Result<Json<TimerPage>, Refusal> {
    let size = page_size(query.page_size)?;
    let timers = app.engine.timers(size + 1).await?;
    let has_more = timers.len() > size as usize;
    let now = app.engine.store().now();
    let items = timers.into_iter().take(size as usize).filter_map(|it| armed(it, now)).collect();
    Ok(Json(TimerPage { items, has_more }))
}

fn armed(timer: kernel::Timer, now: kernel::Timestamp) -> Option<ArmedTimer> {
    Some(ArmedTimer {
        face: face(timer.at.key.kind)?,
        instance_id: timer.at.key.id.as_str().to_owned(),
        name: timer.at.id.as_str().to_owned(),
        due_at: time(timer.due_at),
        is_overdue: timer.due_at < now,
    })
}

/// The faces whose instances can be looked at below `/v1`.
pub(super) const fn face(kind: Kind) -> Option<Face> {
    match kind {
        Kind::Process => Some(Face::Process),
        Kind::Chain => Some(Face::Chain),
        Kind::Entity | Kind::Lifecycle | Kind::Model | Kind::Register => None,
    }
}

pub(super) const fn time(at: kernel::Timestamp) -> Timestamp {
    Timestamp::from_micros(at.as_micros())
}
