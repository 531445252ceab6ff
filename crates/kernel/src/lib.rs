//! The vocabulary of Waypost and its two contracts: a [`Machine`] decides, a [`Store`] commits.
//!
//! Nothing here does I/O, reads a clock or draws a random number.
#![warn(missing_docs, clippy::missing_errors_doc)]

mod commit;
mod definition;
mod digest;
mod id;
mod json;
mod machine;
mod message;
mod note;
mod rejection;
mod sift;
mod store;
mod task;
mod time;
mod timer;

pub use crate::{
    commit::{
        Commit, EventRecord, Expectation, Facets, Receipt, Record, Request, Timing, Urgency, Write,
    },
    definition::{Definition, DefinitionQuery, DefinitionRef},
    digest::digest,
    id::{
        ClaimId, InstanceId, Key, Kind, MessageId, RequestId, TaskId, Tenant, TimerId, Version,
        WorkerId,
    },
    json::Json,
    machine::{Decided, Machine, Turn},
    message::{Delivery, Message, MessageChange, MessageRef, Posted},
    note::Note,
    rejection::{Rejection, RejectionClass, RejectionCode},
    sift::{Lookup, PAGE_BYTES_MAX, Sift, Span, Tally, TallyQuery, Term, may_go_on},
    store::{
        Change, Conflict, Cursor, Figures, Hint, Listener, Query, QueueFigures, Records, Scope,
        Store, StoreError,
    },
    task::{Claim, Lease, NewTask, Task, TaskChange, TaskRef},
    time::{Clock, Timestamp},
    timer::{NewTimer, Timer, TimerChange, TimerRef},
};
