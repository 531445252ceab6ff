//! What nobody asks for: timers at steps, and the process that follows another.

use waypost_kernel::{Timer, Urgency};
use waypost_machines::process::{Alarm, Command, Start};

use super::handle::Processes;
use crate::{error::Error, turn::Also};

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

    /// Starts what follows. The timer goes away in the same commit, so that exactly one starts. What
    /// is in the way, such as a definition that is not there yet, may go away; it is tried again.
    async fn start_next(&self, timer: &Timer, name: &str) -> Result<(), Error> {
        let before = self.show(&timer.at.key.id).await?;
        let start = Start {
            business_key: before.state.business_key.clone(),
            variables: (*before.state.variables).clone(),
            parent: Some(timer.at.key.id.clone()),
            ..Start::default()
        };
        let definition = self.definition(name, None).await?;
        self.begin(&definition, start, None, Also::fired(timer)).await.map(drop)
    }
}
