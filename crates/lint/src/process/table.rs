//! Decision tables: rules that overlap, are masked, never match, or leave a gap.

use serde_json::Value;
use waypost_machines::process::{
    Cell, Graph, HitPolicy, Rule, Table, Variables, Work,
    expression::{Assignment, Coercion},
};

use super::{
    Definition,
    condition::{assigned, is_whole},
    space::{Budget, Domain, Space},
    types::{mismatch, never_boolean},
};
use crate::{
    code,
    ledger::{At, Ledger, Note},
    source::down,
};

/// A table and where it stands.
struct Placed<'t> {
    definition: &'t Definition<'t>,
    table: &'t Table,
    step: usize,
}

/// What one rule came to, over all inputs.
#[derive(Clone, Default)]
struct Tally {
    matches: bool,
    is_first: bool,
    /// An input it matches, and the rule that matches it first.
    masked: Option<(Value, usize)>,
    /// An input that another rule before it matches as well.
    overlaps: Option<(Value, usize)>,
    /// An input for which another rule before it sets something else.
    differs: Option<(Value, usize)>,
}

/// All of them, and an input that no rule matches.
struct Outcome {
    tallies: Vec<Tally>,
    gap: Option<Value>,
    is_complete: bool,
}

pub(super) fn check(
    definition: &Definition<'_>,
    graph: &Graph,
    budget: &mut Budget,
    ledger: &mut Ledger<'_>,
) {
    for (step, it) in graph.steps().iter().enumerate() {
        let Work::Table { table, .. } = &it.work else { continue };
        let placed = Placed { definition, table, step };
        let before = ledger.len();
        for (index, rule) in table.rules.iter().enumerate() {
            placed.cells(index, rule, ledger);
            placed.outputs(index, rule, ledger);
        }
        if !ledger.has_errors_since(before) {
            let outcome = placed.try_out(budget);
            placed.tell(&outcome, ledger);
        }
    }
}

impl Placed<'_> {
    fn rules(&self) -> String {
        down(&down(&self.definition.step(self.step), "decisionTable"), "rules")
    }

    fn rule(&self, index: usize) -> String {
        down(&self.rules(), index)
    }

    fn at(&self, index: usize) -> At {
        At::value(down(&self.rule(index), "when"))
    }

    fn cells(&self, index: usize, rule: &Rule, ledger: &mut Ledger<'_>) {
        let when = down(&self.rule(index), "when");
        for Cell { column, source, condition } in &rule.cells {
            let at = At::value(down(&when, column));
            // Blanks around a cell are not part of it.
            let shift = self.written(index, column).find(source.as_str()).unwrap_or_default();
            let part = |(start, end): (usize, usize)| {
                at.clone().part((start + shift, end.max(start + 1) + shift))
            };
            match condition {
                Err(error) => {
                    let span = (error.span().start, error.span().end);
                    ledger.add(Note::new(&code::T001, part(span), error.cause().to_string()));
                }
                Ok(compiled) => {
                    if let Some(found) = never_boolean(compiled) {
                        let message = format!("the cell comes to {found}");
                        ledger.add(Note::new(&code::T002, at.clone(), message));
                    } else if let Some(it) = mismatch(compiled) {
                        let message = format!("{} {} {}", it.left, it.operator, it.right);
                        ledger.add(Note::new(&code::P034, part(it.span), message));
                    }
                }
            }
        }
    }

    fn written(&self, rule: usize, column: &str) -> &str {
        let step = self.definition.source.steps.get(self.step);
        let table = step.and_then(|it| it.decision_table.as_ref());
        let cell = table.and_then(|it| it.rules.get(rule)?.when.get(column)?.as_deref());
        cell.unwrap_or_default()
    }

    fn outputs(&self, index: usize, rule: &Rule, ledger: &mut Ledger<'_>) {
        let base = down(&self.rule(index), "outputs");
        assigned(&base, &rule.outputs, &code::T001, ledger);
        let adds_up = matches!(self.table.policy, HitPolicy::Sum | HitPolicy::Max | HitPolicy::Min);
        for (name, assignment) in rule.outputs.iter().filter(|_| adds_up) {
            let literal = match assignment {
                Assignment::Literal(value) => !value.is_number(),
                Assignment::Now => true,
                Assignment::Expression(_) | Assignment::Malformed(_) => false,
            };
            if literal {
                let policy = self.table.policy.as_str();
                let message = format!("{name:?} is not a number, which {policy} needs");
                ledger.add(Note::new(&code::T008, At::value(down(&base, name)), message));
            }
        }
    }

    fn try_out(&self, budget: &mut Budget) -> Outcome {
        let rules = &self.table.rules;
        let n_cells = rules.iter().map(|it| it.cells.len()).sum::<usize>() + rules.len();
        let tallies = vec![Tally::default(); rules.len()];
        let mut outcome = Outcome { tallies, gap: None, is_complete: false };
        if !budget.allows(n_cells) {
            return outcome;
        }
        let conditions =
            rules.iter().flat_map(|it| &it.cells).filter_map(|it| it.condition.as_ref().ok());
        let inputs = Space::of(conditions).inputs(&|name| Domain {
            is_whole: is_whole(self.definition, name),
            ..Domain::default()
        });
        outcome.is_complete = inputs.are_complete();
        for input in inputs.iter() {
            if !budget.take(n_cells) {
                outcome.is_complete = false;
                break;
            }
            // A table fails as a whole where one cell fails.
            let Some(matching) = self.matching(&input.variables) else { continue };
            outcome.count(self, &matching, &input.variables);
            if matching.is_empty() && input.is_natural && outcome.gap.is_none() {
                outcome.gap = Some(Value::Object(input.variables.clone()));
            }
        }
        outcome
    }

    /// The rules that match, as the engine sees it; none if a cell fails.
    fn matching(&self, variables: &Variables) -> Option<Vec<usize>> {
        let mut matching = Vec::new();
        for (index, rule) in self.table.rules.iter().enumerate() {
            if is_match(rule, variables)? {
                matching.push(index);
            }
        }
        Some(matching)
    }

    fn differ(&self, one: usize, other: usize, variables: &Variables) -> bool {
        let outputs = |index: usize| {
            let rule = self.table.rules.get(index)?;
            let mut set = Variables::new();
            for (name, assignment) in &rule.outputs {
                let value = assignment.evaluate(variables, Coercion::default(), "").ok()?;
                set.insert(name.clone(), value);
            }
            Some(set)
        };
        let (one, other) = (outputs(one), outputs(other));
        one.zip(other).is_some_and(|(one, other)| {
            one.iter().any(|(name, it)| other.get(name) != Some(it))
                || other.keys().any(|name| !one.contains_key(name))
        })
    }

    fn tell(&self, outcome: &Outcome, ledger: &mut Ledger<'_>) {
        for (index, tally) in outcome.tallies.iter().enumerate() {
            if !tally.matches {
                if outcome.is_complete {
                    let message = format!("rule {} matches nothing", index + 1);
                    ledger.add(Note::new(&code::T007, self.at(index), message));
                }
                continue;
            }
            self.tell_rule(index, tally, outcome.is_complete, ledger);
        }
        if let Some(example) = outcome.gap.clone() {
            let message = format!("no rule matches {example}");
            ledger.add(Note::new(&code::T006, At::name(self.rules()), message).example(example));
        }
    }

    fn tell_rule(&self, index: usize, tally: &Tally, is_complete: bool, ledger: &mut Ledger<'_>) {
        let number = index + 1;
        let (found, code, what) = match self.table.policy {
            HitPolicy::First if !tally.is_first && is_complete => {
                (&tally.masked, &code::T003, "never decides; it matches")
            }
            HitPolicy::Unique => (&tally.overlaps, &code::T004, "is not the only one to match"),
            HitPolicy::Any => (&tally.differs, &code::T005, "sets something else for"),
            HitPolicy::First
            | HitPolicy::RuleOrder
            | HitPolicy::Collect
            | HitPolicy::Sum
            | HitPolicy::Count
            | HitPolicy::Max
            | HitPolicy::Min => return,
        };
        if let Some((example, other)) = found {
            let message = format!("rule {number} {what} {example}");
            let note = Note::new(code, self.at(index), message).example(example.clone());
            let related = format!("rule {} matches it as well", other + 1);
            ledger.add(note.related(self.at(*other), related));
        }
    }
}

impl Outcome {
    fn count(&mut self, placed: &Placed<'_>, matching: &[usize], variables: &Variables) {
        let Some(first) = matching.first().copied() else { return };
        let example = || Value::Object(variables.clone());
        for index in matching.iter().copied() {
            let Some(tally) = self.tallies.get_mut(index) else { continue };
            tally.matches = true;
            tally.is_first |= index == first;
            if index == first {
                continue;
            }
            tally.masked.get_or_insert_with(|| (example(), first));
            tally.overlaps.get_or_insert_with(|| (example(), first));
            if placed.table.policy == HitPolicy::Any
                && tally.differs.is_none()
                && placed.differ(first, index, variables)
            {
                tally.differs = Some((example(), first));
            }
        }
    }
}

fn is_match(rule: &Rule, variables: &Variables) -> Option<bool> {
    for cell in &rule.cells {
        let condition = cell.condition.as_ref().ok()?;
        match condition.evaluate(variables, Coercion::default()).ok()? {
            Value::Bool(true) => {}
            Value::Bool(false) => return Some(false),
            Value::Null
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => return None,
        }
    }
    Some(true)
}
