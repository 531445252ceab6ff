//! How failures look over gRPC: the one file that knows its codes.

use tonic::{Code, Status};
use waypost_engine::Error;
use waypost_kernel::{Rejection, RejectionClass, RejectionCode, StoreError};

use crate::http::KEY_IN_USE;

/// The status of a request that was not carried out.
pub(super) fn status(error: Error) -> Status {
    match error {
        Error::Rejected(Rejection { code, detail }) => Status::new(rejected(code), detail),
        Error::Duplicate { .. } => Status::already_exists(KEY_IN_USE),
        Error::Invalid { violations } => {
            let found = violations.into_iter().map(|(_, problem)| format!("\n  {problem}"));
            Status::invalid_argument(format!("validation errors:{}", found.collect::<String>()))
        }
        Error::Overtaken | Error::Contended { .. } => {
            Status::aborted("something else happened to it meanwhile; ask again")
        }
        Error::Overloaded { what } => {
            Status::resource_exhausted(format!("too many {what}; ask again"))
        }
        Error::Store(error) => stored(error),
        Error::Defect(cause) => defect(&cause),
    }
}

/// The status of a failure that has one over HTTP.
pub(super) fn by_http(status: u16, text: impl Into<String>) -> Status {
    let code = match status {
        401 => Code::Unauthenticated,
        403 => Code::PermissionDenied,
        404 => Code::NotFound,
        409 | 410 | 412 => Code::FailedPrecondition,
        429 => Code::ResourceExhausted,
        503 => Code::Unavailable,
        400..500 => Code::InvalidArgument,
        _ => Code::Internal,
    };
    Status::new(code, text)
}

fn rejected(code: RejectionCode) -> Code {
    match code.class() {
        RejectionClass::Missing => Code::NotFound,
        RejectionClass::Conflict => Code::FailedPrecondition,
        RejectionClass::Invalid => Code::InvalidArgument,
        RejectionClass::Exhausted => Code::ResourceExhausted,
    }
}

/// What the store says may name machines and files: that is for the log.
fn stored(error: StoreError) -> Status {
    let text = error.to_string();
    match error {
        StoreError::Conflict(_) => {
            Status::aborted("something else happened to it meanwhile; ask again")
        }
        StoreError::Busy => {
            Status::resource_exhausted("the store has more to do than it can; ask again")
        }
        StoreError::Unavailable(_) => {
            tracing::error!(cause = text, "request failed");
            Status::unavailable("the store cannot be reached or cannot write; ask again")
        }
        StoreError::Unknown(_) => {
            tracing::error!(cause = text, "request failed");
            Status::unknown("the change may or may not have been made")
        }
        StoreError::Corrupt(_) => defect(&text),
    }
}

fn defect(cause: &str) -> Status {
    tracing::error!(cause, "request failed");
    Status::internal("internal error: the server failed; its log says more")
}
