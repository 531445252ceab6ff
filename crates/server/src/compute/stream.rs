//! The stream of a member, from its first message to its end. Two halves: what comes in is read by
//! a task of its own, so that a member that does not read can still answer.

use futures_util::{Stream, stream};
use tokio::{
    sync::{mpsc, oneshot},
    task::coop::consume_budget,
    time::{Instant, MissedTickBehavior, interval_at, timeout},
};
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::{Status, Streaming};
use waypost_api::{
    entity::{
        Addressed, Join, KeepAlive,
        event::{ACK, CRITERIA_RESPONSE, JOIN, KEEP_ALIVE, PROCESSOR_RESPONSE},
    },
    grpc::cloudevents::CloudEvent,
};
use waypost_engine::entity::Caller;

use super::{
    answer::Said,
    event::{event, read, text},
    member::{Member, Outgoing},
    members::{Members, Place},
    metrics::Ignored,
};

/// Serves the stream. What comes out of this is what is sent to the member.
pub(super) fn serve(
    members: Members,
    caller: Caller,
    incoming: Streaming<CloudEvent>,
) -> impl Stream<Item = Result<CloudEvent, Status>> + Send {
    let (outgoing, queue) = mpsc::channel(members.0.options.limits.queue_max);
    let (end, ended) = oneshot::channel();
    // The task ends when nobody is there any more to send to.
    let gone = CancellationToken::new();
    let here = gone.clone().drop_guard();
    tokio::spawn(async move {
        let ending = tokio::select! {
            ending = attend(&members, &caller, incoming, outgoing) => ending,
            () = gone.cancelled() => Ok(()),
            () = members.0.closing.cancelled() => {
                Err(Status::unavailable("the server is stopping; join another one"))
            }
        };
        // Nobody is there to be told if the connection has gone.
        drop(end.send(ending));
    });
    let sending = Sending { queue, ended, _here: here };
    stream::unfold(Some(sending), |sending| async {
        let mut sending = sending?;
        match sending.next().await {
            Ok(Some(event)) => Some((Ok(event), Some(sending))),
            Ok(None) => None,
            Err(status) => Some((Err(status), None)),
        }
    })
}

/// The half that sends.
struct Sending {
    queue: mpsc::Receiver<Outgoing>,
    ended: oneshot::Receiver<Result<(), Status>>,
    _here: DropGuard,
}

impl Sending {
    /// What is sent next, until the other half has ended.
    async fn next(&mut self) -> Result<Option<CloudEvent>, Status> {
        loop {
            let outgoing = tokio::select! {
                biased;
                ended = &mut self.ended => {
                    let lost = |_| Err(Status::internal("internal error: the stream was lost"));
                    return ended.unwrap_or_else(lost).map(|()| None);
                }
                Some(outgoing) = self.queue.recv() => outgoing,
            };
            match outgoing {
                Outgoing::Event(event) => return Ok(Some(event)),
                Outgoing::Question(member, request) => {
                    if let Some(event) = member.take(&request) {
                        return Ok(Some(event));
                    }
                }
            }
        }
    }
}

/// The half that reads: lets the member in, and listens until it goes or is lost.
async fn attend(
    members: &Members,
    caller: &Caller,
    mut incoming: Streaming<CloudEvent>,
    outgoing: mpsc::Sender<Outgoing>,
) -> Result<(), Status> {
    let options = &members.0.options;
    let first = timeout(options.limits.join_timeout, incoming.message()).await;
    let first = first.map_err(|_| Status::deadline_exceeded("no join has come"))?;
    let join = joining(first.map_err(unreadable)?, caller)?;
    let place = members.admit(caller, join, outgoing)?;
    let every = options.keep_alive_every;
    let mut look = interval_at(Instant::now() + every, every);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut listener = Listener { members, place, has_ignored: false };
    loop {
        tokio::select! {
            message = incoming.message() => match message.map_err(unreadable)? {
                Some(event) => listener.hear(event),
                None => return Ok(()),
            },
            _ = look.tick() => listener.look()?,
        }
        // A member that never stops talking must leave room for others.
        consume_budget().await;
    }
}

fn unreadable(status: Status) -> Status {
    Status::invalid_argument(format!("the stream cannot be read: {}", status.message()))
}

/// The first message, which says who joins.
fn joining(first: Option<CloudEvent>, caller: &Caller) -> Result<Join, Status> {
    let event = first.ok_or_else(|| Status::invalid_argument("the stream ended before a join"))?;
    if event.r#type != JOIN {
        let text = format!("the first event must be {JOIN}, not {:?}", event.r#type);
        return Err(Status::invalid_argument(text));
    }
    let join = text(event).and_then(|text| read::<Join>(&text));
    let join = join.map_err(Status::invalid_argument)?;
    let wanted = join.joined_legal_entity_id.as_deref().unwrap_or_default();
    if wanted.is_empty() || wanted == caller.tenant.as_str() {
        Ok(join)
    } else {
        Err(Status::permission_denied("a member can join only the tenant of its credentials"))
    }
}

/// Listens to one member.
struct Listener<'a> {
    members: &'a Members,
    place: Place,
    has_ignored: bool,
}

impl Listener<'_> {
    fn member(&self) -> &Member {
        &self.place.member
    }

    /// Whatever it is, it shows that the member is there.
    fn hear(&mut self, event: CloudEvent) {
        self.member().note_seen();
        match event.r#type.as_str() {
            // Not answered: a member that did the same would never come to an end.
            KEEP_ALIVE | ACK => {}
            PROCESSOR_RESPONSE => self.pass_on(event, Said::Processor),
            CRITERIA_RESPONSE => self.pass_on(event, Said::Criteria),
            _ => self.ignore(Ignored::UnknownType, &event.r#type),
        }
    }

    fn pass_on(&mut self, event: CloudEvent, said: fn(String) -> Said) {
        let text = match text(event) {
            Ok(text) => text,
            Err(what) => return self.ignore(Ignored::Malformed, &what),
        };
        let request = match read::<Addressed>(&text) {
            Ok(addressed) => addressed.request_id,
            Err(what) => return self.ignore(Ignored::Malformed, &what),
        };
        let is_large = text.len() > self.members.0.options.limits.answer_max;
        let said = if is_large { Said::TooLarge(text.len()) } else { said(text) };
        if self.member().answer(&request, said).is_err() {
            self.ignore(Ignored::Unasked, &request);
        }
    }

    /// What is of no use is counted. The first of each stream is worth a line of the log: more would
    /// let a member fill the disk.
    fn ignore(&mut self, ignored: Ignored, what: &str) {
        self.members.0.metrics.ignore(ignored);
        let member = &self.member().id;
        if self.has_ignored {
            tracing::debug!(member, ?ignored, what, "a compute member said something of no use");
        } else {
            tracing::warn!(member, ?ignored, what, "a compute member said something of no use");
        }
        self.has_ignored = true;
    }

    /// Tells the member that the server is there, unless the member is not.
    fn look(&self) -> Result<(), Status> {
        let member = self.member();
        if let Some(why) = member.is_lost(self.members.0.options.keep_alive_timeout) {
            return Err(Status::deadline_exceeded(why));
        }
        let id = member.id.clone();
        let payload = KeepAlive { id: id.clone(), member_id: id, success: true };
        member.tell(event(KEEP_ALIVE, &payload)?);
        Ok(())
    }
}
