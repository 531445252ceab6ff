//! The stream of everything: which processes and chains have changed.

use std::{
    collections::BTreeMap, convert::Infallible, fmt, future::ready, str::FromStr, sync::Arc,
    time::Duration,
};

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
    stream::{once, unfold},
};
use waypost_api::{
    operations::{Changed, Face, StreamQuery},
    problem::EdgeCode,
};
use waypost_engine::{Watch, limits::WATCH_WAIT};
use waypost_kernel::{Change, Cursor};

use super::{admission::Admitted, app::App, overview::time, params::Params, problem::Refusal};

/// How often a quiet stream shows that it is alive.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Characters of a place; each node that ever wrote adds some.
const PLACE_MAX: usize = 8_192;

/// Follows which processes and chains have changed, from now on or from a place on.
///
/// Server-sent events: first an `id` alone, the place where the stream begins; then
/// `event: changes`, `id` a place, `data` a list of instances, each at most once. A reader that
/// comes back with `Last-Event-ID` misses nothing. The stream ends when the server stops.
#[utoipa::path(
    get, path = "/v1/events/stream", tag = "Operations",
    params(StreamQuery, (
        "Last-Event-ID" = Option<String>, Header,
        description = "Go on after this place: the `id` of the last message seen"
    )),
    responses((status = 200, description = "A stream of changes", body = [Changed],
        content_type = "text/event-stream")),
)]
pub(super) async fn follow(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    Params(query): Params<StreamQuery>,
) -> Result<Response, Refusal> {
    if app.is_stopping() {
        return Err(Refusal::new(EdgeCode::ShuttingDown, "the server is shutting down"));
    }
    let seat = app.admission.subscribe()?;
    let place = match place(&headers, query.cursor.as_deref())? {
        Some(place) => place,
        None => Place { process: app.processes.head().await?, chain: app.chains.head().await? },
    };
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE.min(app.limits.idle_timeout / 2));
    let beginning = Event::default().id(place.to_string());
    let (processes, chains) =
        (app.processes.watch(place.process), app.chains.watch(None, place.chain));
    let reader = Reader { app, processes, chains, _seat: seat };
    let events = once(ready(Ok(beginning))).chain(stream(reader));
    Ok(Sse::new(events).keep_alive(keep_alive).into_response())
}

/// How far each face was read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    process: Cursor,
    chain: Cursor,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{};{}", self.process, self.chain)
    }
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (process, chain) = text.split_once(';').ok_or("must be PROCESSES;CHAINS")?;
        Ok(Self { process: process.parse()?, chain: chain.parse()? })
    }
}

fn place(headers: &HeaderMap, query: Option<&str>) -> Result<Option<Place>, Refusal> {
    let header = headers.get("last-event-id").map(|it| it.to_str().unwrap_or("?"));
    let (code, place, text) = match (header, query) {
        (Some(text), _) => (EdgeCode::HeaderInvalid, "header.last-event-id", text),
        (None, Some(text)) => (EdgeCode::QueryInvalid, "query.cursor", text),
        (None, None) => return Ok(None),
    };
    if text.len() > PLACE_MAX {
        let problem = format!("must have at most {PLACE_MAX} characters");
        return Err(Refusal::at(code, place, problem));
    }
    text.parse().map(Some).map_err(|problem: String| Refusal::at(code, place, problem))
}

/// One reader of both faces.
struct Reader {
    app: Arc<App>,
    processes: Watch,
    chains: Watch,
    _seat: Admitted,
}

fn stream(reader: Reader) -> impl Stream<Item = Result<Event, Infallible>> {
    unfold(reader, |mut reader| async {
        let changed = reader.next().await?;
        let place = reader.place().to_string();
        match Event::default().event("changes").id(place).json_data(changed) {
            Ok(event) => Some((Ok(event), reader)),
            Err(error) => {
                tracing::error!(%error, "changes cannot be told; the stream ends");
                None
            }
        }
    })
}

impl Reader {
    fn place(&self) -> Place {
        Place { process: self.processes.cursor().clone(), chain: self.chains.cursor().clone() }
    }

    /// What has changed next; nothing when the stream has to end. What is not waited for to its
    /// end has moved no cursor, so nothing is lost by it.
    async fn next(&mut self) -> Option<Vec<Changed>> {
        loop {
            let (face, found) = tokio::select! {
                () = self.app.stop.cancelled() => return None,
                found = self.processes.next(WATCH_WAIT) => (Face::Process, found),
                found = self.chains.next(WATCH_WAIT) => (Face::Chain, found),
            };
            match found {
                Ok(changes) if changes.is_empty() => {}
                Ok(changes) => return Some(latest(face, &changes)),
                Err(error) => {
                    tracing::warn!(%error, "changes cannot be read; the stream ends");
                    return None;
                }
            }
        }
    }
}

/// Of each instance the latest change, in the order of their ids.
fn latest(face: Face, changes: &[Change]) -> Vec<Changed> {
    let changed = changes.iter().map(|change| {
        let record = &change.record;
        let changed = Changed {
            face,
            instance_id: record.key.id.as_str().to_owned(),
            version: record.version.0,
            at: time(record.at),
        };
        (record.key.id.as_str(), changed)
    });
    changed.collect::<BTreeMap<_, _>>().into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_as_it_is_written() {
        for text in [";", "0:1;", ";3:4", "0:1,7:2;3:4"] {
            assert_eq!(text.parse::<Place>().unwrap().to_string(), text);
        }
        for text in ["", "0:1", "x;0:1", "0:1;1"] {
            assert!(text.parse::<Place>().is_err(), "{text:?}");
        }
    }
}
