//! Walks a syntax tree over variables. Recursion is as deep as the source nests; the first operand
//! of a node is reached by a loop, because it can nest without any parentheses.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::{
    BinaryOperator, Cause, Coercion, Expression, Kind, Limits, Node, NodeId, access,
    call::Frame,
    error::Fault,
    number::Number,
    operand::{Budget, Operand, Origin, Text},
    operation::Rules,
    pattern::Patterns,
};

/// One evaluation in progress.
pub(super) struct Evaluation<'a> {
    expression: &'a Expression,
    patterns: &'a Patterns,
    variables: &'a Map<String, Value>,
    /// The values of the expression's variables, in their order.
    slots: Vec<&'a Value>,
    locals: Vec<Operand<'a>>,
    /// What the predicates around the current place look at, from the outside.
    pub(super) frames: Vec<Frame<'a>>,
    /// Nodes whose first operand is being evaluated.
    pending: Vec<&'a Node>,
    coercion: Coercion,
    pattern_bytes: usize,
    pub(super) budget: Budget,
}

impl<'a> Evaluation<'a> {
    /// Looks up all variables, so that an undefined one is found even where it is not reached.
    pub(super) fn new(
        expression: &'a Expression,
        patterns: &'a Patterns,
        variables: &'a Map<String, Value>,
        (limits, coercion): (&Limits, Coercion),
    ) -> Result<Self, Fault> {
        let mut slots = Vec::with_capacity(expression.variables().len());
        for variable in expression.variables() {
            let Some(value) = variables.get(&variable.name) else {
                let span = variable.spans.first().copied().unwrap_or_default();
                return Err(Cause::UndefinedVariable(variable.name.clone()).at(span));
            };
            slots.push(value);
        }
        Ok(Self {
            expression,
            patterns,
            variables,
            slots,
            locals: Vec::new(),
            frames: Vec::new(),
            pending: Vec::new(),
            coercion,
            pattern_bytes: limits.pattern_bytes,
            budget: Budget::new(limits.steps),
        })
    }

    pub(super) fn result(mut self) -> Result<Value, Fault> {
        let root = self.expression.root();
        let operand = self.evaluate(root)?;
        let span = self.expression.node(root).span;
        operand.into_value(&mut self.budget).map_err(|it| it.at(span))
    }

    pub(super) fn evaluate(&mut self, id: NodeId) -> Result<Operand<'a>, Fault> {
        let base = self.pending.len();
        let mut node = self.expression.node(id);
        while let Some(head) = node.kind.head() {
            self.pending.push(node);
            node = self.expression.node(head);
        }
        let mut operand = self.leaf(node)?;
        while self.pending.len() > base {
            let Some(node) = self.pending.pop() else { break };
            self.budget.charge(1).map_err(|it| it.at(node.span))?;
            if is_optional(&node.kind) && matches!(operand, Operand::Nil) {
                self.leave_chain();
            } else {
                operand = self.apply(node, operand)?;
            }
        }
        Ok(operand)
    }

    /// Skips the rest of an optional chain, which is nil as a whole.
    fn leave_chain(&mut self) {
        while let Some(node) = self.pending.pop() {
            if matches!(node.kind, Kind::OptionalChain(_)) {
                return;
            }
        }
    }

    /// A node that has no first operand.
    fn leaf(&mut self, node: &'a Node) -> Result<Operand<'a>, Fault> {
        self.budget.charge(1).map_err(|it| it.at(node.span))?;
        let frame = self.frames.last();
        match &node.kind {
            Kind::Null => Ok(self.variables.get("null").map_or(Operand::Nil, Operand::of)),
            Kind::Bool(bool) => Ok(Operand::Bool(*bool)),
            Kind::Integer(integer) => Ok(Operand::Number(Number::Integer((*integer).into()))),
            Kind::Double(double) => Ok(Operand::Number(Number::Double(*double))),
            Kind::Text(text) => Ok(Operand::Text(Text::borrowed(text, Origin::Written))),
            Kind::Variable(slot) => {
                Ok(self.slots.get(*slot).map_or(Operand::Nil, |it| Operand::of(it)))
            }
            Kind::Local { slot, .. } => Ok(self.locals.get(*slot).cloned().unwrap_or(Operand::Nil)),
            Kind::Element => Ok(frame.map_or(Operand::Nil, |it| it.element.clone())),
            Kind::ElementIndex => Ok(frame.map_or(Operand::Nil, |it| Operand::count(it.index))),
            Kind::Accumulator => Ok(frame.map_or(Operand::Nil, |it| it.accumulator.clone())),
            Kind::List(items) => {
                let items = self.evaluate_all(items)?;
                Operand::list(items).map_err(|it| it.at(node.span))
            }
            Kind::Map(members) => self.map(node, members),
            Kind::Nil
            | Kind::Unary { .. }
            | Kind::Binary { .. }
            | Kind::Comparisons { .. }
            | Kind::Conditional { .. }
            | Kind::Let { .. }
            | Kind::Member { .. }
            | Kind::Index { .. }
            | Kind::Slice { .. }
            | Kind::OptionalChain(_)
            | Kind::Call { .. } => Ok(Operand::Nil),
        }
    }

    fn map(&mut self, node: &Node, members: &'a [(String, NodeId)]) -> Result<Operand<'a>, Fault> {
        let mut map = IndexMap::with_capacity(members.len());
        for (key, member) in members {
            self.budget.charge_bytes(key.len()).map_err(|it| it.at(node.span))?;
            map.insert(key.clone(), self.evaluate(*member)?);
        }
        Operand::map(map).map_err(|it| it.at(node.span))
    }

    fn evaluate_all(&mut self, ids: &[NodeId]) -> Result<Vec<Operand<'a>>, Fault> {
        ids.iter().map(|id| self.evaluate(*id)).collect()
    }

    /// A node whose first operand is known.
    fn apply(&mut self, node: &'a Node, head: Operand<'a>) -> Result<Operand<'a>, Fault> {
        let at = |cause: Cause| cause.at(node.span);
        match &node.kind {
            Kind::Unary { operator, .. } => self.rules().unary(*operator, &head).map_err(at),
            Kind::Binary { operator, right, .. } => self.binary(node, *operator, (head, *right)),
            Kind::Comparisons { rest, .. } => self.comparisons(node, head, rest),
            Kind::Conditional { then, otherwise, .. } => match truth(&head, "a condition") {
                Ok(true) => self.evaluate(*then),
                Ok(false) => self.evaluate(*otherwise),
                Err(cause) => Err(at(cause)),
            },
            Kind::Let { body, .. } => {
                self.locals.push(head);
                let result = self.evaluate(*body);
                self.locals.pop();
                result
            }
            Kind::Member { name, .. } => access::member(&head, name).map_err(at),
            Kind::Index { index, .. } => {
                let index = self.evaluate(*index)?;
                self.budget.charge_text(&index).map_err(at)?;
                access::element(&head, &index).map_err(at)
            }
            Kind::Slice { from, to, .. } => {
                let from = from.map(|it| self.evaluate(it)).transpose()?;
                let to = to.map(|it| self.evaluate(it)).transpose()?;
                access::slice(&head, (from, to), &mut self.budget).map_err(at)
            }
            Kind::Call { function, arguments } => {
                self.call(node, *function, (head, arguments.get(1..).unwrap_or_default()))
            }
            Kind::OptionalChain(_)
            | Kind::Nil
            | Kind::Null
            | Kind::Bool(_)
            | Kind::Integer(_)
            | Kind::Double(_)
            | Kind::Text(_)
            | Kind::Variable(_)
            | Kind::Local { .. }
            | Kind::Element
            | Kind::ElementIndex
            | Kind::Accumulator
            | Kind::List(_)
            | Kind::Map(_) => Ok(head),
        }
    }

    fn binary(
        &mut self,
        node: &Node,
        operator: BinaryOperator,
        (left, right): (Operand<'a>, NodeId),
    ) -> Result<Operand<'a>, Fault> {
        let at = |cause: Cause| cause.at(node.span);
        if let Some(settled) = self.rules().settled(operator, &left).map_err(at)? {
            return Ok(settled);
        }
        if let Some(pattern) = self.patterns.get(&right) {
            return self.rules().is_match(pattern, &left).map_err(at);
        }
        let right = self.evaluate(right)?;
        self.rules().binary(operator, &left, &right).map_err(at)
    }

    /// Stops at the first comparison that does not hold, like `&&` would.
    fn comparisons(
        &mut self,
        node: &Node,
        first: Operand<'a>,
        rest: &[(BinaryOperator, NodeId)],
    ) -> Result<Operand<'a>, Fault> {
        let mut left = first;
        for (operator, right) in rest {
            let right = self.evaluate(*right)?;
            self.budget.charge_text(&right).map_err(|it| it.at(node.span))?;
            let holds = self.rules().holds(*operator, &left, &right);
            if !holds.map_err(|it| it.at(node.span))? {
                return Ok(Operand::Bool(false));
            }
            left = right;
        }
        Ok(Operand::Bool(true))
    }

    pub(super) fn rules(&mut self) -> Rules<'_> {
        Rules {
            coercion: self.coercion,
            pattern_bytes: self.pattern_bytes,
            budget: &mut self.budget,
        }
    }
}

/// A boolean that must be one already: conditions and predicates are not coerced.
pub(super) fn truth(operand: &Operand<'_>, what: &str) -> Result<bool, Cause> {
    Coercion::Off.bool(operand, what)
}

fn is_optional(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Member { optional: true, .. }
            | Kind::Index { optional: true, .. }
            | Kind::Slice { optional: true, .. }
    )
}
