//! How it goes, for those who look after all of it: counts, what is held, and what is due later.

use waypost_kernel::{Figures, Kind, Query, Task, Tenant, Timer, Timestamp};

use crate::{engine::Engine, error::Error, limits::PAGE_MAX};

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
        for (kind, statuses) in [(Kind::Process, &PROCESS[..]), (Kind::Chain, &CHAIN[..])] {
            let mut counts = Vec::new();
            for status in statuses {
                counts.push((*status, store.count(&with_status(kind, status)).await?));
            }
            faces.push((kind, counts));
        }
        let next = store.due(Timestamp::from_micros(i64::MAX), 1).await?;
        Ok(Overview {
            at: store.now(),
            faces,
            figures: store.figures().await?,
            next_timer_at: next.first().map(|it| it.due_at),
        })
    }

    /// Timers of the default tenant that are armed, those due first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn timers(&self, limit: u32) -> Result<Vec<Timer>, Error> {
        let limit = limit.min(PAGE_MAX + 1);
        let mut timers = self.store().due(Timestamp::from_micros(i64::MAX), limit).await?;
        timers.retain(|it| it.at.key.tenant == tenant());
        Ok(timers)
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

fn with_status(kind: Kind, status: &str) -> Query {
    Query {
        tenant: tenant(),
        kind,
        definition: None,
        status: Some(status.to_owned()),
        business_key: None,
        awaits: None,
        step: None,
        from: None,
        until: None,
        before: None,
        offset: 0,
        limit: 0,
    }
}
