//! A little language for stories about entities. A line is a method, a path and a body; `with`
//! before it gives a header. `#3` is the third id that was made, wherever it is written. Answers are
//! shown as they are written, digit by digit; problems take a line.

use std::{fmt::Write as _, time::Duration};

use expect_test::expect_file;
use reqwest::{Method, Response};
use serde_json::Value;

use crate::world::World;

/// Headers worth showing.
const HEADERS: [&str; 3] = ["allow", "retry-after", "waypost-warnings"];

/// The end of every id that is made.
const TAIL: &str = "-0000-1000-8000-000000000000";

/// What was answered.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) text: String,
    headers: String,
    is_problem: bool,
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
            } else if let Some(header) = line.strip_prefix("with ") {
                headers.push(spelled_out(header));
            } else {
                let answer = self.say(line, &std::mem::take(&mut headers)).await;
                seen += &answer.shown();
            }
        }
        expect_file![path].assert_eq(&seen);
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
        let text = response.text().await.unwrap();
        Self { status, text, headers: shown, is_problem }
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

/// `#3` becomes the third id.
pub(crate) fn spelled_out(line: &str) -> String {
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
