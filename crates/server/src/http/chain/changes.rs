//! What happens, as it happens: server-sent events.

use std::{collections::VecDeque, convert::Infallible, sync::Arc, time::Duration};

use axum::{
    extract::State,
    http::HeaderMap,
    response::{
        IntoResponse as _, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use futures_util::{
    Stream, StreamExt as _,
    future::ready,
    stream::{once, unfold},
};
use waypost_api::{
    chain::{Change, ChangeQuery},
    problem::EdgeCode,
};
use waypost_engine::{Watch, limits::WATCH_WAIT};
use waypost_kernel::{self as kernel, Cursor};

use super::history;
use crate::http::{
    admission::Admitted,
    app::App,
    params::{Params, check_name},
    problem::Refusal,
};

/// How often a quiet stream shows that it is alive.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Characters of a cursor; each node that ever wrote adds some.
const CURSOR_MAX: usize = 4_096;

/// Follows what happens to instances: from a cursor on, otherwise one instance from its beginning
/// and all instances from now.
///
/// Server-sent events: first an `id` alone, the cursor of the place where the stream begins; then
/// `event: change`, `id` a cursor, `data` a change. A reader that comes back with `Last-Event-ID`
/// misses nothing, also if nothing had come yet. The stream ends when the server stops.
#[utoipa::path(
    get, path = "/v1/chains/events", tag = "Instances",
    params(ChangeQuery, (
        "Last-Event-ID" = Option<String>, Header,
        description = "Go on after this place: the `id` of the last change seen"
    )),
    responses(
        (status = 200, description = "A stream of changes", body = Change,
            content_type = "text/event-stream"),
        (status = 404, description = "There is no such instance: INSTANCE_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn follow(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    Params(query): Params<ChangeQuery>,
) -> Result<Response, Refusal> {
    if app.is_stopping() {
        return Err(Refusal::new(EdgeCode::ShuttingDown, "the server is shutting down"));
    }
    let place = app.admission.subscribe()?;
    let cursor = match cursor(&headers, query.cursor.as_deref())? {
        Some(cursor) => cursor,
        // All that ever happened to everybody is more than anybody wants to follow.
        None if query.instance_id.is_none() => app.chains.head().await?,
        None => Cursor::default(),
    };
    if let Some(id) = &query.instance_id {
        check_name("query.instanceId", id)?;
        app.chains.show(&id.as_str().into()).await?;
    }
    let watch = app.chains.watch(query.instance_id.map(Into::into), cursor);
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE.min(app.limits.idle_timeout / 2));
    // Whoever loses the connection before the first change must know where to go on, too.
    let beginning = Event::default().id(watch.cursor().to_string());
    let reader = Reader { app, watch, waiting: VecDeque::new(), _place: place };
    let events = once(ready(Ok(beginning))).chain(stream(reader));
    Ok(Sse::new(events).keep_alive(keep_alive).into_response())
}

fn cursor(headers: &HeaderMap, query: Option<&str>) -> Result<Option<Cursor>, Refusal> {
    let header = headers.get("last-event-id").map(|it| it.to_str().unwrap_or("?"));
    let (code, place, text) = match (header, query) {
        (Some(text), _) => (EdgeCode::HeaderInvalid, "header.last-event-id", text),
        (None, Some(text)) => (EdgeCode::QueryInvalid, "query.cursor", text),
        (None, None) => return Ok(None),
    };
    if text.len() > CURSOR_MAX {
        let problem = format!("must have at most {CURSOR_MAX} characters");
        return Err(Refusal::at(code, place, problem));
    }
    text.parse().map(Some).map_err(|problem: String| Refusal::at(code, place, problem))
}

/// One reader. It is sent one change at a time; the next ones are read when these are gone.
struct Reader {
    app: Arc<App>,
    watch: Watch,
    waiting: VecDeque<kernel::Change>,
    _place: Admitted,
}

fn stream(reader: Reader) -> impl Stream<Item = Result<Event, Infallible>> {
    unfold(reader, |mut reader| async {
        let change = reader.next().await?;
        match event(&change) {
            Ok(event) => Some((Ok(event), reader)),
            Err(refusal) => {
                let (instance, cause) = (&change.record.key.id, refusal.cause);
                tracing::error!(%instance, cause, "a change cannot be shown; the stream ends");
                None
            }
        }
    })
}

impl Reader {
    /// The next change; nothing when the stream has to end. The reader comes back if it wants more.
    async fn next(&mut self) -> Option<kernel::Change> {
        loop {
            if let Some(change) = self.waiting.pop_front() {
                return Some(change);
            }
            let found = tokio::select! {
                () = self.app.stop.cancelled() => return None,
                found = self.watch.next(WATCH_WAIT) => found,
            };
            match found {
                Ok(changes) => self.waiting.extend(changes),
                Err(error) => {
                    tracing::warn!(%error, "changes cannot be read; the stream ends");
                    return None;
                }
            }
        }
    }
}

fn event(change: &kernel::Change) -> Result<Event, Refusal> {
    let (at, events) = history::events(&change.record)?;
    let record = &change.record;
    let change_told = Change {
        instance_id: record.key.id.as_str().to_owned(),
        version: record.version.0,
        at,
        events,
    };
    Event::default()
        .event("change")
        .id(change.cursor.to_string())
        .json_data(change_told)
        .map_err(|error| Refusal::defect(error.to_string()))
}
