//! The stream of everything: which processes, chains and entities have changed.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    fmt,
    future::{pending, ready},
    str::FromStr,
    sync::Arc,
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
use tokio::time::{Instant, sleep_until};
use waypost_api::{
    operations::{Changed, Face, StreamQuery},
    problem::EdgeCode,
};
use waypost_engine::{Error, Watch, limits::WATCH_WAIT};
use waypost_kernel::{Change, Cursor};

use super::{admission::Admitted, app::App, overview::time, params::Params, problem::Refusal};
use crate::auth;

/// How often a quiet stream shows that it is alive.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How long somebody is believed to be who they were: a sign-in can end before the stream does.
const KNOWN_FOR: Duration = Duration::from_secs(10 * 60);

/// Characters of a place; each node that ever wrote adds some.
const PLACE_MAX: usize = 8_192;

/// Follows which processes and chains have changed, and which entities of the tenant of whoever
/// asks, from now on or from a place on.
///
/// Server-sent events: first an `id` alone, the place where the stream begins; then
/// `event: changes`, `id` a place, `data` a list of instances, each at most once. A reader that
/// comes back with `Last-Event-ID` misses nothing. If the place is none of this store's, as after a
/// restart on an empty one, the stream begins with `event: reset`: what was read before may be
/// wrong. The stream ends when the server stops; with entities in it also after a while, so that
/// who asks is asked again.
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
    let asked = place(&headers, query.cursor.as_deref())?;
    let known = auth::known(&app.doorway, &headers).await;
    let entities = known.map(|it| app.engine.entities(it.caller));
    let head = Place {
        process: app.processes.head().await?,
        chain: app.chains.head().await?,
        entity: match &entities {
            Some(entities) => Some(entities.head().await?),
            None => None,
        },
    };
    let is_elsewhere = asked.as_ref().is_some_and(|it| it.is_beyond(&head));
    let place = match asked {
        Some(asked) if !is_elsewhere => asked.within(head),
        Some(_) | None => head,
    };
    let beginning = Event::default().id(place.to_string());
    let beginning = if is_elsewhere { beginning.event("reset").data("{}") } else { beginning };
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE.min(app.limits.idle_timeout / 2));
    let reader = Reader {
        processes: app.processes.watch(place.process),
        chains: app.chains.watch(None, place.chain),
        entities: entities.zip(place.entity).map(|(it, from)| it.watch(from)),
        until: Instant::now() + KNOWN_FOR,
        app,
        _seat: seat,
    };
    let events = once(ready(Ok(beginning))).chain(stream(reader));
    Ok(Sse::new(events).keep_alive(keep_alive).into_response())
}

/// How far each face was read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    process: Cursor,
    chain: Cursor,
    /// Absent for those who see no entities.
    entity: Option<Cursor>,
}

impl Place {
    /// Whether it is none that this store can have told.
    fn is_beyond(&self, head: &Self) -> bool {
        let entity = self.entity.as_ref().zip(head.entity.as_ref());
        is_beyond(&self.process, &head.process)
            || is_beyond(&self.chain, &head.chain)
            || entity.is_some_and(|(it, head)| is_beyond(it, head))
    }

    /// The same for whoever sees what `head` has: entities only if that has them, and from there on
    /// if they were not followed before.
    fn within(self, head: Self) -> Self {
        let entity = head.entity.map(|it| self.entity.unwrap_or(it));
        Self { entity, ..self }
    }
}

/// Whether a stream was read further than there is of it.
fn is_beyond(cursor: &Cursor, head: &Cursor) -> bool {
    let end = |stream: &u64| head.0.get(stream).copied().unwrap_or(0);
    cursor.0.iter().any(|(stream, position)| *position > end(stream))
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{};{}", self.process, self.chain)?;
        self.entity.as_ref().map_or(Ok(()), |it| write!(f, ";{it}"))
    }
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.splitn(3, ';');
        let (Some(process), Some(chain)) = (parts.next(), parts.next()) else {
            return Err("must be PROCESSES;CHAINS or PROCESSES;CHAINS;ENTITIES".to_owned());
        };
        let entity = parts.next().map(str::parse).transpose()?;
        Ok(Self { process: process.parse()?, chain: chain.parse()?, entity })
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

/// One reader of all faces.
struct Reader {
    app: Arc<App>,
    processes: Watch,
    chains: Watch,
    /// Of the reader's tenant; none for those who are not known.
    entities: Option<Watch>,
    /// When the stream ends if it has entities.
    until: Instant,
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
        Place {
            process: self.processes.cursor().clone(),
            chain: self.chains.cursor().clone(),
            entity: self.entities.as_ref().map(|it| it.cursor().clone()),
        }
    }

    /// What has changed next; nothing when the stream has to end. What is not waited for to its
    /// end has moved no cursor, so nothing is lost by it.
    async fn next(&mut self) -> Option<Vec<Changed>> {
        loop {
            let has_entities = self.entities.is_some();
            let (face, found) = tokio::select! {
                () = self.app.stop.cancelled() => return None,
                () = sleep_until(self.until), if has_entities => return None,
                found = self.processes.next(WATCH_WAIT) => (Face::Process, found),
                found = self.chains.next(WATCH_WAIT) => (Face::Chain, found),
                found = next_of(&mut self.entities) => (Face::Entity, found),
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

/// What changes next for somebody who may not follow at all.
async fn next_of(watch: &mut Option<Watch>) -> Result<Vec<Change>, Error> {
    match watch {
        Some(watch) => watch.next(WATCH_WAIT).await,
        None => pending().await,
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
        for text in [";", "0:1;", ";3:4", "0:1,7:2;3:4", ";;", "0:1;3:4;0:9"] {
            assert_eq!(text.parse::<Place>().unwrap().to_string(), text);
        }
        for text in ["", "0:1", "x;0:1", "0:1;1", ";;x", ";;0:1;"] {
            assert!(text.parse::<Place>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_place_is_beyond_a_store_that_has_less_of_any_stream() {
        let is_beyond = |place: &str, head: &str| {
            place.parse::<Place>().unwrap().is_beyond(&head.parse().unwrap())
        };
        assert!(!is_beyond("0:5;0:5;0:5", "0:5;0:6;0:7"));
        assert!(!is_beyond("0:5;0:5;0:5", "0:5;0:5"), "entities nobody may see do not count");
        assert!(!is_beyond(";", "0:5;0:5"));
        assert!(is_beyond("0:6;0:5", "0:5;0:5"));
        assert!(is_beyond("0:5;3:1", "0:5;0:5"));
        assert!(is_beyond("0:5;0:5;0:1", "0:5;0:5;0:0"));
    }

    #[test]
    fn entities_are_followed_by_those_who_may_see_them() {
        let within = |place: &str, head: &str| {
            place.parse::<Place>().unwrap().within(head.parse().unwrap()).to_string()
        };
        assert_eq!(within("0:1;0:1;0:1", "0:9;0:9;0:9"), "0:1;0:1;0:1");
        assert_eq!(within("0:1;0:1", "0:9;0:9;0:9"), "0:1;0:1;0:9");
        assert_eq!(within("0:1;0:1;0:1", "0:9;0:9"), "0:1;0:1");
    }
}
