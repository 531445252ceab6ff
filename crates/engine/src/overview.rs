//! How it goes, for those who look after all of it: counts, what is held, and what is due later.

use waypost_kernel::{Figures, Kind, Query, QueueFigures, Task, Tenant, Timer, Timestamp};

use crate::{
    crew::Asking,
    engine::Engine,
    error::Error,
    limits::{PAGE_MAX, QUEUES_MAX, TIMERS_REACH_MAX},
    pace::Minute,
};

/// What processes can be, as they are stored.
const PROCESS: [&str; 5] = ["ACTIVE", "WAITING", "FAILED", "COMPLETED", "CANCELLED"];

/// What chains can be, as they are stored.
const CHAIN: [&str; 4] = ["RUNNING", "FAILED", "COMPLETED", "CANCELED"];

/// How it goes.
#[derive(Clone, Debug)]
pub struct Overview {
    /// When it was so.
    pub at: Timestamp,
    /// How many instances of a face have which status; every status is there.
    pub faces: Vec<(Kind, Vec<(&'static str, u64)>)>,
    /// What is pending, and what the store has done so far.
    pub figures: Figures,
    /// When the next timer is due.
    pub next_timer_at: Option<Timestamp>,
    /// What waits to be claimed, queue by queue.
    pub queues: Vec<QueueFigures>,
    /// What began and ended on this node, minute by minute.
    pub minutes: Vec<Minute>,
}

/// Which instances count.
#[derive(Clone, Debug, Default)]
pub struct Narrowed {
    /// Only those of this definition.
    pub definition: Option<String>,
    /// Only those of this version of it.
    pub version: Option<i32>,
    /// Only those with this business key.
    pub business_key: Option<String>,
    /// Only those that are at this step.
    pub step: Option<String>,
    /// Only those that began at this instant or later.
    pub from: Option<Timestamp>,
    /// Only those that began before this instant.
    pub until: Option<Timestamp>,
}

impl Engine {
    /// How it goes with the processes and chains of the default tenant. Every count is answered
    /// by an index, and still costs the more the more there is: ask no more often than people look.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn overview(&self) -> Result<Overview, Error> {
        let store = self.store();
        let mut faces = Vec::new();
        for kind in [Kind::Process, Kind::Chain] {
            faces.push((kind, self.counts(kind, &Narrowed::default()).await?));
        }
        let next = store.due(Timestamp::from_micros(i64::MAX), 1).await?;
        Ok(Overview {
            at: store.now(),
            minutes: self.shared.pace.minutes(store.now()),
            queues: self.queues().await?,
            faces,
            figures: store.figures().await?,
            next_timer_at: next.first().map(|it| it.due_at),
        })
    }

    /// How many processes or chains of the default tenant have which status; every status is there.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn counts(
        &self,
        kind: Kind,
        narrowed: &Narrowed,
    ) -> Result<Vec<(&'static str, u64)>, Error> {
        let statuses: &[&'static str] = if kind == Kind::Chain { &CHAIN } else { &PROCESS };
        let mut counts = Vec::new();
        for status in statuses {
            counts.push((*status, self.store().count(&query(kind, status, narrowed)).await?));
        }
        Ok(counts)
    }

    /// What waits to be claimed in the default tenant, queue by queue.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn queues(&self) -> Result<Vec<QueueFigures>, Error> {
        Ok(self.store().queues(&tenant(), QUEUES_MAX).await?)
    }

    /// Who has asked for work of the default tenant on this node.
    #[must_use]
    pub fn asking(&self) -> Vec<Asking> {
        self.shared.crew.of(&tenant())
    }

    /// Timers of the default tenant that are armed, those due first; not those of entities, which
    /// are their tenants' own. Behind too many of those, no others are found.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn timers(&self, limit: u32) -> Result<Vec<Timer>, Error> {
        let limit = limit.min(PAGE_MAX + 1);
        let (end, most) = (Timestamp::from_micros(i64::MAX), limit as usize);
        let mut reach = limit;
        loop {
            let mut timers = self.store().due(end, reach).await?;
            let is_all = timers.len() < reach as usize || reach >= TIMERS_REACH_MAX;
            timers.retain(|it| it.at.key.tenant == tenant() && it.at.key.kind != Kind::Entity);
            if is_all || timers.len() >= most {
                timers.truncate(most);
                return Ok(timers);
            }
            reach = reach.saturating_mul(4).min(TIMERS_REACH_MAX);
        }
    }

    /// Tasks of the default tenant that somebody holds, those whose lease ends first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn held(&self, limit: u32) -> Result<Vec<Task>, Error> {
        let limit = limit.min(PAGE_MAX + 1);
        // All leases have lapsed at the end of time.
        let mut tasks = self.store().lapsed(Timestamp::from_micros(i64::MAX), limit).await?;
        tasks.retain(|it| it.at.key.tenant == tenant());
        Ok(tasks)
    }
}

fn tenant() -> Tenant {
    "default".into()
}

/// Instances of a status. No page of them is asked for yet.
pub(crate) fn query(kind: Kind, status: &str, narrowed: &Narrowed) -> Query {
    let Narrowed { definition, version, business_key, step, from, until } = narrowed.clone();
    Query {
        tenant: tenant(),
        kind,
        definition,
        version,
        status: Some(status.to_owned()),
        business_key,
        awaits: None,
        step,
        from,
        until,
        before: None,
        offset: 0,
        limit: 0,
    }
}
