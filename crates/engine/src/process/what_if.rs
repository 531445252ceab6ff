//! What would become of a process if others did this or that.

use std::{collections::BTreeSet, sync::Arc};

use waypost_kernel::{InstanceId, Json, NewTimer, Timestamp};
use waypost_machines::process::{Alarm, Event, Graph, Phase, Process, Rest, State};
use waypost_rehearsal::{
    Definitions, Face, Fork, ProcessStage, WhatIf, limits::FOLLOWERS_MAX, play,
};

use super::handle::{Processes, unknown};
use crate::{
    error::Error,
    what_if::{Tried, apart, check, events},
};

impl Processes {
    /// Forks an instance in memory, with its open tasks and armed timers, and plays `what` with it.
    ///
    /// # Errors
    /// When it does not exist, or that cannot be tried with a process.
    pub async fn what_if(&self, id: &InstanceId, what: WhatIf) -> Result<Tried, Error> {
        check(&what, Face::Process)?;
        let key = self.known(id)?;
        let turns = &self.shared.processes;
        let hot = turns.load(&key).await?.ok_or_else(unknown)?;
        let events = events(turns, &key, hot.version).await?;
        let tasks = self.shared.store.tasks(std::slice::from_ref(&key)).await?;
        let graph = self.graph(&hot.state).await?;
        let definitions = self.following(&graph).await?;
        let now = self.shared.store.now();
        let timers = armed(&graph, &hot.state, &events);
        let state = Arc::unwrap_or_clone(hot.state);
        let real: Fork<Process> = Fork { key, version: hot.version, state, events, tasks, timers };
        let played = apart(move || {
            let mut stage = ProcessStage::new(&definitions, what.cast());
            stage.fork(real, graph, now);
            play(&mut stage, Ok(()), (&what.deeds, &what.expect))
        });
        Ok(Tried { forked_at: now, played: played.await? })
    }

    /// The definitions that follow one another from here, as far as they are deployed.
    async fn following(&self, graph: &Arc<Graph>) -> Result<Definitions, Error> {
        let mut definitions = Definitions::default();
        definitions.add_graph(Arc::clone(graph));
        let mut next = graph.next.clone();
        for _ in 0..FOLLOWERS_MAX {
            let Some(name) = next.take().filter(|it| definitions.graph(it).is_none()) else {
                break;
            };
            let definition = match self.definition(&name, None).await {
                Ok(definition) => definition,
                Err(Error::Rejected(_)) => break,
                Err(error) => return Err(error),
            };
            let graph = self.shared.graphs.of(&definition)?;
            next = graph.next.clone();
            definitions.add_graph(graph);
        }
        Ok(definitions)
    }
}

/// The timers at the steps where an instance rests: those that have not fired during the rest.
fn armed(graph: &Graph, state: &State, events: &[(Timestamp, Event)]) -> Vec<NewTimer> {
    let fired: BTreeSet<(u32, usize)> = events
        .iter()
        .filter_map(|(_, event)| {
            let Event::Fired { visit, timer } = event else { return None };
            Some((*visit, *timer))
        })
        .collect();
    let rests = |it: &&waypost_machines::process::Stay| {
        matches!(it.rest, Rest::Task { .. } | Rest::User | Rest::Signal)
    };
    let is_over = matches!(state.phase, Phase::Completed | Phase::Canceled);
    let stays = state.stays.iter().filter(rests).filter(|_| !is_over);
    let timers = stays.flat_map(|stay| {
        let timers = graph.step(&stay.step).map(|it| it.timers.as_slice()).unwrap_or_default();
        let open = timers.iter().enumerate().filter(|(it, _)| !fired.contains(&(stay.visit, *it)));
        open.map(|(index, timer)| NewTimer {
            id: format!("{}.{index}", stay.visit).into(),
            due_at: stay.since + timer.after,
            command: Json::of(&Alarm::Boundary { visit: stay.visit, timer: index }),
        })
    });
    timers.collect()
}
