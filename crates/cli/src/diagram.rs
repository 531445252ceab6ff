//! `waypost diagram`: pictures of definitions in files, on a server, and of instances.

mod file;

use std::path::PathBuf;

use clap::ValueEnum;
use waypost_api::diagram::Format;
use waypost_diagram::Theme;
use waypost_server::diagram::drawn;

use crate::{
    exit::{Exit, Failure},
    output::Output,
    place::{Place, PlaceArgs},
};

/// Draw a definition, or where an instance is in its own
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "waypost diagram <FILE> [OPTIONS]\n       waypost diagram --process <ID> [OPTIONS]\n       waypost diagram --instance <ID> [OPTIONS]",
    after_help = "\
Examples:
  waypost diagram examples/loan-application.json
  waypost diagram examples/loan-application.json --format svg -o loan.svg
  waypost diagram examples/lifecycles.toml --format mermaid
  waypost diagram --instance ID --format svg --theme dark -o now.svg"
)]
#[group(id = "what", required = true, multiple = false, args = ["file", "process", "instance"])]
pub(crate) struct DiagramArgs {
    /// A file with a definition: JSON, or TOML with types of lifecycles; - is standard input
    #[arg(value_name = "FILE")]
    file: Option<String>,

    /// A process definition on the server, as it is now
    #[arg(long, value_name = "ID")]
    process: Option<String>,

    /// An instance on the server: where it is, where it has been, what failed, what is due
    #[arg(long, value_name = "ID")]
    instance: Option<String>,

    /// The type of the instance, if it is an entity of a lifecycle
    #[arg(long, value_name = "NAME", requires = "instance")]
    workflow: Option<String>,

    /// Which definition, if the file has several
    #[arg(long, value_name = "NAME", requires = "file")]
    name: Option<String>,

    /// How to draw it
    #[arg(long, value_enum, default_value_t = Form::Text)]
    format: Form,

    /// The colors of SVG
    #[arg(long, value_enum, default_value_t = Colors::Auto)]
    theme: Colors,

    /// Write it here instead of to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    remote: PlaceArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    Svg,
    Mermaid,
    Dot,
    Text,
    /// Where everything lies, for those who draw it themselves
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Colors {
    Light,
    Dark,
    /// As the reader's system has it
    Auto,
}

pub(crate) async fn run(args: DiagramArgs, output: Output) -> Result<(), Failure> {
    let format = if output.is_json { Format::Json } else { args.format.into() };
    let text = match (&args.file, &args.process, &args.instance) {
        (Some(file), _, _) => {
            let picture = file::picture(file, args.name.as_deref())?;
            let drawn = drawn(&picture, format, args.theme.into());
            drawn.map_err(|error| Failure::usage(format!("{file}: {error}")))?
        }
        (None, Some(id), _) => {
            let name = format!("diagram.{}", format.extension());
            let path = ["v1", "definitions", id, &name];
            args.remote.client()?.text(&path, &args.query()).await?
        }
        (None, None, id) => {
            let id = id.as_deref().unwrap_or_default();
            let name = format!("diagram.{}", format.extension());
            let place = Place::of(id, args.workflow.as_deref())?;
            place.text(&args.remote, (&[&name], &args.query())).await?
        }
    };
    match &args.output {
        Some(path) => std::fs::write(path, lines(&text)).map_err(|error| {
            let what = format!("{} cannot be written: {error}", path.display());
            Failure::new(Exit::Failed, what)
        }),
        None => output.line(text.trim_end_matches('\n')),
    }
}

/// The text with one line break at its end.
fn lines(text: &str) -> String {
    format!("{}\n", text.trim_end_matches('\n'))
}

impl DiagramArgs {
    fn query(&self) -> [(&'static str, &'static str); 1] {
        let theme = match self.theme {
            Colors::Light => "light",
            Colors::Dark => "dark",
            Colors::Auto => "auto",
        };
        [("theme", theme)]
    }
}

impl From<Form> for Format {
    fn from(form: Form) -> Self {
        match form {
            Form::Svg => Self::Svg,
            Form::Mermaid => Self::Mermaid,
            Form::Dot => Self::Dot,
            Form::Text => Self::Text,
            Form::Json => Self::Json,
        }
    }
}

impl From<Colors> for Theme {
    fn from(colors: Colors) -> Self {
        match colors {
            Colors::Light => Self::Light,
            Colors::Dark => Self::Dark,
            Colors::Auto => Self::Auto,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the README shows, and of what it is made.
    const SHOWN: [(&str, Theme, &str); 5] = [
        ("loan-application.json", Theme::Light, "loan-application-light.svg"),
        ("loan-application.json", Theme::Dark, "loan-application-dark.svg"),
        ("order-workflow.json", Theme::Auto, "order-workflow.svg"),
        ("order.json", Theme::Auto, "order.svg"),
        ("lifecycles.toml", Theme::Auto, "drone-survey.svg"),
    ];

    /// `UPDATE_EXPECT=1` draws them anew; whoever reviews them looks at them.
    #[test]
    fn the_pictures_of_the_readme_are_what_the_command_draws_now() {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
        for (example, theme, picture) in SHOWN {
            let file = root.join("examples").join(example);
            let found = file::picture(&file.display().to_string(), None).unwrap();
            let now = lines(&drawn(&found, Format::Svg, theme).unwrap());
            let place = root.join("docs/pictures").join(picture);
            if std::env::var_os("UPDATE_EXPECT").is_some() {
                std::fs::write(&place, &now).unwrap();
            }
            let shown = std::fs::read_to_string(&place).unwrap_or_default();
            assert!(shown == now, "{picture} is not what is drawn now; see UPDATE_EXPECT");
        }
    }
}
