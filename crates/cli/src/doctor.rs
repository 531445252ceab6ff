//! `waypost doctor`: looks at everything a server needs, changes nothing, and says what to do.

mod finding;
mod machine;
mod ports;
mod store;

use self::finding::{Finding, Level};
use crate::{
    args::ConfigArgs,
    exit::{Exit, Failure},
    output::{Output, cell, status_cell, table},
    settings::{Config, Settings, Sources},
};

/// Which configuration to check.
#[derive(Debug, clap::Args)]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) async fn run(args: DoctorArgs, output: Output) -> Result<(), Failure> {
    let sources = args.config.sources(Vec::new());
    let resolved = Settings::resolve(&sources);
    let read = resolved.and_then(|it| Ok((Config::new(&it)?, it.warnings().to_vec())));
    let findings = match read {
        Ok((config, warnings)) => examine(&config, &sources, warnings).await,
        Err(failure) => vec![Finding::fail("configuration", failure.what, failure.advice)],
    };
    show(&findings, output)?;
    let n_failed = findings.iter().filter(|it| it.level == Level::Fail).count();
    match n_failed {
        0 => Ok(()),
        _ => Err(Failure::new(
            Exit::Failed,
            format!("{n_failed} of {} checks failed", findings.len()),
        )),
    }
}

async fn examine(config: &Config, sources: &Sources, warnings: Vec<String>) -> Vec<Finding> {
    let mut findings = vec![configuration(config, sources)];
    let advice = "it is ignored: correct it, or take it away";
    findings.extend(warnings.into_iter().map(|it| Finding::warn("configuration", it, advice)));
    findings.extend(store::folder(config));
    findings.extend(store::examine(config).await);
    findings.push(machine::clock());
    findings.extend(ports::examine(config));
    findings.extend(machine::open_files(config));
    findings
}

fn configuration(config: &Config, sources: &Sources) -> Finding {
    if let Some((name, meant)) = sources.misspelled().first() {
        let advice = format!("did you mean {meant}?");
        return Finding::warn("configuration", format!("{name} is not known and ignored"), advice);
    }
    match config.open_listeners().next() {
        Some(address) => Finding::warn(
            "configuration",
            format!("{address} is reachable from other machines, without authentication"),
            "make sure that only programs you trust can reach it",
        ),
        None => Finding::ok("configuration", "can be read"),
    }
}

fn show(findings: &[Finding], output: Output) -> Result<(), Failure> {
    if output.is_json {
        return output.json(findings);
    }
    let mut shown = table(&["CHECK", "", "FINDING"]);
    for it in findings {
        let text = match &it.advice {
            Some(advice) => format!("{}; {advice}", it.detail),
            None => it.detail.clone(),
        };
        shown.add_row([cell(it.check), status_cell(it.level.as_str()), cell(&text)]);
    }
    output.table(shown)
}
