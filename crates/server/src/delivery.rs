//! Handing the tasks of processes to whoever asks, over whatever protocol. What was taken and not
//! handed over is given back.

use std::{collections::VecDeque, sync::Arc};

use tokio::{
    sync::oneshot::{self, Sender},
    time::Instant,
};
use waypost_engine::{
    Error,
    limits::CLAIM_POLL,
    process::{Poll, TaskView},
};

use crate::http::App;

/// Tasks on their way to a worker. Those that are left when it is dropped are given back.
pub(crate) struct Taken {
    app: Arc<App>,
    tasks: VecDeque<TaskView>,
}

impl Taken {
    pub(crate) const fn nothing(app: Arc<App>) -> Self {
        Self { app, tasks: VecDeque::new() }
    }
}

impl Iterator for Taken {
    type Item = TaskView;

    fn next(&mut self) -> Option<TaskView> {
        self.tasks.pop_front()
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        if self.tasks.is_empty() {
            return;
        }
        let (processes, tasks) = (self.app.processes.clone(), std::mem::take(&mut self.tasks));
        self.app.claims.spawn(async move {
            for task in tasks {
                if let Err(error) = processes.release(&task).await {
                    tracing::warn!(%error, task = task.id, "a task could not be given back");
                }
            }
        });
    }
}

/// Takes tasks for a worker, and waits for the first as long as the poll says.
pub(crate) async fn take(app: &Arc<App>, poll: Poll) -> Result<Taken, Error> {
    let (answer, taken) = oneshot::channel();
    let home = Arc::clone(app);
    // A poll must not end with the connection: what it took would be held by nobody.
    app.claims.spawn(async move {
        let taken = wait_for_work(&home, &poll, &answer).await;
        // Nobody may be there any more. Then this is where the tasks are dropped.
        drop(answer.send(taken));
    });
    taken.await.map_err(|_| Error::Defect("a poll ended without an answer".to_owned()))?
}

type Answer = Result<Taken, Error>;

/// Waits in short pieces, so that it ends soon after the client or the server does.
async fn wait_for_work(app: &Arc<App>, poll: &Poll, answer: &Sender<Answer>) -> Answer {
    let deadline = Instant::now() + poll.wait;
    loop {
        if app.is_stopping() || answer.is_closed() {
            return Ok(Taken::nothing(Arc::clone(app)));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        let wait = left.min(CLAIM_POLL);
        let tasks = app.processes.poll(&Poll { wait, ..poll.clone() }).await?;
        if !tasks.is_empty() || left <= CLAIM_POLL {
            return Ok(Taken { app: Arc::clone(app), tasks: tasks.into() });
        }
    }
}
