//! Who is asked: a member here, or else one of another node; and somebody who comes a little later.

use async_trait::async_trait;
use tokio::time::{Instant, sleep};
use waypost_engine::{
    Ids as _, RandomIds,
    entity::{Answer, Caller, Compute, Question},
};
use waypost_machines::entity::cascade::{Cause, Reply};

use super::{
    hop::{Hop, Parcel},
    metrics::Metrics,
    node::Cluster,
    record::Peer,
    roster::LOOK_EVERY,
};

#[async_trait]
impl Compute for Cluster {
    async fn ask(&self, question: Question<'_>) -> Answer {
        let members = &self.0.members;
        let mut answer = members.ask_here(&question).await;
        let began_at = Instant::now();
        while is_nobody(&answer) {
            // What a node could not be reached for is told only if nobody else turns up.
            let mut lost = None;
            if let Some(answer) = self.ask_peers(&question, &mut lost).await {
                return answer;
            }
            if began_at.elapsed() >= self.0.options.wait {
                answer.reply = lost.map_or(answer.reply, unreachable);
                break;
            }
            sleep(LOOK_EVERY).await;
            if members.can_ask(&question) {
                answer = members.ask_here(&question).await;
            }
        }
        if answer.member.is_none() {
            members.note_unasked(&answer.reply);
        }
        answer
    }

    async fn serves(&self, caller: &Caller, tags: &[String]) -> Option<bool> {
        if self.0.members.serves(caller, tags).await == Some(true) {
            return Some(true);
        }
        let peers = self.0.roster.peers().await;
        Some(peers.iter().any(|it| it.serves(&caller.tenant, tags)))
    }
}

impl Cluster {
    /// Asks the nodes that have such a member, until one of them has asked it.
    async fn ask_peers(
        &self,
        question: &Question<'_>,
        lost: &mut Option<String>,
    ) -> Option<Answer> {
        let peers = self.able(question).await;
        if peers.is_empty() {
            return None;
        }
        let (offered, patience) = match self.0.members.letter(question) {
            Ok(letter) => letter,
            Err(reply) => return Some(Answer { reply, member: None }),
        };
        let asked = &question.call.asked;
        let parcel = Parcel::new(asked, &offered, patience);
        for peer in peers {
            let mut count = Count::new(&self.0.metrics);
            match self.hop(&peer, &parcel).await {
                Hop::Answered(outcome) => match self.0.members.understand(asked, outcome) {
                    Some(answer) => {
                        count.outcome = "answered";
                        return Some(answer);
                    }
                    None => count.outcome = "no_member",
                },
                Hop::Refused(why) => {
                    count.outcome = "unreachable";
                    *lost = Some(why);
                }
                Hop::Lost(why) => {
                    count.outcome = "lost";
                    return Some(Answer { reply: unreachable(why), member: None });
                }
            }
        }
        None
    }

    /// The nodes that have such a member, in an order left to chance.
    async fn able(&self, question: &Question<'_>) -> Vec<Peer> {
        let (tenant, tags) = (&question.caller.tenant, &question.call.terms.tags);
        let mut peers = self.0.roster.peers().await;
        peers.retain(|it| it.serves(tenant, tags));
        peers.sort_by_cached_key(|_| RandomIds.chance());
        peers
    }
}

const fn is_nobody(answer: &Answer) -> bool {
    matches!(answer.reply, Reply::Failed { cause: Cause::NoMember, .. })
}

const fn unreachable(message: String) -> Reply {
    Reply::Failed { cause: Cause::Unreachable, message, warnings: Vec::new() }
}

/// Counts a question to another node, however it ends.
struct Count<'a> {
    metrics: &'a Metrics,
    outcome: &'static str,
}

impl<'a> Count<'a> {
    const fn new(metrics: &'a Metrics) -> Self {
        Self { metrics, outcome: "withdrawn" }
    }
}

impl Drop for Count<'_> {
    fn drop(&mut self) {
        self.metrics.count_dispatch(self.outcome);
    }
}
