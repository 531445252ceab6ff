//! What the engine and the store say, as clients of entities know it.

use axum::http::StatusCode;
use waypost_api::problem::EdgeCode;
use waypost_engine::{
    Error,
    entity::{Code, Fault, Refusal},
};
use waypost_kernel::{Rejection, RejectionClass, StoreError};

use super::{Failure, RETRY_AFTER};

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        let retry_after = fault.retry_after();
        let failure = match fault {
            Fault::Refused(refusal) => refused(refusal),
            Fault::Failed(error) => failed(error),
        };
        Self { retry_after: retry_after.or(failure.retry_after), ..failure }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Fault::from(error).into()
    }
}

fn refused(refusal: Refusal) -> Failure {
    let Refusal { code, detail, properties, warnings } = refusal;
    let mut failure = Failure::new(status(code), code.as_str(), detail);
    failure.retryable = code.is_retryable();
    if failure.status == StatusCode::SERVICE_UNAVAILABLE {
        failure.retry_after = Some(RETRY_AFTER);
    }
    failure.properties = properties.into_iter().map(|(name, text)| (name, text.into())).collect();
    if !warnings.is_empty() {
        failure.properties.push(("warnings", warnings.into()));
    }
    failure
}

fn status(code: Code) -> StatusCode {
    match code {
        Code::BadRequest
        | Code::InvalidCondition
        | Code::InvalidFieldPath
        | Code::ConditionTypeMismatch
        | Code::PolymorphicSlot
        | Code::InvalidChangeLevel
        | Code::ValidationFailed
        | Code::WorkflowFailed
        | Code::SearchResultLimit
        | Code::TransactionTooLarge => StatusCode::BAD_REQUEST,
        Code::Forbidden => StatusCode::FORBIDDEN,
        Code::TransitionNotFound
        | Code::ModelNotFound
        | Code::EntityNotFound
        | Code::WorkflowNotFound
        | Code::SearchJobNotFound
        | Code::TransactionNotFound => StatusCode::NOT_FOUND,
        Code::ModelNotLocked
        | Code::ModelAlreadyLocked
        | Code::ModelAlreadyUnlocked
        | Code::ModelHasEntities
        | Code::Conflict => StatusCode::CONFLICT,
        Code::EntityModified => StatusCode::PRECONDITION_FAILED,
        Code::NoComputeMemberForTag
        | Code::ComputeMemberDisconnected
        | Code::DispatchForwardFailed => StatusCode::SERVICE_UNAVAILABLE,
    }
}

fn failed(error: Error) -> Failure {
    match error {
        Error::Rejected(rejection) => rejected(&rejection),
        Error::Duplicate { existing } => conflict(format!("{} is in the way", existing.id)),
        Error::Invalid { violations } => {
            let texts = violations.iter().map(|(place, problem)| format!("{place} {problem}"));
            let text = texts.collect::<Vec<_>>().join("; ");
            Failure::new(StatusCode::BAD_REQUEST, Code::ValidationFailed.as_str(), text)
        }
        Error::Overtaken => conflict("something else happened to it meanwhile").again(RETRY_AFTER),
        Error::Contended { attempts } => {
            conflict(format!("others were faster {attempts} times")).again(RETRY_AFTER)
        }
        Error::Overloaded { what } => Failure::overloaded(what, RETRY_AFTER),
        Error::Store(error) => stored(error),
        Error::Defect(cause) => Failure::defect(cause),
    }
}

fn rejected(rejection: &Rejection) -> Failure {
    let status = match rejection.code.class() {
        RejectionClass::Missing => StatusCode::NOT_FOUND,
        RejectionClass::Conflict => StatusCode::CONFLICT,
        RejectionClass::Invalid => StatusCode::BAD_REQUEST,
        RejectionClass::Exhausted => StatusCode::TOO_MANY_REQUESTS,
    };
    let failure = Failure::new(status, rejection.code.as_str(), rejection.detail.as_str());
    match status {
        StatusCode::TOO_MANY_REQUESTS => failure.again(RETRY_AFTER),
        _ => failure,
    }
}

fn conflict(text: impl Into<String>) -> Failure {
    Failure::new(StatusCode::CONFLICT, Code::Conflict.as_str(), text)
}

pub(super) fn unavailable(code: EdgeCode, text: impl Into<String>) -> Failure {
    Failure::new(StatusCode::SERVICE_UNAVAILABLE, code.as_str(), text).again(RETRY_AFTER)
}

/// What the store says may name machines and files: that is for the log.
fn stored(error: StoreError) -> Failure {
    let cause = Some(error.to_string().into());
    let failure = match error {
        StoreError::Conflict(_) => {
            conflict("another transaction was faster; ask again").again(RETRY_AFTER)
        }
        StoreError::Busy => {
            unavailable(EdgeCode::Overloaded, "the store has more to do than it can; ask again")
        }
        StoreError::Unavailable(_) => unavailable(
            EdgeCode::StoreUnavailable,
            "the store cannot be reached or cannot write; nothing has changed; ask again",
        ),
        StoreError::Unknown(_) => unavailable(
            EdgeCode::OutcomeUnknown,
            "the change may or may not have been made; look before asking again",
        ),
        StoreError::Corrupt(_) => Failure::defect(""),
    };
    Failure { cause, ..failure }
}
