//! What the program says about itself: error codes, completions, its version.

use clap::CommandFactory;
use clap_complete::Shell;
use serde_json::json;

use crate::{
    args::Arguments,
    exit::{Exit, Failure},
    output::Output,
};

/// Which code to explain.
#[derive(Debug, clap::Args)]
pub(crate) struct ExplainArgs {
    /// The code, such as `LEASE_LOST` [default: list them all]
    code: Option<String>,
}

/// For which shell.
#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn explain(args: ExplainArgs, output: Output) -> Result<(), Failure> {
    let Some(code) = args.code else {
        let codes: Vec<&str> = waypost_server::errors::codes().collect();
        return if output.is_json { output.json(&codes) } else { output.line(&codes.join("\n")) };
    };
    let code = code.to_uppercase().replace('-', "_");
    let Some(page) = waypost_server::errors::page(&code) else {
        return Err(Failure::new(Exit::NotFound, format!("there is no error code {code}"))
            .advise("`waypost explain-error` lists those there are"));
    };
    if output.is_json {
        return output.json(&json!({ "code": code, "page": page }));
    }
    output.line(page.trim_end())
}

pub(crate) fn completions(args: &CompletionsArgs, output: Output) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "waypost", &mut script);
    output.line(String::from_utf8_lossy(&script).trim_end())
}

pub(crate) fn version(output: Output) -> Result<(), Failure> {
    let version = env!("CARGO_PKG_VERSION");
    let (system, architecture) = (std::env::consts::OS, std::env::consts::ARCH);
    if output.is_json {
        return output
            .json(&json!({ "version": version, "system": system, "architecture": architecture }));
    }
    output.line(&format!("waypost {version} ({system} {architecture})"))
}
