//! The pairs the server signs with: the one from the settings, and those made over the API, which
//! lie in the store with both halves. What was read is held for a moment.

use std::{
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;
use waypost_kernel::{StoreError, Timestamp, Version};

use super::{
    encoding::{base64, from_base64},
    identity::SYSTEM,
    register::{Entry, Register, Shelf},
    rsa::KeyPair,
};

/// How long what was read is good: so long a pair that was invalidated elsewhere verifies here.
const GOOD_FOR: Duration = Duration::from_secs(3);

/// When a name nobody knows is worth a look in the store: another node may have made the pair just
/// now. Not at once, or anybody could keep the store busy.
const LOOK_AGAIN_AFTER: Duration = Duration::from_millis(100);

/// Pairs at a time. Each is read every few seconds.
pub(super) const PAIRS_MAX: u32 = 50;

/// A pair as it lies in the store.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Stored {
    active: bool,
    created_at: Timestamp,
    kid: String,
    /// Both halves, unencrypted; absent of the pair from the settings.
    private: Option<String>,
}

/// A pair that can be used.
pub(super) struct Pair {
    pub(super) kid: String,
    pub(super) is_active: bool,
    pub(super) created_at: Timestamp,
    pub(super) is_configured: bool,
    /// What the store knows of it.
    version: Version,
    stored: Stored,
    pub(super) keys: Arc<KeyPair>,
}

impl Pair {
    /// As it lies in the store when it is on, or off.
    fn entry(&self, active: bool) -> Entry<Stored> {
        Entry { version: self.version, value: Stored { active, ..self.stored.clone() } }
    }
}

/// All pairs, those that sign first before the others, as they were read.
pub(super) struct Pairs {
    pub(super) all: Vec<Pair>,
    read_at: Timestamp,
}

impl Pairs {
    pub(super) fn find(&self, kid: &str) -> Option<&Pair> {
        self.all.iter().find(|it| it.kid == kid)
    }

    pub(super) fn active(&self) -> impl Iterator<Item = &Pair> {
        self.all.iter().filter(|it| it.is_active)
    }

    /// The newest active one: it signs.
    pub(super) fn current(&self) -> Option<&Pair> {
        self.active().next()
    }
}

/// The pairs the server signs with.
pub(super) struct Ring {
    configured: (String, Arc<KeyPair>),
    started_at: Timestamp,
    register: Register,
    pairs: RwLock<Option<Arc<Pairs>>>,
    /// Held while reading, so that it is read once for all who wait.
    reading: Mutex<()>,
}

impl Ring {
    pub(super) fn new(configured: KeyPair, register: Register) -> Result<Self, String> {
        Ok(Self {
            configured: (configured.kid()?, Arc::new(configured)),
            started_at: register.now(),
            register,
            pairs: RwLock::new(None),
            reading: Mutex::new(()),
        })
    }

    /// All pairs.
    pub(super) async fn pairs(&self) -> Result<Arc<Pairs>, StoreError> {
        self.pairs_of_the_last(GOOD_FOR).await
    }

    /// All pairs, as the store has them now.
    pub(super) async fn pairs_now(&self) -> Result<Arc<Pairs>, StoreError> {
        self.drop_what_was_read();
        self.pairs().await
    }

    /// The keys of that name, if they may verify.
    pub(super) async fn verifying(&self, kid: &str) -> Result<Option<Arc<KeyPair>>, StoreError> {
        let mut pairs = self.pairs().await?;
        if pairs.find(kid).is_none() {
            pairs = self.pairs_of_the_last(LOOK_AGAIN_AFTER).await?;
        }
        let pair = pairs.find(kid).filter(|it| it.is_active);
        Ok(pair.map(|it| Arc::clone(&it.keys)))
    }

    /// Keeps a new pair, which signs from now on.
    pub(super) async fn add(&self, kid: String, keys: KeyPair) -> Result<Timestamp, Trouble> {
        let private = base64(&keys.to_pkcs8().map_err(Trouble::Defect)?);
        let created_at = self.register.now();
        let stored = Stored { active: true, created_at, kid, private: Some(private) };
        self.register.keep(&shelf(), &stored.kid, &Entry::new(&stored)).await?;
        self.drop_what_was_read();
        Ok(created_at)
    }

    /// Switches a pair on.
    pub(super) async fn reactivate(&self, pair: &Pair) -> Result<(), Trouble> {
        self.register.keep(&shelf(), &pair.kid, &pair.entry(true)).await?;
        self.drop_what_was_read();
        Ok(())
    }

    /// Switches a pair off while `other` stays on, whatever somebody else does at the same time.
    pub(super) async fn invalidate(&self, pair: &Pair, other: &Pair) -> Result<(), Trouble> {
        let (this, other) = ((&*pair.kid, &pair.entry(false)), (&*other.kid, &other.entry(true)));
        self.register.keep_beside(&shelf(), this, other).await?;
        self.drop_what_was_read();
        Ok(())
    }

    /// Forgets a pair that was made over the API while `other` stays on.
    pub(super) async fn remove(&self, pair: &Pair, other: &Pair) -> Result<(), Trouble> {
        let (this, other) = ((&*pair.kid, pair.version), (&*other.kid, &other.entry(true)));
        self.register.forget_beside(&shelf(), this, other).await?;
        self.drop_what_was_read();
        Ok(())
    }

    fn drop_what_was_read(&self) {
        *self.pairs.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    async fn pairs_of_the_last(&self, moment: Duration) -> Result<Arc<Pairs>, StoreError> {
        if let Some(pairs) = self.held(moment) {
            return Ok(pairs);
        }
        let reading = self.reading.lock().await;
        if let Some(pairs) = self.held(moment) {
            return Ok(pairs);
        }
        let pairs = Arc::new(self.read().await?);
        let held = &mut *self.pairs.write().unwrap_or_else(PoisonError::into_inner);
        *held = Some(Arc::clone(&pairs));
        drop(reading);
        Ok(pairs)
    }

    fn held(&self, moment: Duration) -> Option<Arc<Pairs>> {
        let held = self.last();
        let now = self.register.now();
        held.filter(|it| it.read_at <= now && now.since(it.read_at) < moment)
    }

    fn last(&self) -> Option<Arc<Pairs>> {
        self.pairs.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn read(&self) -> Result<Pairs, StoreError> {
        // Taken before: what is committed while we read may be missing.
        let read_at = self.register.now();
        let last = self.last();
        let stored = self.register.list::<Stored>(&shelf(), PAIRS_MAX * 2).await?;
        let mut all: Vec<_> =
            stored.into_iter().filter_map(|it| self.usable(it, last.as_deref())).collect();
        if !all.iter().any(|it| it.is_configured) {
            let (kid, created_at) = (self.configured.0.clone(), self.started_at);
            let stored = Stored { active: true, created_at, kid, private: None };
            all.extend(self.usable(Entry::new(stored), None));
        }
        // The pair from the settings is the oldest: those over the API were made to relieve it.
        all.sort_by_key(|it| (it.is_configured, std::cmp::Reverse(it.created_at)));
        Ok(Pairs { all, read_at })
    }

    /// A pair that was stored, with its keys; those that were parsed before are not parsed again.
    fn usable(&self, entry: Entry<Stored>, last: Option<&Pairs>) -> Option<Pair> {
        let Entry { version, value: stored } = entry;
        let is_configured = stored.kid == self.configured.0;
        let keys = match (&stored.private, last.and_then(|it| it.find(&stored.kid))) {
            _ if is_configured => Arc::clone(&self.configured.1),
            (Some(private), Some(before)) if before.stored.private.as_ref() == Some(private) => {
                Arc::clone(&before.keys)
            }
            (Some(private), _) => Arc::new(parse(&stored.kid, private)?),
            // From the settings of another time, or of another node.
            (None, _) => return None,
        };
        Some(Pair {
            kid: stored.kid.clone(),
            is_active: stored.active,
            created_at: stored.created_at,
            is_configured,
            version,
            stored,
            keys,
        })
    }
}

fn parse(kid: &str, private: &str) -> Option<KeyPair> {
    let der = from_base64(private).ok_or_else(|| "is not base64".to_owned());
    match der.and_then(|it| KeyPair::from_pkcs8(&it)) {
        Ok(keys) => Some(keys),
        Err(reason) => {
            tracing::error!(kid, reason, "a stored pair of keys cannot be read");
            None
        }
    }
}

fn shelf() -> Shelf {
    Shelf { tenant: SYSTEM.into(), category: "key-pair", mark: None }
}

/// Why a change was not made.
#[derive(Debug)]
pub(super) enum Trouble {
    Store(StoreError),
    Defect(String),
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
