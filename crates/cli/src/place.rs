//! Where an instance of whatever face is on a server, for verbs that every face has alike.

use serde::de::DeserializeOwned;
use waypost_api::Timestamp;
use waypost_client::Client;

use crate::{
    exit::{Exit, Failure},
    face::face_of,
    remote::EntityRemoteArgs,
    when::instant,
};

/// Where lifecycles are unless the server is set otherwise.
const PREFIX: &str = "workflows";

/// Which server to ask about instances of any face, and as whom.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct PlaceArgs {
    #[command(flatten)]
    pub(crate) remote: EntityRemoteArgs,

    /// The path below which the server has its lifecycles
    #[arg(
        long,
        value_name = "PATH",
        env = "WAYPOST_LIFECYCLE_PATH_PREFIX",
        default_value = PREFIX
    )]
    lifecycle_path: String,
}

/// As of when an instance is wanted.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct AsOfArgs {
    /// As it was then: an RFC 3339 time, or a day
    #[arg(long, value_name = "TIME", value_parser = instant, conflicts_with = "version")]
    at: Option<Timestamp>,

    /// As it was when it had seen this many commits
    #[arg(long, value_name = "NUMBER")]
    version: Option<u64>,
}

impl AsOfArgs {
    /// What the server is asked, if it is not as it is.
    pub(crate) fn query(&self) -> Option<(&'static str, String)> {
        let at = self.at.map(|it| ("at", it.to_string()));
        at.or_else(|| self.version.map(|it| ("version", it.to_string())))
    }
}

/// An instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Chain { id: String },
    Process { id: String },
    Entity { id: String },
    Lifecycle { workflow: String, id: String },
}

impl Place {
    /// The instance of that id. Lifecycles are known by the name of their type as well.
    pub(crate) fn of(id: &str, workflow: Option<&str>) -> Result<Self, Failure> {
        let id = id.to_owned();
        if let Some(workflow) = workflow {
            return Ok(Self::Lifecycle { workflow: workflow.to_owned(), id });
        }
        match face_of(&id) {
            Some("chain") => Ok(Self::Chain { id }),
            Some("process") => Ok(Self::Process { id }),
            Some("entity") => Ok(Self::Entity { id }),
            Some(_) | None => Err(Failure::usage(format!("{id} is no id of an instance"))
                .advise("give --workflow NAME as well if it is an entity of a lifecycle")),
        }
    }

    /// What is at a path below the instance, as a text.
    pub(crate) async fn text(
        &self,
        args: &PlaceArgs,
        (below, query): (&[&str], &[(&str, &str)]),
    ) -> Result<String, Failure> {
        match self {
            Self::Entity { id } => {
                let path = [&["entity", id], below].concat();
                Ok(args.remote.entities()?.text_at(&path, query).await?)
            }
            Self::Chain { .. } | Self::Process { .. } | Self::Lifecycle { .. } => {
                Ok(args.client()?.text(&self.path(args, below), query).await?)
            }
        }
    }

    /// The same, read.
    pub(crate) async fn read<T: DeserializeOwned>(
        &self,
        args: &PlaceArgs,
        (below, query): (&[&str], &[(&str, &str)]),
    ) -> Result<T, Failure> {
        let text = self.text(args, (below, query)).await?;
        serde_json::from_str(&text).map_err(|error| {
            Failure::new(Exit::Failed, format!("the answer is not understood: {error}"))
        })
    }

    fn path<'a>(&'a self, args: &'a PlaceArgs, below: &[&'a str]) -> Vec<&'a str> {
        let own: Vec<&str> = match self {
            Self::Chain { id } => vec!["v1", "chains", "instances", id],
            Self::Process { id } => vec!["v1", "instances", id],
            Self::Entity { id } => vec!["entity", id],
            Self::Lifecycle { workflow, id } => {
                let prefix = args.lifecycle_path.split('/').filter(|it| !it.is_empty());
                prefix.chain([workflow.as_str(), id]).collect()
            }
        };
        [&own, below].concat()
    }
}

impl PlaceArgs {
    pub(crate) fn client(&self) -> Result<Client, Failure> {
        self.remote.remote.client()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_tells_where_an_instance_is_and_a_lifecycle_needs_its_name() {
        let process = "01K9ZZZZZZZZZZZZZZZZZ00000";
        assert_eq!(Place::of(process, None).unwrap(), Place::Process { id: process.into() });
        let chain = "0198a2b4-7c3d-7e00-8000-0123456789ab";
        assert_eq!(Place::of(chain, None).unwrap(), Place::Chain { id: chain.into() });
        let mission = Place::Lifecycle { workflow: "drone-survey".into(), id: "m-1".into() };
        assert_eq!(Place::of("m-1", Some("drone-survey")).unwrap(), mission);
        assert_eq!(Place::of("m-1", None).unwrap_err().what, "m-1 is no id of an instance");
    }
}
