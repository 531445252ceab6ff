//! Does everything to two stores and holds their answers against each other.

use std::{collections::BTreeMap, fmt::Debug, sync::Arc, time::Duration};

use waypost_kernel::{
    Change, Claim, ClaimId, Clock as _, Commit, Cursor, DefinitionQuery, DefinitionRef,
    EventRecord, Key, Lookup, Query, Scope, Sift, Span, Store, TallyQuery, Timestamp, Timing,
    Version,
};
use waypost_stores::MemoryStore;
use waypost_testkit::clock::SimClock;

use crate::{
    draft::{Draft, MANY},
    operation::{self, Operation, Search, Whose, everybody, keys},
};

/// The model, the store that must do as it does, and the clock both go by.
pub(crate) struct Pair {
    model: MemoryStore,
    store: Arc<dyn Store>,
    clock: Arc<SimClock>,
    /// How many tokens were handed out; each is named by its number.
    tokens: u32,
}

/// Asks both and compares.
macro_rules! agree {
    ($pair:expr, $store:ident => $ask:expr) => {{
        let $store: &dyn Store = &$pair.model;
        let model = $ask;
        let $store: &dyn Store = &*$pair.store;
        let store = $ask;
        same(&model, &store);
    }};
}

fn same<T: PartialEq + Debug>(model: &T, store: &T) {
    assert!(model == store, "the model says\n  {model:?}\nbut the store says\n  {store:?}");
}

impl Pair {
    pub(crate) fn new(store: Arc<dyn Store>, clock: Arc<SimClock>) -> Self {
        Self { model: MemoryStore::new(clock.clone()), store, clock, tokens: 0 }
    }

    /// Does all of it, then compares everything there is.
    pub(crate) async fn run(mut self, operations: Vec<Operation>) {
        for operation in operations.into_iter().chain([Operation::Compare]) {
            self.apply(operation).await;
        }
    }

    async fn apply(&mut self, operation: Operation) {
        match operation {
            Operation::Commit(parts) => {
                let draft = Draft { model: &self.model, token: self.last_token() };
                let commit = draft.commit(parts).await;
                self.commit(commit).await;
            }
            Operation::Careless(parts) => {
                let draft = Draft { model: &self.model, token: self.last_token() };
                let commit = draft.careless(parts).await;
                self.commit(commit).await;
            }
            Operation::Claim { whose, families, queues, limit, seconds } => {
                let some = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
                let claim = Claim {
                    id: self.next_token(),
                    tenant: whose.tenant.into(),
                    kind: whose.kind,
                    worker: "ann".into(),
                    families: families.map(some),
                    queues: queues.map(some),
                    limit,
                    lease: Duration::from_secs(seconds),
                };
                agree!(self, store => store.claim(claim.clone()).await);
            }
            Operation::Outbox { limit, seconds } => {
                let (token, lease) = (self.next_token(), Duration::from_secs(seconds));
                agree!(self, store => store.outbox(token.clone(), lease, limit).await);
            }
            Operation::Forget { offset, limit } => {
                let micros = self.clock.now().as_micros() + offset * 1_000_000;
                let before = Timestamp::from_micros(micros);
                agree!(self, store => store.forget(before, limit).await);
            }
            Operation::Advance { micros } => self.clock.advance(Duration::from_micros(micros)),
            Operation::Search(search) => {
                let query = query(&search, self.clock.now());
                agree!(self, store => store.search(&query).await);
                agree!(self, store => store.count(&query).await);
            }
            Operation::Sift(wish) => {
                let sift = sift(&wish, self.clock.now());
                agree!(self, store => store.sift(&sift).await);
            }
            Operation::Tally { whose, definition, status, at } => {
                let at = at.map(|it| from(self.clock.now(), it));
                let (definition, status) = (definition.map(named), status.map(str::to_owned));
                let (tenant, kind) = (whose.tenant.into(), whose.kind);
                let query = TallyQuery { tenant, kind, definition, status, at };
                agree!(self, store => store.tally(&query).await);
            }
            Operation::Past { offset } => {
                let (keys, at) = (keys(), from(self.clock.now(), offset));
                agree!(self, store => store.past(&keys, at).await);
            }
            Operation::Definitions { whose, name, version, latest_only, limit } => {
                let name = name.map(str::to_owned);
                let query =
                    DefinitionQuery { name, version, latest_only, limit, ..definitions(whose) };
                agree!(self, store => store.definitions(&query).await);
                agree!(self, store => store.count_definitions(&query).await);
                let (keyword, offset) = (query.name, 1);
                let query = DefinitionQuery { keyword, offset, name: None, ..query };
                agree!(self, store => store.definitions(&query).await);
                agree!(self, store => store.count_definitions(&query).await);
            }
            Operation::Compare => self.compare().await,
        }
    }

    /// Stores need not agree on the time they give while the clock stands: so it moves.
    async fn commit(&self, commit: Commit) {
        if commit.timing == Timing::Landed {
            self.clock.advance(Duration::from_micros(1));
        }
        agree!(self, store => store.commit(commit.clone()).await);
    }

    /// Reads everything from both.
    async fn compare(&self) {
        let (keys, now) = (keys(), self.clock.now());
        agree!(self, store => store.load(&keys).await);
        agree!(self, store => {
            let mut tasks = store.tasks(&keys).await.unwrap();
            tasks.sort_by(|a, b| a.at.cmp(&b.at));
            tasks
        });
        for now in [now, Timestamp::from_micros(i64::MAX)] {
            // Those equally late come in no particular order.
            agree!(self, store => {
                let mut due = store.due(now, MANY).await.unwrap();
                assert!(due.is_sorted_by_key(|it| it.due_at));
                due.sort_by(|a, b| a.at.cmp(&b.at));
                due
            });
            agree!(self, store => {
                let due = store.due(now, 2).await.unwrap();
                due.into_iter().map(|it| it.due_at).collect::<Vec<_>>()
            });
            agree!(self, store => {
                let mut lapsed = store.lapsed(now, MANY).await.unwrap();
                assert!(lapsed.is_sorted_by_key(|it| it.lease.as_ref().unwrap().until));
                lapsed.sort_by(|a, b| a.at.cmp(&b.at));
                lapsed
            });
        }
        for key in &keys {
            agree!(self, store => store.history(key, Version::ABSENT, MANY).await);
            agree!(self, store => store.history(key, Version(1), 2).await);
            agree!(self, store => store.versions(key, None, MANY).await);
            agree!(self, store => store.versions(key, Some(Version(3)), 1).await);
        }
        for whose in everybody() {
            agree!(self, store => store.definitions(&definitions(whose)).await);
            agree!(self, store => by_instance(&follow(store, whose, MANY).await));
            agree!(self, store => by_instance(&follow(store, whose, 3).await));
        }
        agree!(self, store => store.figures().await.unwrap());
    }

    fn next_token(&mut self) -> ClaimId {
        self.tokens += 1;
        self.last_token()
    }

    fn last_token(&self) -> ClaimId {
        self.tokens.to_string().as_str().into()
    }
}

fn definitions(whose: Whose) -> DefinitionQuery {
    let (tenant, kind) = (whose.tenant.into(), whose.kind);
    DefinitionQuery {
        tenant,
        kind,
        name: None,
        version: None,
        keyword: None,
        latest_only: false,
        offset: 0,
        limit: MANY,
    }
}

/// That many seconds from `now`.
fn from(now: Timestamp, seconds: i64) -> Timestamp {
    Timestamp::from_micros(now.as_micros() + seconds * 1_000_000)
}

fn named((name, version): (&str, i32)) -> DefinitionRef {
    DefinitionRef { name: name.to_owned(), version }
}

fn sift(wish: &operation::Sift, now: Timestamp) -> Sift {
    let lookup = wish.lookup.as_ref().map(|(path, spans)| Lookup {
        path: (*path).to_owned(),
        spans: spans.iter().cloned().map(|(from, to)| Span { from, to }).collect(),
    });
    Sift {
        tenant: wish.whose.tenant.into(),
        kind: wish.whose.kind,
        definition: named(wish.definition),
        status: wish.status.map(str::to_owned),
        steps: wish.steps.iter().map(|it| (*it).to_owned()).collect(),
        lookup,
        at: wish.at.map(|it| from(now, it)),
        after: wish.after.map(Into::into),
        offset: wish.offset,
        limit: wish.limit,
    }
}

fn query(search: &Search, now: Timestamp) -> Query {
    let some = |name: Option<&str>| name.map(str::to_owned);
    let at = |offset: i64| Timestamp::from_micros(now.as_micros() + offset * 1_000_000);
    Query {
        tenant: search.whose.tenant.into(),
        kind: search.whose.kind,
        definition: some(search.definition),
        version: None,
        status: some(search.status),
        business_key: some(search.business_key),
        awaits: some(search.awaits),
        step: some(search.step),
        from: search.from.map(at),
        until: search.until.map(at),
        before: search.before.map(Into::into),
        offset: search.offset,
        limit: search.limit,
    }
}

/// Every change there is to see, read `limit` at a time.
async fn follow(store: &dyn Store, whose: Whose, limit: u32) -> Vec<Change> {
    let scope = Scope { tenant: whose.tenant.into(), kind: whose.kind, instance: None };
    let (mut cursor, mut seen) = (Cursor::default(), Vec::new());
    while let page = store.watch(&scope, &cursor, limit, Duration::ZERO).await.unwrap()
        && let Some(last) = page.last()
    {
        cursor = last.cursor.clone();
        seen.extend(page);
    }
    seen
}

/// Stores need not agree on the order of changes to different instances.
fn by_instance(changes: &[Change]) -> BTreeMap<Key, Vec<EventRecord>> {
    let mut seen: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for change in changes {
        seen.entry(change.record.key.clone()).or_default().push(change.record.clone());
    }
    seen
}
