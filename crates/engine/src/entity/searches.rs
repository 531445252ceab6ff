//! Searches in the background: a search becomes a list of ids as of one instant, which is kept for
//! a while and read page by page.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde::{Deserialize, Serialize};
use waypost_documents::predicate::Predicate;
use waypost_kernel::{
    Commit, DefinitionRef, Facets, InstanceId, Json, Key, Kind, Query, Record, StoreError,
    Timestamp, Version, Write,
};

use super::{Code, Entities, Entity, Fault, Refusal, models::bad};
use crate::{
    error::Error,
    limits::{
        ENTITIES_MAX, SEARCH_CHUNK, SEARCH_SILENCE_MAX, SEARCHES_KEPT_MAX, SEARCHES_RUNNING_MAX,
        TURN_ATTEMPTS_MAX,
    },
};

/// What [`Facets::status`] says of searches.
const SEARCH: &str = "search";

/// Where a search stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchStatus {
    /// It is under way.
    Running,
    /// Its result is complete.
    Successful,
    /// It could not be carried out.
    Failed,
    /// Somebody did not want it any more.
    Cancelled,
}

/// A search as it is seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchView {
    /// Where it stands.
    pub status: SearchStatus,
    /// What it searches.
    pub model: DefinitionRef,
    /// As of when.
    pub at: Timestamp,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
    /// Until when its result is kept.
    pub expires_at: Timestamp,
    /// How many entities it found, once it is done.
    pub n_found: u64,
    /// When it last gave a sign of life.
    seen_at: Timestamp,
}

/// A page of a result.
#[derive(Clone, Debug)]
pub struct SearchPage {
    /// The entities as they were then.
    pub entities: Vec<Entity>,
    /// How many there are on all pages.
    pub n_found: u64,
}

/// How many searches are under way on this node.
#[derive(Clone, Default)]
pub(super) struct Running(Arc<AtomicUsize>);

struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Running {
    fn enter(&self) -> Result<Place, Error> {
        let place = Place(Arc::clone(&self.0));
        if place.0.fetch_add(1, Ordering::Relaxed) >= SEARCHES_RUNNING_MAX {
            return Err(Error::Overloaded { what: "searches under way" });
        }
        Ok(place)
    }
}

impl Entities {
    /// Begins a search as of `at`, or now; gives its id.
    ///
    /// # Errors
    /// When there is no such model, or too many searches are under way.
    pub async fn begin_search(
        &self,
        model: &DefinitionRef,
        predicate: Predicate,
        at: Option<Timestamp>,
    ) -> Result<InstanceId, Fault> {
        self.exists(model).await?;
        let place = self.home().searches.enter()?;
        self.tidy_searches().await?;
        let now = self.store().now();
        let id = self.shared.ids.entity(now);
        let view = SearchView {
            status: SearchStatus::Running,
            model: model.clone(),
            at: at.filter(|it| *it < now).unwrap_or(now),
            created_at: now,
            finished_at: None,
            expires_at: now + self.home().rules.searches_kept,
            n_found: 0,
            seen_at: now,
        };
        self.put_search(&id, Version::ABSENT, &view).await?;
        let (entities, search) = (Self { within: None, ..self.clone() }, id.clone());
        drop(tokio::spawn(async move {
            let _place = place;
            if let Err(fault) = entities.carry_out(&search, view.clone(), predicate).await {
                tracing::warn!(%search, %fault, "a search failed");
                // If this does not work either, its silence will tell.
                drop(entities.stop_search(&search, SearchStatus::Failed).await);
            }
        }));
        Ok(id)
    }

    /// Where a search stands.
    ///
    /// # Errors
    /// When there is no such search, or not any more.
    pub async fn search_status(&self, id: &InstanceId) -> Result<SearchView, Fault> {
        self.find_search(id).await.map(|(_, view)| view)
    }

    /// A page of a search's result, by number.
    ///
    /// # Errors
    /// When there is no such search, or it has no result.
    pub async fn search_page(
        &self,
        id: &InstanceId,
        offset: u64,
        limit: u32,
    ) -> Result<SearchPage, Fault> {
        if limit == 0 || limit > ENTITIES_MAX {
            return Err(bad(format!("a page has 1 to {ENTITIES_MAX} entities")).into());
        }
        let (_, view) = self.find_search(id).await?;
        if view.status != SearchStatus::Successful {
            return Err(bad(format!("search {id} has no result: it is {:?}", view.status)).into());
        }
        let end = offset.saturating_add(u64::from(limit)).min(view.n_found);
        let chunk = u64::try_from(SEARCH_CHUNK).unwrap_or(u64::MAX);
        let chunks: Vec<Key> = (offset / chunk..end.div_ceil(chunk))
            .map(|number| self.search_key(id, Some(number)))
            .collect();
        let mut keys = Vec::new();
        for record in self.store().load(&chunks).await?.into_iter().flatten() {
            let ids: Vec<InstanceId> = record.state.read().map_err(corrupt)?;
            keys.extend(ids.iter().map(|it| self.key(it)));
        }
        let skip = usize::try_from(offset % chunk).unwrap_or(usize::MAX);
        let take = usize::try_from(end.saturating_sub(offset)).unwrap_or(usize::MAX);
        let keys: Vec<Key> = keys.into_iter().skip(skip).take(take).collect();
        let records = self.store().past(&keys, view.at).await?;
        let entities = records.into_iter().flatten().map(Entity::read);
        let entities = entities.collect::<Result<_, _>>()?;
        Ok(SearchPage { entities, n_found: view.n_found })
    }

    /// Ends a search that is under way; says where it stood before.
    ///
    /// # Errors
    /// When there is no such search.
    pub async fn cancel_search(&self, id: &InstanceId) -> Result<SearchStatus, Fault> {
        self.stop_search(id, SearchStatus::Cancelled).await
    }

    /// Ends a search that is under way with `status`; says where it stood before.
    async fn stop_search(
        &self,
        id: &InstanceId,
        status: SearchStatus,
    ) -> Result<SearchStatus, Fault> {
        for _ in 0..TURN_ATTEMPTS_MAX {
            let (version, view) = self.find_search(id).await?;
            let before = view.status;
            if before != SearchStatus::Running {
                return Ok(before);
            }
            match self.end_search(id, version, SearchView { status, ..view }).await {
                Ok(()) => return Ok(before),
                // It has given a sign of life, or come to its end.
                Err(Fault::Failed(Error::Store(StoreError::Conflict(_)))) => {}
                Err(fault) => return Err(fault),
            }
        }
        Err(Refusal::new(Code::Conflict, "the search changes too often; try again").into())
    }

    /// Searches, and leaves nothing behind if it fails or nobody wants it any more.
    async fn carry_out(
        &self,
        id: &InstanceId,
        view: SearchView,
        predicate: Predicate,
    ) -> Result<(), Fault> {
        let mut n_chunks = 0;
        let done = self.gather(id, view, predicate, &mut n_chunks).await;
        if done.is_err() {
            let erased = (0..n_chunks).map(|it| self.search_key(id, Some(it))).collect();
            self.store().commit(Commit { erased, ..Commit::default() }).await?;
        }
        done
    }

    /// Notes what is found chunk by chunk.
    async fn gather(
        &self,
        id: &InstanceId,
        mut view: SearchView,
        predicate: Predicate,
        n_chunks: &mut u64,
    ) -> Result<(), Fault> {
        let mut found = self.search_at(&view.model, predicate, view.at).await?;
        let (mut version, mut ids) = (Version::ABSENT.next(), Vec::new());
        loop {
            let page = found.next().await?;
            let is_last = page.is_empty();
            view.n_found += u64::try_from(page.len()).unwrap_or(u64::MAX);
            ids.extend(page.into_iter().map(|it| it.id));
            while ids.len() >= SEARCH_CHUNK || is_last && !ids.is_empty() {
                let rest = ids.split_off(ids.len().min(SEARCH_CHUNK));
                self.put_chunk(id, *n_chunks, &std::mem::replace(&mut ids, rest)).await?;
                *n_chunks += 1;
            }
            if is_last {
                view.status = SearchStatus::Successful;
                return self.end_search(id, version, view).await;
            }
            let now = self.store().now();
            if now.since(view.seen_at) > SEARCH_SILENCE_MAX / 20 {
                view.seen_at = now;
                view.expires_at = now + self.home().rules.searches_kept;
                // How many there are is told when all of them are known. Whoever has canceled the
                // search has left another version, and this does not land.
                let told = SearchView { n_found: 0, ..view.clone() };
                self.put_search(id, version, &told).await?;
                version = version.next();
            }
        }
    }

    async fn end_search(
        &self,
        id: &InstanceId,
        version: Version,
        view: SearchView,
    ) -> Result<(), Fault> {
        let now = self.store().now();
        let expires_at = now + self.home().rules.searches_kept;
        let view = SearchView { finished_at: Some(now), expires_at, seen_at: now, ..view };
        self.put_search(id, version, &view).await
    }

    async fn find_search(&self, id: &InstanceId) -> Result<(Version, SearchView), Fault> {
        let key = self.search_key(id, None);
        let record = self.store().load(&[key]).await?.pop().flatten();
        let now = self.store().now();
        let found = record.map(|it| self.search_view(&it, now)).transpose()?;
        found.filter(|(_, it)| it.expires_at > now).ok_or_else(|| {
            let detail = format!("search {id} not found");
            Refusal::new(Code::SearchJobNotFound, detail).into()
        })
    }

    async fn put_search(
        &self,
        id: &InstanceId,
        before: Version,
        view: &SearchView,
    ) -> Result<(), Fault> {
        self.put_register(self.search_key(id, None), before, (SEARCH, Json::of(view))).await
    }

    async fn put_chunk(
        &self,
        id: &InstanceId,
        number: u64,
        ids: &[InstanceId],
    ) -> Result<(), Fault> {
        let key = self.search_key(id, Some(number));
        self.put_register(key, Version::ABSENT, ("search-chunk", Json::of(ids))).await
    }

    async fn put_register(
        &self,
        key: Key,
        before: Version,
        (status, state): (&str, Json),
    ) -> Result<(), Fault> {
        let write = Write {
            key,
            version: before.next(),
            facets: Facets { status: status.to_owned(), ..Facets::default() },
            state,
            at: self.store().now(),
            keeps_past: false,
            terms: None,
        };
        self.store().commit(Commit { writes: vec![write], ..Commit::default() }).await?;
        Ok(())
    }

    /// Forgets searches whose time is over, and the oldest if there are too many.
    async fn tidy_searches(&self) -> Result<(), Fault> {
        let now = self.store().now();
        let limit = u32::try_from(SEARCHES_KEPT_MAX).unwrap_or(u32::MAX);
        let query = Query {
            tenant: self.caller.tenant.clone(),
            kind: Kind::Register,
            definition: None,
            version: None,
            status: Some(SEARCH.to_owned()),
            business_key: None,
            awaits: None,
            step: None,
            from: None,
            until: None,
            before: None,
            offset: 0,
            limit,
        };
        let records = self.store().search(&query).await?;
        let is_full = records.len() >= SEARCHES_KEPT_MAX;
        let mut over = Vec::new();
        for record in &records {
            let (_, view) = self.search_view(record, now)?;
            if view.expires_at <= now {
                over.push((record.key.clone(), view.n_found));
            }
        }
        if is_full && over.is_empty() {
            return Err(Error::Overloaded { what: "searches whose results are kept" }.into());
        }
        let chunk = u64::try_from(SEARCH_CHUNK).unwrap_or(u64::MAX);
        for (key, n_found) in over {
            let name = key.id.as_str().trim_start_matches("search/").into();
            let chunks = (0..n_found.div_ceil(chunk)).map(|it| self.search_key(&name, Some(it)));
            let erased = chunks.chain([key]).collect();
            self.store().commit(Commit { erased, ..Commit::default() }).await?;
        }
        Ok(())
    }

    fn search_key(&self, id: &InstanceId, chunk: Option<u64>) -> Key {
        let name = match chunk {
            Some(number) => format!("search/{id}/{number}"),
            None => format!("search/{id}"),
        };
        Key::new(self.caller.tenant.clone(), Kind::Register, name.into())
    }

    /// What is known of a search. One that says nothing any more has failed, and so has one that
    /// was under way when nobody had the store.
    fn search_view(
        &self,
        record: &Record,
        now: Timestamp,
    ) -> Result<(Version, SearchView), StoreError> {
        let mut view: SearchView = record.state.read().map_err(corrupt)?;
        let is_silent = now.since(view.seen_at) > SEARCH_SILENCE_MAX;
        let is_orphaned = self.home().alone_since.is_some_and(|since| view.seen_at < since);
        if view.status == SearchStatus::Running && (is_silent || is_orphaned) {
            view.status = SearchStatus::Failed;
            view.finished_at = Some(view.seen_at);
        }
        Ok((record.version, view))
    }
}

fn corrupt(error: impl std::fmt::Display) -> StoreError {
    StoreError::Corrupt(format!("a search cannot be read: {error}"))
}
