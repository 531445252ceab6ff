//! Finds what is wrong with definitions before they run: reads them as the engine does, so that
//! what a deployment refuses is an error here, and then looks for what would go wrong later.
//! Pure: the same text always gives the same findings.
//!
//! ```
//! let report = waypost_lint::lint(r#"{"workflowType": "o", "workflowVersion": 0, "steps": []}"#, None)?;
//! let codes: Vec<_> = report.findings.iter().map(|it| it.code.id).collect();
//! assert_eq!(codes, ["C002", "C002"]);
//! # Ok::<(), waypost_lint::Unreadable>(())
//! ```

mod chain;
mod code;
mod entity;
mod finding;
mod kind;
mod ledger;
mod lifecycle;
mod lint;
mod near;
mod process;
mod schema;
mod show;
mod source;
mod surroundings;

pub use self::{
    code::{ALL, Code, Severity},
    finding::{Finding, Place, Related, Report, Unreadable},
    kind::DefinitionKind,
    lint::{lint, lint_within},
    schema::{SCHEMAS, schema},
    show::{Paint, json, sarif, text},
    surroundings::{Surroundings, asked_tags, model},
};

/// How much of everything is looked at, and why not more.
pub mod limits {
    /// Bytes of a text. Definitions are written by people, or for them.
    pub const TEXT_MAX: usize = 8 << 20;
    /// Levels of a text. Reading it goes down with it, and the stack has an end.
    pub const DEPTH_MAX: usize = 128;
    /// Findings of one text. Whoever has more is better served by the first of them.
    pub const FINDINGS_MAX: usize = 1_000;
    /// Definitions in one text.
    pub const DEFINITIONS_MAX: usize = 1_000;
    /// Conditions that are evaluated to find examples, for one definition. Each takes about a
    /// microsecond.
    pub const EVALUATIONS_MAX: usize = 100_000;
    /// Inputs that are tried on one table or one decision.
    pub const INPUTS_MAX: usize = 4_000;
    /// Steps that are walked over to prove that branches meet, for one definition.
    pub const WALKED_MAX: usize = 2_000_000;
    /// Places a finding names beside its own.
    pub const RELATED_MAX: usize = 8;
}
