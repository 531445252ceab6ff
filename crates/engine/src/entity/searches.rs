//! Searches in the background: a search becomes a list of ids as of one instant, which is kept for
//! a while and read page by page.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::{Deserialize, Serialize};
use waypost_documents::predicate::Predicate;
use waypost_kernel::{
    Commit, DefinitionRef, Facets, InstanceId, Json, Key, Kind, Query, Record, StoreError, Tenant,
    Timestamp, Version, Write,
};

use super::{Code, Entities, Entity, Fault, Refusal, models::bad};
use crate::{
    error::Error,
    limits::{
        ENTITIES_MAX, SEARCH_CHUNK, SEARCH_SILENCE_MAX, SEARCHES_KEPT_MAX, SEARCHES_OF_TENANT_MAX,
        SEARCHES_RUNNING_MAX, TURN_ATTEMPTS_MAX,
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
    /// How many chunks of its result are stored.
    #[serde(default)]
    n_chunks: u64,
}

/// A search that is being carried out, as it was stored last.
struct Kept<'a> {
    id: &'a InstanceId,
    version: Version,
    view: SearchView,
}

/// A page of a result.
#[derive(Clone, Debug)]
pub struct SearchPage {
    /// The entities as they were then.
    pub entities: Vec<Entity>,
    /// How many there are on all pages.
    pub n_found: u64,
}

/// How many searches of each tenant are under way on this node.
#[derive(Clone, Default)]
pub(super) struct Running(Arc<Mutex<BTreeMap<Tenant, usize>>>);

struct Place {
    running: Running,
    tenant: Tenant,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut running = self.running.lock();
        let n_left = running.remove(&self.tenant).unwrap_or_default().saturating_sub(1);
        if n_left > 0 {
            running.insert(self.tenant.clone(), n_left);
        }
    }
}

impl Running {
    fn enter(&self, tenant: &Tenant) -> Result<Place, Error> {
        let mut running = self.lock();
        if running.get(tenant).is_some_and(|it| *it >= SEARCHES_OF_TENANT_MAX) {
            return Err(Error::Overloaded { what: "searches of one tenant under way" });
        }
        if running.values().sum::<usize>() >= SEARCHES_RUNNING_MAX {
            return Err(Error::Overloaded { what: "searches under way" });
        }
        *running.entry(tenant.clone()).or_default() += 1;
        drop(running);
        Ok(Place { running: self.clone(), tenant: tenant.clone() })
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Tenant, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
        let place = self.home().searches.enter(&self.caller.tenant)?;
        self.tidy_searches().await?;
        let now = self.store().now();
        // What was written may be ahead of the clock at hand, and is found nevertheless.
        let latest = self.moment().await?.max(now);
        let id = self.shared.ids.entity(now);
        let view = SearchView {
            status: SearchStatus::Running,
            model: model.clone(),
            at: at.filter(|it| *it < latest).unwrap_or(latest),
            created_at: now,
            finished_at: None,
            expires_at: now + self.home().rules.searches_kept,
            n_found: 0,
            seen_at: now,
            n_chunks: 0,
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
        let entities = self.page_of(&keys, view.at).await?;
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
        let mut kept = Kept { id, version: Version::ABSENT.next(), view };
        let done = self.gather(&mut kept, predicate).await;
        if done.is_err() {
            let erased = self.search_chunks(id, &kept.view).collect();
            self.store().commit(Commit { erased, ..Commit::default() }).await?;
        }
        done
    }

    /// Notes what is found chunk by chunk.
    async fn gather(&self, kept: &mut Kept<'_>, predicate: Predicate) -> Result<(), Fault> {
        let mut found = self.search_at(&kept.view.model, predicate, kept.view.at).await?;
        let (mut n_found, mut ids) = (0, Vec::new());
        loop {
            let page = found.look().await?;
            let is_last = page.is_none();
            let page = page.unwrap_or_default();
            n_found += u64::try_from(page.len()).unwrap_or(u64::MAX);
            ids.extend(page.into_iter().map(|it| it.id));
            while ids.len() >= SEARCH_CHUNK || is_last && !ids.is_empty() {
                let rest = ids.split_off(ids.len().min(SEARCH_CHUNK));
                self.put_chunk(kept, Some(&std::mem::replace(&mut ids, rest))).await?;
            }
            if is_last {
                let status = SearchStatus::Successful;
                let view = SearchView { status, n_found, ..kept.view.clone() };
                return self.end_search(kept.id, kept.version, view).await;
            }
            if self.store().now().since(kept.view.seen_at) > SEARCH_SILENCE_MAX / 20 {
                self.put_chunk(kept, None).await?;
            }
        }
    }

    /// Gives a sign of life, with some of the result if there is. How many there are is told when all
    /// of them are known. Whoever has canceled the search has left another version, and this does
    /// not land.
    async fn put_chunk(
        &self,
        kept: &mut Kept<'_>,
        ids: Option<&[InstanceId]>,
    ) -> Result<(), Fault> {
        let now = self.store().now();
        let mut view = kept.view.clone();
        let mut writes = Vec::new();
        if let Some(ids) = ids {
            let key = self.search_key(kept.id, Some(view.n_chunks));
            writes.push(self.register(key, Version::ABSENT, ("search-chunk", Json::of(ids))));
            view.n_chunks += 1;
        }
        view.seen_at = now;
        view.expires_at = now + self.home().rules.searches_kept;
        let key = self.search_key(kept.id, None);
        writes.push(self.register(key, kept.version, (SEARCH, Json::of(&view))));
        // What may have landed is erased, too, should the search fail.
        kept.view = view;
        self.store().commit(Commit { writes, ..Commit::default() }).await?;
        kept.version = kept.version.next();
        Ok(())
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
        let write = self.register(self.search_key(id, None), before, (SEARCH, Json::of(view)));
        self.store().commit(Commit { writes: vec![write], ..Commit::default() }).await?;
        Ok(())
    }

    fn register(&self, key: Key, before: Version, (status, state): (&str, Json)) -> Write {
        Write {
            key,
            version: before.next(),
            facets: Facets { status: status.to_owned(), ..Facets::default() },
            state,
            at: self.store().now(),
            keeps_past: false,
            terms: None,
        }
    }

    /// Forgets searches whose time is over, and the oldest that have ended if there are too many.
    async fn tidy_searches(&self) -> Result<(), Fault> {
        let now = self.store().now();
        let n_kept = self.home().rules.n_searches_kept;
        let (mut kept, mut gone) = (Vec::new(), Vec::new());
        for record in self.store().search(&self.all_searches()).await? {
            let (_, view) = self.search_view(&record, now)?;
            let is_over = view.expires_at <= now;
            if is_over { gone.push((record, view)) } else { kept.push((record, view)) }
        }
        // One more is about to come.
        let n_surplus = (kept.len() + 1).saturating_sub(n_kept);
        kept.sort_by_key(|(_, it)| it.created_at);
        let ended = kept.into_iter().filter(|(_, it)| it.status != SearchStatus::Running);
        let surplus: Vec<_> = ended.take(n_surplus).collect();
        if surplus.len() < n_surplus {
            return Err(Error::Overloaded { what: "searches under way" }.into());
        }
        for (record, view) in gone.into_iter().chain(surplus) {
            let id = record.key.id.as_str().trim_start_matches("search/").into();
            let erased = self.search_chunks(&id, &view).chain([record.key]).collect();
            self.store().commit(Commit { erased, ..Commit::default() }).await?;
        }
        Ok(())
    }

    /// Every search that is kept; a few more than should be, because nodes do not ask
    /// each other before they begin one.
    fn all_searches(&self) -> Query {
        let limit = self.home().rules.n_searches_kept.saturating_add(SEARCHES_KEPT_MAX);
        Query {
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
            limit: u32::try_from(limit).unwrap_or(u32::MAX),
        }
    }

    /// Where the result of a search lies, as far as there is one.
    fn search_chunks(&self, id: &InstanceId, view: &SearchView) -> impl Iterator<Item = Key> {
        let chunk = u64::try_from(SEARCH_CHUNK).unwrap_or(u64::MAX);
        // Results of older releases do not tell their chunks.
        let n_chunks = view.n_chunks.max(view.n_found.div_ceil(chunk));
        (0..n_chunks).map(move |it| self.search_key(id, Some(it)))
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
