//! A thing with phases on stage. Time does nothing to it.

use serde_json::Value;
use waypost_kernel::Timestamp;
use waypost_machines::lifecycle::{Goal, Refusal, Transitions, decide};

use crate::{Action, Begin, Definitions, Happening, Refused, Stage, Standing, stage::DAWN};

/// A lifecycle in virtual time.
pub struct LifecycleStage<'d> {
    definitions: &'d Definitions,
    name: String,
    table: Option<&'d Transitions>,
    phases: Vec<String>,
    variables: Value,
    history: Vec<Happening>,
    now: Timestamp,
}

impl<'d> LifecycleStage<'d> {
    /// A stage on which nothing has happened yet.
    #[must_use]
    pub const fn new(definitions: &'d Definitions) -> Self {
        Self {
            definitions,
            name: String::new(),
            table: None,
            phases: Vec::new(),
            variables: Value::Null,
            history: Vec::new(),
            now: DAWN,
        }
    }

    /// Begins in a phase.
    ///
    /// # Errors
    /// When the type or the phase is not there.
    pub fn start(&mut self, begin: &Begin) -> Result<(), Refused> {
        let name = &begin.definition;
        let phase = begin.phase.clone().unwrap_or_default();
        let Some(table) = self.definitions.phases(name) else {
            let detail = format!("there is no lifecycle {name:?} among the definitions");
            return Err(Refused::new("DEFINITION_NOT_FOUND", detail));
        };
        if !table.declares(&phase) {
            return Err(refused(&Refusal::Undeclared { to: phase }));
        }
        self.name.clone_from(name);
        self.table = Some(table);
        self.variables = begin.variables.clone();
        self.note("CREATED", &phase);
        Ok(())
    }

    /// The type's name, and the phases in their order.
    #[must_use]
    pub fn path(&self) -> (&str, &[String]) {
        (&self.name, &self.phases)
    }

    fn note(&mut self, what: &str, phase: &str) {
        let step = Some(phase.to_owned());
        self.phases.push(phase.to_owned());
        self.history.push(Happening { at: self.now, what: what.to_owned(), step, detail: None });
    }
}

impl Stage for LifecycleStage<'_> {
    fn now(&self) -> Timestamp {
        self.now
    }

    fn due(&self) -> Option<Timestamp> {
        None
    }

    fn happen(&mut self) {}

    fn wait(&mut self, until: Timestamp) {
        self.now = self.now.max(until);
    }

    fn act(&mut self, action: &Action) -> Result<(), Refused> {
        let (Some(table), Some(from)) = (self.table, self.phases.last()) else {
            return Err(Refused::new("INSTANCE_NOT_FOUND", "there is nothing to move"));
        };
        let Action::Move(to) = action else {
            return Err(Refused::unfit("a lifecycle can only move"));
        };
        let target = decide(table, from, Goal::Move(to)).map_err(|it| refused(&it))?;
        self.note("MOVED", &target.phase);
        Ok(())
    }

    fn is_at(&self, phase: &str) -> bool {
        self.phases.last().is_some_and(|it| it == phase)
    }

    fn standings(&self) -> Vec<Standing> {
        let standing = |phase: &String| Standing {
            definition: self.name.clone(),
            status: phase.clone(),
            at: vec![phase.clone()],
            variables: self.variables.clone(),
            visits: self.phases.clone(),
            history: self.history.clone(),
            elapsed: self.now.since(DAWN),
            ..Standing::default()
        };
        self.phases.last().map(standing).into_iter().collect()
    }

    fn refused(&mut self) -> Vec<Refused> {
        Vec::new()
    }
}

fn refused(refusal: &Refusal) -> Refused {
    match refusal {
        Refusal::Undeclared { to } => {
            Refused::new("UNKNOWN_PHASE", format!("phase {to:?} is not declared"))
        }
        Refusal::NoFailedPhase => Refused::new("UNKNOWN_PHASE", "there is no failed phase"),
        Refusal::Terminal { phase } => {
            Refused::new("TERMINAL_PHASE", format!("nothing follows {phase:?}"))
        }
        Refusal::NoEdge { from, to } => {
            Refused::new("INVALID_TRANSITION", format!("{from:?} does not lead to {to:?}"))
        }
        Refusal::NoTerminalNear { from } => {
            Refused::new("INVALID_TRANSITION", format!("no end is one step from {from:?}"))
        }
    }
}
