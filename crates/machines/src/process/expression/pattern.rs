//! Patterns of `matches`: compiled beforehand where they are written as text, and bounded always.

use std::collections::BTreeMap;

use regex::{Regex, RegexBuilder};

use super::{BinaryOperator, Cause, Expression, Kind, Limits, NodeId, error::Fault};

/// The patterns of an expression, by the node they are written in.
pub(super) type Patterns = BTreeMap<NodeId, Regex>;

/// Compiles all patterns that an expression spells out.
pub(super) fn compile_all(expression: &Expression, limits: &Limits) -> Result<Patterns, Fault> {
    let mut patterns = Patterns::new();
    for node in expression.nodes() {
        let Kind::Binary { operator: BinaryOperator::Matches, right, .. } = node.kind else {
            continue;
        };
        let written = expression.node(right);
        let Kind::Text(text) = &written.kind else { continue };
        if patterns.len() >= limits.patterns {
            return Err(Cause::Limit { what: "patterns", limit: limits.patterns }.at(written.span));
        }
        let pattern = compile(text, limits.pattern_bytes).map_err(|it| it.at(written.span))?;
        patterns.insert(right, pattern);
    }
    Ok(patterns)
}

pub(super) fn compile(pattern: &str, limit: usize) -> Result<Regex, Cause> {
    let built = RegexBuilder::new(pattern).size_limit(limit).dfa_size_limit(limit).build();
    built.map_err(|error| {
        if let regex::Error::CompiledTooBig(limit) = error {
            return Cause::Limit { what: "bytes of a pattern", limit };
        }
        Cause::operation(format!("{pattern:?} is not a pattern: {error}"))
    })
}
