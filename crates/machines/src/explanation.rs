//! Why an instance is where it is: what it waits for, which conditions decide, what can happen
//! next, and whether anything can still move it. Every face explains itself in this form.

use serde_json::Value;
use waypost_kernel::Timestamp;

/// How much an explanation tells, and why not more.
pub mod limits {
    /// Waits that are told. Whoever has more looks at the picture.
    pub const WAITS_MAX: usize = 100;
    /// Conditions that are told, those ahead first.
    pub const CONDITIONS_MAX: usize = 200;
    /// Things that can happen next: each is decided to find out.
    pub const NEXT_MAX: usize = 200;
    /// Bytes of one value. The explanation is read by people.
    pub const VALUE_MAX: usize = 2_048;
}

/// Why an instance is where it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explanation {
    /// Its status, phase or state.
    pub status: String,
    /// All of it in a sentence or two.
    pub summary: String,
    /// What it waits for, what matters most first.
    pub waits: Vec<Wait>,
    /// Conditions that have led here, keep it here, or come next.
    pub conditions: Vec<Condition>,
    /// What can be asked of it, and what would come of it.
    pub next: Vec<Next>,
    /// Why nothing can move it any more; none if something can.
    pub stuck: Option<String>,
}

/// One thing an instance waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The step or state.
    pub at: String,
    pub cause: Cause,
    /// For whom or what, in words that follow "it waits for".
    pub what: String,
    pub since: Option<Timestamp>,
    /// When the wait is over, whatever happens.
    pub until: Option<Timestamp>,
}

/// What kind of thing is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A worker who takes the task.
    Worker,
    /// The worker who has the task.
    Lease,
    /// The time of the next attempt.
    Backoff,
    Person,
    /// A signal or an event.
    Signal,
    Timer,
    /// Other branches.
    Join,
    /// A compute member.
    Member,
    /// Somebody who has a look.
    Operator,
    /// Another value, so that a condition holds.
    Data,
    /// The program the instance belongs to.
    Program,
}

impl Cause {
    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Worker => "worker",
            Self::Lease => "lease",
            Self::Backoff => "backoff",
            Self::Person => "person",
            Self::Signal => "signal",
            Self::Timer => "timer",
            Self::Join => "join",
            Self::Member => "member",
            Self::Operator => "operator",
            Self::Data => "data",
            Self::Program => "program",
        }
    }
}

/// A condition, what came of it, and the values that decided.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The step or transition it belongs to.
    pub at: String,
    pub text: String,
    pub outcome: Outcome,
    pub values: Vec<(String, Value)>,
    pub tense: Tense,
}

/// What came of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    True,
    False,
    /// Somebody outside must be asked.
    Asked,
    /// It could not be evaluated, and why.
    Error(String),
}

impl Outcome {
    /// Its name.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::True => "true",
            Self::False => "false",
            Self::Asked => "asked",
            Self::Error(_) => "error",
        }
    }
}

/// When a condition was or will be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tense {
    /// On the way here, with the values of then.
    Passed,
    /// Here: it keeps the instance where it is.
    Here,
    /// On the way on, with the values of now.
    Ahead,
}

impl Tense {
    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Here => "here",
            Self::Ahead => "ahead",
        }
    }
}

/// Something that can be asked of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Next {
    pub what: String,
    /// Who can cause it.
    pub by: String,
    /// Where it leads, as things are now: steps, states, or an end.
    pub leads_to: Vec<String>,
    /// Why it would be refused.
    pub refused: Option<String>,
}

/// Whether anybody asks for work of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// Nobody has, since the server began.
    Never { since: Timestamp },
    /// The last who did was then.
    Last(Timestamp),
    /// Somebody is waiting for it now.
    Now,
    /// It was not kept.
    Unknown,
}

/// What an explanation needs to know beside the instance.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    pub now: Timestamp,
    /// Whether anybody asks for work of a queue.
    pub demand: &'a dyn Fn(&str) -> Demand,
    /// How times are written.
    pub show: &'a dyn Fn(Timestamp) -> String,
}

impl Around<'_> {
    /// What is known of those who ask for such work, in a sentence without its end.
    #[must_use]
    pub fn asking(&self, queue: &str) -> String {
        match (self.demand)(queue) {
            Demand::Never { since } => {
                let since = (self.show)(since);
                format!("nobody has asked for {queue} since the server started ({since})")
            }
            Demand::Last(at) => format!("nobody has asked for {queue} since {}", (self.show)(at)),
            Demand::Now => format!("workers are asking for {queue} now"),
            Demand::Unknown => "who asked for it was not kept".to_owned(),
        }
    }
}

impl Explanation {
    /// Nothing more than how it ended.
    #[must_use]
    pub fn ended(status: &str, summary: String) -> Self {
        let stuck = Some("it has ended, and nothing moves it any more".to_owned());
        Self { status: status.to_owned(), summary, stuck, ..Self::default() }
    }

    /// Keeps what there is within the limits.
    #[must_use]
    pub fn cut(mut self) -> Self {
        self.waits.truncate(limits::WAITS_MAX);
        self.conditions.truncate(limits::CONDITIONS_MAX);
        self.next.truncate(limits::NEXT_MAX);
        self
    }
}

/// The value, or how large it is if it is too large to be told.
#[must_use]
pub fn told(value: &Value) -> Value {
    let length = value.to_string().len();
    match length > limits::VALUE_MAX {
        true => Value::String(format!("… {length} bytes")),
        false => value.clone(),
    }
}
