//! Entities over HTTP: bodies below the context path. What is answered has exactly the members
//! that clients know; many of them refuse others.

mod audit;
mod change;
mod letter;
mod model;
mod search;
mod view;

pub use self::{
    audit::{Actor, AuditItem, AuditPage, EntityChange, MachineEvent, Pagination},
    change::{
        Change, DeleteResult, Deleted, DeletedAll, EntityUpdate, NewEntity, StaleChunk,
        StaleChunkError, Transaction, Written,
    },
    letter::{Erased, ErasedAll, Letter, LetterHeader, LetterMeta, LetterValues},
    model::{Count, Imported, Indexes, ModelAction, ModelKey, ModelSummary, StateCount},
    search::{Page, PageFacts, SearchCanceled, SearchEnded, SearchNotRunning, SearchState},
    view::{Envelope, Health, LogLevel, LogLevelChange, Meta, TraceSampler},
};
