//! Patterns of `matches`: compiled beforehand where they are written as text, and bounded always.

use std::collections::BTreeMap;

use regex::{Regex, RegexBuilder};
use regex_syntax::hir::{Hir, HirKind};

use super::{
    BinaryOperator, Cause, Expression, Kind, Limits, NodeId, error::Fault,
    limits::PATTERN_LENGTH_MAX,
};

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
    if regex_syntax::parse(pattern).is_ok_and(|it| length(&it) > PATTERN_LENGTH_MAX) {
        let what = "characters of a pattern, its repetitions written out";
        return Err(Cause::Limit { what, limit: PATTERN_LENGTH_MAX });
    }
    let built = RegexBuilder::new(pattern).size_limit(limit).dfa_size_limit(limit).build();
    built.map_err(|error| {
        if let regex::Error::CompiledTooBig(limit) = error {
            return Cause::Limit { what: "bytes of a pattern", limit };
        }
        Cause::operation(format!("{pattern:?} is not a pattern: {error}"))
    })
}

/// How long a pattern is with its repetitions written out. One without an end goes around in itself
/// and is no longer for that.
fn length(pattern: &Hir) -> usize {
    match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Capture(capture) => length(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(length).fold(0, usize::saturating_add)
        }
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min).max(1);
            length(&repetition.sub).saturating_mul(usize::try_from(times).unwrap_or(usize::MAX))
        }
    }
}
