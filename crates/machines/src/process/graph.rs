//! A definition that is sound, ready to run: expressions compiled, times read.

use std::{sync::Arc, time::Duration};

use indexmap::IndexMap;
use waypost_kernel::DefinitionRef;

use super::{
    duration,
    expression::{Assignment, Coercion, Compiled, ExpressionError, Limits},
    parse::{BoundarySource, RuleSource, Source, StepSource},
    schema::Schema,
    validate::violations,
};

/// Declares enumerations that have a name on the wire.
macro_rules! named {
    ($(#[$doc:meta])* $type:ident { $($name:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $type { $($name),* }

        impl $type {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The one of that name.
            #[must_use]
            pub fn of(name: &str) -> Option<Self> {
                match name { $($text => Some(Self::$name),)* _ => None }
            }

            /// Its name.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text),* }
            }
        }
    };
}

named! {
    /// What a step is.
    StepType {
        ServiceTask = "SERVICE_TASK",
        UserTask = "USER_TASK",
        Decision = "DECISION",
        DecisionTable = "DECISION_TABLE",
        Transformation = "TRANSFORMATION",
        Wait = "WAIT",
        ParallelGateway = "PARALLEL_GATEWAY",
        JoinGateway = "JOIN_GATEWAY",
        End = "END",
    }
}

named! {
    /// Which rules of a table count, and how.
    HitPolicy {
        Unique = "U",
        First = "F",
        Any = "A",
        RuleOrder = "R",
        Collect = "C",
        Sum = "C+",
        Count = "C#",
        Max = "C>",
        Min = "C<",
    }
}

/// The name of a step, shared by all who mention it.
pub type StepId = Arc<str>;

/// What instances run by.
#[derive(Debug)]
pub struct Graph {
    /// Its name and version.
    pub which: DefinitionRef,
    /// What people call it.
    pub label: String,
    /// Whether and how expressions read texts as numbers.
    pub coercion: Coercion,
    /// What an instance must know to start.
    pub input: Option<Schema>,
    /// The definition that starts when an instance of this one has completed.
    pub next: Option<String>,
    steps: Vec<Step>,
    places: IndexMap<StepId, usize>,
}

/// One step.
#[derive(Debug)]
pub struct Step {
    pub id: StepId,
    pub label: String,
    pub work: Work,
    /// Timers that run while an instance rests here.
    pub timers: Vec<Boundary>,
}

/// What happens at a step.
#[derive(Debug)]
pub enum Work {
    /// Somebody's program does it.
    Service { queue: String, retries: u32, outputs: Option<Schema>, exit: Exit },
    /// Somebody does it.
    User { form: String, exit: Exit },
    /// Nobody does anything until a signal comes.
    Wait { exit: Exit },
    /// The first condition that holds says where to go.
    Decide(Vec<Choice>),
    /// Rules say what is so.
    Table { table: Table, next: StepId },
    /// Variables are set.
    Transform { assignments: Vec<(String, Assignment)>, next: StepId },
    /// One path becomes several.
    Fork { branches: Vec<StepId>, join: StepId },
    /// Several paths become one.
    Join { next: StepId },
    /// The instance is complete, and the next definition starts if there is one.
    End { starts_next: bool },
}

/// Where to go after resting.
#[derive(Debug)]
pub struct Exit {
    /// Go first to where one of these holds, if there are any.
    pub choices: Vec<Choice>,
    /// Where to go otherwise. Nowhere: the path stops.
    pub next: Option<StepId>,
}

/// A condition and where it leads.
#[derive(Debug)]
pub struct Choice {
    pub source: String,
    /// One that cannot be read fails when it is needed, not before.
    pub condition: Result<Compiled, ExpressionError>,
    pub target: StepId,
}

/// A decision table.
#[derive(Debug)]
pub struct Table {
    pub policy: HitPolicy,
    pub rules: Vec<Rule>,
}

/// A row of a decision table.
#[derive(Debug)]
pub struct Rule {
    /// Column, condition. Cells that say nothing are left out.
    pub cells: Vec<Cell>,
    pub outputs: Vec<(String, Assignment)>,
}

/// A cell of a decision table that says something.
#[derive(Debug)]
pub struct Cell {
    pub column: String,
    pub source: String,
    pub condition: Result<Compiled, ExpressionError>,
}

/// A timer at a step.
#[derive(Debug)]
pub struct Boundary {
    pub after: Duration,
    /// Whether the step ends when it fires.
    pub interrupting: bool,
    pub target: StepId,
}

impl Graph {
    /// The graph of a definition.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn new(source: &Source, version: i32, coercion: Coercion) -> Result<Self, Vec<String>> {
        let found = violations(source);
        if !found.is_empty() {
            return Err(found);
        }
        let next = &source.next_workflow_id;
        let steps: Vec<Step> = source.steps.iter().filter_map(step).collect();
        let places = steps.iter().enumerate().map(|(index, it)| (Arc::clone(&it.id), index));
        Ok(Self {
            which: DefinitionRef { name: source.id.clone(), version },
            label: source.name.clone(),
            coercion,
            input: source.input_schema.as_ref().map(Schema::of),
            next: source.auto_start_next_workflow.then(|| next.clone()),
            places: places.collect(),
            steps,
        })
    }

    /// Where every instance begins.
    #[must_use]
    pub fn entry(&self) -> &Step {
        self.steps.first().expect("a graph has steps")
    }

    /// The steps, as they are written.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The step of that name.
    #[must_use]
    pub fn step(&self, id: &str) -> Option<&Step> {
        self.places.get(id).and_then(|index| self.steps.get(*index))
    }
}

impl Step {
    /// What the step is.
    #[must_use]
    pub const fn step_type(&self) -> StepType {
        match self.work {
            Work::Service { .. } => StepType::ServiceTask,
            Work::User { .. } => StepType::UserTask,
            Work::Wait { .. } => StepType::Wait,
            Work::Decide(_) => StepType::Decision,
            Work::Table { .. } => StepType::DecisionTable,
            Work::Transform { .. } => StepType::Transformation,
            Work::Fork { .. } => StepType::ParallelGateway,
            Work::Join { .. } => StepType::JoinGateway,
            Work::End { .. } => StepType::End,
        }
    }
}

/// Only a step of an unknown type is none, and such a definition is not sound.
fn step(source: &StepSource) -> Option<Step> {
    let work = work(source, StepType::of(&source.step_type)?);
    let rests = matches!(work, Work::Service { .. } | Work::User { .. } | Work::Wait { .. });
    let timers = source.boundary_events.iter().filter(|_| rests).filter_map(boundary);
    Some(Step {
        id: source.id.as_str().into(),
        label: source.name.clone(),
        work,
        timers: timers.collect(),
    })
}

fn work(source: &StepSource, step_type: StepType) -> Work {
    let next = || StepId::from(source.next_step.as_str());
    match step_type {
        StepType::ServiceTask => Work::Service {
            queue: source.job_type.clone(),
            retries: u32::try_from(source.retry_count).unwrap_or_default(),
            outputs: source.outputs_schema.as_ref().map(Schema::of),
            exit: exit(source),
        },
        StepType::UserTask => {
            let form = if source.job_type.is_empty() { &source.id } else { &source.job_type };
            Work::User { form: form.clone(), exit: exit(source) }
        }
        StepType::Wait => Work::Wait { exit: exit(source) },
        StepType::Decision => Work::Decide(choices(source)),
        StepType::DecisionTable => Work::Table { table: table(source), next: next() },
        StepType::Transformation => {
            Work::Transform { assignments: assignments(&source.transformations), next: next() }
        }
        StepType::ParallelGateway => Work::Fork {
            branches: source.parallel_next_steps.iter().map(|it| it.as_str().into()).collect(),
            join: source.join_step.as_str().into(),
        },
        StepType::JoinGateway => Work::Join { next: next() },
        StepType::End => Work::End { starts_next: source.auto_start_next_workflow.unwrap_or(true) },
    }
}

fn exit(source: &StepSource) -> Exit {
    let next = source.next_step.as_str();
    Exit { choices: choices(source), next: (!next.is_empty()).then(|| next.into()) }
}

fn choices(source: &StepSource) -> Vec<Choice> {
    let choice = |(condition, target): (&String, &String)| Choice {
        source: condition.clone(),
        condition: Compiled::parse(condition, Limits::default()),
        target: target.as_str().into(),
    };
    source.conditional_next_steps.iter().map(choice).collect()
}

fn table(source: &StepSource) -> Table {
    let rules = source.decision_table.as_ref().map(|it| it.rules.as_slice()).unwrap_or_default();
    Table {
        policy: HitPolicy::of(&source.hit_policy).unwrap_or(HitPolicy::Unique),
        rules: rules.iter().map(rule).collect(),
    }
}

fn rule(source: &RuleSource) -> Rule {
    let cell = |(column, condition): (&String, &Option<String>)| {
        let source = condition.as_deref().map(str::trim).filter(|it| !it.is_empty())?.to_owned();
        let condition = Compiled::parse(&source, Limits::default());
        Some(Cell { column: column.clone(), source, condition })
    };
    let cells = source.when.iter().filter_map(cell).collect();
    Rule { cells, outputs: assignments(&source.outputs) }
}

fn assignments(written: &IndexMap<String, serde_json::Value>) -> Vec<(String, Assignment)> {
    let assignment = |(name, value): (&String, &serde_json::Value)| {
        let mut value = value.clone();
        super::variables::normalize(&mut value);
        (name.clone(), Assignment::parse(&value, Limits::default()))
    };
    written.iter().map(assignment).collect()
}

fn boundary(source: &BoundarySource) -> Option<Boundary> {
    Some(Boundary {
        after: duration::parse(&source.duration)?,
        interrupting: source.interrupting,
        target: source.target_step_id.as_str().into(),
    })
}
