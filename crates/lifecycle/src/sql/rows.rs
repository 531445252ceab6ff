//! How a value of a bucket lies in a store: in the state of an instance, and in the event of each
//! write.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use waypost_kernel::{
    Commit, DefinitionRef, EventRecord, Facets, Json, Key, Record, Timestamp, Timing, Version,
    Write,
};

use crate::bucket::{Entry, Revision};

/// The status of a key at which there is something.
pub(super) const PRESENT: &str = "present";
const DELETED: &str = "deleted";
/// The status of the instance that stands for the bucket.
const BUCKET: &str = "bucket";

/// What is stored. JSON stays JSON, so that people can read it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Body {
    Value(Json),
    Bytes(String),
    Deleted,
}

enum Content {
    Value(Bytes),
    Deleted,
}

impl Body {
    pub(super) fn put(value: &Bytes) -> Self {
        let text = std::str::from_utf8(value).ok();
        let json = text.and_then(|it| Json::parse(it).ok().filter(|json| json.as_str() == it));
        json.map_or_else(|| Self::Bytes(BASE64_STANDARD.encode(value)), Self::Value)
    }

    /// Nothing, if it holds what nobody has written.
    fn content(&self) -> Option<Content> {
        match self {
            Self::Value(json) => Some(Content::Value(json.as_str().to_owned().into())),
            Self::Bytes(text) => {
                let bytes = BASE64_STANDARD.decode(text).ok()?;
                Some(Content::Value(bytes.into()))
            }
            Self::Deleted => Some(Content::Deleted),
        }
    }

    pub(super) fn state(&self) -> Json {
        Json::of(self)
    }

    pub(super) fn events(&self) -> Json {
        Json::of(&[self])
    }

    /// What a state holds; nothing, if it is the mark of a deletion.
    pub(super) fn of_state(state: &Json) -> Option<Bytes> {
        if let Some(value) = cut(state, "{\"value\":", "}") {
            return Some(value);
        }
        value_of(state.read::<Self>().ok(), state)
    }

    /// What the event of a write holds; nothing, if it is the mark of a deletion.
    pub(super) fn of_events(events: &Json) -> Option<Bytes> {
        if let Some(value) = cut(events, "[{\"value\":", "}]") {
            return Some(value);
        }
        value_of(events.read::<[Self; 1]>().ok().map(|[it]| it), events)
    }
}

/// What is between two ends. It is JSON, so what is left when the ends are gone is, too.
fn cut(json: &Json, begin: &str, end: &str) -> Option<Bytes> {
    let value = json.as_str().strip_prefix(begin)?.strip_suffix(end)?;
    Some(Bytes::copy_from_slice(value.as_bytes()))
}

/// What was written; or what is there instead, as it is. Whoever opens it finds that it cannot be read,
/// and everything else can.
fn value_of(body: Option<Body>, stored: &Json) -> Option<Bytes> {
    match body.as_ref().and_then(Body::content) {
        Some(Content::Value(value)) => Some(value),
        Some(Content::Deleted) => None,
        None => Some(Bytes::copy_from_slice(stored.as_str().as_bytes())),
    }
}

/// The number of a write that landed at `at`.
pub(super) fn revision(at: Timestamp) -> Revision {
    Revision(at.as_micros().unsigned_abs())
}

/// What is at a key, unless it was deleted.
pub(super) fn entry(key: &str, record: &Record) -> Option<Entry> {
    let (value, at) = (Body::of_state(&record.state)?, record.updated_at);
    Some(Entry { key: key.to_owned(), value, revision: revision(at), at })
}

/// What a bucket's keys can be found by.
pub(super) fn facets(bucket: &str, body: &Body) -> Facets {
    let status = match body {
        Body::Deleted => DELETED,
        Body::Value(_) | Body::Bytes(_) => PRESENT,
    };
    let definition = Some(DefinitionRef { name: bucket.to_owned(), version: 1 });
    Facets { definition, status: status.to_owned(), ..Facets::default() }
}

/// Makes a bucket.
pub(super) fn registered(key: Key) -> Commit {
    let (at, version) = (Timestamp::EPOCH, Version::ABSENT.next());
    let facets = Facets { status: BUCKET.to_owned(), ..Facets::default() };
    let (state, events) = (Json::of(&()), Json::of(&[BUCKET]));
    let events = EventRecord { key: key.clone(), version, at, events };
    let write = Write { key, version, facets, state, at, keeps_past: false, terms: None };
    Commit {
        writes: vec![write],
        events: vec![events],
        timing: Timing::Landed,
        ..Commit::default()
    }
}
