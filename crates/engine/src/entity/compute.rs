//! The way to compute members, who work on entities and judge them from outside.

use async_trait::async_trait;
use waypost_kernel::{DefinitionRef, Timestamp};
use waypost_machines::entity::cascade::{Call, Cause, Reply};

use super::Caller;

/// Where compute members are reached.
#[async_trait]
pub trait Compute: Send + Sync {
    /// Asks one member of the caller's tenant that has all the tags, once, and waits for as long as
    /// the call's terms say, from when the question is on its way. Dropping the future takes the
    /// question back: an answer that comes later is nobody's.
    async fn ask(&self, question: Question<'_>) -> Answer;

    /// Whether a member of the caller's tenant is there that has all the tags; none if that is not
    /// known.
    async fn serves(&self, _: &Caller, _: &[String]) -> Option<bool> {
        None
    }
}

/// What a member is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// Who caused it.
    pub caller: &'a Caller,
    /// What is asked, by whom, and about which value.
    pub call: &'a Call,
    /// The entity's id.
    pub entity: &'a str,
    /// The entity's model.
    pub model: &'a DefinitionRef,
    /// When the entity was created.
    pub created_at: Timestamp,
    /// When the entity was saved last.
    pub updated_at: Timestamp,
    /// The transaction in which it is asked.
    pub transaction: &'a str,
    /// The part of the transaction that what the member does belongs to.
    pub layer: u32,
    /// Members that failed with this question before: others are preferred.
    pub avoid: &'a [String],
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What the member said, or why there is nothing.
    pub reply: Reply,
    /// Who was asked, if anybody was.
    pub member: Option<String>,
}

/// Nobody is there to be asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCompute;

#[async_trait]
impl Compute for NoCompute {
    async fn ask(&self, question: Question<'_>) -> Answer {
        let tags = question.call.terms.tags.join(",");
        let message = format!("no compute member is connected that has the tags {tags:?}");
        let reply = Reply::Failed { cause: Cause::NoMember, message, warnings: Vec::new() };
        Answer { reply, member: None }
    }

    async fn serves(&self, _: &Caller, _: &[String]) -> Option<bool> {
        Some(false)
    }
}
