//! Why a chain is where it is, and where it was.

use std::{collections::BTreeMap, sync::Arc};

use waypost_kernel::{InstanceId, Kind, RejectionCode as Code, Timestamp};
use waypost_machines::{
    chain::{
        Chain,
        explain::{Subject, explain},
    },
    explanation::{Around, Explanation},
};

use super::{handle::Chains, view::ChainView};
use crate::{
    error::Error,
    moment::{Moment, not_then, then},
};

impl Chains {
    /// Why a chain is where it is, and what can happen next. `show` says how times are written.
    ///
    /// # Errors
    /// When it does not exist.
    pub async fn explain(
        &self,
        id: &InstanceId,
        show: &(dyn Fn(Timestamp) -> String + Sync),
    ) -> Result<Explanation, Error> {
        let view = self.show(id).await?;
        let tasks = self.shared.store.tasks(std::slice::from_ref(&view.key)).await?;
        let leases: BTreeMap<_, _> =
            tasks.into_iter().filter_map(|it| Some((it.at.id, it.lease?))).collect();
        let (key, state, policy) = (&view.key, &*view.state, &self.shared.policy);
        let now = self.shared.store.now();
        let demand = |queue: &str| {
            let who = (&self.tenant, Kind::Chain);
            self.shared.demands.of(who, (&state.workflow_type, queue), now)
        };
        let subject = Subject { key, policy, state, leases: &leases };
        Ok(explain(subject, Around { now, demand: &demand, show: &|it| show(it) }))
    }

    /// A chain as it was. Who was at work on it then is not known.
    ///
    /// # Errors
    /// When it does not exist, or did not then.
    pub async fn show_at(&self, id: &InstanceId, moment: Moment) -> Result<ChainView, Error> {
        let key = self.key(id);
        match then::<Chain>(&*self.shared.store, &key, moment).await? {
            Some(it) => Ok(ChainView::new(key, it.version.0, Arc::new(it.state), &[])),
            None => {
                self.show(id).await?;
                Err(Error::rejected(Code::InstanceNotFound, not_then(moment)))
            }
        }
    }
}
