//! How a request about entities can fail.

use std::time::Duration;

use waypost_kernel::StoreError;

use crate::error::Error;

/// Why a request was not carried out. Nothing has changed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Fault {
    /// Refused, with a reason.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The engine or its store could not do it.
    #[error(transparent)]
    Failed(#[from] Error),
}

/// A considered no.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {detail}", .code.as_str())]
pub struct Refusal {
    /// The stable reason.
    pub code: Code,
    /// The reason in words.
    pub detail: String,
    /// More for programs: names and texts.
    pub properties: Vec<(&'static str, String)>,
    /// What the engine and its members had to say until then.
    pub warnings: Vec<String>,
}

impl Refusal {
    pub(crate) fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), properties: Vec::new(), warnings: Vec::new() }
    }

    pub(crate) fn with(mut self, name: &'static str, text: impl Into<String>) -> Self {
        self.properties.push((name, text.into()));
        self
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Failed(Error::Store(error))
    }
}

impl Fault {
    /// When asking again may help, if it may.
    #[must_use]
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Refused(_) => None,
            Self::Failed(error) => error.retry_after(),
        }
    }
}

/// Declares the codes once: variant, text, whether the same request may succeed later.
macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $retryable:literal;)*) => {
        /// Why something was refused. Stable: clients match on the text.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Code {
            $($(#[$doc])* $name,)*
        }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The code as clients see it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text),* }
            }

            /// Whether the same request may succeed a little later.
            #[must_use]
            pub const fn is_retryable(self) -> bool {
                match self { $(Self::$name => $retryable),* }
            }
        }
    };
}

codes! {
    /// The request is not of the expected form, or the document does not fit its model.
    BadRequest = "BAD_REQUEST", false;
    /// A condition is not written as conditions are.
    InvalidCondition = "INVALID_CONDITION", false;
    /// A condition asks about a place or a field that there cannot be.
    InvalidFieldPath = "INVALID_FIELD_PATH", false;
    /// A condition compares with a value that its operator has no use for.
    ConditionTypeMismatch = "CONDITION_TYPE_MISMATCH", false;
    /// The document has another kind of node than the model at the same place.
    PolymorphicSlot = "POLYMORPHIC_SLOT", false;
    /// There is no such change level.
    InvalidChangeLevel = "INVALID_CHANGE_LEVEL", false;
    /// Workflows break a rule.
    ValidationFailed = "VALIDATION_FAILED", false;
    /// A criterion, a processor, a limit or the workflow itself stands in the way.
    WorkflowFailed = "WORKFLOW_FAILED", false;
    /// There is no such transition in this state, or it is disabled.
    TransitionNotFound = "TRANSITION_NOT_FOUND", false;
    /// Nobody is there who could be asked.
    NoComputeMemberForTag = "NO_COMPUTE_MEMBER_FOR_TAG", true;
    /// Whoever was asked went away.
    ComputeMemberDisconnected = "COMPUTE_MEMBER_DISCONNECTED", true;
    /// The node cannot be reached that has somebody who could be asked.
    DispatchForwardFailed = "DISPATCH_FORWARD_FAILED", true;
    /// There is no such model.
    ModelNotFound = "MODEL_NOT_FOUND", false;
    /// Entities can be written once the model is locked.
    ModelNotLocked = "MODEL_NOT_LOCKED", false;
    /// The model is locked.
    ModelAlreadyLocked = "MODEL_ALREADY_LOCKED", false;
    /// The model is not locked.
    ModelAlreadyUnlocked = "MODEL_ALREADY_UNLOCKED", false;
    /// There are entities of the model.
    ModelHasEntities = "MODEL_HAS_ENTITIES", false;
    /// There is no such entity, or there was none then.
    EntityNotFound = "ENTITY_NOT_FOUND", false;
    /// The entity is not at the version that was expected.
    EntityModified = "ENTITY_MODIFIED", false;
    /// The model has no workflows.
    WorkflowNotFound = "WORKFLOW_NOT_FOUND", false;
    /// There is no such search.
    SearchJobNotFound = "SEARCH_JOB_NOT_FOUND", false;
    /// More entities match than were asked for.
    SearchResultLimit = "SEARCH_RESULT_LIMIT", false;
    /// Another transaction was faster.
    Conflict = "CONFLICT", true;
    /// The transaction is over.
    TransactionNotFound = "TRANSACTION_NOT_FOUND", false;
    /// The transaction is another tenant's.
    Forbidden = "FORBIDDEN", false;
    /// The transaction holds too much.
    TransactionTooLarge = "TRANSACTION_TOO_LARGE", false;
}
