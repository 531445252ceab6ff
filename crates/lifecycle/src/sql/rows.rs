//! How a value of a bucket lies in a store: in the state of an instance, and in the event of each
//! write.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use waypost_kernel::{
    Commit, DefinitionRef, EventRecord, Facets, Json, Key, Record, Timestamp, Timing, Version,
    Write,
};

use crate::bucket::{BucketError, Entry, Revision};

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

impl Body {
    pub(super) fn put(value: &Bytes) -> Self {
        let text = std::str::from_utf8(value).ok();
        let json = text.and_then(|it| Json::parse(it).ok().filter(|json| json.as_str() == it));
        json.map_or_else(|| Self::Bytes(BASE64_STANDARD.encode(value)), Self::Value)
    }

    pub(super) fn bytes(&self) -> Result<Bytes, BucketError> {
        match self {
            Self::Value(json) => Ok(json.as_str().to_owned().into()),
            Self::Bytes(text) => {
                let bytes = BASE64_STANDARD.decode(text);
                bytes.map(Bytes::from).map_err(|error| unreadable(&error))
            }
            Self::Deleted => Ok(Bytes::new()),
        }
    }

    pub(super) fn state(&self) -> Json {
        Json::of(self)
    }

    pub(super) fn events(&self) -> Json {
        Json::of(&[self])
    }

    pub(super) fn of_events(events: &Json) -> Result<Self, BucketError> {
        let [body] = events.read::<[Self; 1]>().map_err(|error| unreadable(&error))?;
        Ok(body)
    }
}

fn unreadable(error: &dyn std::fmt::Display) -> BucketError {
    BucketError::Failed(format!("what is stored cannot be read: {error}"))
}

/// The number of a write that landed at `at`.
pub(super) fn revision(at: Timestamp) -> Revision {
    Revision(at.as_micros().unsigned_abs())
}

/// What is at a key, unless it was deleted.
pub(super) fn entry(key: &str, record: &Record) -> Result<Option<Entry>, BucketError> {
    let body: Body = record.state.read().map_err(|error| unreadable(&error))?;
    if matches!(body, Body::Deleted) {
        return Ok(None);
    }
    let (value, at) = (body.bytes()?, record.updated_at);
    Ok(Some(Entry { key: key.to_owned(), value, revision: revision(at), at }))
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
