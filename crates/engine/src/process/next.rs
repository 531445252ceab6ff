//! What nobody asks for: timers at steps, and the process that follows another.

use std::time::Duration;

use waypost_kernel::{
    Commit, Expectation, Json, RejectionCode as Code, Timer, TimerChange, Urgency,
};
use waypost_machines::process::{Alarm, Command, Start};

use super::handle::Processes;
use crate::{error::Error, turn::Also};

/// How long until a process that could not be started is tried again.
const RETRY: Duration = Duration::from_secs(1);

impl Processes {
    /// Does what a due timer stands for.
    pub(crate) async fn fire(&self, timer: Timer) -> Result<(), Error> {
        let alarm: Alarm = timer.command.read().map_err(|error| {
            Error::Defect(format!("timer {} of {}: {error}", timer.at.id, timer.at.key))
        })?;
        match alarm {
            Alarm::Boundary { visit, timer: index } => {
                let command = Command::Fire { visit, timer: index };
                let also = Also::fired(&timer);
                self.submit_with(&timer.at.key, command, (Urgency::Finish, also)).await.map(drop)
            }
            Alarm::Next { definition } => self.start_next(&timer, &definition).await,
        }
    }

    /// Starts what follows. The timer goes away in the same commit, so that exactly one starts.
    async fn start_next(&self, timer: &Timer, name: &str) -> Result<(), Error> {
        let before = self.show(&timer.at.key.id).await?;
        let start = Start {
            business_key: before.state.business_key.clone(),
            variables: (*before.state.variables).clone(),
            parent: Some(timer.at.key.id.clone()),
            ..Start::default()
        };
        let started = match self.definition(name, None).await {
            Ok(definition) => self.begin(&definition, start, None, Also::fired(timer)).await,
            Err(error) => Err(error),
        };
        match started {
            Ok(_) => Ok(()),
            Err(error) if is_for_later(&error) => {
                tracing::warn!(parent = %timer.at.key.id, definition = name, %error,
                    "the next process cannot start yet");
                self.postpone(timer).await
            }
            Err(error) => Err(error),
        }
    }

    async fn postpone(&self, timer: &Timer) -> Result<(), Error> {
        let due_at = self.shared.store.now() + RETRY;
        let later = Timer { due_at, command: Json::clone(&timer.command), at: timer.at.clone() };
        let commit = Commit {
            expect: vec![Expectation::Armed { timer: timer.at.clone(), due_at: timer.due_at }],
            timers: vec![TimerChange::Arm(later)],
            ..Commit::default()
        };
        self.shared.store.commit(commit).await?;
        Ok(())
    }
}

/// Whether somebody may still put right what is in the way.
fn is_for_later(error: &Error) -> bool {
    match error {
        Error::Duplicate { .. } => true,
        Error::Rejected(it) => {
            matches!(it.code, Code::DefinitionNotFound | Code::SchemaViolated | Code::FieldInvalid)
        }
        Error::Invalid { .. }
        | Error::Overtaken
        | Error::Contended { .. }
        | Error::Overloaded { .. }
        | Error::Store(_)
        | Error::Defect(_) => false,
    }
}
