//! The language of the stories, and the one function that knows the machine's API.

use std::time::Duration;

use expect_test::Expect;
use serde_json::Value;
use waypost_kernel::{Note, WorkerId};
use waypost_machines::process::{Command, Graph, Rest, Start, Variables};

use crate::{
    notation, show,
    world::{Rang, World},
};

/// Runs a story of a definition and compares what came of it.
///
/// | Line | Meaning |
/// | --- | --- |
/// | `start {"n":1}` | starts an instance with these variables; `start key=k`, `start after=p` |
/// | `claim A w1 30s` | a worker takes the task of a queue that is ready longest |
/// | `done 2 {"n":2}` · `done a by=w2` | a report by the latest holder of task 2, or of the task
/// that is open at step a, or by another |
/// | `fail 2 'no answer'` · `fail 2 final` · `fail 2 silent` | the same, `by=` as well |
/// | `lapse 2` | its latest lease is over |
/// | `user u {…}` · `signal w {…}` | a person, a signal |
/// | `wait 5s` | time passes, nothing else |
/// | `ring` | the timers that are due fire |
/// | `fire 1.0` | a timer fires that somebody has seen due, and may be gone |
/// | `.. start` | any line, whose consequences are told elsewhere |
/// | `retry a {…}` · `cancel 'reason'` · `show` · `history` · `audit` | |
pub(crate) fn check(definition: &str, story: &str, expect: Expect) {
    expect.assert_eq(&tell(notation::graph(definition), story));
}

pub(crate) fn tell(graph: Graph, story: &str) -> String {
    let mut teller = Teller { world: World::new(graph), told: String::new(), known: String::new() };
    for line in story.lines().map(str::trim).filter(|it| !it.is_empty()) {
        teller.told.push_str(&format!("{line}\n"));
        if let Some(line) = line.strip_prefix(".. ") {
            teller.consequences(line);
            continue;
        }
        let lines = teller.consequences(line);
        lines.iter().for_each(|it| teller.told.push_str(&format!("  {it}\n")));
    }
    teller.told
}

struct Teller {
    world: World,
    told: String,
    /// The variables as they were told last.
    known: String,
}

impl Teller {
    fn consequences(&mut self, line: &str) -> Vec<String> {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        match verb {
            "claim" => self.claim(rest),
            "wait" => {
                self.world.now = self.world.now + duration(rest);
                Vec::new()
            }
            "ring" => self.ring(),
            "show" => vec![show::state(&self.world), show::variables(&self.world)],
            "history" => show::history(&self.world),
            "audit" => show::audit(&self.world),
            verb => {
                let command = self.command(verb, rest);
                let answer = self.world.submit(&command);
                let mut lines = show::answer(&answer);
                if answer.is_ok_and(|it| !it.decided.events.is_empty()) {
                    lines.extend(self.where_it_stands());
                }
                lines
            }
        }
    }

    fn where_it_stands(&mut self) -> Vec<String> {
        let mut lines = vec![show::state(&self.world)];
        let variables = show::variables(&self.world);
        if variables != self.known {
            lines.push(variables.clone());
            self.known = variables;
        }
        lines
    }

    fn claim(&mut self, rest: &str) -> Vec<String> {
        let mut words = rest.split(' ');
        let (queue, worker) = (words.next().unwrap(), words.next().unwrap());
        let lease = words.next().map_or(Duration::from_secs(30), duration);
        let Some(task) = self.world.claim(queue, worker, lease) else {
            return vec!["= nothing is ready".into()];
        };
        let state = &self.world.state;
        let stay = state.stay_of_task(task).unwrap();
        let until = show::at(self.world.lease(task).unwrap().until);
        let (step, input) = (&stay.step, show::json(state.input_of(stay)));
        vec![format!("{worker} has task {task} of {step} until {until}: {input}")]
    }

    fn ring(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(rang) = self.world.ring() {
            match rang {
                Rang::Fired(id, answer) => {
                    lines.push(format!("timer {id} is due"));
                    lines.extend(show::answer(&answer));
                }
                Rang::Next(definition) => lines.push(format!("{definition} is to start")),
            }
        }
        match lines.is_empty() {
            true => lines.push("= no timer is due".into()),
            false => lines.extend(self.where_it_stands()),
        }
        lines
    }

    /// `ann: retry a` is what ann asks for, `ann 'the bank has called': retry a` says why.
    fn asked(&self, who: &str, rest: &str) -> Command {
        let (said, line) = rest.split_once(": ").unwrap_or(("", rest));
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        let reason = Some(said.trim_matches('\'').to_owned()).filter(|it| !it.is_empty());
        let note = Note { by: Some(who.trim_end_matches(':').to_owned()), reason };
        Command::Asked { note, command: Box::new(self.command(verb, rest)) }
    }

    fn command(&self, verb: &str, rest: &str) -> Command {
        let (words, output) = match rest.split_once('{') {
            Some((words, members)) => (words, variables(&format!("{{{members}"))),
            None => (rest, Variables::new()),
        };
        let words = words.trim();
        match verb {
            "start" => Command::Start(Start {
                business_key: words.strip_prefix("key=").map(str::to_owned),
                variables: output,
                parent: words.strip_prefix("after=").map(Into::into),
                at: self.world.now,
            }),
            "done" => {
                let (task, worker, _) = self.report(words);
                Command::Complete { task, worker, output }
            }
            "fail" => {
                let (task, worker, rest) = self.report(words);
                let error = match rest.as_str() {
                    "silent" => None,
                    "" | "final" => Some("boom".to_owned()),
                    quoted => Some(quoted.trim_matches('\'').to_owned()),
                };
                Command::Fail { task, worker, error, retryable: rest != "final" }
            }
            "lapse" => {
                let task = self.task(words);
                let token = self.world.lease(task).unwrap().token.clone();
                Command::Lapse { task, token }
            }
            "fire" => {
                let (visit, timer) = words.split_once('.').unwrap();
                Command::Fire { visit: visit.parse().unwrap(), timer: timer.parse().unwrap() }
            }
            "user" => Command::CompleteUserTask { step: words.to_owned(), output },
            "signal" => Command::Signal { step: words.to_owned(), output },
            "retry" => Command::Retry { step: words.to_owned(), patch: output },
            "cancel" => {
                let reason = words.trim_matches('\'');
                Command::Cancel { reason: (!reason.is_empty()).then(|| reason.to_owned()) }
            }
            who @ ("ann" | "ann:") => self.asked(who, rest),
            other => panic!("{other} is not a command"),
        }
    }

    /// A task by its number, or the one that is open at a step.
    fn task(&self, word: &str) -> u32 {
        let at_step = || {
            let stay = self.world.state.stays.iter().find(|it| *it.step == *word);
            match stay.map(|it| &it.rest) {
                Some(Rest::Task { number, .. }) => *number,
                other => panic!("no task is open at {word}: {other:?}"),
            }
        };
        word.parse().unwrap_or_else(|_| at_step())
    }

    /// The task, who reports, and what else is said.
    fn report(&self, words: &str) -> (u32, WorkerId, String) {
        let (task, rest) = words.split_once(' ').unwrap_or((words, ""));
        let task = self.task(task);
        let holder = || self.world.lease(task).map_or("nobody".into(), |it| it.worker.clone());
        let Some(named) = rest.strip_prefix("by=") else {
            return (task, holder(), rest.to_owned());
        };
        let (worker, rest) = named.split_once(' ').unwrap_or((named, ""));
        (task, worker.into(), rest.to_owned())
    }
}

/// Variables; `deep:9` is a value of that many levels, `long:9` a text of that many characters.
pub(crate) fn variables(text: &str) -> Variables {
    let mut text = text.to_owned();
    for (name, made) in [("deep:", deep as fn(usize) -> String), ("long:", long)] {
        while let Some((before, rest)) = text.clone().split_once(name) {
            let (number, after) = rest.split_at(rest.find(['}', ',']).unwrap());
            text = format!("{before}{}{after}", made(number.parse().unwrap()));
        }
    }
    let value: Value = serde_json::from_str(&text).unwrap();
    value.as_object().unwrap().clone()
}

fn deep(levels: usize) -> String {
    format!("{}1{}", "[".repeat(levels), "]".repeat(levels))
}

fn long(characters: usize) -> String {
    format!("{:?}", "x".repeat(characters))
}

/// A duration: `5s`, `30m`, `48h`, `7d`, `1us`.
fn duration(word: &str) -> Duration {
    let (number, unit) = word.split_at(word.find(char::is_alphabetic).unwrap());
    let number: u64 = number.parse().unwrap();
    match unit {
        "us" => Duration::from_micros(number),
        "s" => Duration::from_secs(number),
        "m" => Duration::from_secs(number * 60),
        "h" => Duration::from_secs(number * 3_600),
        "d" => Duration::from_secs(number * 86_400),
        _ => panic!("{word} is not a duration"),
    }
}
