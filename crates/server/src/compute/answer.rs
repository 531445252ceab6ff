//! What a member has said, and what it means.

use waypost_api::{
    Document,
    entity::{CriteriaResponse, Failure, ProcessorResponse},
};
use waypost_documents::document::Value;
use waypost_machines::entity::cascade::{Asked, Cause, Reply};

use super::event::read;

/// An answer as it came. Whoever asked reads it: a member's stream has other things to do.
#[derive(Debug)]
pub(super) enum Said {
    /// A processor's answer.
    Processor(String),
    /// A function's answer.
    Criteria(String),
    /// An answer with that many bytes, which are too many.
    TooLarge(usize),
}

/// What the answer means to whoever asked.
pub(super) fn reply(asked: &Asked, said: &Said, warnings_max: usize) -> Reply {
    match (asked, said) {
        (Asked::Processor { .. }, Said::Processor(text)) => processed(text, warnings_max),
        (Asked::Function { .. }, Said::Criteria(text)) => matched(text, warnings_max),
        (Asked::Processor { .. }, Said::Criteria(_)) => {
            nonsense("a processor was asked and a criterion answered")
        }
        (Asked::Function { .. }, Said::Processor(_)) => {
            nonsense("a criterion was asked and a processor answered")
        }
        (Asked::Processor { .. } | Asked::Function { .. }, Said::TooLarge(n_bytes)) => {
            nonsense(&format!("it has {n_bytes} bytes, which are too many"))
        }
    }
}

/// The member has answered, but not what it was asked.
fn nonsense(what: &str) -> Reply {
    let message = format!("the answer makes no sense: {what}");
    Reply::Failed { cause: Cause::Refused { is_retryable: false }, message, warnings: Vec::new() }
}

fn processed(text: &str, warnings_max: usize) -> Reply {
    let response: ProcessorResponse = match read(text) {
        Ok(response) => response,
        Err(what) => return nonsense(&what),
    };
    let warnings = few(response.warnings, warnings_max);
    if response.success == Some(false) {
        return refused(response.error, warnings);
    }
    match response.payload.and_then(|it| it.data).map(|it| to_value(&it)).transpose() {
        Ok(value) => Reply::Processed { value, warnings },
        Err(what) => nonsense(&what),
    }
}

fn matched(text: &str, warnings_max: usize) -> Reply {
    let response: CriteriaResponse = match read(text) {
        Ok(response) => response,
        Err(what) => return nonsense(&what),
    };
    let warnings = few(response.warnings, warnings_max);
    if response.success == Some(false) {
        return refused(response.error, warnings);
    }
    let matches = response.matches.unwrap_or(false);
    Reply::Matched { matches, reason: response.reason, warnings }
}

fn refused(error: Option<Failure>, warnings: Vec<String>) -> Reply {
    let Failure { message, retryable } = error.unwrap_or_default();
    let message = message.filter(|it| !it.is_empty());
    Reply::Failed {
        cause: Cause::Refused { is_retryable: retryable.unwrap_or(false) },
        message: message.unwrap_or_else(|| "it gave no reason".to_owned()),
        warnings,
    }
}

fn to_value(document: &Document) -> Result<Value, String> {
    let value = Value::parse(document.as_str()).map_err(|it| format!("payload.data: {it}"))?;
    match value {
        Value::Object(_) => Ok(value),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::List(_) => {
            Err("payload.data is not an object".to_owned())
        }
    }
}

fn few(warnings: Option<Vec<String>>, warnings_max: usize) -> Vec<String> {
    let mut warnings = warnings.unwrap_or_default();
    let more = warnings.len().saturating_sub(warnings_max);
    if more > 0 {
        warnings.truncate(warnings_max);
        warnings.push(format!("and {more} more warnings"));
    }
    warnings
}
