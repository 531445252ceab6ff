//! How stories are told: a definition in a line for each transition, answers, and one command.
//!
//! ```text
//! workflow order NEW if kind=1                          a workflow, its first state, its criterion
//! NEW submit -> DONE manual if f&a=1 do p,q:MODE        a transition, its criterion and processors
//! NEW remind -> LATE after 500 within 100               one that is scheduled, in milliseconds
//! state EMPTY                                           a state that leads nowhere
//! answer p {"a":1} / p nothing / p fails timeout why    what a processor answers, in order
//! answer f yes / f no why / f silently says no          what a function answers
//! warns p careful                                       a warning that comes with the next answer
//! remembers order / previously submit                   what is stored with the entity
//! armed remind at NEW for 500                           what is armed with the entity, and for when
//! create {} / take submit at NEW {} / update at NEW {}  the command
//! fire remind at NEW {}                                 the same, when its time has come
//! ```

use std::collections::VecDeque;

use expect_test::Expect;
use waypost_documents::document::Value;
use waypost_kernel::Timestamp;
use waypost_machines::entity::{
    cascade::{
        Armed, Asked, AuditEvent, Call, Cause, Command, Entity, Limits, Ran, Replies, Reply, Run,
        Stop, run,
    },
    workflow::{Processor, Schedule, State, Transition, Workflow},
};

use crate::judge::verdict;

/// Tells the story and compares what comes of it.
#[track_caller]
pub(crate) fn check(story: &str, expected: &Expect) {
    expected.assert_eq(&tell(story));
}

/// What comes of a story.
pub(crate) fn tell(story: &str) -> String {
    let mut told = Story::default();
    let mut out = Vec::new();
    for line in story.lines().map(str::trim).filter(|it| !it.is_empty()) {
        if let Some(command) = told.line(line) {
            told.run(command, &mut out);
        }
    }
    out.push(String::new());
    out.join("\n")
}

#[derive(Default)]
pub(crate) struct Story {
    pub(crate) workflows: Vec<Workflow>,
    answers: VecDeque<(String, Reply)>,
    warnings: Vec<String>,
    remembered: Option<String>,
    previous: String,
    armed: Vec<Armed>,
}

/// When stories are told.
pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_000);

struct Line<'a> {
    command: Command<'a>,
    state: &'a str,
    value: Value,
}

impl Story {
    /// Takes in a line; gives back the command in it.
    fn line<'a>(&mut self, line: &'a str) -> Option<Line<'a>> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "workflow" => self.workflow(rest),
            "state" => {
                self.last().states.insert(rest.to_owned(), State::default());
            }
            "answer" => self.answer(rest),
            "warns" => self.warnings.push(rest.to_owned()),
            "remembers" => self.remembered = Some(rest.to_owned()),
            "previously" => self.previous = rest.to_owned(),
            "create" => {
                let (transition, value) = rest.split_once('{').unwrap();
                let transition = Some(transition.trim()).filter(|it| !it.is_empty());
                let value = Value::parse(&format!("{{{value}")).unwrap();
                return Some(Line { command: Command::Create { transition }, state: "", value });
            }
            "armed" => {
                let words: Vec<&str> = rest.split(' ').collect();
                let [transition, "at", state, "for", at] = words[..] else { panic!("{rest}?") };
                self.armed.push(Armed {
                    transition: transition.to_owned(),
                    source_state: state.to_owned(),
                    scheduled_at: Timestamp::from_millis(at.parse().unwrap()),
                    timeout_millis: None,
                });
            }
            "take" | "update" | "fire" => {
                let (transition, rest) = rest.split_once("at ").unwrap();
                let (state, value) = rest.split_once(' ').unwrap();
                let command = match transition.trim() {
                    "" => Command::Loopback,
                    transition if word == "fire" => Command::Fire { transition },
                    transition => Command::Take { transition },
                };
                return Some(Line { command, state, value: Value::parse(value).unwrap() });
            }
            from => self.transition(from, rest),
        }
        None
    }

    /// Takes in a line that is no command.
    pub(crate) fn tell_of(&mut self, line: &str) {
        assert!(self.line(line).is_none(), "{line}");
    }

    fn last(&mut self) -> &mut Workflow {
        self.workflows.last_mut().unwrap()
    }

    fn workflow(&mut self, line: &str) {
        let (line, criterion) = line.split_once(" if ").unwrap_or((line, ""));
        let mut words = line.split(' ');
        let mut next = || words.next().unwrap_or_default().to_owned();
        let (name, initial_state) = (next(), next());
        let is_active = next() != "inactive";
        let states = [(initial_state.clone(), State::default())].into();
        let criterion = criterion_of(criterion);
        let workflow =
            Workflow { name, initial_state, is_active, criterion, states, ..Workflow::default() };
        self.workflows.push(workflow);
    }

    fn transition(&mut self, from: &str, line: &str) {
        let (line, processors) = line.split_once(" do ").unwrap_or((line, ""));
        let (line, criterion) = line.split_once(" if ").unwrap_or((line, ""));
        let words: Vec<&str> = line.split(' ').collect();
        let [name, "->", next, marks @ ..] = &words[..] else { panic!("what is {line}?") };
        let processors = processors.split(',').filter(|it| !it.is_empty()).map(processor).collect();
        let transition = Transition {
            name: (*name).to_owned(),
            next: (*next).to_owned(),
            is_manual: marks.contains(&"manual"),
            is_disabled: marks.contains(&"disabled"),
            schedule: schedule(marks),
            criterion: criterion_of(criterion),
            processors,
        };
        if !marks.contains(&"nowhere") {
            self.last().states.entry((*next).to_owned()).or_default();
        }
        self.last().states.entry(from.to_owned()).or_default().transitions.push(transition);
    }

    fn answer(&mut self, line: &str) {
        let (name, answer) = line.split_once(' ').unwrap();
        let warnings = std::mem::take(&mut self.warnings);
        let (word, rest) = answer.split_once(' ').unwrap_or((answer, ""));
        let reason = Some(rest.to_owned()).filter(|it| !it.is_empty());
        let reply = match word {
            "silently" => Reply::Matched { matches: false, reason: Some(String::new()), warnings },
            "yes" | "no" => Reply::Matched { matches: word == "yes", reason, warnings },
            "nothing" => Reply::Processed { value: None, warnings },
            "fails" => {
                let (cause, message) = rest.split_once(' ').unwrap();
                Reply::Failed { cause: cause_of(cause), message: message.to_owned(), warnings }
            }
            _ => Reply::Processed { value: Some(Value::parse(answer).unwrap()), warnings },
        };
        self.answers.push_back((name.to_owned(), reply));
    }

    /// Decides again and again, until nobody must be asked.
    fn run(&mut self, line: Line<'_>, out: &mut Vec<String>) {
        let mut replies = Replies::new();
        loop {
            match decide(&self.workflows, &line, self, &replies) {
                Err(Stop::Call(call)) => {
                    assert_eq!(call.key as usize, replies.len(), "calls are numbered in order");
                    out.push(show_call(&call));
                    let Some((name, reply)) = self.answers.pop_front() else {
                        return out.push("=> waits for an answer".to_owned());
                    };
                    assert_eq!(name, name_of(&call), "who is asked");
                    replies.insert(call.key, reply);
                }
                Err(Stop::Failed(failure)) => {
                    show_history(&failure.audit, &failure.warnings, out);
                    return out.push(format!("=> {} {}", failure.kind.code(), failure.text));
                }
                Ok(ran) => {
                    show_history(&ran.audit, &ran.warnings, out);
                    return out.push(show_end(&ran));
                }
            }
        }
    }
}

fn decide(
    workflows: &[Workflow],
    line: &Line<'_>,
    story: &Story,
    replies: &Replies,
) -> Result<Ran, Stop> {
    let (command, state) = (line.command, line.state);
    run(whole(command, entity(&line.value, state, story), workflows), replies, &mut verdict)
}

fn entity<'a>(value: &'a Value, state: &'a str, story: &'a Story) -> Entity<'a> {
    Entity {
        id: "e-1",
        value,
        state,
        workflow: story.remembered.as_deref(),
        previous_transition: &story.previous,
        armed: &story.armed,
        created_at: Timestamp::EPOCH,
        updated_at: Timestamp::EPOCH,
        transaction: "t-1",
    }
}

/// A run within the usual limits.
pub(crate) fn whole<'a>(
    command: Command<'a>,
    entity: Entity<'a>,
    workflows: &'a [Workflow],
) -> Run<'a> {
    Run { command, entity, workflows, limits: Limits::default(), now: NOW }
}

fn object<const N: usize>(members: [(&str, &str); N]) -> Value {
    let text = |(name, text): (&str, &str)| (name.to_owned(), Value::Text(text.to_owned()));
    Value::Object(members.into_iter().map(text).collect())
}

/// `a=1` compares a member, `.state=NEW` the entity, `f` asks a function, `f:X` with a retry policy,
/// `!` is broken, and `&` or `|` join several.
fn criterion_of(text: &str) -> Option<Value> {
    let one = |text: &str| match text.split_once('=') {
        _ if text == "!" => object([("type", "broken")]),
        Some((field, value)) if field.starts_with('.') => {
            object([("type", "lifecycle"), ("field", &field[1..]), ("value", value)])
        }
        Some((path, value)) => {
            let mut simple = object([("type", "simple"), ("jsonPath", &format!("$.{path}"))]);
            let Value::Object(members) = &mut simple else { panic!() };
            members.insert("value".to_owned(), Value::parse(value).unwrap());
            simple
        }
        None => {
            let (name, policy) = text.split_once(':').unwrap_or((text, ""));
            let function = object([("name", name), ("retryPolicy", policy)]);
            let kind = ("type".to_owned(), Value::Text("function".to_owned()));
            Value::Object([kind, ("function".to_owned(), function)].into_iter().collect())
        }
    };
    let (operator, sign) = if text.contains('|') { ("OR", '|') } else { ("AND", '&') };
    match text.split(sign).collect::<Vec<_>>()[..] {
        [""] => None,
        ["null"] => Some(Value::Null),
        [single] => Some(one(single)),
        ref many => {
            let mut group = object([("type", "group"), ("operator", operator)]);
            let Value::Object(members) = &mut group else { panic!() };
            let conditions = Value::List(many.iter().map(|it| one(it)).collect());
            members.insert("conditions".to_owned(), conditions);
            Some(group)
        }
    }
}

fn schedule(marks: &[&str]) -> Option<Schedule> {
    let after = |word: &str| {
        let at = marks.iter().position(|it| *it == word)?;
        Some(marks[at + 1].parse().unwrap())
    };
    Some(Schedule { delay_millis: after("after")?, timeout_millis: after("within") })
}

/// `name:MODE:retry policy`, the latter two optional.
fn processor(text: &str) -> Processor {
    let mut parts = text.split(':');
    let mut next = || parts.next().unwrap_or_default().to_owned();
    let mut processor = Processor { name: next(), mode: next(), ..Processor::default() };
    processor.config.retry_policy = next();
    processor
}

fn cause_of(word: &str) -> Cause {
    match word {
        "no-member" => Cause::NoMember,
        "disconnected" => Cause::Disconnected,
        "not-sent" => Cause::NotSent,
        "timeout" => Cause::TimedOut,
        "refused" => Cause::Refused { is_retryable: false },
        other => panic!("what is {other}?"),
    }
}

fn name_of(call: &Call) -> &str {
    match &call.asked {
        Asked::Processor { name, .. } | Asked::Function { name, .. } => name,
    }
}

fn show_call(call: &Call) -> String {
    let who = match &call.asked {
        Asked::Processor { name, is_apart: false } => format!("processor {name}"),
        Asked::Processor { name, is_apart: true } => format!("processor {name} apart"),
        Asked::Function { name, target } => format!("function {name} for {target:?}"),
    };
    let passage = match &call.transition {
        Some(it) => format!("{} {} -> {}", it.name, it.from, it.to),
        None => "-".to_owned(),
    };
    let Call { key, workflow, state, value, .. } = call;
    format!("ask {key}: {who}, {workflow}, {passage}, in {state:?} with {value}")
}

fn show_history(audit: &[AuditEvent], warnings: &[String], out: &mut Vec<String>) {
    for AuditEvent { kind, state, details, facts } in audit {
        // How a run ends has a test of its own; here it is enough to know why.
        let reason = facts.as_ref().and_then(|it| it.member("stopReason")?.member("type"));
        let facts = reason.or(facts.as_ref()).map(|it| format!(" {it}")).unwrap_or_default();
        let details = if reason.is_some() { "" } else { details };
        out.push(format!("  {} [{state}] {}", kind.name(), format!("{details}{facts}").trim()));
    }
    out.extend(warnings.iter().map(|it| format!("  warning: {it}")));
}

fn show_end(ran: &Ran) -> String {
    let value = ran.value.as_ref().map_or("as it was".to_owned(), ToString::to_string);
    let workflow = ran.workflow.as_deref().unwrap_or("-");
    let transition = &ran.transition_for_latest_save;
    let armed = ran.armed.iter().map(|it| {
        let within = it.timeout_millis.map(|it| format!(" within {it}")).unwrap_or_default();
        let at = it.scheduled_at.as_micros() / 1_000;
        format!("; armed {} at {} for {at}{within}", it.transition, it.source_state)
    });
    let armed: String = armed.collect();
    format!("=> {} by {transition}, {workflow}, {value}{armed}", ran.state)
}
