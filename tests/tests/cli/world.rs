//! A server on a store of its own, and the program talking to it.

use std::path::Path;

use e2e::binary::{Ran, Running, run};
use serde_json::Value;
use tempfile::TempDir;

pub(crate) const ORDER: &str = r#"{
  "workflowType": "order",
  "workflowVersion": 1,
  "steps": [{ "stepType": "VALIDATE" }, { "stepType": "PAY", "maxAttempts": 3 }]
}"#;

pub(crate) struct World {
    pub(crate) folder: TempDir,
    pub(crate) server: Running,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join("order.json"), ORDER).unwrap();
        let server = Running::serve(folder.path(), &["--store", "sqlite:w.db"]);
        Self { folder, server }
    }

    /// With a definition deployed.
    pub(crate) fn with_order() -> Self {
        let world = Self::new();
        assert_eq!(world.run(&["deploy", "order.json"]).code, Some(0));
        world
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        run(self.folder.path(), &[args, &["--server", &self.server.url]].concat())
    }

    /// What the program answers for machines.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let ran = self.run(&[args, &["--json"]].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        serde_json::from_str(&ran.out).unwrap()
    }

    /// Starts an order; says its id.
    pub(crate) fn start(&self) -> String {
        text(&self.json(&["start", "chain", "order"]), "instanceId")
    }

    /// The same for tables whose columns are as wide as what is masked in them.
    pub(crate) fn squeezed(&self, commands: &[&str]) -> String {
        let lines = self.session(commands);
        let squeezed = lines.lines().map(|line| {
            let indent = line.len() - line.trim_start().len();
            let words: Vec<_> =
                line.split("  ").map(str::trim).filter(|it| !it.is_empty()).collect();
            format!("{}{}\n", " ".repeat(indent), words.join("  "))
        });
        squeezed.collect()
    }

    /// Commands as they were typed, and what came back.
    pub(crate) fn session(&self, commands: &[&str]) -> String {
        let mut transcript = String::new();
        for command in commands {
            let ran = self.run(&words(command));
            transcript += &format!("$ waypost {command}\n{}", told(&ran));
        }
        masked(&transcript.replace(&self.server.url, "SERVER"))
    }
}

/// A member of a document.
pub(crate) fn text(document: &Value, name: &str) -> String {
    document.get(name).and_then(Value::as_str).unwrap().to_owned()
}

/// Splits at blanks; a part in single quotes stays whole.
fn words(command: &str) -> Vec<&str> {
    let parts = command.split('\'').enumerate();
    parts
        .flat_map(|(index, part)| match index % 2 {
            0 => part.split_whitespace().collect::<Vec<_>>(),
            _ => vec![part],
        })
        .collect()
}

/// Everything a run showed.
pub(crate) fn told(ran: &Ran) -> String {
    let code = ran.code.map_or_else(|| "a signal".to_owned(), |it| it.to_string());
    let end = if code == "0" { String::new() } else { format!("[exit {code}]\n") };
    format!("{}{}{end}", ran.out, ran.err)
}

/// What a run in `folder` showed, without what differs from run to run.
pub(crate) fn told_in(folder: &Path, args: &[&str]) -> String {
    let ran = run(folder, args);
    masked(&told(&ran).replace(&folder.display().to_string(), "FOLDER"))
}

/// The text with ids and times replaced.
pub(crate) fn masked(text: &str) -> String {
    let mut result = String::new();
    let mut word = String::new();
    for letter in text.chars().chain(['\n']) {
        if letter.is_ascii_alphanumeric() || "-:.".contains(letter) {
            word.push(letter);
            continue;
        }
        result += mask(&word).unwrap_or(&word);
        result.push(letter);
        word.clear();
    }
    result.pop();
    result.replace("TIME ago", "now").replace("in TIME", "soon")
}

fn mask(word: &str) -> Option<&'static str> {
    let shape: String =
        word.chars().map(|it| if it.is_ascii_hexdigit() { 'x' } else { it }).collect();
    if shape == "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx" {
        return Some("ID");
    }
    if word.len() == 26 && word.chars().all(|it| it.is_ascii_digit() || it.is_ascii_uppercase()) {
        return Some("ID");
    }
    let digits: String =
        word.chars().map(|it| if it.is_ascii_digit() { '9' } else { it }).collect();
    if digits.starts_with("9999-99-99T99:99:99") {
        return Some("AT");
    }
    if digits == "99:99:99.999" {
        return Some("CLOCK");
    }
    let is_span = word.len() > 1
        && word.starts_with(|it: char| it.is_ascii_digit())
        && word.ends_with(['s', 'm', 'h', 'd'])
        && word.trim_end_matches(|it: char| "smhd.".contains(it) || it.is_ascii_digit()).is_empty();
    is_span.then_some("TIME")
}

#[test]
fn ids_and_times_are_masked() {
    let text = "0198a2b4-7c3d-7e00-8000-0123456789ab 3s ago (2026-05-28T20:26:40Z), in 1m05s, now";
    assert_eq!(masked(text), "ID now (AT), soon, now");
    let text = "01M7GZA3SZSZDQNQNRVSD00000  01:24:56.269  12ms  1.5s";
    assert_eq!(masked(text), "ID  CLOCK  TIME  TIME");
}
