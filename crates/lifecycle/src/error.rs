//! Everything that can go wrong, each with what a program needs to act on it, and the status an
//! HTTP gateway answers with.

use waypost_machines::lifecycle::{FAILED, FieldKind, Refusal};

use crate::BucketError;

/// What went wrong in somebody else's code.
///
/// ```
/// use waypost_lifecycle::BoxError;
///
/// fn check(watts: u32) -> Result<(), BoxError> {
///     if watts > 100 { Err("too bright".into()) } else { Ok(()) }
/// }
/// assert_eq!(check(200).unwrap_err().to_string(), "too bright");
/// ```
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// What operations on lifecycles answer.
///
/// ```
/// use waypost_lifecycle::{Error, Result};
///
/// fn reason(text: &str) -> Result<&str> {
///     if text.is_empty() { Err(Error::FailReasonRequired) } else { Ok(text) }
/// }
/// assert!(reason("").is_err());
/// ```
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation was refused or failed.
///
/// ```
/// use waypost_lifecycle::{Error, Manager, MemoryBuckets};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let manager = Manager::builder(MemoryBuckets::new()).build();
/// match manager.get("lamp", "l-1").await {
///     Err(error @ Error::WorkflowNotRegistered { .. }) => {
///         assert_eq!(error.http_status(), 404);
///         assert_eq!(error.public_message(), error.to_string());
///     }
///     other => panic!("{other:?}"),
/// }
/// // What is the server's own trouble is told to its log only.
/// let inside = Error::Mutator("the password is …".into());
/// assert_eq!(inside.http_status(), 500);
/// assert!(!inside.public_message().contains("password"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No type was registered under this name.
    #[error("workflow {workflow:?} is not registered")]
    WorkflowNotRegistered {
        /// The name.
        workflow: String,
    },
    /// A type was registered under this name before.
    #[error("workflow {workflow:?} is already registered")]
    WorkflowAlreadyRegistered {
        /// The name.
        workflow: String,
    },
    /// A type cannot be registered as it is.
    #[error("workflow {workflow:?} cannot be registered: {reason}")]
    InvalidRegistration {
        /// The name it was to have.
        workflow: String,
        /// What is wrong.
        reason: String,
    },
    /// No field of the type is its identity.
    #[error("workflow {workflow:?} has no field tagged id")]
    MissingIdField {
        /// The type.
        workflow: String,
    },
    /// No field of the type is its phase.
    #[error("workflow {workflow:?} has no field tagged phase")]
    MissingPhaseField {
        /// The type.
        workflow: String,
    },
    /// The table of phases has a mistake.
    #[error("the transitions of workflow {workflow:?} are invalid: {reason}")]
    InvalidTransitionsTable {
        /// The type.
        workflow: String,
        /// The mistake.
        reason: String,
    },
    /// There is no such entity.
    #[error("there is no entity {entity_id:?}{}", within(.workflow.as_deref()))]
    EntityNotFound {
        /// The type, if one was named.
        workflow: Option<String>,
        /// The entity.
        entity_id: String,
    },
    /// There is such an entity.
    #[error("entity {entity_id:?} of workflow {workflow:?} already exists")]
    AlreadyExists {
        /// The type.
        workflow: String,
        /// The entity.
        entity_id: String,
    },
    /// No entity can have this id.
    #[error("{entity_id:?} is not an entity id: {reason}")]
    InvalidEntityId {
        /// The id.
        entity_id: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The table of phases does not have the move.
    #[error("invalid transition of entity {entity_id:?} of workflow {workflow:?}: {refusal}",
        refusal = refused(refusal))]
    InvalidTransition {
        /// The type.
        workflow: String,
        /// The entity.
        entity_id: String,
        /// What exactly is not there, with the phases.
        refusal: Refusal,
    },
    /// The entity has come to its end.
    #[error("entity {entity_id:?} of workflow {workflow:?} is in the terminal phase {phase:?}")]
    TerminalPhase {
        /// The type.
        workflow: String,
        /// The entity.
        entity_id: String,
        /// The phase it was found in.
        phase: String,
    },
    /// Failing needs a reason.
    #[error("failing needs a reason")]
    FailReasonRequired,
    /// Neither operators nor rules may write the field.
    #[error("field {field:?} of workflow {workflow:?} is not operator_writable")]
    FieldNotOperatorWritable {
        /// The type.
        workflow: String,
        /// The field.
        field: String,
    },
    /// The type has no such field.
    #[error("workflow {workflow:?} has no field {field:?}")]
    UnknownField {
        /// The type.
        workflow: String,
        /// The field.
        field: String,
    },
    /// The field does not take the value.
    #[error("field {field:?} of workflow {workflow:?}: cannot assign {found} to {expected}")]
    TypeMismatch {
        /// The type.
        workflow: String,
        /// The field.
        field: String,
        /// What it holds.
        expected: FieldKind,
        /// What came instead.
        found: String,
    },
    /// A list cannot be narrowed down by that.
    #[error("workflow {workflow:?} has no field {field:?} to match")]
    UnknownMatchField {
        /// The type.
        workflow: String,
        /// The field.
        field: String,
    },
    /// Others kept writing to the same entity.
    #[error(
        "entity {entity_id:?} of workflow {workflow:?} was changed by others {attempts} times \
        in a row"
    )]
    UpdateRetriesExhausted {
        /// The type.
        workflow: String,
        /// The entity.
        entity_id: String,
        /// How often it was tried.
        attempts: u32,
    },
    /// A change was about to give an entity another identity.
    #[error("entity {entity_id:?} of workflow {workflow:?} cannot become {changed_to:?}")]
    IdentityChanged {
        /// The type.
        workflow: String,
        /// The entity.
        entity_id: String,
        /// The other id.
        changed_to: String,
    },
    /// The caller's change did not want to.
    #[error("the change was given up: {0}")]
    Mutator(#[source] BoxError),
    /// What is stored cannot be read as this type, or what was given cannot be written.
    #[error("the value at {key:?} of workflow {workflow:?} has another shape: {source}")]
    Decode {
        /// The type.
        workflow: String,
        /// Where it is.
        key: String,
        /// What is wrong.
        #[source]
        source: serde_json::Error,
    },
    /// The store failed.
    #[error("{}", trouble(bucket, source))]
    Store {
        /// The bucket.
        bucket: String,
        /// How.
        #[source]
        source: BucketError,
    },
}

impl Error {
    /// The status an HTTP gateway answers with. What cannot come from a request is a 500, as is
    /// everything that is the server's own trouble.
    #[must_use]
    pub const fn http_status(&self) -> u16 {
        match self {
            Self::WorkflowNotRegistered { .. } | Self::EntityNotFound { .. } => 404,
            Self::InvalidTransition { .. }
            | Self::TerminalPhase { .. }
            | Self::FieldNotOperatorWritable { .. }
            | Self::UnknownField { .. }
            | Self::TypeMismatch { .. }
            | Self::UnknownMatchField { .. }
            | Self::InvalidEntityId { .. }
            | Self::FailReasonRequired => 400,
            Self::UpdateRetriesExhausted { .. } | Self::AlreadyExists { .. } => 409,
            Self::Store { source: BucketError::TooLarge { .. }, .. } => 413,
            Self::WorkflowAlreadyRegistered { .. }
            | Self::InvalidRegistration { .. }
            | Self::MissingIdField { .. }
            | Self::MissingPhaseField { .. }
            | Self::InvalidTransitionsTable { .. }
            | Self::IdentityChanged { .. }
            | Self::Mutator(_)
            | Self::Decode { .. }
            | Self::Store { .. } => 500,
        }
    }

    /// What may be told to whoever asked: all of it, or nothing but that it failed here.
    #[must_use]
    pub fn public_message(&self) -> String {
        match self.http_status() {
            500.. => "internal error (operator details in server log)".to_owned(),
            _ => self.to_string(),
        }
    }

    pub(crate) fn refused(workflow: &str, entity_id: &str, refusal: Refusal) -> Self {
        let (workflow, entity_id) = (workflow.to_owned(), entity_id.to_owned());
        match refusal {
            Refusal::Terminal { phase } => Self::TerminalPhase { workflow, entity_id, phase },
            Refusal::Undeclared { .. }
            | Refusal::NoFailedPhase
            | Refusal::NoEdge { .. }
            | Refusal::NoTerminalNear { .. } => {
                Self::InvalidTransition { workflow, entity_id, refusal }
            }
        }
    }
}

/// One that is missing says itself which it is.
fn trouble(bucket: &str, source: &BucketError) -> String {
    match source {
        BucketError::Missing(name) => {
            format!("{source}{}", bucket.strip_prefix(name.as_str()).unwrap_or_default())
        }
        BucketError::NotFound(_)
        | BucketError::Exists(_)
        | BucketError::Conflict(_)
        | BucketError::InvalidName(_)
        | BucketError::TooLarge { .. }
        | BucketError::Lagged
        | BucketError::Unavailable(_)
        | BucketError::Failed(_) => format!("bucket {bucket}: {source}"),
    }
}

fn within(workflow: Option<&str>) -> String {
    workflow.map_or_else(String::new, |it| format!(" in workflow {it:?}"))
}

fn refused(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Undeclared { to } => format!("phase {to:?} is not declared"),
        Refusal::NoFailedPhase => format!("no terminal phase {FAILED:?} is declared"),
        Refusal::Terminal { phase } => format!("phase {phase:?} is terminal"),
        Refusal::NoEdge { from, to } => format!("{from:?} does not lead to {to:?}"),
        Refusal::NoTerminalNear { from } => {
            format!("{from:?} has no edge to any terminal phase")
        }
    }
}

#[cfg(test)]
mod tests;
