//! Questions on their way between nodes: one node asks, a member of another answers.

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize};
use waypost_api::{
    entity::event::{SOURCE, SPEC_VERSION},
    grpc::cloudevents::{
        CloudEvent,
        cloud_event::{CloudEventAttributeValue, Data, cloud_event_attribute_value::Attr},
    },
};
use waypost_engine::entity::{Answer, Question};
use waypost_kernel::Tenant;
use waypost_machines::entity::cascade::{Asked, Cause, Reply};

use super::{
    answer::{Said, reply},
    members::{Count, Members, nobody_there},
    registry::Wanted,
};

/// A question to any member that another node has.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Offered {
    tenant: String,
    /// The member has all of them.
    tags: Vec<String>,
    /// Asked only if nobody else can be.
    avoid: Vec<String>,
    request: String,
    send_timeout_ms: u64,
    answer_timeout_ms: u64,
    event: Letter,
}

/// An event whose attributes and payload are text, as those of questions are.
#[derive(Debug, Serialize, Deserialize)]
struct Letter {
    id: String,
    kind: String,
    attributes: BTreeMap<String, String>,
    text: String,
}

/// What came of it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// The member has answered; what it means is for whoever asked to say.
    Said {
        /// Who.
        member: String,
        /// What.
        said: Told,
    },
    /// The member has not answered.
    Failed {
        /// Who.
        member: String,
        /// Why not.
        why: Why,
        /// The same in words.
        message: String,
    },
    /// There is no such member, or not any more.
    Nobody,
}

/// An answer as it came.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Told {
    Processor(String),
    Criteria(String),
    TooLarge(usize),
}

/// Why a member has not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Why {
    Disconnected,
    NotSent,
    TimedOut,
}

impl Members {
    /// The question for members of other nodes, and how long they may take.
    pub(crate) fn letter(&self, question: &Question<'_>) -> Result<(Offered, Duration), Reply> {
        let timeout = self.answer_timeout(question);
        let send_timeout = self.0.options.limits.send_timeout;
        let (request, event) = self.event(question, timeout)?;
        let offered = Offered {
            tenant: question.caller.tenant.to_string(),
            tags: question.call.terms.tags.clone(),
            avoid: question.avoid.to_vec(),
            request,
            send_timeout_ms: milliseconds(send_timeout),
            answer_timeout_ms: milliseconds(timeout),
            event: event.into(),
        };
        Ok((offered, timeout.saturating_add(send_timeout)))
    }

    /// What the outcome on another node means to whoever asked. Nothing, if nobody was asked.
    pub(crate) fn understand(&self, asked: &Asked, outcome: Outcome) -> Option<Answer> {
        let (reply, member) = match outcome {
            Outcome::Said { member, said } => {
                let said = said.into();
                (reply(asked, &said, self.0.options.limits.warnings_max), member)
            }
            Outcome::Failed { member, why, message } => {
                (Reply::Failed { cause: why.into(), message, warnings: Vec::new() }, member)
            }
            Outcome::Nobody => return None,
        };
        Some(Answer { reply, member: Some(member) })
    }

    /// Asks one of the members here for another node.
    pub(crate) async fn ask_for_peer(&self, offered: Offered) -> Outcome {
        let Offered { tenant, tags, avoid, request, event, .. } = offered;
        let tenant = Tenant::from(tenant);
        let bounds = self.bounds();
        let wanted = Wanted { tenant: &tenant, tags: &tags, avoid: &avoid, bounds };
        let mut asking = match self.0.registry.offer(&wanted, request, event.into()) {
            Ok(asking) => asking,
            Err(nobody) => {
                tracing::debug!(why = nobody_there(nobody, &tags), "a node has asked in vain");
                return Outcome::Nobody;
            }
        };
        let mut count = Count::new(&self.0.metrics);
        let send_timeout = Duration::from_millis(offered.send_timeout_ms);
        let answer_timeout = Duration::from_millis(offered.answer_timeout_ms);
        let waited = asking.wait(send_timeout, answer_timeout).await;
        let member = asking.member.id.clone();
        match waited {
            Ok(said) => {
                count.outcome = "answered";
                Outcome::Said { member, said: said.into() }
            }
            Err((cause, message)) => {
                let why = Why::from(cause);
                count.outcome = why.word();
                Outcome::Failed { member, why, message }
            }
        }
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

impl From<CloudEvent> for Letter {
    fn from(event: CloudEvent) -> Self {
        let CloudEvent { id, r#type, attributes, data, .. } = event;
        let text = |it: CloudEventAttributeValue| match it.attr {
            Some(Attr::CeString(text)) => Some(text),
            Some(
                Attr::CeBoolean(_)
                | Attr::CeInteger(_)
                | Attr::CeBytes(_)
                | Attr::CeUri(_)
                | Attr::CeUriRef(_)
                | Attr::CeTimestamp(_),
            )
            | None => None,
        };
        let attributes = attributes.into_iter().filter_map(|(name, it)| Some((name, text(it)?)));
        let text = match data {
            Some(Data::TextData(text)) => text,
            Some(Data::BinaryData(_) | Data::ProtoData(_)) | None => String::new(),
        };
        Self { id, kind: r#type, attributes: attributes.collect(), text }
    }
}

impl From<Letter> for CloudEvent {
    fn from(letter: Letter) -> Self {
        let attribute = |text| CloudEventAttributeValue { attr: Some(Attr::CeString(text)) };
        let attributes = letter.attributes.into_iter().map(|(name, it)| (name, attribute(it)));
        Self {
            id: letter.id,
            source: SOURCE.to_owned(),
            spec_version: SPEC_VERSION.to_owned(),
            r#type: letter.kind,
            attributes: attributes.collect(),
            data: Some(Data::TextData(letter.text)),
        }
    }
}

impl From<Said> for Told {
    fn from(said: Said) -> Self {
        match said {
            Said::Processor(text) => Self::Processor(text),
            Said::Criteria(text) => Self::Criteria(text),
            Said::TooLarge(n_bytes) => Self::TooLarge(n_bytes),
        }
    }
}

impl From<Told> for Said {
    fn from(told: Told) -> Self {
        match told {
            Told::Processor(text) => Self::Processor(text),
            Told::Criteria(text) => Self::Criteria(text),
            Told::TooLarge(n_bytes) => Self::TooLarge(n_bytes),
        }
    }
}

impl Why {
    const fn word(self) -> &'static str {
        match self {
            Self::Disconnected => "disconnected",
            Self::NotSent => "not_sent",
            Self::TimedOut => "timed_out",
        }
    }
}

impl From<Why> for Cause {
    fn from(why: Why) -> Self {
        match why {
            Why::Disconnected => Self::Disconnected,
            Why::NotSent => Self::NotSent,
            Why::TimedOut => Self::TimedOut,
        }
    }
}

impl From<Cause> for Why {
    fn from(cause: Cause) -> Self {
        match cause {
            Cause::NotSent => Self::NotSent,
            Cause::TimedOut => Self::TimedOut,
            // The others are not about a member that was asked here.
            Cause::Disconnected | Cause::NoMember | Cause::Unreachable | Cause::Refused { .. } => {
                Self::Disconnected
            }
        }
    }
}
