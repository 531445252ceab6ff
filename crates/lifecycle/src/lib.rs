//! Phases for a program's own structs: stored with compare-and-set, moved along a declared table,
//! watched, listed, and shown to operators. A library, not an engine: it does no work by itself.
//!
//! ```
//! use serde::{Deserialize, Serialize};
//! use waypost_lifecycle::{Manager, MemoryBuckets, Participant, Source, Transitions};
//!
//! #[derive(Clone, Default, Serialize, Deserialize, Participant)]
//! #[lifecycle(workflow = "drone-survey", bucket = "MISSIONS", key_prefix = "mission.")]
//! #[lifecycle(transitions = phases)]
//! struct Mission {
//!     #[lifecycle(id)]
//!     entity_id: String,
//!     #[lifecycle(phase)]
//!     phase: String,
//!     #[lifecycle(operator_writable, indexable)]
//!     owner: String,
//! }
//!
//! fn phases() -> Transitions {
//!     Transitions::new()
//!         .phase("planning", ["flying", "aborted"])
//!         .phase("flying", ["completed", "aborted"])
//!         .phase("completed", [])
//!         .phase("aborted", [])
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), waypost_lifecycle::Error> {
//! let manager = Manager::builder(MemoryBuckets::new()).create_buckets(8).build();
//! let missions = manager.register::<Mission>().await?;
//!
//! let new = Mission { entity_id: "m-1".into(), phase: "planning".into(), owner: "ann".into() };
//! missions.create(&new).await?;
//! missions.transition("m-1", "flying", Source::Component, "wind is fine").await?;
//! missions.complete("m-1", Source::Component).await?;
//!
//! let history = missions.history("m-1").await?;
//! let phases: Vec<_> = history.iter().map(|it| it.to.as_str()).collect();
//! assert_eq!(phases, ["planning", "flying", "aborted"], "the first terminal phase by name");
//! assert_eq!(history[1].note, "wind is fine");
//! # Ok(())
//! # }
//! ```
#![warn(missing_docs, clippy::missing_errors_doc)]

mod bucket;
mod change;
mod clock;
mod core;
mod description;
mod drift;
mod dynamic;
mod error;
mod figures;
mod held;
mod history;
mod ids;
mod index;
mod kept;
mod list;
mod manager;
mod memory;
#[cfg(feature = "nats")]
mod nats;
mod operator;
mod participant;
mod registration;
mod relatives;
mod rules;
mod snapshot;
mod sql;
mod watch;
mod workflow;

#[doc(hidden)]
pub mod private {
    //! What the derives write into programs.
    pub use std::sync::LazyLock;

    pub use serde;

    pub use crate::participant::probe;
}

pub use waypost_lifecycle_derive::{Participant, Phase};
pub use waypost_machines::lifecycle::{
    FieldKind, FieldValue, Mismatch, Refusal, SetError, SetOperation, Source, TableError,
    Transitions,
};

#[cfg(feature = "nats")]
pub use crate::nats::NatsBuckets;
pub use crate::{
    bucket::{
        Bucket, BucketError, BucketEvent, BucketWatch, Buckets, Entry, Retained, RetainedValue,
        Revision,
    },
    clock::SystemClock,
    description::{FieldDescription, TypeDescription},
    dynamic::{DynManager, MoveTo},
    error::{BoxError, Error, Result},
    figures::Figures,
    held::Fields,
    history::TransitionEvent,
    ids::IdPattern,
    list::{Consistency, ListOptions},
    manager::{Manager, ManagerBuilder},
    memory::{MemoryBucket, MemoryBuckets},
    participant::{Access, Field, FieldMeta, ParentId, Participant, Phase, Role},
    registration::WorkflowDef,
    rules::{Action, Condition, Operator, Rule, RuleError, Rules},
    snapshot::{Completion, Snapshot},
    sql::SqlBuckets,
    watch::{Watch, WatchEvent},
    workflow::Workflow,
};
