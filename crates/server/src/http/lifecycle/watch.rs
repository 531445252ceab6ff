//! Entities as they are written, over a WebSocket or as server-sent events.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    extract::{
        FromRequestParts as _, Request, WebSocketUpgrade,
        ws::{Message, WebSocket},
    },
    http::{HeaderMap, Uri, header},
    response::{
        IntoResponse as _, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use bytes::Bytes;
use futures_util::{StreamExt as _, stream::unfold};
use serde_json::{Value, json};
use tokio::time::{MissedTickBehavior, interval, timeout};
use waypost_lifecycle::{Watch, WatchEvent};

use super::{
    Answer,
    failure::Denied,
    meter::Watching,
    origin,
    read::{View, has},
};
use crate::{
    http::{Admitted, App},
    lifecycle::Gateway,
    net::{Beat, Line},
};

const LABEL: &str = "watch";

/// How often a quiet stream shows that it is alive.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How long a reader may refuse what it is sent.
const SEND_PATIENCE: Duration = Duration::from_secs(10);

/// Bytes of what a reader may say. Nobody listens.
const SAID_MAX: usize = 4 << 10;

/// Says that everything that was there has been shown.
const CAUGHT_UP: &str = "bootstrap_complete";

/// Says that writes were forgotten before they could be shown.
const MISSED: &str = "writes_missed";

/// Whether a list is to be followed rather than read.
pub(super) fn is_wanted(uri: &Uri) -> bool {
    has(uri, "stream")
}

/// One reader of one type.
struct Reader {
    app: Arc<App>,
    events: Watch<WatchEvent<Value>>,
    /// Whether it wants to know when all that was there has been shown.
    marks: bool,
    view: View,
    _place: Admitted,
    _watching: Watching,
    /// A quiet socket is nobody's fault.
    _line: Option<Beat>,
}

pub(super) async fn follow(
    app: Arc<App>,
    gateway: Gateway,
    of: String,
    request: Request,
) -> Answer {
    if !gateway.may_watch(origin(request.headers())) {
        return Err(Denied::forbidden("watch: pages of this origin are not let in"));
    }
    let place = app.admission.subscribe();
    let place = place.map_err(|refusal| Denied::at_the_edge(LABEL, &refusal))?;
    let (marks, view) = (has(request.uri(), "bootstrap"), View::of(request.uri()));
    if wants_events(request.headers()) {
        let events = gateway.lifecycles.watch(&of).await;
        let events = events.map_err(|error| Denied::of(LABEL, &error))?;
        let _watching = gateway.meter.watching(&of);
        let reader = Reader { app, events, marks, view, _place: place, _watching, _line: None };
        return Ok(as_events(reader));
    }
    if !gateway.options.websocket {
        return Err(Denied::forbidden("watch: WebSockets are switched off"));
    }
    let line = request.extensions().get::<Line>().map(Line::hold);
    let (mut parts, _) = request.into_parts();
    let upgrade = WebSocketUpgrade::from_request_parts(&mut parts, &()).await;
    let upgrade =
        upgrade.map_err(|_| Denied::bad(LABEL, "use a WebSocket, or Accept: text/event-stream"))?;
    let upgrade = upgrade.max_message_size(SAID_MAX).max_frame_size(SAID_MAX);
    Ok(upgrade.on_upgrade(move |socket| async move {
        // Whoever watches a type that does not exist is told over the socket.
        match gateway.lifecycles.watch(&of).await {
            Ok(events) => {
                let _watching = gateway.meter.watching(&of);
                let reader =
                    Reader { app, events, marks, view, _place: place, _watching, _line: line };
                over_socket(reader, socket).await;
            }
            Err(error) => refuse(socket, &Denied::of(LABEL, &error)).await,
        }
    }))
}

fn wants_events(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|it| it.to_str().ok());
    accepted.is_some_and(|it| it.contains("text/event-stream"))
}

async fn refuse(mut socket: WebSocket, denied: &Denied) {
    if send(&mut socket, SEND_PATIENCE, Message::text(denied.frame())).await {
        send(&mut socket, SEND_PATIENCE, Message::Close(None)).await;
    }
}

/// Whether the reader took it in time.
async fn send(socket: &mut WebSocket, patience: Duration, message: Message) -> bool {
    timeout(patience, socket.send(message)).await.is_ok_and(|it| it.is_ok())
}

/// Sends entities until the reader or the source is gone, or the server stops.
async fn over_socket(mut reader: Reader, mut socket: WebSocket) {
    let idle = reader.app.limits.idle_timeout;
    let patience = SEND_PATIENCE.min(idle);
    let mut alive = interval(KEEP_ALIVE.min(idle / 2));
    alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let stop = reader.app.stop.clone();
    loop {
        let goes_on = tokio::select! {
            () = stop.cancelled() => false,
            said = socket.recv() => match said {
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => true,
            },
            _ = alive.tick() => send(&mut socket, patience, Message::Ping(Bytes::new())).await,
            event = reader.events.next() => match reader.frame(event) {
                Frame::Text(text) => send(&mut socket, patience, Message::text(text)).await,
                Frame::Nothing => true,
                Frame::End => false,
            },
        };
        if !goes_on {
            send(&mut socket, patience, Message::Close(None)).await;
            return;
        }
    }
}

/// What an event is to a reader.
enum Frame {
    Text(String),
    Nothing,
    End,
}

impl Reader {
    fn frame(&self, event: Option<WatchEvent<Value>>) -> Frame {
        match event {
            Some(WatchEvent::Value(entity)) => Frame::Text(self.view.of_entity(entity).to_string()),
            Some(WatchEvent::CaughtUp) if self.marks => {
                Frame::Text(json!({"event": CAUGHT_UP}).to_string())
            }
            Some(WatchEvent::Missed { count }) if self.marks => {
                Frame::Text(json!({"event": MISSED, "count": count}).to_string())
            }
            Some(WatchEvent::CaughtUp | WatchEvent::Missed { .. } | WatchEvent::Deleted { .. }) => {
                Frame::Nothing
            }
            Some(WatchEvent::Failed(_)) | None => Frame::End,
        }
    }
}

fn as_events(reader: Reader) -> Response {
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE.min(reader.app.limits.idle_timeout / 2));
    let events = unfold(reader, |mut reader| async {
        loop {
            let stop = reader.app.stop.clone();
            let event = tokio::select! {
                () = stop.cancelled() => None,
                event = reader.events.next() => event,
            };
            let shown = match event? {
                WatchEvent::Value(entity) => Event::default()
                    .event("entity")
                    .id(entity.revision.0.to_string())
                    .data(reader.view.of_entity(entity).to_string()),
                WatchEvent::Deleted { entity_id } => {
                    let gone = json!({"entity_id": entity_id});
                    Event::default().event("deleted").data(gone.to_string())
                }
                WatchEvent::CaughtUp if reader.marks => {
                    Event::default().event(CAUGHT_UP).data("{}")
                }
                WatchEvent::Missed { count } if reader.marks => {
                    Event::default().event(MISSED).data(json!({"count": count}).to_string())
                }
                WatchEvent::CaughtUp | WatchEvent::Missed { .. } => continue,
                WatchEvent::Failed(_) => return None,
            };
            return Some((Ok::<_, Infallible>(shown), reader));
        }
    });
    Sse::new(events).keep_alive(keep_alive).into_response()
}
