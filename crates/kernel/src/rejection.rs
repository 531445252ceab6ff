//! A considered no.

use std::fmt;

/// A refusal: what programs act on, and what people read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct Rejection {
    /// The stable reason.
    pub code: RejectionCode,
    /// The reason in words: lower case, names the thing, no full stop.
    pub detail: String,
}

impl Rejection {
    /// A refusal for the reason `code`.
    pub fn new(code: RejectionCode, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into() }
    }
}

/// How the edges treat a refusal; see [`RejectionCode::class`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RejectionClass {
    /// What was asked about does not exist.
    Missing,
    /// It does not fit where things stand.
    Conflict,
    /// It can never be right.
    Invalid,
    /// A limit of the instance is reached; asking again may help once it has moved on.
    Exhausted,
}

/// Declares the codes once: variant, text, class.
macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $class:ident;)*) => {
        /// Why something was refused. Stable: clients match on the text.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum RejectionCode {
            $($(#[$doc])* $name,)*
        }

        impl RejectionCode {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The code as clients see it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text),* }
            }

            /// How the edges treat it.
            #[must_use]
            pub const fn class(self) -> RejectionClass {
                match self { $(Self::$name => RejectionClass::$class),* }
            }
        }
    };
}

codes! {
    /// No definition of that name and version.
    DefinitionNotFound = "DEFINITION_NOT_FOUND", Missing;
    /// That name and version already stands for something else.
    DefinitionConflict = "DEFINITION_CONFLICT", Conflict;
    /// The definition breaks a rule.
    DefinitionInvalid = "DEFINITION_INVALID", Invalid;
    /// No instance of that id.
    InstanceNotFound = "INSTANCE_NOT_FOUND", Missing;
    /// An instance of that id exists.
    InstanceExists = "INSTANCE_EXISTS", Conflict;
    /// The instance has ended.
    InstanceEnded = "INSTANCE_ENDED", Conflict;
    /// The instance was canceled while the work was under way.
    InstanceCanceled = "INSTANCE_CANCELED", Conflict;
    /// A running instance has that business key.
    DuplicateBizKey = "DUPLICATE_BIZ_KEY", Conflict;
    /// The lease is not held any more.
    LeaseLost = "LEASE_LOST", Conflict;
    /// A field has a value that can never be right.
    FieldInvalid = "FIELD_INVALID", Invalid;
    /// An outgoing event is missing where one was announced.
    EventRequired = "EVENT_REQUIRED", Invalid;
    /// An outgoing event has no id.
    EventIdRequired = "EVENT_ID_REQUIRED", Invalid;
    /// An outgoing event's id is not a UUID of version 7.
    EventIdNotUuidV7 = "EVENT_ID_NOT_UUIDV7", Invalid;
    /// An outgoing event does not say when it occurred.
    EventOccurredAtRequired = "EVENT_OCCURRED_AT_REQUIRED", Invalid;
    /// Too many events wait for the instance.
    SignalBufferFull = "SIGNAL_BUFFER_FULL", Exhausted;
    /// The instance is not waiting for this event, and early events are not kept.
    SignalNotAwaited = "SIGNAL_NOT_AWAITED", Conflict;
    /// Variables are not what the definition's schema says.
    SchemaViolated = "SCHEMA_VIOLATED", Invalid;
    /// The step is of another type than the request is about.
    StepTypeMismatch = "STEP_TYPE_MISMATCH", Invalid;
    /// No task of that id, or none that is open.
    TaskNotFound = "TASK_NOT_FOUND", Missing;
    /// Only the steps of an instance that has failed can be tried again.
    InstanceNotFailed = "INSTANCE_NOT_FAILED", Conflict;
    /// The step has not failed.
    StepNotRetryable = "STEP_NOT_RETRYABLE", Conflict;
    /// The request id was used for another request.
    RequestReused = "REQUEST_REUSED", Invalid;
}

impl fmt::Display for RejectionCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
