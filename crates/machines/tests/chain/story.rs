//! The language of the stories, and the one function that knows the machine's API.

use expect_test::Expect;
use waypost_kernel::Note;
use waypost_machines::chain::{
    Backoff, Command, Held, LeaseExhaustion, Outbound, Outcome, Policy, Report, Signal, Start,
};

use crate::{
    invariants, show,
    words::{Words, duration, json, text},
    world::World,
};

/// Runs a story and compares what came of it.
///
/// | Line | Meaning |
/// | --- | --- |
/// | `policy strict`, `policy untimed`, `policy lapse-by-attempts` | other choices of the operator |
/// | `policy base=1s max=10s` | other delays |
/// | `start A B:3 key=k context=…` | a chain with these steps and their ceilings of attempts |
/// | `start steps=9` | a chain with that many |
/// | `claim w1 lease=30s` | a worker takes what is ready |
/// | `report 0 completed` … `by=c1 as=w2` | the holder of the latest lease, or of another one |
/// | `… waiting paid timeout=5s fresh` · `… retry error=… backoff=…` · `… dead error=…` | outcomes |
/// | `… patch=… send=TYPE/…` | what a report carries besides |
/// | `wake paid id=e1 payload=…` | an event from outside |
/// | `lapse`, `release` | what becomes of the latest lease |
/// | `cancel 'reason'` · `wait 5s` · `show` | |
/// | `repeat 99 claim w1; wait 31s; lapse` | only the last round is told; `%` is its number |
pub(crate) fn check(story: &str, expect: Expect) {
    let mut teller = Teller { world: World::new(Policy::default()), told: String::new() };
    for line in story.lines().map(str::trim).filter(|it| !it.is_empty()) {
        teller.tell(&line.replace('\t', "\\t"), "");
        teller.live(line);
    }
    let end = show::state(&teller.world);
    end.iter().for_each(|line| teller.tell(line, ""));
    invariants::survives_storage(&teller.world.state);
    let left = invariants::signals_left(&teller.world.events);
    assert_eq!(left, teller.world.state.signals, "one event serves one wait, in order");
    expect.assert_eq(&teller.told);
}

struct Teller {
    world: World,
    told: String,
}

impl Teller {
    fn tell(&mut self, line: &str, indent: &str) {
        self.told.push_str(&format!("{indent}{line}\n"));
    }

    fn live(&mut self, line: &str) {
        let Some(rounds) = line.strip_prefix("repeat ") else {
            return self.consequences(line).iter().for_each(|it| self.tell(it, "  "));
        };
        let (rounds, lines) = rounds.split_once(' ').unwrap();
        let mut last = Vec::new();
        for round in 1..=rounds.parse::<u32>().unwrap() {
            let lines = lines.replace('%', &round.to_string());
            last = lines.split("; ").flat_map(|line| self.consequences(line)).collect();
        }
        last.iter().for_each(|it| self.tell(it, "  "));
    }

    fn consequences(&mut self, line: &str) -> Vec<String> {
        let mut words = Words::of(line);
        let verb = words.next().unwrap();
        let lines = match verb.as_str() {
            "policy" => self.policy(&mut words),
            "claim" => self.claim(&mut words),
            "release" => self.release(&mut words),
            "wait" => {
                self.world.now = self.world.now + duration(&words.next().unwrap());
                Vec::new()
            }
            "show" => show::state(&self.world),
            verb => {
                let command = self.command(verb, &mut words);
                show::answer(&self.world.submit(&command))
            }
        };
        words.end();
        lines
    }

    fn policy(&mut self, words: &mut Words) -> Vec<String> {
        let policy = &mut self.world.policy;
        match words.next().as_deref() {
            Some("strict") => policy.strict_signals = true,
            Some("untimed") => policy.claim_timeouts = false,
            Some("lapse-by-attempts") => policy.lease_exhaustion = LeaseExhaustion::MaxAttempts,
            Some(other) => panic!("{other} is not a policy"),
            None => {
                let base = duration(&words.value("base").unwrap());
                let max = duration(&words.value("max").unwrap());
                policy.retry = Backoff { base, max, ..policy.retry };
            }
        }
        Vec::new()
    }

    fn claim(&mut self, words: &mut Words) -> Vec<String> {
        let lease = words.value("lease").map_or(duration("30s"), |it| duration(&it));
        let worker = words.next().unwrap();
        let Some(task) = self.world.claim(&worker, lease) else {
            return vec!["= nothing is ready".into()];
        };
        let (id, until) = (task.at.id.clone(), task.lease.as_ref().unwrap().until);
        let task_type = self.world.state.current_step().unwrap().claimed_as();
        let token = &self.world.claims.last().unwrap().1.token;
        vec![format!("{token} has task {id} {} until {}", task_type.as_str(), show::at(until))]
    }

    fn release(&mut self, words: &mut Words) -> Vec<String> {
        let (step, held) = self.lease(words);
        match self.world.release(step, held) {
            Ok(()) => vec![format!("task {step} is free")],
            Err(refusal) => vec![show::refused(&refusal)],
        }
    }

    /// The latest lease, or the one the line names.
    fn lease(&self, words: &mut Words) -> (usize, Held) {
        let nobody = || (0, Held { token: "c0".into(), worker: "nobody".into() });
        let claims = &self.world.claims;
        let (step, mut held) = match words.value("by") {
            Some(token) => {
                claims.iter().find(|(_, it)| it.token.as_str() == token).cloned().unwrap()
            }
            None => claims.last().cloned().unwrap_or_else(nobody),
        };
        if let Some(worker) = words.value("as") {
            held.worker = worker.into();
        }
        (step, held)
    }

    fn command(&self, verb: &str, words: &mut Words) -> Command {
        match verb {
            "start" => Command::Start(start(words)),
            "report" => Command::Report(self.report(words)),
            "wake" => Command::Wake(Signal {
                event_type: text(&words.next().unwrap()),
                event_id: words.value("id").map(|it| text(&it)),
                payload: words.value("payload").map(|it| json(&it)),
                received_at: self.world.now,
            }),
            "lapse" => {
                let (step, held) = self.lease(words);
                Command::Lapse { step, token: held.token }
            }
            "cancel" => Command::Cancel { reason: words.next().map(|it| text(&it)) },
            "ann" => {
                let reason = words.value("because").map(|it| text(&it));
                let note = Note { by: Some("ann".into()), reason };
                let verb = words.next().unwrap();
                Command::Asked { note, command: Box::new(self.command(&verb, words)) }
            }
            verb => panic!("{verb} is not a command"),
        }
    }

    fn report(&self, words: &mut Words) -> Report {
        let (_, held) = self.lease(words);
        let step = words.next().unwrap().parse().unwrap();
        let error = text(&words.value("error").unwrap_or_else(|| "boom".into()));
        let outcome = match words.next().unwrap().as_str() {
            "completed" => Outcome::Completed,
            "retry" => {
                Outcome::Retry { error, backoff: words.value("backoff").map(|it| duration(&it)) }
            }
            "dead" => Outcome::Dead { error },
            "waiting" => Outcome::Waiting {
                event_type: text(&words.value("for").unwrap_or_else(|| words.next().unwrap())),
                timeout: words.value("timeout").map(|it| duration(&it)),
                discard_buffered: words.next().is_some_and(|it| it == "fresh"),
            },
            other => panic!("{other} is not an outcome"),
        };
        let patch = words.value("patch").map(|it| json(&it));
        let sent = words.values("send");
        let numbered = sent.iter().flat_map(|it| match it.split_once('*') {
            Some((times, one)) => vec![one; times.parse().unwrap()],
            None => vec![it.as_str()],
        });
        let outbound = numbered.enumerate().map(|(index, it)| self.outbound(index, it)).collect();
        Report { step, held, outcome, patch, outbound }
    }

    /// `send=TYPE/payload:1/header:a:b`; `no-id`, `id:…` and `no-time` spoil it, `nothing` is none.
    fn outbound(&self, index: usize, word: &str) -> Option<Outbound> {
        let mut parts = word.split('/');
        let event_type = parts.next().filter(|it| *it != "nothing")?;
        let mut outbound = Outbound {
            event_id: Some(format!("01980000-0000-7000-8000-{index:012}")),
            event_type: text(event_type),
            occurred_at: Some(self.world.now),
            ..Outbound::default()
        };
        for part in parts {
            match part.split_once(':').unwrap_or((part, "")) {
                ("no-id", _) => outbound.event_id = None,
                ("id", id) => outbound.event_id = Some(id.to_owned()),
                ("no-time", _) => outbound.occurred_at = None,
                ("payload", payload) => outbound.payload = Some(json(payload)),
                ("header", header) => {
                    let (name, value) = header.split_once(':').unwrap();
                    outbound.headers.insert(name.to_owned(), value.to_owned());
                }
                (other, _) => panic!("{other} is not a part of an event"),
            }
        }
        Some(outbound)
    }
}

fn start(words: &mut Words) -> Start {
    let workflow_type = words.value("type").unwrap_or_else(|| "order".into());
    let biz_key = words.value("key").map(|it| text(&it));
    let context = words.value("context").map(|it| json(&it));
    let many = words.value("steps").map_or(0, |it| it.parse().unwrap());
    let mut steps = vec![("STEP".to_owned(), 10); many];
    while let Some(step) = words.next() {
        let (step_type, ceiling) = step.split_once(':').unwrap_or((&step, "10"));
        steps.push((step_type.to_owned(), ceiling.parse().unwrap()));
    }
    Start { workflow_type, workflow_version: 1, steps, biz_key, context }
}
