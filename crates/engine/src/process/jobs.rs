//! The tasks of an instance: those that are open, and what became of the others.

use std::{collections::BTreeMap, sync::Arc};

use waypost_kernel::{InstanceId, Task};
use waypost_machines::process::{Attempt, Attempts, Graph, Work};

use super::{handle::Processes, names, view::JobView, work::lapse_of};
use crate::error::Error;

impl Processes {
    /// Every task of an instance that was offered, in the order in which they were.
    ///
    /// # Errors
    /// When it does not exist.
    pub async fn jobs(&self, id: &InstanceId) -> Result<Vec<JobView>, Error> {
        let key = self.known(id)?;
        let mut attempts = Attempts::default();
        self.follow(&key, |at, event| attempts.follow(at, event)).await?;
        let graph = self.graph(&self.show(id).await?.state).await?;
        // Looked at last: what is not there any more has ended meanwhile.
        let tasks = self.shared.store.tasks(std::slice::from_ref(&key)).await?;
        let tasks: BTreeMap<String, Task> =
            tasks.into_iter().map(|it| (it.at.id.as_str().to_owned(), it)).collect();
        let view = |attempt: Attempt| {
            let task = tasks.get(&attempt.task.to_string()).filter(|_| attempt.end.is_none());
            view(id, &graph, attempt, task)
        };
        Ok(attempts.all().into_iter().map(view).collect())
    }
}

fn view(id: &InstanceId, graph: &Arc<Graph>, attempt: Attempt, task: Option<&Task>) -> JobView {
    let step = graph.step(&attempt.step);
    let queue = match step.map(|it| &it.work) {
        Some(Work::Service { queue, .. }) => queue.clone(),
        _ => String::new(),
    };
    let lease = task.and_then(|it| it.lease.as_ref());
    JobView {
        id: names::child(id, attempt.task),
        queue,
        label: step.map(|it| it.label.clone()).unwrap_or_default(),
        is_offered: task.is_some(),
        held: lease.map(|it| (it.worker.clone(), lapse_of(it.until))),
        attempt,
    }
}
