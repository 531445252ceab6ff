//! One member: what it is known by, what it has been asked, and what waits to be sent to it.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, timeout},
};
use waypost_api::grpc::cloudevents::CloudEvent;
use waypost_kernel::Tenant;
use waypost_machines::entity::cascade::Cause;

use super::answer::Said;

/// What waits to be sent to a member.
pub(super) enum Outgoing {
    /// As it is.
    Event(CloudEvent),
    /// The question of that name, if somebody still wants to know.
    Question(Arc<Member>, String),
}

/// One stream of one program.
pub(super) struct Member {
    pub(super) id: String,
    pub(super) tenant: Tenant,
    tags: HashSet<String>,
    outgoing: mpsc::Sender<Outgoing>,
    inside: Mutex<Inside>,
}

struct Inside {
    pending: HashMap<String, Pending>,
    /// When something came from it.
    seen_at: Instant,
    /// Since when it has taken nothing of what waits for it.
    waits_since: Instant,
    /// Which of all offers was the last to it.
    offered: u64,
    /// A question could not be sent, and it has taken nothing since.
    is_stalled: bool,
}

struct Pending {
    /// Until it is sent. Questions are kept here and not in the queue, so that one that is taken
    /// back is gone, whether the member reads or not.
    unsent: Option<(CloudEvent, oneshot::Sender<()>)>,
    answer: oneshot::Sender<Said>,
}

/// How busy a member is. Of two, the lesser is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Load {
    n_pending: usize,
    offered: u64,
}

/// How a member is, for people.
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    pub(crate) id: String,
    pub(crate) tags: Vec<String>,
    /// Questions it has not answered yet.
    pub(crate) n_pending: usize,
    /// For how long nothing has come from it.
    pub(crate) silent_for: Duration,
}

/// What makes a member unfit to be asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) pending_max: usize,
    pub(super) silence_max: Duration,
}

impl Member {
    pub(super) fn new(
        id: String,
        tenant: Tenant,
        tags: HashSet<String>,
        outgoing: mpsc::Sender<Outgoing>,
    ) -> Self {
        let now = Instant::now();
        let inside = Inside {
            pending: HashMap::new(),
            seen_at: now,
            waits_since: now,
            offered: 0,
            is_stalled: false,
        };
        Self { id, tenant, tags, outgoing, inside: Mutex::new(inside) }
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its tags, in order.
    pub(super) fn tags(&self) -> Vec<String> {
        let mut tags: Vec<String> = self.tags.iter().cloned().collect();
        tags.sort_unstable();
        tags
    }

    pub(super) fn standing(&self) -> Standing {
        let (id, tags) = (self.id.clone(), self.tags());
        let inside = self.inside();
        let (n_pending, silent_for) = (inside.pending.len(), inside.seen_at.elapsed());
        Standing { id, tags, n_pending, silent_for }
    }

    pub(super) fn has_all(&self, tags: &[String]) -> bool {
        tags.iter().all(|it| self.tags.contains(it))
    }

    /// How busy it is, if it can be asked at all.
    pub(super) fn load(&self, bounds: Bounds) -> Option<Load> {
        let is_open = !self.outgoing.is_closed() && self.outgoing.capacity() > 0;
        let inside = self.inside();
        let is_fit = is_open
            && !inside.is_stalled
            && inside.pending.len() < bounds.pending_max
            && inside.seen_at.elapsed() <= bounds.silence_max;
        is_fit.then(|| Load { n_pending: inside.pending.len(), offered: inside.offered })
    }

    /// Has the question sent. `offered` is the number of the offer.
    pub(super) fn offer(
        self: &Arc<Self>,
        request: String,
        event: CloudEvent,
        offered: u64,
    ) -> Asking {
        let (sent, sending) = oneshot::channel();
        let (answer, answered) = oneshot::channel();
        let mut inside = self.inside();
        inside.offered = offered;
        if self.outgoing.capacity() == self.outgoing.max_capacity() {
            inside.waits_since = Instant::now();
        }
        let pending = Pending { unsent: Some((event, sent)), answer };
        inside.pending.insert(request.clone(), pending);
        let letter = Outgoing::Question(Arc::clone(self), request.clone());
        if self.outgoing.try_send(letter).is_err() {
            // The stream is just ending: whoever waits for the answer learns it at once.
            inside.pending.remove(&request);
        }
        drop(inside);
        Asking { member: Arc::clone(self), request, sending, answered }
    }

    /// Has an event sent that nobody waits for, if there is room.
    pub(super) fn tell(&self, event: CloudEvent) {
        // Without room it is left out: the member has more to read than it can.
        drop(self.outgoing.try_send(Outgoing::Event(event)));
    }

    /// The question of that name to be sent now, if somebody still wants to know.
    pub(super) fn take(&self, request: &str) -> Option<CloudEvent> {
        let mut inside = self.inside();
        inside.waits_since = Instant::now();
        inside.is_stalled = false;
        let (event, sent) = inside.pending.get_mut(request)?.unsent.take()?;
        // Whoever asked may be gone this very moment. Then the answer will be nobody's.
        sent.send(()).ok().map(|()| event)
    }

    /// Notes that something came from it.
    pub(super) fn note_seen(&self) {
        self.inside().seen_at = Instant::now();
    }

    /// Passes an answer on, if somebody waits for it.
    pub(super) fn answer(&self, request: &str, said: Said) -> Result<(), Said> {
        let mut inside = self.inside();
        // Nobody can know the answer to what was not sent yet.
        let is_sent = inside.pending.get(request).is_some_and(|it| it.unsent.is_none());
        match is_sent.then(|| inside.pending.remove(request)).flatten() {
            Some(pending) => pending.answer.send(said),
            None => Err(said),
        }
    }

    /// Why it is to be given up, if it was silent or has not read for longer than that.
    pub(super) fn is_lost(&self, patience: Duration) -> Option<&'static str> {
        let inside = self.inside();
        if inside.seen_at.elapsed() > patience {
            return Some("the member has been silent for too long");
        }
        let is_full = self.outgoing.capacity() == 0;
        let is_stuck = is_full && inside.waits_since.elapsed() > patience;
        is_stuck.then_some("the member has not read its stream for too long")
    }

    /// Lets go of everybody who waits for an answer.
    pub(super) fn abandon(&self) {
        self.inside().pending.clear();
    }
}

/// A question on its way. Dropping it takes it back.
pub(super) struct Asking {
    pub(super) member: Arc<Member>,
    request: String,
    sending: oneshot::Receiver<()>,
    answered: oneshot::Receiver<Said>,
}

impl Asking {
    /// Waits until the question is sent, and then for the answer.
    pub(super) async fn wait(
        &mut self,
        send_timeout: Duration,
        answer_timeout: Duration,
    ) -> Result<Said, (Cause, String)> {
        if timeout(send_timeout, &mut self.sending).await.is_err() {
            self.member.inside().is_stalled = true;
            let message = format!("the member has not read its stream for {send_timeout:?}");
            return Err((Cause::NotSent, message));
        }
        match timeout(answer_timeout, &mut self.answered).await {
            Ok(Ok(said)) => Ok(said),
            Ok(Err(_)) => {
                let message = "the member went away before it answered".to_owned();
                Err((Cause::Disconnected, message))
            }
            Err(_) => {
                let message = format!("there was no answer within {answer_timeout:?}");
                Err((Cause::TimedOut, message))
            }
        }
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.member.inside().pending.remove(&self.request);
    }
}
