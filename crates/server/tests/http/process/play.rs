//! A little language for stories about processes. A line is a method, a path and a body; a name
//! before it (`i = POST …`) keeps the id that is answered, several names keep those of a list.
//! `$i` is that id wherever it is written; what belongs to it is shown as `$i/3`. `@line` is the
//! sample of that name.

use std::{collections::BTreeMap, time::Duration};

use expect_test::expect_file;
use reqwest::Response;
use serde_json::Value;
use waypost_engine::process::parent;

use super::samples::sample;
use crate::world::World;

/// Headers worth showing.
const HEADERS: [&str; 2] = ["allow", "waypost-callback"];

#[derive(Default)]
struct Names(BTreeMap<String, String>);

impl World {
    /// Plays the story in the file of that name, and compares what is answered. Lines that are
    /// indented are answers; the others are requests, waits and remarks.
    pub(crate) async fn play(&self, name: &str) {
        let path = format!("{}/tests/http/process/stories/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        let story = std::fs::read_to_string(&path).unwrap();
        let (mut seen, mut names) = (String::new(), Names::default());
        for line in story.lines().filter(|it| !it.starts_with(' ')) {
            seen += &format!("{line}\n");
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(seconds) = line.strip_prefix("wait ") {
                self.pass(Duration::from_secs_f64(seconds.parse().unwrap())).await;
                continue;
            }
            seen += &self.ask(line, &mut names).await;
        }
        expect_file![path].assert_eq(&seen);
    }

    async fn ask(&self, line: &str, names: &mut Names) -> String {
        let (keep, request) = match line.split_once(" = ") {
            Some((keep, request)) if !keep.contains('/') => (keep, request),
            Some(_) | None => ("", line),
        };
        let request = names.insert_into(request);
        let mut words = request.splitn(3, ' ');
        let method = words.next().unwrap().parse().unwrap();
        let (path, body) = (words.next().unwrap(), words.next().unwrap_or(""));
        let body = body.strip_prefix('@').map_or_else(|| body.to_owned(), sample);
        let response = self.send(method, path, &body).await;
        let (status, headers) = (response.status().as_u16(), headers(&response));
        let text = response.text().await.unwrap();
        let answer = serde_json::from_str(&text).unwrap_or(Value::String(text));
        names.keep(keep, &answer);
        let shown = show(&answer);
        let gap = if shown.is_empty() || shown.starts_with('\n') { "" } else { " " };
        names.replace_in(&format!("  {status}{headers}{gap}{shown}\n"))
    }

    /// Moves the clock, and does what nobody asks for.
    pub(crate) async fn pass(&self, duration: Duration) {
        self.clock.advance(duration);
        let now = self.engine.store().now();
        self.engine.sweeps().leases(now).await.unwrap();
        self.engine.sweeps().timers(now).await.unwrap();
    }
}

impl Names {
    fn keep(&mut self, keep: &str, answer: &Value) {
        let list = ["jobs", "items"].into_iter().find_map(|it| answer[it].as_array());
        let found: Vec<&Value> = list.map_or_else(|| vec![answer], |it| it.iter().collect());
        for (name, item) in keep.split(", ").filter(|it| !it.is_empty()).zip(found) {
            let id = item["id"].as_str().unwrap_or_else(|| panic!("no id for {name}: {item}"));
            self.0.insert(name.to_owned(), id.to_owned());
        }
    }

    fn insert_into(&self, request: &str) -> String {
        let mut request = request.to_owned();
        for (name, id) in self.0.iter().rev() {
            request = request.replace(&format!("${name}"), id);
        }
        request
    }

    /// Writes names instead of ids, which are of no interest to a reader.
    fn replace_in(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (name, id) in &self.0 {
            text = text.replace(id.as_str(), &format!("${name}"));
        }
        let is_letter = |it: char| it.is_ascii_uppercase() || it.is_ascii_digit();
        let words: Vec<_> = text.split(|it| !is_letter(it)).map(str::to_owned).collect();
        for word in words {
            let Some((instance, number)) = parent(&word) else { continue };
            let home = self.0.iter().find(|(_, id)| id.as_str() == instance.as_str());
            let name = home.map_or_else(|| "id".to_owned(), |(name, _)| format!("${name}"));
            text = text.replace(&word, &format!("{name}/{number}"));
        }
        text
    }
}

fn headers(response: &Response) -> String {
    let headers = HEADERS.into_iter().filter_map(|name| {
        let value = response.headers().get(name)?.to_str().unwrap();
        Some(format!(" [{name}: {value}]"))
    });
    headers.collect()
}

/// A refusal takes a line, and so does every member of anything else.
fn show(answer: &Value) -> String {
    let Some(members) = answer.as_object() else {
        return answer.as_str().map_or_else(|| answer.to_string(), str::to_owned);
    };
    if let (Some(error), Some(reason)) = (answer["error"].as_str(), answer["reason"].as_str()) {
        return format!("{error}: {}", reason.replace('\n', "\n   "));
    }
    let lines = members.iter().map(|(name, value)| member(name, value));
    format!("\n{}", lines.collect::<Vec<_>>().join("\n"))
}

fn member(name: &str, value: &Value) -> String {
    let items = value.as_array().filter(|it| it.iter().any(Value::is_object));
    let Some(items) = items else { return format!("    {name}: {value}") };
    let lines = items.iter().map(|it| format!("\n      {it}"));
    format!("    {name}:{}", lines.collect::<String>())
}
