//! A little language for stories about entities. A line is a method, a path and a body; `with`
//! before it gives a header. `#3` is the third id that was made, wherever it is written, and
//! `«x*256»` is a long name. Answers are shown as they are written, digit by digit; problems take a
//! line. For what is said often there are words that show less: `ready` makes a model and locks it,
//! `flow` imports workflows, `new` and `take` write entities; `find` shows which ones a search finds,
//! `look` where they are, `tell` what happened.

use std::{fmt::Write as _, time::Duration};

use expect_test::expect_file;
use reqwest::{Method, Response};
use serde_json::Value;
use waypost_kernel::Clock as _;

use crate::{on::On, world::World};

/// Headers worth showing.
const HEADERS: [&str; 3] = ["allow", "retry-after", "waypost-warnings"];

/// The end of every id that is made.
const TAIL: &str = "-0000-1000-8000-000000000000";

/// What was answered.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) text: String,
    headers: String,
    pub(crate) is_problem: bool,
}

impl World {
    /// Plays the story in the file of that name, and compares what is answered. Lines that are
    /// indented are answers; the others are requests, headers, waits and remarks.
    pub(crate) async fn enact(&self, name: &str) {
        let path = format!("{}/tests/http/entity/stories/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        let story = std::fs::read_to_string(&path).unwrap();
        let (mut seen, mut headers) = (String::new(), Vec::new());
        for line in story.lines().filter(|it| !it.starts_with(' ')) {
            seen += &format!("{line}\n");
            if line.is_empty() || line.starts_with("# ") {
                continue;
            }
            if let Some(seconds) = line.strip_prefix("wait ") {
                self.clock.advance(Duration::from_secs(seconds.parse().unwrap()));
                self.engine.sweeps().timers(self.clock.now()).await.unwrap();
            } else if let Some(header) = line.strip_prefix("with ") {
                headers.push(spelled_out(header));
            } else {
                seen += &self.shown(line, &std::mem::take(&mut headers)).await;
            }
        }
        compare(&path, &story, &seen);
    }

    /// Sends what a line says, and shows what matters of what is answered.
    pub(crate) async fn shown(&self, line: &str, headers: &[String]) -> String {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (line, short): (String, fn(&Answer) -> String) = match word {
            "ready" => return self.ready(rest, headers).await,
            "flow" => {
                let (model, body) = rest.split_once(' ').unwrap();
                let body = format!(r#"{{"importMode":"REPLACE","workflows":{body}}}"#);
                (format!("POST /api/model/{model}/workflow/import {body}"), |_| String::new())
            }
            "new" => (format!("POST /api/entity/JSON/{rest}"), wrote),
            "take" => (format!("PUT /api/entity/JSON/{rest}"), wrote),
            "find" => (format!("POST /api/search/direct/{rest}"), found),
            "look" => (format!("GET /api/entity/{rest}"), looked),
            "tell" => (format!("GET /api/audit/entity/{rest}"), told),
            _ => return self.say(line, headers).await.shown(),
        };
        let answer = self.say(&line, headers).await;
        match answer.status {
            200 => abridged(&short(&answer)),
            _ => answer.shown(),
        }
    }

    /// A model that has learned from a sample and is locked.
    async fn ready(&self, rest: &str, headers: &[String]) -> String {
        let (model, _) = rest.split_once(' ').unwrap();
        let import = format!("POST /api/model/import/JSON/SAMPLE_DATA/{rest}");
        for line in [import, format!("PUT /api/model/{model}/lock")] {
            let answer = self.say(&line, headers).await;
            assert_eq!(answer.status, 200, "{line}\n{}", answer.text);
        }
        String::new()
    }

    /// Sends what a line says.
    pub(crate) async fn say(&self, line: &str, headers: &[String]) -> Answer {
        let line = spelled_out(line);
        let mut words = line.splitn(3, ' ');
        let method: Method = words.next().unwrap().parse().unwrap();
        let url = format!("http://{}{}", self.address, words.next().unwrap());
        let body = words.next().unwrap_or("").to_owned();
        let mut request = self.client.request(method, url).body(body);
        for header in headers {
            let (name, value) = header.split_once(": ").unwrap();
            request = request.header(name, value);
        }
        Answer::of(request.send().await.unwrap()).await
    }

    /// Sends what the lines say, all of which must succeed.
    pub(crate) async fn prepare(&self, lines: &[&str]) {
        for line in lines {
            let answer = self.say(line, &[]).await;
            assert_eq!(answer.status, 200, "{line}\n{}", answer.text);
        }
    }
}

impl Answer {
    /// What was answered. Whatever goes well is JSON, or lines of it, and whatever is the server's
    /// own fault has a ticket.
    pub(crate) async fn of(response: Response) -> Self {
        let status = response.status().as_u16();
        let headers = response.headers();
        let shown = HEADERS.into_iter().filter_map(|name| {
            let value = headers.get(name)?.to_str().unwrap();
            Some(format!(" [{name}: {value}]"))
        });
        let shown = shown.collect();
        let kind = headers.get("content-type").map(|it| it.to_str().unwrap().to_owned());
        let is_problem = kind.as_deref() == Some("application/problem+json");
        // Pictures are what their names say.
        let path = response.url().path();
        if status == 200 && !path.contains("/diagram.") {
            let is_in_lines = path.contains("/search/direct/");
            let expected = if is_in_lines { "application/x-ndjson" } else { "application/json" };
            assert_eq!(kind.as_deref(), Some(expected), "{path}");
        }
        let text = response.text().await.unwrap();
        let answer = Self { status, text, headers: shown, is_problem };
        if is_problem {
            let ticket = answer.json()["ticket"].as_str().map(str::len);
            assert_eq!(ticket, (status >= 500).then_some(36), "{}", answer.text);
        }
        answer
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {}", self.text))
    }

    /// The code of a problem, or nothing.
    pub(crate) fn code(&self) -> String {
        let code = self.is_problem.then(|| self.json()["properties"]["errorCode"].clone());
        code.and_then(|it| it.as_str().map(str::to_owned)).unwrap_or_default()
    }

    pub(crate) fn shown(&self) -> String {
        let mut shown = format!("  {}{}", self.status, self.headers);
        match self.is_problem {
            true => write!(shown, " {}", problem(&self.json())).unwrap(),
            false => self.text.lines().for_each(|it| write!(shown, "\n    {it}").unwrap()),
        }
        abridged(&shown) + "\n"
    }
}

/// The transaction, and which entities it wrote.
fn wrote(answer: &Answer) -> String {
    let written = answer.json();
    let parts = written.as_array().map_or_else(|| std::slice::from_ref(&written), Vec::as_slice);
    let shown = parts.iter().map(|part| {
        let ids: Vec<_> =
            part["entityIds"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
        format!("  {}: {}\n", part["transactionId"].as_str().unwrap(), ids.join(" "))
    });
    shown.collect()
}

/// The stories in a folder below that of the tests.
pub(crate) fn stories(folder: &str) -> Vec<String> {
    let folder = format!("{}/tests/{folder}", env!("CARGO_MANIFEST_DIR"));
    let name = |it: std::fs::DirEntry| it.file_name().into_string().unwrap();
    let names = std::fs::read_dir(folder).unwrap().map(|it| name(it.unwrap()));
    let mut names: Vec<_> = names.map(|it| it.strip_suffix(".txt").unwrap().to_owned()).collect();
    names.sort();
    assert!(!names.is_empty());
    names
}

/// Does something to its end, in a runtime of its own.
pub(crate) fn finish(future: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap().block_on(future);
}

/// Which entities were found.
fn found(answer: &Answer) -> String {
    let ids = answer.text.lines().map(|line| {
        let entity: Value = serde_json::from_str(line).unwrap();
        entity["meta"]["id"].as_str().unwrap().to_owned()
    });
    let ids: Vec<_> = ids.collect();
    if ids.is_empty() { "  nothing\n".to_owned() } else { format!("  {}\n", ids.join(" ")) }
}

/// Where entities are, how they came there, and what they are.
fn looked(answer: &Answer) -> String {
    let text = match answer.text.starts_with('[') {
        true => answer.text.clone(),
        false => format!("[{}]", answer.text),
    };
    let entities: Vec<Value> = serde_json::from_str(&text).unwrap();
    let shown = entities.iter().map(|entity| {
        let meta = |name: &str| entity["meta"][name].as_str().unwrap_or("-").to_owned();
        let by = meta("transitionForLatestSave");
        format!("  {} {} by {by} {}\n", meta("id"), meta("state"), entity["data"])
    });
    shown.collect()
}

/// What happened, the oldest first.
fn told(answer: &Answer) -> String {
    let events = answer.json()["items"].as_array().unwrap().clone();
    let shown = events.iter().rev().map(|event| {
        let text = |name: &str| event[name].as_str().unwrap_or("-").to_owned();
        let what = if event["eventType"].is_null() { "changeType" } else { "eventType" };
        let more = if event["data"].is_null() { String::new() } else { event["data"].to_string() };
        let line = format!("  {} {} {} {more}", text("transactionId"), text("state"), text(what));
        line.trim_end().to_owned() + "\n"
    });
    shown.collect()
}

/// Holds what was seen against a file of this crate.
pub(crate) fn compare_file(path: &str, seen: &str) {
    let path = format!("{}/{path}", env!("CARGO_MANIFEST_DIR"));
    compare(&path, &std::fs::read_to_string(&path).unwrap(), seen);
}

/// Holds what was seen against a story. Only the store in memory may write another.
pub(crate) fn compare(path: &str, story: &str, seen: &str) {
    match On::here() {
        On::Memory => expect_file![path].assert_eq(seen),
        On::Sqlite => assert_same(path, story, seen),
        // It has several writers: while the clock stands still, what does not touch the same entity
        // may land at the same instant.
        On::Postgres => assert_same(path, &still(story), &still(seen)),
    }
}

fn assert_same(path: &str, story: &str, seen: &str) {
    let lines = story.lines().zip(seen.lines());
    for (number, (expected, found)) in lines.enumerate() {
        assert_eq!(found, expected, "{path}:{}", number + 1);
    }
    assert_eq!(seen, story, "{path}");
}

/// Without the microseconds that tell apart what happens while the clock stands still.
fn still(text: &str) -> String {
    let micros = (0..100).map(|it| format!(".{it:06}"));
    let text = micros.fold(text.to_owned(), |text, it| {
        let it = it.trim_end_matches('0').to_owned();
        text.replace(&format!("{it}Z"), "Z")
    });
    let mut parts = text.split("\"microsTime\":");
    let mut still = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let n_digits = part.find(|it: char| !it.is_ascii_digit()).unwrap_or(part.len());
        still += "\"microsTime\":";
        still += part.split_at(n_digits).1;
    }
    still
}

/// The detail with its code, and what else there is for programs.
fn problem(problem: &Value) -> String {
    let detail = problem["detail"].as_str().unwrap();
    let properties = problem["properties"].as_object().unwrap();
    let code = properties["errorCode"].as_str().unwrap();
    assert!(detail.starts_with(&format!("{code}: ")), "{problem}");
    let others = properties.iter().filter(|(name, _)| *name != "errorCode");
    let others: Vec<_> = others.map(|(name, it)| format!("{name}={it}")).collect();
    let others = if others.is_empty() { String::new() } else { format!(" {others:?}") };
    format!("{detail}{}", others.replace("\\\"", "'").replace('"', ""))
}

/// `#3` becomes the third id, and `«x@*3»` becomes `x0x1x2`.
pub(crate) fn spelled_out(line: &str) -> String {
    let line = repeated(line);
    let mut parts = line.split('#');
    let mut spelled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let n_digits = part.find(|it: char| !it.is_ascii_digit()).unwrap_or(part.len());
        let (digits, rest) = part.split_at(n_digits);
        match digits.parse::<u32>() {
            Ok(number) => write!(spelled, "{number:08x}{TAIL}{rest}").unwrap(),
            Err(_) => write!(spelled, "#{part}").unwrap(),
        }
    }
    spelled
}

fn repeated(line: &str) -> String {
    let mut parts = line.split('«');
    let mut spelled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (inner, rest) = part.split_once('»').unwrap();
        let (text, times) = inner.rsplit_once('*').unwrap();
        let times: usize = times.parse().unwrap();
        spelled.extend((0..times).map(|it| text.replace('@', &it.to_string())));
        spelled += rest;
    }
    spelled
}

/// The third id becomes `#3`.
pub(crate) fn abridged(text: &str) -> String {
    let mut parts: Vec<&str> = text.split(TAIL).collect();
    let last = parts.pop().unwrap_or_default();
    let mut abridged = String::new();
    for part in parts {
        let (before, digits) = part.split_at(part.len() - 8);
        let number = u32::from_str_radix(digits, 16).unwrap();
        write!(abridged, "{before}#{number}").unwrap();
    }
    abridged + last
}
