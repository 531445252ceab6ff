//! What would become of a chain if others did this or that.

use std::sync::Arc;

use waypost_kernel::{InstanceId, RejectionCode as Code};
use waypost_machines::chain::Chain;
use waypost_rehearsal::{ChainStage, Definitions, Face, Fork, WhatIf, play};

use super::handle::Chains;
use crate::{
    error::Error,
    what_if::{Tried, apart, check, events},
};

impl Chains {
    /// Forks a chain in memory, with its open task, and plays `what` with it.
    ///
    /// # Errors
    /// When it does not exist, or that cannot be tried with a chain.
    pub async fn what_if(&self, id: &InstanceId, what: WhatIf) -> Result<Tried, Error> {
        check(&what, Face::Chain)?;
        let key = self.key(id);
        let turns = &self.shared.chains;
        let missing = || Error::rejected(Code::InstanceNotFound, format!("there is no chain {id}"));
        let hot = turns.load(&key).await?.ok_or_else(missing)?;
        let events = events(turns, &key, hot.version).await?;
        let tasks = self.shared.store.tasks(std::slice::from_ref(&key)).await?;
        let (now, policy) = (self.shared.store.now(), self.shared.policy.clone());
        let state = Arc::unwrap_or_clone(hot.state);
        let timers = Vec::new();
        let real: Fork<Chain> = Fork { key, version: hot.version, state, events, tasks, timers };
        let played = apart(move || {
            let definitions = Definitions::default();
            let mut stage = ChainStage::new(&definitions, what.cast());
            stage.fork(real, policy, now);
            play(&mut stage, Ok(()), (&what.deeds, &what.expect))
        });
        Ok(Tried { forked_at: now, played: played.await? })
    }
}
