//! Why an instance is where it is.

use std::collections::BTreeMap;

use waypost_kernel::{InstanceId, Kind, Timestamp};
use waypost_machines::{
    explanation::{Around, Explanation},
    process::{
        History,
        explain::{Subject, explain},
    },
};

use super::handle::Processes;
use crate::error::Error;

impl Processes {
    /// Why an instance is where it is, and what can happen next. `show` says how times are written.
    ///
    /// # Errors
    /// When it does not exist.
    pub async fn explain(
        &self,
        id: &InstanceId,
        show: &(dyn Fn(Timestamp) -> String + Sync),
    ) -> Result<Explanation, Error> {
        let key = self.known(id)?;
        let mut history = History::default();
        self.follow(&key, |at, event| history.follow(at, event)).await?;
        let outline = self.outline(id).await?;
        let tasks = self.shared.store.tasks(std::slice::from_ref(&key)).await?;
        let leases: BTreeMap<_, _> =
            tasks.into_iter().filter_map(|it| Some((it.at.id, it.lease?))).collect();
        let (graph, state, visits) = (&*outline.graph, &*outline.view.state, history.visits());
        let subject = Subject { key: &key, graph, state, leases: &leases, visits: &visits };
        let family = &graph.which.name;
        let demand = |queue: &str| {
            let who = (&self.tenant, Kind::Process);
            self.shared.demands.of(who, (family, queue), outline.now)
        };
        Ok(explain(subject, Around { now: outline.now, demand: &demand, show: &|it| show(it) }))
    }
}
