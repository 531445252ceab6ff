//! What a member is asked, as it travels.

use tonic::Status;
use waypost_api::{
    Document,
    entity::{
        CriteriaRequest, Meta, ModelKey, Named, Payload, ProcessorRequest, Target, Timestamp,
        Transition,
        event::{
            AUTH_CLAIMS, AUTH_ID, AUTH_TYPE, CRITERIA_REQUEST, PROCESSOR_REQUEST, TRANSACTION,
        },
    },
    grpc::cloudevents::{
        CloudEvent,
        cloud_event::{CloudEventAttributeValue, cloud_event_attribute_value::Attr},
    },
};
use waypost_engine::entity::{Caller, Question};
use waypost_kernel::Timestamp as Instant;
use waypost_machines::entity::cascade::{Asked, Passage, Target as Aim};

use super::event::event;

/// The role of programs.
pub(super) const ROLE_PROGRAM: &str = "ROLE_M2M";

/// The question as an event.
pub(super) fn asked(
    question: &Question<'_>,
    request: &str,
    ticket: String,
) -> Result<CloudEvent, Status> {
    let mut event = match &question.call.asked {
        Asked::Processor { name, .. } => {
            event(PROCESSOR_REQUEST, &to_processor(question, request, name)?)
        }
        Asked::Function { name, target } => {
            event(CRITERIA_REQUEST, &to_function(question, request, name, *target)?)
        }
    }?;
    let attributes = origin(question.caller).into_iter().chain([(TRANSACTION, ticket)]);
    event.attributes = attributes.map(|(name, text)| (name.to_owned(), attribute(text))).collect();
    Ok(event)
}

/// On whose behalf it is asked.
fn origin(caller: &Caller) -> Vec<(&'static str, String)> {
    let is_program = caller.roles.iter().any(|it| it == ROLE_PROGRAM);
    let kind = if is_program { "service_account" } else { "user" };
    let mut origin = vec![(AUTH_TYPE, kind.to_owned()), (AUTH_ID, caller.user.clone())];
    if !caller.roles.is_empty() {
        origin.push((AUTH_CLAIMS, caller.roles.join(",")));
    }
    origin
}

const fn attribute(text: String) -> CloudEventAttributeValue {
    CloudEventAttributeValue { attr: Some(Attr::CeString(text)) }
}

fn to_processor(
    question: &Question<'_>,
    request: &str,
    name: &str,
) -> Result<ProcessorRequest, Status> {
    Ok(ProcessorRequest {
        id: request.to_owned(),
        request_id: request.to_owned(),
        entity_id: question.entity.to_owned(),
        processor_id: name.to_owned(),
        processor_name: name.to_owned(),
        workflow: named(&question.call.workflow),
        transition: question.call.transition.as_ref().map(transition),
        transaction_id: question.transaction.to_owned(),
        success: true,
        parameters: parameters(question),
        payload: payload(question)?,
    })
}

fn to_function(
    question: &Question<'_>,
    request: &str,
    name: &str,
    target: Aim,
) -> Result<CriteriaRequest, Status> {
    Ok(CriteriaRequest {
        id: request.to_owned(),
        request_id: request.to_owned(),
        entity_id: question.entity.to_owned(),
        criteria_id: name.to_owned(),
        criteria_name: name.to_owned(),
        target: match target {
            Aim::Workflow => Target::Workflow,
            Aim::Transition => Target::Transition,
        },
        workflow: named(&question.call.workflow),
        transition: question.call.transition.as_ref().map(transition),
        transaction_id: question.transaction.to_owned(),
        success: true,
        parameters: parameters(question),
        payload: payload(question)?,
    })
}

fn named(name: &str) -> Named {
    Named { id: name.to_owned(), name: name.to_owned() }
}

fn transition(passage: &Passage) -> Transition {
    Transition {
        id: passage.name.clone(),
        name: passage.name.clone(),
        state_from: passage.from.clone(),
        state_to: passage.to.clone(),
    }
}

fn parameters(question: &Question<'_>) -> Option<String> {
    Some(question.call.terms.context.clone()).filter(|it| !it.is_empty())
}

fn payload(question: &Question<'_>) -> Result<Option<Payload>, Status> {
    if !question.call.terms.attach_entity {
        return Ok(None);
    }
    let data = Document::parse(&question.call.value.to_string())
        .map_err(|error| Status::internal(format!("an entity has no JSON form: {error}")))?;
    let (model, time) = (question.model, |at: Instant| Timestamp::from_micros(at.as_micros()));
    let meta = Meta {
        id: question.entity.to_owned(),
        model_key: ModelKey { name: model.name.clone(), version: model.version },
        state: question.call.state.clone(),
        creation_date: time(question.created_at),
        last_update_time: time(question.updated_at),
        transaction_id: question.transaction.to_owned(),
    };
    Ok(Some(Payload { format: "JSON", data, meta }))
}
