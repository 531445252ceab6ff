//! Identifiers, one type each, so that a task's name can never be passed for a tenant's.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Serialize};

/// Declares identifiers that are shared text.
macro_rules! text_ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The identifier as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl<T: Into<Arc<str>>> From<T> for $name {
            fn from(text: T) -> Self {
                Self(text.into())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

text_ids! {
    /// Whose data it is. Part of every key: no query crosses tenants.
    Tenant;
    /// Names an instance within its tenant and kind.
    InstanceId;
    /// Names a task within its instance.
    TaskId;
    /// Names a timer within its instance.
    TimerId;
    /// Names an outgoing message within its instance; receivers drop repeats by it.
    MessageId;
    /// Chosen by a client, so that asking twice is the same as asking once.
    RequestId;
    /// Names one claim. Two claims never share it, not even of the same worker.
    ClaimId;
    /// Who holds a lease, for people to read.
    WorkerId;
}

/// Which face an instance belongs to, or which register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A document under a state machine.
    Entity,
    /// A graph of steps.
    Process,
    /// A line of steps.
    Chain,
    /// A host program's own struct with a phase.
    Lifecycle,
    /// What entities are made by: a schema that learns, and the workflows for it.
    Model,
    /// Whatever else must be kept: searches and their results, letters, credentials.
    Register,
}

impl Kind {
    /// Every kind, in the order of their codes.
    pub const ALL: [Self; 6] =
        [Self::Entity, Self::Process, Self::Chain, Self::Lifecycle, Self::Model, Self::Register];

    /// The stable number this kind has in storage.
    #[must_use]
    pub const fn code(self) -> i16 {
        match self {
            Self::Entity => 1,
            Self::Process => 2,
            Self::Chain => 3,
            Self::Lifecycle => 4,
            Self::Model => 5,
            Self::Register => 6,
        }
    }

    /// The kind with that number, if there is one.
    #[must_use]
    pub fn from_code(code: i16) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }

    /// The name people see.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Entity => "entity",
            Self::Process => "process",
            Self::Chain => "chain",
            Self::Lifecycle => "lifecycle",
            Self::Model => "model",
            Self::Register => "register",
        }
    }
}

/// The address of an instance.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key {
    /// Whose it is.
    pub tenant: Tenant,
    /// Which face it belongs to.
    pub kind: Kind,
    /// Which one.
    pub id: InstanceId,
}

impl Key {
    /// The key of `tenant`'s instance `id`.
    #[must_use]
    pub const fn new(tenant: Tenant, kind: Kind, id: InstanceId) -> Self {
        Self { tenant, kind, id }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.tenant, self.kind.as_str(), self.id)
    }
}

/// How many commits an instance has seen. Zero is an instance that does not exist.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Version(pub u64);

impl Version {
    /// The version of an instance nothing has happened to yet.
    pub const ABSENT: Self = Self(0);

    /// The version after one more commit.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
