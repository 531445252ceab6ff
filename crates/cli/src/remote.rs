//! Talking to a running server: which one, and what its refusals mean at a terminal.

use std::io::{Read, Write as _};

use serde_json::{Map, Value};
use waypost_api::{Document, Problem};
use waypost_client::{Chains, Client, Entities, Error, Lifecycles, Processes};

use crate::{
    exit::{Exit, Failure},
    output::printable,
};

/// Where a server listens if nobody says otherwise.
pub(crate) const DEFAULT: &str = "http://127.0.0.1:8080";

/// Which server to talk to, and as whom.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct RemoteArgs {
    /// The server to talk to
    #[arg(
        long,
        value_name = "URL",
        env = "WAYPOST_SERVER",
        // It may contain a password, and help is for everybody to read.
        hide_env_values = true,
        default_value = DEFAULT
    )]
    server: String,

    /// Sign in with this bearer token; safer in the environment than in a command
    #[arg(long, value_name = "TOKEN", env = "WAYPOST_TOKEN", hide_env_values = true)]
    token: Option<String>,
}

impl RemoteArgs {
    pub(crate) fn client(&self) -> Result<Client, Failure> {
        let client = Client::new(&self.server)?;
        // A variable that is set to nothing says nothing.
        match self.token.as_deref().map(str::trim).filter(|it| !it.is_empty()) {
            Some(token) => Ok(client.signed_in(token)?),
            None => Ok(client),
        }
    }

    /// The same; what is asked for is kept with the reason.
    pub(crate) fn because(&self, reason: Option<&str>) -> Result<Client, Failure> {
        let client = self.client()?;
        Ok(reason.map_or(client.clone(), |it| client.because(it)))
    }

    pub(crate) fn chains(&self) -> Result<Chains, Failure> {
        Ok(self.client()?.chain())
    }

    pub(crate) fn processes(&self) -> Result<Processes, Failure> {
        Ok(self.client()?.process())
    }
}

/// Which server to talk to about entities.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct EntityRemoteArgs {
    #[command(flatten)]
    pub(crate) remote: RemoteArgs,

    /// The context path below which the server has its entities
    #[arg(long, value_name = "PATH", env = "WAYPOST_CONTEXT_PATH", default_value = "/api")]
    context_path: String,
}

impl EntityRemoteArgs {
    pub(crate) fn entities(&self) -> Result<Entities, Failure> {
        self.because(None)
    }

    /// The same; what is asked for is kept with the reason.
    pub(crate) fn because(&self, reason: Option<&str>) -> Result<Entities, Failure> {
        let client = self.remote.because(reason)?.on_warning(warn);
        Ok(client.entity().below(&self.context_path))
    }
}

/// Which server to talk to about lifecycles.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct LifecycleRemoteArgs {
    #[command(flatten)]
    remote: RemoteArgs,

    /// The path below which the server has its lifecycles
    #[arg(
        long,
        value_name = "PATH",
        env = "WAYPOST_LIFECYCLE_PATH_PREFIX",
        default_value = "workflows"
    )]
    path_prefix: String,
}

impl LifecycleRemoteArgs {
    pub(crate) fn lifecycles(&self) -> Result<Lifecycles, Failure> {
        Ok(self.remote.client()?.lifecycle().below(&self.path_prefix))
    }
}

/// Says what the server had to say, beside the answer. It comes as a count and the first of them.
fn warn(warnings: &str) {
    let text = match warnings.split_once("; ") {
        Some(("1", only)) => only.to_owned(),
        Some((count, first)) => format!("{first} (the first of {count})"),
        None => warnings.to_owned(),
    };
    // What was done is done, whether anybody can read this or not.
    drop(writeln!(std::io::stderr(), "warning: {}", printable(&text)));
}

/// A document given on the command line: as it is, or `@FILE`, or `@-` for standard input.
pub(crate) fn document(name: &str, given: &str) -> Result<Document, Failure> {
    let text = match given.strip_prefix('@') {
        Some(file) => read(file)?,
        None => given.to_owned(),
    };
    Document::parse(&text).map_err(|error| {
        Failure::usage(format!("{name} is not a JSON document: {error}"))
            .advise("give JSON such as '{\"total\": 12}', or @FILE to read it from a file")
    })
}

/// Variables given on the command line.
pub(crate) fn variables(given: Option<&str>) -> Result<Map<String, Value>, Failure> {
    let Some(given) = given else { return Ok(Map::new()) };
    document("--variables", given)?.read().map_err(|_| {
        Failure::usage("--variables is not a JSON object")
            .advise("give variables by their names, such as '{\"amount\": 12}'")
    })
}

/// The text of a file, or of standard input for `-`.
pub(crate) fn read(file: &str) -> Result<String, Failure> {
    let text = if file == "-" {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        std::fs::read_to_string(file)
    };
    text.map_err(|error| Failure::usage(format!("{file} cannot be read: {error}")))
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let what = error.to_string();
        match error {
            Error::Refused(problem) => refused(&problem),
            Error::Unreachable { url, reason } => {
                let what = format!("there is no server at {url}: {reason}");
                Self::new(Exit::Unavailable, what).advise(
                    "start one with `waypost serve` or `waypost dev`, or name another with --server",
                )
            }
            Error::Interrupted { .. } => Self::new(Exit::Unavailable, what)
                .advise("it may have been done or not: look first, then ask again"),
            Error::Unexpected { .. } => {
                Self::new(Exit::Failed, what).advise("check that --server names a Waypost server")
            }
            Error::Address { .. } | Error::Authorization { .. } => Self::usage(what),
            // The library may learn to fail in new ways.
            Error::StepTwice { .. } | Error::JobTwice { .. } | _ => Self::new(Exit::Failed, what),
        }
    }
}

fn refused(problem: &Problem) -> Failure {
    let exit = match problem.status {
        404 => Exit::NotFound,
        409 | 412 => Exit::Conflict,
        429 | 502..=504 => Exit::Unavailable,
        _ => Exit::Failed,
    };
    // The detail may say it all already.
    let untold = problem.errors.iter().filter(|it| !problem.detail.contains(&it.problem));
    let places: Vec<_> = untold.map(|it| format!("{} {}", it.place, it.problem)).collect();
    let what = match places.as_slice() {
        [] => told(&problem.detail),
        [_, ..] => format!("{}: {}", problem.detail, places.join("; ")),
    };
    let failure = Failure::new(exit, what);
    match problem.code.is_empty() {
        // Lifecycles have no codes.
        true => failure.advise(advice_on_lifecycles(problem)),
        false => failure.coded(&problem.code).advise(advice(problem)),
    }
}

fn advice_on_lifecycles(problem: &Problem) -> &'static str {
    match problem.status {
        404 => {
            "`waypost list lifecycles` shows the types, `waypost list lifecycles TYPE` the entities"
        }
        409 => "others kept writing to it: look again, then decide",
        500.. => "the server's log tells why",
        _ => {
            "`waypost show lifecycle TYPE` shows where phases lead and which fields are for operators"
        }
    }
}

/// A definition may be wrong in several places; each has a line of its own.
fn told(detail: &str) -> String {
    match detail.strip_prefix("validation error: validation errors:") {
        Some(lines) => format!("the definition is not sound:{lines}"),
        None => detail.to_owned(),
    }
}

fn advice(problem: &Problem) -> String {
    let code = problem.code.as_str();
    let is_chain = problem.instance.starts_with("/v1/chains");
    match (code, &problem.instance_id) {
        ("INSTANCE_NOT_FOUND", _) if is_chain => {
            "`waypost list chains` shows those there are".to_owned()
        }
        ("INSTANCE_NOT_FOUND", _) => "`waypost list processes` shows those there are".to_owned(),
        ("TASK_NOT_FOUND", _) if !is_chain => {
            "`waypost list tasks` shows those that are open".to_owned()
        }
        ("DUPLICATE_BIZ_KEY", None) => {
            "`waypost list processes --business-key KEY` shows the one under way".to_owned()
        }
        ("DEFINITION_NOT_FOUND", _) => {
            "deploy it with `waypost deploy FILE`; `waypost list definitions` shows those there are"
                .to_owned()
        }
        ("DEFINITION_CONFLICT", _) => {
            "definitions never change: raise workflowVersion and deploy again".to_owned()
        }
        ("DUPLICATE_BIZ_KEY", Some(id)) => {
            format!("`waypost show chain {id}` shows the one that runs")
        }
        ("MODEL_NOT_FOUND", _) => "`waypost list models` shows those there are".to_owned(),
        ("MODEL_NOT_LOCKED", _) => "`waypost model lock MODEL VERSION` locks it".to_owned(),
        ("ENTITY_NOT_FOUND", _)
            if problem.instance.ends_with("/changes")
                || problem.instance.contains("/audit/entity/") =>
        {
            "`waypost list entities MODEL VERSION` shows those there are".to_owned()
        }
        ("ENTITY_NOT_FOUND", _) => {
            "`waypost history entity ID` tells when it came and went, if it ever did".to_owned()
        }
        ("TRANSITION_NOT_FOUND", _) => {
            "`waypost show entity ID` names those it can be taken through now".to_owned()
        }
        ("WORKFLOW_NOT_FOUND", _) => {
            "deploy some with `waypost deploy FILE --model MODEL --model-version VERSION`"
                .to_owned()
        }
        ("SEARCH_JOB_NOT_FOUND", _) => {
            "searches are kept for an hour unless set otherwise: begin another".to_owned()
        }
        ("ENTITY_MODIFIED", _) => "somebody else was faster: look again, then decide".to_owned(),
        ("UNAUTHORIZED", _) => {
            "sign in: put a token into WAYPOST_TOKEN, or give it with --token".to_owned()
        }
        _ if problem.retryable => "ask again in a moment".to_owned(),
        _ => format!("`waypost explain-error {code}` says more"),
    }
}
