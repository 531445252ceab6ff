//! Where an entity goes when it is asked to move, or why it stays.

use super::Transitions;

/// The name of the phase that failing leads to.
pub const FAILED: &str = "failed";

/// What an entity is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal<'g> {
    /// Move to this phase.
    Move(&'g str),
    /// End, in the first terminal phase that is one step away.
    Complete,
    /// End in the phase [`FAILED`].
    Fail,
}

/// Where an entity goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The phase.
    pub phase: String,
    /// Terminal phases that would have done as well, when the goal was just to end.
    pub alternatives: Vec<String>,
}

/// Why an entity stays where it is.
///
/// ```
/// use waypost_machines::lifecycle::{Goal, Refusal, Transitions, decide};
///
/// let table = Transitions::new().phase("dark", ["lit"]).phase("lit", []);
/// let refused = decide(&table, "lit", Goal::Move("dark"));
/// assert_eq!(refused, Err(Refusal::Terminal { phase: "lit".to_owned() }));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The phase that is asked for is not declared.
    Undeclared {
        /// The phase.
        to: String,
    },
    /// There is no terminal phase named [`FAILED`].
    NoFailedPhase,
    /// Nothing follows the phase it is in.
    Terminal {
        /// That phase.
        phase: String,
    },
    /// The table does not have the move.
    NoEdge {
        /// The phase it is in.
        from: String,
        /// The phase that is asked for.
        to: String,
    },
    /// No terminal phase is one step away.
    NoTerminalNear {
        /// The phase it is in.
        from: String,
    },
}

/// What can be said about the goal before it is known where the entity is.
///
/// # Errors
/// When no entity of this table could ever reach it.
pub fn check(table: &Transitions, goal: Goal<'_>) -> Result<(), Refusal> {
    match goal {
        Goal::Move(to) if !table.declares(to) => Err(Refusal::Undeclared { to: to.to_owned() }),
        Goal::Fail if !table.declares(FAILED) || !table.is_terminal(FAILED) => {
            Err(Refusal::NoFailedPhase)
        }
        Goal::Move(_) | Goal::Complete | Goal::Fail => Ok(()),
    }
}

/// Where an entity in the phase `from` goes.
///
/// # Errors
/// When the table does not let it. A phase that is not declared counts as terminal.
pub fn decide(table: &Transitions, from: &str, goal: Goal<'_>) -> Result<Target, Refusal> {
    check(table, goal)?;
    if table.is_terminal(from) {
        return Err(Refusal::Terminal { phase: from.to_owned() });
    }
    match goal {
        Goal::Move(to) => along_edge(table, from, to),
        Goal::Fail => along_edge(table, from, FAILED),
        Goal::Complete => {
            let mut near = table.terminal_phases().into_iter();
            let mut near = near.by_ref().filter(|to| table.is_valid_transition(from, to));
            let Some(phase) = near.next() else {
                return Err(Refusal::NoTerminalNear { from: from.to_owned() });
            };
            let alternatives = near.map(str::to_owned).collect();
            Ok(Target { phase: phase.to_owned(), alternatives })
        }
    }
}

fn along_edge(table: &Transitions, from: &str, to: &str) -> Result<Target, Refusal> {
    match table.is_valid_transition(from, to) {
        true => Ok(Target { phase: to.to_owned(), alternatives: Vec::new() }),
        false => Err(Refusal::NoEdge { from: from.to_owned(), to: to.to_owned() }),
    }
}
