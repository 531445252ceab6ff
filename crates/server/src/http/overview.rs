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
        Roots, SizeQuery, StatusCount, TaskFigures, TimerFigures, TimerKind, TimerPage, WorkPage,
    },
    problem::EdgeCode,
};
use waypost_engine::{
    self as engine,
    chain::{ChainView, ListRequest, Status},
    process::{ArmedView, TimerPurpose},
};
use waypost_kernel::{self as kernel, Kind};
use waypost_machines::chain::StepStatus;

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
        Face::Entity => {
            let problem = "must be process or chain; entities have statistics of their own";
            return Err(Refusal::at(EdgeCode::QueryInvalid, "query.face", problem));
        }
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

/// How many chains are looked at for deadlines, the newest that run: deadlines are part of their
/// steps, and no index knows them.
const DEADLINES_OF: u32 = 1_000;

/// Timers that are armed, and deadlines of the newest thousand chains that run.
#[utoipa::path(
    get, path = "/v1/timers", tag = "Operations", params(SizeQuery),
    responses((status = 200, description = "Those that are due first", body = TimerPage)),
)]
pub(super) async fn timers(
    State(app): State<Arc<App>>,
    Params(query): Params<SizeQuery>,
) -> Result<Json<TimerPage>, Refusal> {
    let size = page_size(query.page_size)?;
    let armed = app.processes.armed(app.engine.timers(size + 1).await?).await?;
    let status = Some(Status::Running);
    let request = ListRequest { status, limit: DEADLINES_OF, ..ListRequest::default() };
    let waiting = app.chains.list(request).await?;
    let mut items: Vec<ArmedTimer> = armed.into_iter().map(of_process).collect();
    items.extend(waiting.iter().filter_map(deadline));
    items.sort_by_key(|it| it.due_at.as_micros());
    let has_more = items.len() > size as usize;
    items.truncate(size as usize);
    let now = time(app.engine.store().now());
    items.iter_mut().for_each(|it| it.is_overdue = it.due_at.as_micros() < now.as_micros());
    Ok(Json(TimerPage { items, has_more }))
}

fn of_process(armed: ArmedView) -> ArmedTimer {
    let ArmedView { timer, purpose, business_key } = armed;
    let (kind, step, leads_to) = match purpose {
        TimerPurpose::Next(definition) => (TimerKind::Next, None, Some(definition)),
        TimerPurpose::Boundary(Some(step)) => {
            (TimerKind::Boundary, Some((step.id, step.label)), Some(step.target))
        }
        TimerPurpose::Boundary(None) => (TimerKind::Boundary, None, None),
    };
    let (step_id, step_name) = step.unzip();
    ArmedTimer {
        face: Face::Process,
        instance_id: timer.at.key.id.as_str().to_owned(),
        name: timer.at.id.as_str().to_owned(),
        kind,
        business_key,
        step_id,
        step_name,
        leads_to,
        due_at: time(timer.due_at),
        is_overdue: false,
    }
}

/// Until when a chain waits, if it does and will not for ever.
fn deadline(view: &ChainView) -> Option<ArmedTimer> {
    let step = view.steps().find(|it| it.step.status == StepStatus::Waiting)?;
    let due_at = time(step.step.deadline_at?);
    Some(ArmedTimer {
        face: Face::Chain,
        instance_id: view.key.id.as_str().to_owned(),
        name: step.seq.to_string(),
        kind: TimerKind::Deadline,
        business_key: view.state.biz_key.clone(),
        step_id: Some(step.seq.to_string()),
        step_name: Some(step.step.step_type.clone()),
        leads_to: None,
        due_at,
        is_overdue: false,
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
