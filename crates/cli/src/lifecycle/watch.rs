//! `waypost watch lifecycle TYPE`

use std::{collections::HashMap, time::Duration};

use serde_json::json;
use tokio::time::sleep;
use waypost_api::lifecycle::Snapshot;
use waypost_client::{Error, Lifecycles, lifecycle::Sight};

use super::list::tone;
use crate::{
    exit::{Exit, Failure},
    output::{Output, Tone, printable},
    remote::LifecycleRemoteArgs,
};

/// How often a broken connection is taken up again before giving up, once a second.
const RESUMES_MAX: u32 = 30;

/// How many entities are remembered with what was shown of them. Beyond it some may be shown twice
/// after a break.
const SHOWN_MAX: usize = 100_000;

/// Which type to follow.
#[derive(Debug, clap::Args)]
pub(crate) struct WatchArgs {
    /// The type
    #[arg(value_name = "TYPE")]
    workflow: String,

    #[command(flatten)]
    remote: LifecycleRemoteArgs,
}

pub(crate) async fn run(args: WatchArgs, output: Output) -> Result<(), Failure> {
    let lifecycles = args.remote.lifecycles()?;
    // A type that does not exist would be asked for again and again.
    lifecycles.definition(&args.workflow).await?;
    let (workflow, shown) = (args.workflow, HashMap::new());
    Watching { lifecycles, workflow, output, shown, n_resumes: 0 }.run().await
}

struct Watching {
    lifecycles: Lifecycles,
    workflow: String,
    output: Output,
    /// The revision of each entity that was shown last: a new stream begins with all of them.
    shown: HashMap<String, u64>,
    n_resumes: u32,
}

impl Watching {
    async fn run(mut self) -> Result<(), Failure> {
        loop {
            let broken = match self.follow().await {
                Ok(()) => None,
                Err(Broken::Output(failure)) => return Err(failure),
                Err(Broken::Connection(error)) if !error.is_retryable() => return Err(error.into()),
                Err(Broken::Connection(error)) => Some(error),
            };
            if self.n_resumes >= RESUMES_MAX {
                let ended = || Failure::new(Exit::Unavailable, "the server ended the stream");
                return Err(broken.map_or_else(ended, Failure::from));
            }
            self.n_resumes += 1;
            sleep(Duration::from_secs(1)).await;
        }
    }

    /// Follows one connection to its end.
    async fn follow(&mut self) -> Result<(), Broken> {
        let watch = self.lifecycles.watch(&self.workflow).await;
        let mut watch = watch.map_err(Broken::Connection)?;
        while let Some(sight) = watch.next().await.map_err(Broken::Connection)? {
            self.n_resumes = 0;
            self.show(sight).map_err(Broken::Output)?;
        }
        Ok(())
    }

    fn show(&mut self, sight: Sight) -> Result<(), Failure> {
        match sight {
            Sight::CaughtUp => Ok(()),
            Sight::Deleted { entity_id } => {
                // Another stream may tell of a deletion again.
                self.shown.remove(&entity_id);
                match self.output.is_json {
                    true => self.output.json(&json!({ "deleted": entity_id })),
                    false => self.line(&entity_id, "<deleted>", Tone::Attention, ""),
                }
            }
            Sight::Entity(entity) => match self.is_news(&entity) {
                false => Ok(()),
                true if self.output.is_json => self.output.json(&entity),
                true => {
                    let (id, phase) = (&entity.entity_id, &entity.phase);
                    self.line(id, phase, tone(&entity), entity.value.as_str())
                }
            },
        }
    }

    fn is_news(&mut self, entity: &Snapshot) -> bool {
        if self.shown.len() >= SHOWN_MAX && !self.shown.contains_key(&entity.entity_id) {
            self.shown.clear();
        }
        let before = self.shown.insert(entity.entity_id.clone(), entity.revision);
        before.is_none_or(|it| it < entity.revision)
    }

    fn line(&self, id: &str, phase: &str, tone: Tone, value: &str) -> Result<(), Failure> {
        let phase = self.output.paint(&format!("{:<12}", printable(phase)), tone);
        let line = format!("{:<16}  {phase}  {}", printable(id), printable(value));
        self.output.line(line.trim_end())
    }
}

/// Why a stream ended.
enum Broken {
    Connection(Error),
    Output(Failure),
}
