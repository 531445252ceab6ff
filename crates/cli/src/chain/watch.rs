//! `waypost watch` and `waypost watch chain ID`

use std::{collections::BTreeMap, time::Duration};

use serde::Serialize;
use tokio::time::sleep;
use waypost_api::chain::{Change, ChangeQuery};
use waypost_client::{Chains, Error};

use super::events::{describe, is_end, step, step_types, tone};
use crate::{
    exit::Failure,
    lifecycle,
    output::{Output, Tone, printable},
    remote::RemoteArgs,
    when::time_of_day,
};

/// How often a broken connection is taken up again before giving up, once a second.
const RESUMES_MAX: u32 = 30;
/// How many chains' step names are remembered; beyond it, steps are shown by number.
const NAMES_MAX: usize = 10_000;

/// What to follow.
#[derive(Debug, clap::Args)]
pub(crate) struct WatchArgs {
    #[command(subcommand)]
    what: Option<What>,

    /// Go on after this place instead of now: the `cursor` of an earlier line of JSON
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,

    /// Begin with the first change of all instead of now
    #[arg(long, conflicts_with = "cursor")]
    all: bool,

    #[command(flatten)]
    remote: RemoteArgs,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Follow one chain from its start until it ends
    Chain(ChainArgs),
    /// Follow the entities of a lifecycle: those there are, then each write
    Lifecycle(lifecycle::WatchArgs),
}

#[derive(Debug, clap::Args)]
struct ChainArgs {
    /// The chain's id
    id: String,

    #[command(flatten)]
    remote: RemoteArgs,
}

pub(crate) async fn run(args: WatchArgs, output: Output) -> Result<(), Failure> {
    let (remote, instance_id) = match args.what {
        Some(What::Lifecycle(args)) => return lifecycle::watch(args, output).await,
        Some(What::Chain(chain)) => (chain.remote, Some(chain.id)),
        None => (args.remote, None),
    };
    let chains = remote.chains()?;
    if let Some(id) = &instance_id {
        // A chain that does not exist would be waited for in vain.
        chains.show(id).await?;
    }
    // An empty cursor is the place before everything.
    let cursor = args.cursor.or_else(|| args.all.then(String::new));
    let query = ChangeQuery { instance_id, cursor };
    Watching { chains, query, output, names: BTreeMap::new(), n_resumes: 0 }.run().await
}

struct Watching {
    chains: Chains,
    query: ChangeQuery,
    output: Output,
    names: BTreeMap<String, Vec<String>>,
    n_resumes: u32,
}

impl Watching {
    async fn run(mut self) -> Result<(), Failure> {
        loop {
            match self.follow().await {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(Broken::Output(failure)) => return Err(failure),
                Err(Broken::Connection(error)) if !error.is_retryable() => return Err(error.into()),
                Err(Broken::Connection(error)) if self.n_resumes >= RESUMES_MAX => {
                    return Err(error.into());
                }
                Err(Broken::Connection(_)) => {}
            }
            self.n_resumes += 1;
            sleep(Duration::from_secs(1)).await;
        }
    }

    /// Follows one connection; says whether there is nothing more to come.
    async fn follow(&mut self) -> Result<bool, Broken> {
        let mut changes = self.chains.watch(&self.query).await?;
        loop {
            let next = changes.next().await;
            // The place is known before the first change comes, and if none comes at all.
            if let Some(cursor) = changes.cursor() {
                self.query.cursor = Some(cursor.to_owned());
            }
            let Some(change) = next? else { return Ok(false) };
            self.n_resumes = 0;
            self.show(&change, changes.cursor())?;
            let has_ended = change.events.iter().any(|it| is_end(it.kind));
            if has_ended && self.query.instance_id.is_some() {
                return Ok(true);
            }
        }
    }

    fn show(&mut self, change: &Change, cursor: Option<&str>) -> Result<(), Failure> {
        if self.output.is_json {
            return self.output.json(&Line { change, cursor });
        }
        for event in &change.events {
            if let Some(names) = step_types(event).filter(|_| self.names.len() < NAMES_MAX) {
                self.names.insert(change.instance_id.clone(), names);
            }
            let names = self.names.get(&change.instance_id).map_or(&[][..], Vec::as_slice);
            let line = format!(
                "{}  {}  {}  {}",
                self.output.paint(&time_of_day(change.at), Tone::Faint),
                printable(&change.instance_id),
                self.output.paint(&format!("{:<16}", event.kind.as_str()), tone(event.kind)),
                printable(&format!("{:<16}  {}", step(event, names), describe(event, change.at))),
            );
            self.output.line(line.trim_end())?;
            if is_end(event.kind) {
                self.names.remove(&change.instance_id);
            }
        }
        Ok(())
    }
}

/// A change with the place after it.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    change: &'a Change,
    cursor: Option<&'a str>,
}

/// Why a stream ended.
enum Broken {
    Connection(Error),
    Output(Failure),
}

impl From<Error> for Broken {
    fn from(error: Error) -> Self {
        Self::Connection(error)
    }
}

impl From<Failure> for Broken {
    fn from(failure: Failure) -> Self {
        Self::Output(failure)
    }
}
