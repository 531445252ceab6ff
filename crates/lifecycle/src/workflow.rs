//! A registered type, in Rust.

use std::{marker::PhantomData, sync::Arc};

use waypost_machines::lifecycle::{Goal, Source};

use crate::{
    BoxError, Completion, Error, ListOptions, Participant, Result, Revision, Snapshot,
    TransitionEvent, Watch, WatchEvent, WorkflowDef,
    change::{Move, Stamp},
    core::{Core, Stored},
    held::Held,
    registration::Registration,
    watch::values,
};

/// The entities of one type. What is handed out is a copy: changing it changes nothing.
///
/// ```
/// use waypost_lifecycle::{Completion, ListOptions, Source};
///
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/lamps.rs"));
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let manager = manager();
/// # let lamps = manager.register::<Lamp>().await?;
/// for id in ["l-1", "l-2", "l-3"] {
///     lamps.create(&lamp(id)).await?;
/// }
/// let moved = lamps.transition_with("l-1", "lit", Source::Component, "dusk", |lamp| {
///     lamp.room = "stairs".into();
///     Ok(())
/// });
/// assert_eq!(moved.await?.room, "stairs");
/// lamps.transition("l-3", "lit", Source::Component, "").await?;
/// assert_eq!(lamps.get("l-3").await?.phase, "lit");
///
/// let dark = ListOptions::default().in_phase("dark").matching("room", "hall");
/// assert_eq!(lamps.list(&dark).await?.len(), 1);
///
/// assert_eq!(lamps.complete("l-3", Source::Component).await?.phase, "worn");
/// let worn = lamps.complete_if_active("l-1", Source::Component).await?;
/// assert_eq!(worn, Completion::Completed("worn".into()));
///
/// lamps.fail("l-2", "the bulb broke", Source::Operator).await?;
/// let snapshot = lamps.snapshot("l-2").await?;
/// assert!(snapshot.is_terminal && !snapshot.degraded);
/// assert_eq!(lamps.history("l-2").await?[1].note, "the bulb broke");
/// assert_eq!(lamps.definition().kv_bucket, "LAMPS");
/// # Ok(())
/// # }
/// ```
pub struct Workflow<P> {
    core: Arc<Core>,
    registration: Arc<Registration>,
    participant: PhantomData<fn() -> P>,
}

impl<P> Clone for Workflow<P> {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.core), Arc::clone(&self.registration))
    }
}

impl<P> Workflow<P> {
    pub(crate) const fn new(core: Arc<Core>, registration: Arc<Registration>) -> Self {
        Self { core, registration, participant: PhantomData }
    }

    /// The type, as operators see it.
    #[must_use]
    pub fn definition(&self) -> WorkflowDef {
        self.registration.definition()
    }
}

impl<P: Participant> Workflow<P> {
    /// The entity.
    ///
    /// # Errors
    /// [`Error::EntityNotFound`] if there is none.
    pub async fn get(&self, entity_id: &str) -> Result<P> {
        self.snapshot(entity_id).await.map(|it| it.value)
    }

    /// The entity with what is known about it.
    ///
    /// # Errors
    /// [`Error::EntityNotFound`] if there is none.
    pub async fn snapshot(&self, entity_id: &str) -> Result<Snapshot<P>> {
        let stored = self.core.load(&self.registration, entity_id).await?;
        typed(&self.registration, stored)
    }

    /// Stores an entity that is not there yet, in whichever declared phase it is.
    ///
    /// # Errors
    /// [`Error::AlreadyExists`] if it is there, [`Error::InvalidTransition`] if its phase is not
    /// declared.
    pub async fn create(&self, initial: &P) -> Result<Revision> {
        self.core.create(&self.registration, initial).await
    }

    /// Changes an entity. `change` sees it as it is, and again if somebody else was faster, so it
    /// must have no effect outside. It may set any phase: this is how drift is repaired.
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use waypost_lifecycle::{Error, Manager, MemoryBuckets, Participant, Transitions};
    /// # #[derive(Clone, Default, Serialize, Deserialize, Participant)]
    /// # #[lifecycle(workflow = "lamp", bucket = "LAMPS")]
    /// # struct Lamp {
    /// #     #[lifecycle(id)] id: String,
    /// #     #[lifecycle(phase)] phase: String,
    /// #     switched: u32,
    /// # }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Error> {
    /// # let manager = Manager::builder(MemoryBuckets::new()).create_buckets(1).build();
    /// # let table = Transitions::new().phase("dark", ["lit"]).phase("lit", ["dark"]);
    /// # let lamps = manager.register_with::<Lamp>(table).await?;
    /// # lamps.create(&Lamp { id: "l-1".into(), phase: "dark".into(), switched: 0 }).await?;
    /// let lamp = lamps
    ///     .update("l-1", |lamp| {
    ///         lamp.switched += 1;
    ///         Ok(())
    ///     })
    ///     .await?;
    /// assert_eq!(lamp.switched, 1);
    ///
    /// let given_up = lamps.update("l-1", |_| Err("not today".into())).await;
    /// assert!(matches!(given_up, Err(Error::Mutator(_))));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Mutator`] if `change` fails, [`Error::UpdateRetriesExhausted`] if others kept being
    /// faster.
    pub async fn update<F>(&self, entity_id: &str, mut change: F) -> Result<P>
    where
        F: FnMut(&mut P) -> Result<(), BoxError> + Send,
    {
        let change = &mut |held: &mut dyn Held| {
            apply(held, &mut change)?;
            Ok(Stamp::Touched)
        };
        let stored = self.core.change(&self.registration, entity_id, change).await?;
        typed(&self.registration, stored).map(|it| it.value)
    }

    /// Moves an entity along its table.
    ///
    /// # Errors
    /// [`Error::InvalidTransition`] or [`Error::TerminalPhase`] if the table does not let it.
    pub async fn transition(
        &self,
        entity_id: &str,
        to: &str,
        source: Source,
        note: &str,
    ) -> Result<P> {
        self.transition_with(entity_id, to, source, note, |_| Ok(())).await
    }

    /// Moves an entity along its table and changes it in the same write. `change` sees the phase
    /// before the move; if it fails, nothing happens.
    ///
    /// # Errors
    /// Those of [`Self::transition`] and of [`Self::update`].
    #[expect(clippy::too_many_arguments, reason = "users know these, in this order")]
    pub async fn transition_with<F>(
        &self,
        entity_id: &str,
        to: &str,
        source: Source,
        note: &str,
        change: F,
    ) -> Result<P>
    where
        F: FnMut(&mut P) -> Result<(), BoxError> + Send,
    {
        self.go(entity_id, Move { goal: Goal::Move(to), source, note }, change).await
    }

    /// Ends an entity: in the first terminal phase, by name, that is one step away.
    ///
    /// # Errors
    /// [`Error::TerminalPhase`] if it has ended, [`Error::InvalidTransition`] if no end is near.
    pub async fn complete(&self, entity_id: &str, source: Source) -> Result<P> {
        self.go(entity_id, Move { goal: Goal::Complete, source, note: "" }, |_| Ok(())).await
    }

    /// Ends an entity, and is content if it has ended.
    ///
    /// # Errors
    /// Those of [`Self::complete`], except that it has ended.
    pub async fn complete_if_active(&self, entity_id: &str, source: Source) -> Result<Completion> {
        match self.complete(entity_id, source).await {
            Ok(participant) => Ok(Completion::Completed(participant.phase().to_owned())),
            Err(Error::TerminalPhase { phase, .. }) => Ok(Completion::AlreadyTerminal(phase)),
            Err(error) => Err(error),
        }
    }

    /// Ends an entity in the phase `failed`.
    ///
    /// # Errors
    /// [`Error::FailReasonRequired`] without a reason; [`Error::InvalidTransition`] if there is no
    /// such terminal phase, or no way to it.
    pub async fn fail(&self, entity_id: &str, reason: &str, source: Source) -> Result<P> {
        if reason.is_empty() {
            return Err(Error::FailReasonRequired);
        }
        self.go(entity_id, Move { goal: Goal::Fail, source, note: reason }, |_| Ok(())).await
    }

    /// The entities that `options` want, by id.
    ///
    /// # Errors
    /// [`Error::UnknownMatchField`] if they ask for a field that is not there.
    pub async fn list(&self, options: &ListOptions) -> Result<Vec<P>> {
        let found = self.core.list(&self.registration, options).await?;
        let typed = |it| typed(&self.registration, it).map(|it| it.value);
        found.into_iter().map(typed).collect()
    }

    /// How the entity got where it is, oldest first.
    ///
    /// # Errors
    /// [`Error::EntityNotFound`] if there has never been one.
    pub async fn history(&self, entity_id: &str) -> Result<Vec<TransitionEvent>> {
        self.core.history(&self.registration, entity_id).await
    }

    /// The entities that are there, then those that are written. Dropping the stream ends it.
    ///
    /// ```
    /// # use futures_util::StreamExt as _;
    /// # use serde::{Deserialize, Serialize};
    /// # use waypost_lifecycle::{Error, Manager, MemoryBuckets, Participant, Transitions};
    /// # #[derive(Clone, Default, Serialize, Deserialize, Participant)]
    /// # #[lifecycle(workflow = "lamp", bucket = "LAMPS")]
    /// # struct Lamp {
    /// #     #[lifecycle(id)] id: String,
    /// #     #[lifecycle(phase)] phase: String,
    /// # }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Error> {
    /// # let manager = Manager::builder(MemoryBuckets::new()).create_buckets(1).build();
    /// # let table = Transitions::new().phase("dark", ["lit"]).phase("lit", ["dark"]);
    /// # let lamps = manager.register_with::<Lamp>(table).await?;
    /// lamps.create(&Lamp { id: "l-1".into(), phase: "dark".into() }).await?;
    /// let mut seen = lamps.watch().await?;
    /// lamps.create(&Lamp { id: "l-2".into(), phase: "lit".into() }).await?;
    /// assert_eq!(seen.next().await.map(|it| it.id).as_deref(), Some("l-1"));
    /// assert_eq!(seen.next().await.map(|it| it.id).as_deref(), Some("l-2"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the store cannot be watched.
    pub async fn watch(&self) -> Result<Watch<P>> {
        self.watch_events().await.map(values)
    }

    /// The same, with deletions, the end of what was there, and a failure if it ends with one.
    ///
    /// ```
    /// use futures_util::StreamExt as _;
    /// use waypost_lifecycle::WatchEvent;
    ///
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/lamps.rs"));
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let lamps = manager().register::<Lamp>().await?;
    /// let mut seen = lamps.watch_events().await?;
    /// assert!(matches!(seen.next().await, Some(WatchEvent::CaughtUp)), "nothing is there");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the store cannot be watched.
    pub async fn watch_events(&self) -> Result<Watch<WatchEvent<P>>> {
        self.core.watch(&self.registration, typed::<P>).await
    }

    async fn go<F>(&self, entity_id: &str, asked: Move<'_>, mut change: F) -> Result<P>
    where
        F: FnMut(&mut P) -> Result<(), BoxError> + Send,
    {
        let change = &mut |held: &mut dyn Held| apply(held, &mut change);
        let stored = self.core.transition(&self.registration, entity_id, asked, change).await?;
        typed(&self.registration, stored).map(|it| it.value)
    }
}

fn apply<P: Participant>(
    held: &mut dyn Held,
    change: &mut impl FnMut(&mut P) -> Result<(), BoxError>,
) -> Result<()> {
    let value = held.as_any_mut().downcast_mut().expect("a type decodes its own values");
    change(value).map_err(Error::Mutator)
}

fn typed<P: Participant>(registration: &Registration, stored: Stored) -> Result<Snapshot<P>> {
    let snapshot = registration.snapshot(&*stored.held, &stored.entity_id, stored.revision, ());
    let value = stored.held.into_any().downcast::<P>().expect("a type decodes its own values");
    Ok(snapshot.map(|()| *value))
}
