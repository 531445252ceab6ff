//! Decision tables by themselves: what they make of variables, and how often which rule has had a
//! say.

use std::sync::Arc;

use waypost_kernel::RejectionCode as Code;
use waypost_machines::process::{Graph, HitPolicy, Trial, Variables, Work, trial};

use super::{handle::Processes, request::ListProcesses};
use crate::{
    error::Error,
    limits::{PAGE_MAX, TABLE_INSTANCES_MAX},
};

/// How often rules have had a say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    /// How many instances were looked at, the newest first.
    pub instances: u32,
    /// How often they came to the table.
    pub visits: u64,
    /// How often each rule had a say.
    pub rules: Vec<u64>,
}

impl Processes {
    /// What the table at a step makes of variables. Nothing comes of it.
    ///
    /// # Errors
    /// When there is no such definition, or no table at that step.
    pub async fn try_table(
        &self,
        (name, version): (&str, i32),
        step: &str,
        variables: &Variables,
    ) -> Result<Trial, Error> {
        let graph = self.graph_named(name, version).await?;
        trial(&graph, step, variables, self.shared.store.now()).ok_or_else(|| no_table(step))
    }

    /// How often each rule of a table has had a say, told by the past of the newest instances: as
    /// many as `limit` says, within reason. What instances knew when they came to the table is in
    /// their history; the table is asked about it again.
    ///
    /// # Errors
    /// When there is no such definition, or no table at that step.
    pub async fn table_hits(
        &self,
        (name, version): (&str, i32),
        step: &str,
        limit: u32,
    ) -> Result<Hits, Error> {
        let graph = self.graph_named(name, version).await?;
        let (policy, n_rules) = shape(&graph, step).ok_or_else(|| no_table(step))?;
        let mut hits = Hits { rules: vec![0; n_rules], ..Hits::default() };
        let definition = Some(name.to_owned());
        let request = ListProcesses { definition, limit: PAGE_MAX, ..ListProcesses::default() };
        let found = self.list(&request).await?;
        let of_version = found.iter().filter(|it| it.state.definition.version == version);
        for view in of_version.take(limit.min(TABLE_INSTANCES_MAX) as usize) {
            let history = self.history(&view.key.id).await?;
            hits.instances += 1;
            for visit in history.visits.iter().filter(|it| *it.step == *step) {
                let Some(trial) = trial(&graph, step, &visit.input, visit.started_at) else {
                    continue;
                };
                hits.visits += 1;
                for index in trial.deciding(policy) {
                    hits.rules.get_mut(index).into_iter().for_each(|it| *it += 1);
                }
            }
        }
        Ok(hits)
    }

    async fn graph_named(&self, name: &str, version: i32) -> Result<Arc<Graph>, Error> {
        let definition = self.definition(name, Some(version)).await?;
        self.shared.graphs.of(&definition)
    }
}

/// The policy of the table at a step, and how many rules it has.
fn shape(graph: &Graph, step: &str) -> Option<(HitPolicy, usize)> {
    match &graph.step(step)?.work {
        Work::Table { table, .. } => Some((table.policy, table.rules.len())),
        Work::Service { .. }
        | Work::User { .. }
        | Work::Wait { .. }
        | Work::Decide(_)
        | Work::Transform { .. }
        | Work::Fork { .. }
        | Work::Join { .. }
        | Work::End { .. } => None,
    }
}

fn no_table(step: &str) -> Error {
    let detail = format!("there is no decision table at step {step:?}");
    Error::rejected(Code::DefinitionNotFound, detail)
}
