//! `waypost lint FILE…` and `waypost schema NAME`

mod file;

use std::{collections::BTreeSet, io::Write as _};

use serde_json::{Value, json};
use waypost_lint::{
    DefinitionKind, Paint, Report, SCHEMAS, Severity, Surroundings, Unreadable, lint, lint_within,
    model, sarif, text,
};

use self::file::{Text, texts};
use crate::{
    exit::{Exit, Failure},
    output::{Output, printable},
    remote::read,
};

/// What to look at.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  waypost lint order.json
  waypost lint definitions/ --strict
  waypost lint definitions/ --format sarif > findings.sarif
  waypost lint workflows.json --model order.json --member carrier,fast

Exit codes:
  0  nothing to mend
  1  errors were found, or warnings with --strict
  2  something cannot be read")]
pub(crate) struct LintArgs {
    /// Files with definitions, or folders of them; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,

    /// How to show what is found
    #[arg(long, value_enum, default_value = "text")]
    format: Format,

    /// Fail on warnings as well as on errors
    #[arg(long)]
    strict: bool,

    /// What the files are: process, entity, lifecycle or chain [default: their members tell]
    #[arg(long, value_name = "KIND")]
    kind: Option<DefinitionKind>,

    /// What entities of the workflows look like: a sample, or what `waypost show model --json` has
    /// printed; criteria on other paths are told then
    #[arg(long, value_name = "FILE")]
    model: Option<String>,

    /// Tags of a compute member that will be there; give it for each of them, and work that none of
    /// them has all tags for is told
    #[arg(long = "member", value_name = "TAGS")]
    members: Vec<String>,
}

impl LintArgs {
    /// What is known beside a text.
    fn surroundings(&self, text: &str) -> Result<Surroundings, Failure> {
        let read = |file: &String| {
            model(&read(file)?).map_err(|why| Failure::usage(format!("{file}: {why}")))
        };
        let model = self.model.as_ref().map(read).transpose()?;
        let known = Surroundings { model, ..Surroundings::default() };
        let tags = |it: &String| {
            let tags = it.split(',').map(str::trim).filter(|it| !it.is_empty());
            tags.map(str::to_owned).collect::<BTreeSet<_>>()
        };
        let members: Vec<_> = self.members.iter().map(tags).collect();
        Ok(if members.is_empty() { known } else { known.with_members(text, &members) })
    }
}

/// How to show findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Text,
    Json,
    Sarif,
}

/// Which schema to print.
#[derive(Debug, clap::Args)]
pub(crate) struct SchemaArgs {
    /// process, entity, lifecycle, lifecycle-rules, chain, decision-table or scenario [default: list them all]
    name: Option<String>,
}

/// What was found in one file, or why nothing could be.
type Looked = (Text, Result<Report, Unreadable>);

pub(crate) fn run(args: &LintArgs, output: Output) -> Result<(), Failure> {
    let mut looked: Vec<Looked> = Vec::new();
    for text in texts(&args.files)? {
        let found = lint_within(&text.text, args.kind, &args.surroundings(&text.text)?);
        let is_other = text.is_from_folder && found.as_ref().is_err_and(|it| it.is_other);
        // Not everything in a folder is a definition.
        if !is_other {
            looked.push((text, found));
        }
    }
    if looked.is_empty() {
        return Err(Failure::usage("there are no definitions in these folders"));
    }
    match if output.is_json { Format::Json } else { args.format } {
        Format::Text => show(&looked, output)?,
        Format::Json => output.json(&looked.iter().map(as_json).collect::<Vec<_>>())?,
        Format::Sarif => {
            let reports: Vec<(&str, &Report)> = reports(&looked).collect();
            output.json(&sarif(&reports))?;
        }
    }
    verdict(&looked, args.strict)
}

pub(crate) fn schema(args: &SchemaArgs, output: Output) -> Result<(), Failure> {
    let names = SCHEMAS.map(|(name, _)| name);
    let Some(name) = &args.name else {
        return if output.is_json { output.json(&names) } else { output.line(&names.join("\n")) };
    };
    match waypost_lint::schema(name) {
        Some(schema) => output.line(schema.trim_end()),
        None => {
            let what = format!("there is no schema {name:?}");
            Err(Failure::usage(what).advise(format!("there are {}", names.join(", "))))
        }
    }
}

/// Tells what is wrong with definitions that are about to be deployed. What the server refuses it
/// says itself.
///
/// # Errors
/// When something is wrong and the deployment is `strict`.
pub(crate) fn before_deploying(file: &str, source: &str, strict: bool) -> Result<(), Failure> {
    let Ok(report) = lint(source, None) else { return Ok(()) };
    let told = |it: &&waypost_lint::Finding| {
        it.code.severity > Severity::Info && (strict || it.code.refused.is_none())
    };
    for finding in report.findings.iter().filter(told) {
        let (place, code) = (&finding.place, finding.code);
        let (severity, message) = (code.severity, printable(&finding.message));
        let line =
            format!("{severity}[{}]: {file}:{}:{}: {message}", code.id, place.line, place.column);
        // A deployment does not fail because nobody reads this.
        drop(writeln!(std::io::stderr(), "{line}"));
    }
    match strict && report.is_refused(true) {
        true => Err(Failure::new(Exit::Failed, format!("{file}: {}", counted(&[&report])))
            .advise("nothing was deployed; `waypost lint` shows more, and without --strict warnings do not matter")),
        false => Ok(()),
    }
}

/// What makes a definition unfit for use, with its place; none if lint has nothing against it.
pub(crate) fn first_error(file: &str, source: &str) -> Option<String> {
    match lint(source, None) {
        Err(unreadable) => {
            let place =
                unreadable.at.map_or_else(String::new, |(line, at)| format!(":{line}:{at}"));
            Some(format!("{file}{place}: {}", unreadable.problem))
        }
        Ok(report) => {
            let found = report.findings.iter().find(|it| it.code.severity == Severity::Error)?;
            let (place, message) = (&found.place, printable(&found.message));
            Some(format!("{file}:{}:{}: {message}", place.line, place.column))
        }
    }
}

fn reports(looked: &[Looked]) -> impl Iterator<Item = (&str, &Report)> {
    looked.iter().filter_map(|(text, found)| Some((text.name.as_str(), found.as_ref().ok()?)))
}

fn show(looked: &[Looked], output: Output) -> Result<(), Failure> {
    let paint = if output.is_colored() { Paint::Colors } else { Paint::Plain };
    for (file, found) in looked {
        if let Ok(report) = found
            && !report.findings.is_empty()
        {
            output.line(&text(&file.name, &file.text, report, paint))?;
        }
    }
    let all: Vec<&Report> = reports(looked).map(|(_, it)| it).collect();
    let files =
        if looked.len() == 1 { "1 file".to_owned() } else { format!("{} files", looked.len()) };
    output.line(&format!("{files}: {}", counted(&all)))
}

fn as_json((file, found): &Looked) -> Value {
    match found {
        Ok(report) => waypost_lint::json(&file.name, report),
        Err(unreadable) => json!({ "file": file.name, "unreadable": unreadable.to_string() }),
    }
}

/// How much was found, in words.
fn counted(reports: &[&Report]) -> String {
    let count =
        |severity, name: &str| match reports.iter().map(|it| it.count(severity)).sum::<usize>() {
            1 => format!("1 {name}"),
            other => format!("{other} {name}s"),
        };
    let (errors, warnings) = (count(Severity::Error, "error"), count(Severity::Warning, "warning"));
    format!("{errors}, {warnings}, {}", count(Severity::Info, "hint"))
}

fn verdict(looked: &[Looked], strict: bool) -> Result<(), Failure> {
    let unread = looked.iter().filter_map(|(file, found)| Some((file, found.as_ref().err()?)));
    let unread: Vec<String> = unread
        .map(|(file, why)| match why.at {
            Some(_) => format!("{}:{why}", file.name),
            None => format!("{}: {why}", file.name),
        })
        .collect();
    if !unread.is_empty() {
        return Err(Failure::usage(unread.join("\n  ")));
    }
    let all: Vec<&Report> = reports(looked).map(|(_, it)| it).collect();
    match all.iter().any(|it| it.is_refused(strict)) {
        true => Err(Failure::new(Exit::Failed, counted(&all))),
        false => Ok(()),
    }
}
