//! The compute members of this node: who they are, and how they are asked.

use std::{collections::HashSet, sync::Arc, time::Duration};

use async_trait::async_trait;
use prometheus_client::registry::Registry as Figures;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use tonic::Status;
use uuid::Uuid;
use waypost_api::{
    entity::{Greet, Join, event::GREET},
    grpc::cloudevents::CloudEvent,
};
use waypost_engine::{
    Ids as _, RandomIds,
    entity::{Answer, Caller, Compute, Question},
};
use waypost_kernel::Clock;
use waypost_machines::entity::cascade::{Cause, Reply};

use super::{
    answer::reply,
    event::event,
    member::{Asking, Bounds, Member, Outgoing, Standing},
    metrics::{Metrics, outcome},
    options::{ComputeError, ComputeOptions},
    question::asked,
    registry::{Nobody, Registry, Tagged, Wanted},
    ticket::{Ticket, TicketError, Tickets},
};

/// The compute members that are connected to this node.
#[derive(Clone)]
pub struct Members(pub(super) Arc<Shared>);

pub(super) struct Shared {
    pub(super) options: ComputeOptions,
    pub(super) metrics: Metrics,
    /// Canceled when streams are to end.
    pub(super) closing: CancellationToken,
    pub(super) registry: Registry,
    /// Told when somebody comes or leaves.
    changes: watch::Sender<()>,
    tickets: Tickets,
    clock: Arc<dyn Clock>,
}

impl Members {
    /// Nobody yet.
    ///
    /// # Errors
    /// When members cannot be served with the options; says why.
    pub fn new(options: ComputeOptions, clock: Arc<dyn Clock>) -> Result<Self, ComputeError> {
        let tickets = options.tickets()?;
        let (registry, metrics) = (Registry::default(), Metrics::default());
        let (closing, changes) = (CancellationToken::new(), watch::Sender::new(()));
        let shared = Shared { options, metrics, closing, registry, changes, tickets, clock };
        Ok(Self(Arc::new(shared)))
    }

    /// Makes the counters visible.
    pub fn register(&self, registry: &mut Figures) {
        self.0.metrics.register(registry);
    }

    /// The name of this node, as it is on tickets.
    #[must_use]
    pub fn node(&self) -> &str {
        &self.0.options.node
    }

    /// The ticket that a member has brought back.
    ///
    /// # Errors
    /// When it is not one of ours, or no longer good.
    pub fn verify(&self, ticket: &str) -> Result<Ticket, TicketError> {
        self.0.tickets.verify(ticket, self.0.clock.now())
    }

    /// Ends all streams, and takes no more of them. Whoever still waits for an answer is told that
    /// the member is gone.
    pub fn close(&self) {
        self.0.closing.cancel();
    }

    /// What nodes share that take each other's tickets, if there is something.
    pub(crate) fn secret(&self) -> Option<&[u8]> {
        self.0.options.secret.as_deref()
    }

    /// Tells when somebody comes or leaves.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.0.changes.subscribe()
    }

    /// How many are here.
    pub(crate) fn count(&self) -> u64 {
        u64::try_from(self.0.metrics.members.get()).unwrap_or(0)
    }

    /// How those are who are here: all of them, or those of a tenant.
    pub(crate) fn list(&self, tenant: Option<&str>) -> Vec<Standing> {
        self.0.registry.standings(tenant)
    }

    /// The tags of those who are here.
    pub(crate) fn tagged(&self) -> Tagged {
        self.0.registry.tagged()
    }

    /// Whether somebody is here who could be asked.
    pub(crate) fn can_ask(&self, question: &Question<'_>) -> bool {
        self.0.registry.has(&self.wanted(question))
    }

    /// Asks one of those who are here.
    pub(crate) async fn ask_here(&self, question: &Question<'_>) -> Answer {
        let timeout = self.answer_timeout(question);
        let mut asking = match self.offer(question, timeout) {
            Ok(asking) => asking,
            Err(reply) => return Answer { reply, member: None },
        };
        let (limits, mut count) = (&self.0.options.limits, Count::new(&self.0.metrics));
        let reply = match asking.wait(limits.send_timeout, timeout).await {
            Ok(said) => reply(&question.call.asked, &said, limits.warnings_max),
            Err((cause, message)) => failed(cause, message),
        };
        count.outcome = outcome(&reply);
        Answer { reply, member: Some(asking.member.id.clone()) }
    }

    /// Counts a question that nobody was asked.
    pub(crate) fn note_unasked(&self, reply: &Reply) {
        self.0.metrics.count(outcome(reply));
    }

    pub(super) fn answer_timeout(&self, question: &Question<'_>) -> Duration {
        question.call.terms.timeout.unwrap_or(self.0.options.limits.answer_timeout)
    }

    /// Lets a member in, and has it greeted before anybody can ask it.
    pub(super) fn admit(
        &self,
        caller: &Caller,
        join: Join,
        outgoing: mpsc::Sender<Outgoing>,
    ) -> Result<Place, Status> {
        let tags = self.tags(join.tags.unwrap_or_default())?;
        let (id, tenant) = (Uuid::new_v4().to_string(), caller.tenant.clone());
        let greet = Greet {
            id: id.clone(),
            member_id: id.clone(),
            joined_legal_entity_id: tenant.to_string(),
            success: true,
        };
        let member = Member::new(id, tenant, tags, outgoing);
        member.tell(event(GREET, &greet)?);
        let (member, limit) = (Arc::new(member), self.0.options.limits.members_max);
        match self.0.registry.add(Arc::clone(&member), limit) {
            Ok(()) => Ok(Place::new(Arc::clone(&self.0), member)),
            Err(_) => Err(Status::resource_exhausted(format!(
                "the tenant has {limit} compute members already; close some first"
            ))),
        }
    }

    fn tags(&self, tags: Vec<String>) -> Result<HashSet<String>, Status> {
        let limits = &self.0.options.limits;
        if tags.len() > limits.tags_max {
            let (found, limit) = (tags.len(), limits.tags_max);
            let text = format!("a member has at most {limit} tags, not {found}");
            return Err(Status::invalid_argument(text));
        }
        if tags.iter().any(|it| it.len() > limits.tag_max) {
            let text = format!("a tag has at most {} bytes", limits.tag_max);
            return Err(Status::invalid_argument(text));
        }
        Ok(tags.into_iter().collect())
    }

    /// Offers the question to one member.
    fn offer(&self, question: &Question<'_>, timeout: Duration) -> Result<Asking, Reply> {
        let (request, event) = self.event(question, timeout)?;
        self.0.registry.offer(&self.wanted(question), request, event).map_err(|nobody| {
            failed(Cause::NoMember, nobody_there(nobody, &question.call.terms.tags))
        })
    }

    fn wanted<'a>(&self, question: &Question<'a>) -> Wanted<'a> {
        Wanted {
            tenant: &question.caller.tenant,
            tags: &question.call.terms.tags,
            avoid: question.avoid,
            bounds: self.bounds(),
        }
    }

    pub(super) fn bounds(&self) -> Bounds {
        let options = &self.0.options;
        Bounds { pending_max: options.limits.pending_max, silence_max: options.keep_alive_timeout }
    }

    /// The question under a new name, as an event.
    pub(super) fn event(
        &self,
        question: &Question<'_>,
        timeout: Duration,
    ) -> Result<(String, CloudEvent), Reply> {
        let request = RandomIds.entity(self.0.clock.now()).to_string();
        match asked(question, &request, self.ticket(question, timeout)) {
            Ok(event) => Ok((request, event)),
            Err(status) => {
                let cause = Cause::Refused { is_retryable: false };
                Err(failed(cause, status.message().to_owned()))
            }
        }
    }

    /// The ticket outlives the question it comes with, however long that may take.
    fn ticket(&self, question: &Question<'_>, timeout: Duration) -> String {
        let options = &self.0.options;
        let needed = timeout.saturating_add(options.limits.send_timeout);
        let until = self.0.clock.now() + options.ticket_life.max(needed);
        self.0.tickets.sign(&Ticket {
            node: options.node.clone(),
            transaction: question.transaction.to_owned(),
            layer: question.layer,
            until: until.as_micros().div_euclid(1_000_000).saturating_add(1),
        })
    }
}

#[async_trait]
impl Compute for Members {
    async fn ask(&self, question: Question<'_>) -> Answer {
        let answer = self.ask_here(&question).await;
        if answer.member.is_none() {
            self.note_unasked(&answer.reply);
        }
        answer
    }

    async fn serves(&self, caller: &Caller, tags: &[String]) -> Option<bool> {
        Some(self.0.registry.serves(&caller.tenant, tags))
    }
}

fn failed(cause: Cause, message: String) -> Reply {
    Reply::Failed { cause, message, warnings: Vec::new() }
}

pub(super) fn nobody_there(nobody: Nobody, tags: &[String]) -> String {
    let which = if tags.is_empty() {
        String::new()
    } else {
        format!(" that has the tags {:?}", tags.join(","))
    };
    match nobody {
        Nobody::Absent => format!("no compute member is connected{which}"),
        Nobody::Busy => format!("every compute member{which} is busy"),
    }
}

/// Counts a question, however it ends.
pub(super) struct Count<'a> {
    metrics: &'a Metrics,
    pub(super) outcome: &'static str,
}

impl<'a> Count<'a> {
    pub(super) fn new(metrics: &'a Metrics) -> Self {
        metrics.pending.inc();
        Self { metrics, outcome: "withdrawn" }
    }
}

impl Drop for Count<'_> {
    fn drop(&mut self) {
        self.metrics.pending.dec();
        self.metrics.count(self.outcome);
    }
}

/// A member's place among the others, until it is dropped.
pub(super) struct Place {
    shared: Arc<Shared>,
    pub(super) member: Arc<Member>,
}

impl Place {
    fn new(shared: Arc<Shared>, member: Arc<Member>) -> Self {
        shared.metrics.members.inc();
        shared.changes.send_replace(());
        tracing::info!(member = member.id, tenant = %member.tenant, "a compute member has joined");
        Self { shared, member }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.shared.registry.remove(&self.member);
        self.shared.changes.send_replace(());
        self.member.abandon();
        self.shared.metrics.members.dec();
        let member = &self.member;
        tracing::info!(member = member.id, tenant = %member.tenant, "a compute member has left");
    }
}
