//! Where types are registered.

use std::{ops::Deref, sync::Arc, time::Duration};

use waypost_machines::lifecycle::Transitions;

use crate::{
    Buckets, DynManager, Participant, Result, Workflow,
    core::{Core, Ids, Settings},
    held::Typed,
    registration::Claims,
};

/// How often a change is tried when others keep being faster. Up to so many writers at once all
/// get through, because each conflict means that one of them did.
const ATTEMPTS: u32 = 5;

/// The types of a program, and what goes by their names: see [`DynManager`], which this is as well.
///
/// ```
/// use waypost_lifecycle::{Manager, MemoryBuckets, Transitions};
///
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/lamps.rs"));
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let manager = Manager::builder(MemoryBuckets::new()).create_buckets(1).build();
/// let lamps = manager.register::<Lamp>().await?;
/// lamps.create(&lamp("l-1")).await?;
/// let found = manager.dynamic().lookup_by_entity_id("l-1").await?;
/// assert_eq!((found.workflow.as_str(), found.phase.as_str()), ("lamp", "dark"));
///
/// // Another manager may have another table for the same type.
/// let table = Transitions::new().phase("dark", ["lit"]).phase("lit", ["dark"]);
/// let other = Manager::builder(MemoryBuckets::new()).create_buckets(1).build();
/// let forever = other.register_with::<Lamp>(table).await?;
/// assert!(forever.definition().transitions.terminal_phases().is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Manager {
    dynamic: DynManager,
}

/// Settings of a [`Manager`] to be.
///
/// ```
/// use std::time::Duration;
/// use waypost_lifecycle::{Error, Manager, MemoryBuckets};
///
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/lamps.rs"));
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let manager = Manager::builder(MemoryBuckets::new())
///     .create_buckets(1)
///     .attempts(10, Duration::from_millis(5))
///     .strict_ids()
///     .without_trail()
///     .without_index()
///     .build();
/// let lamps = manager.register::<Lamp>().await?;
/// let short = lamps.create(&lamp("l-1")).await;
/// assert!(matches!(short, Err(Error::InvalidEntityId { .. })));
/// lamps.create(&lamp("acme.house.light.first.lamp.l-1")).await?;
/// assert!(!manager.is_indexed("lamp")?);
/// # Ok(())
/// # }
/// ```
pub struct ManagerBuilder {
    buckets: Arc<dyn Buckets>,
    settings: Settings,
}

impl Manager {
    /// Begins with the place where buckets are. Nothing is touched before a type is registered.
    pub fn builder(buckets: impl Buckets + 'static) -> ManagerBuilder {
        let settings = Settings {
            attempts: ATTEMPTS,
            delay: Duration::ZERO,
            create_depth: None,
            ids: Ids::Lenient,
            keeps_trail: true,
            keeps_index: true,
        };
        ManagerBuilder { buckets: Arc::new(buckets), settings }
    }

    /// Takes a type in, with the table it has.
    ///
    /// # Errors
    /// When it is known already, has a mistake, or its bucket is not there.
    pub async fn register<P: Participant>(&self) -> Result<Workflow<P>> {
        self.register_with(P::transitions()).await
    }

    /// Takes a type in, with this table.
    ///
    /// # Errors
    /// When it is known already, has a mistake, or its bucket is not there.
    pub async fn register_with<P: Participant>(&self, table: Transitions) -> Result<Workflow<P>> {
        let claims = Claims {
            workflow: P::WORKFLOW.to_owned(),
            bucket: P::BUCKET.to_owned(),
            table,
            shape: Box::new(Typed::<P>::new()),
        };
        let core = &self.dynamic.core;
        let registration = core.register(claims).await?;
        Ok(Workflow::new(Arc::clone(core), registration))
    }

    /// What goes by names, for gateways and rules.
    #[must_use]
    pub const fn dynamic(&self) -> &DynManager {
        &self.dynamic
    }
}

impl Deref for Manager {
    type Target = DynManager;

    fn deref(&self) -> &DynManager {
        &self.dynamic
    }
}

impl ManagerBuilder {
    /// How often a change is tried when others are faster, and the most that is waited in between.
    #[must_use]
    pub fn attempts(mut self, attempts: u32, delay: Duration) -> Self {
        (self.settings.attempts, self.settings.delay) = (attempts.max(1), delay);
        self
    }

    /// Makes buckets that are missing, with so many remembered writes for each key.
    #[must_use]
    pub const fn create_buckets(mut self, depth: u8) -> Self {
        self.settings.create_depth = Some(depth);
        self
    }

    /// Only takes ids of six parts: `org.platform.domain.system.type.instance`.
    #[must_use]
    pub const fn strict_ids(mut self) -> Self {
        self.settings.ids = Ids::Strict;
        self
    }

    /// Keeps nothing beside the values: history knows neither sources nor notes then, and no more
    /// than the bucket remembers. Rules can be fired, and do not run.
    #[must_use]
    pub const fn without_trail(mut self) -> Self {
        self.settings.keeps_trail = false;
        self
    }

    /// Keeps no index: lists read the whole bucket.
    #[must_use]
    pub const fn without_index(mut self) -> Self {
        self.settings.keeps_index = false;
        self
    }

    /// The manager.
    #[must_use]
    pub fn build(self) -> Manager {
        let core = Arc::new(Core::new(self.buckets, self.settings));
        Manager { dynamic: DynManager { core } }
    }
}
