//! Why an instance is where it is.

use std::collections::BTreeMap;

use waypost_kernel::{InstanceId, Kind, Timestamp};
use waypost_machines::{
    explanation::{Around, Demand, Explanation},
    process::explain::{Subject, explain},
};

use super::{
    handle::Processes,
    view::{Outline, PastView},
};
use crate::{error::Error, moment::Moment};

impl Processes {
    /// Why an instance is where it is, or was, and what can happen next. `show` says how times are
    /// written.
    ///
    /// # Errors
    /// When it does not exist, or did not then.
    pub async fn explain(
        &self,
        id: &InstanceId,
        moment: Option<Moment>,
        show: &(dyn Fn(Timestamp) -> String + Sync),
    ) -> Result<Explanation, Error> {
        let PastView { outline, visits, .. } = self.past(id, moment).await?;
        let Outline { view, graph, now } = &outline;
        let key = &view.key;
        // Nobody has kept who held what, and who asked, in the past.
        let tasks = match moment {
            Some(_) => Vec::new(),
            None => self.shared.store.tasks(std::slice::from_ref(key)).await?,
        };
        let leases: BTreeMap<_, _> =
            tasks.into_iter().filter_map(|it| Some((it.at.id, it.lease?))).collect();
        let (graph, state) = (&**graph, &*view.state);
        let subject = Subject { key, graph, state, leases: &leases, visits: &visits };
        let family = &graph.which.name;
        let demand = |queue: &str| match moment {
            Some(_) => Demand::Unknown,
            None => {
                let who = (&self.tenant, Kind::Process);
                self.shared.demands.of(who, (family, queue), *now)
            }
        };
        Ok(explain(subject, Around { now: *now, demand: &demand, show: &|it| show(it) }))
    }
}
