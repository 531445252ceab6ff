//! What the operators do to their operands.

use std::{cmp::Ordering, rc::Rc};

use regex::Regex;

use super::{
    BinaryOperator, Cause, Coercion, UnaryOperator,
    limits::PATTERN_STEPS,
    number::Number,
    operand::{Budget, List, Operand, Origin, Text},
    pattern,
};

/// What an operation may look at besides its operands.
pub(super) struct Rules<'b> {
    pub(super) coercion: Coercion,
    pub(super) pattern_bytes: usize,
    pub(super) budget: &'b mut Budget,
}

impl Rules<'_> {
    pub(super) fn unary<'a>(
        &self,
        operator: UnaryOperator,
        operand: &Operand<'a>,
    ) -> Result<Operand<'a>, Cause> {
        match operator {
            UnaryOperator::Not => Ok(Operand::Bool(!self.coercion.bool(operand, "!")?)),
            UnaryOperator::Minus => Ok(Operand::Number(number(operand, "-")?.negate())),
            UnaryOperator::Plus => Ok(Operand::Number(number(operand, "+")?)),
        }
    }

    /// The answer that the left side alone gives, if it does.
    pub(super) fn settled<'a>(
        &self,
        operator: BinaryOperator,
        left: &Operand<'a>,
    ) -> Result<Option<Operand<'a>>, Cause> {
        let is_nil = matches!(left, Operand::Nil);
        if operator == BinaryOperator::Coalesce {
            return Ok((!is_nil).then(|| left.clone()));
        }
        if !matches!(operator, BinaryOperator::Or | BinaryOperator::And) {
            return Ok(None);
        }
        let left = self.coercion.bool(left, operator.symbol())?;
        Ok((left == (operator == BinaryOperator::Or)).then_some(Operand::Bool(left)))
    }

    /// What the left side did not settle.
    pub(super) fn binary<'a>(
        &mut self,
        operator: BinaryOperator,
        left: &Operand<'a>,
        right: &Operand<'a>,
    ) -> Result<Operand<'a>, Cause> {
        self.budget.charge_text(left)?;
        self.budget.charge_text(right)?;
        match operator {
            BinaryOperator::Add => self.add(left, right),
            BinaryOperator::Subtract => self.arithmetic("-", left, right, Number::subtract),
            BinaryOperator::Multiply => self.arithmetic("*", left, right, Number::multiply),
            BinaryOperator::Divide => self.arithmetic("/", left, right, Number::divide),
            BinaryOperator::Remainder => {
                number(left, "%")?.remainder(number(right, "%")?).map(Operand::Number)
            }
            BinaryOperator::Power => {
                Ok(Operand::Number(number(left, "**")?.power(number(right, "**")?)))
            }
            BinaryOperator::Range => self.range(left, right),
            BinaryOperator::Equal => self.equal(left, right).map(Operand::Bool),
            BinaryOperator::NotEqual => Ok(Operand::Bool(!self.equal(left, right)?)),
            BinaryOperator::Less
            | BinaryOperator::LessOrEqual
            | BinaryOperator::Greater
            | BinaryOperator::GreaterOrEqual => {
                self.holds(operator, left, right).map(Operand::Bool)
            }
            BinaryOperator::In => self.is_in(left, right).map(Operand::Bool),
            BinaryOperator::Contains => {
                self.texts(operator, left, right, |it, part| it.contains(part))
            }
            BinaryOperator::StartsWith => {
                self.texts(operator, left, right, |it, part| it.starts_with(part))
            }
            BinaryOperator::EndsWith => {
                self.texts(operator, left, right, |it, part| it.ends_with(part))
            }
            BinaryOperator::Matches => self.matches(left, right),
            // The left side did not settle it, so the right side is the answer.
            BinaryOperator::Or | BinaryOperator::And => {
                self.coercion.bool(right, operator.symbol()).map(Operand::Bool)
            }
            BinaryOperator::Coalesce => Ok(right.clone()),
        }
    }

    fn arithmetic<'a>(
        &self,
        operator: &str,
        left: &Operand<'a>,
        right: &Operand<'a>,
        compute: impl Fn(Number, Number) -> Number,
    ) -> Result<Operand<'a>, Cause> {
        let left = self.coercion.number(left, operator)?;
        let right = self.coercion.number(right, operator)?;
        Ok(Operand::Number(compute(left, right)))
    }

    /// Numbers add up, and so does text that stands for numbers; other text is joined.
    fn add<'a>(&mut self, left: &Operand<'a>, right: &Operand<'a>) -> Result<Operand<'a>, Cause> {
        if let (Operand::Text(left), Operand::Text(right)) = (left, right) {
            let numbers = (self.coercion.number_in(left), self.coercion.number_in(right));
            return match numbers {
                (Some(left), Some(right)) => Ok(Operand::Number(left.add(right))),
                (Some(_) | None, _) => self.concatenate(left, right),
            };
        }
        self.arithmetic("+", left, right, Number::add)
    }

    fn concatenate<'a>(&mut self, left: &Text<'a>, right: &Text<'a>) -> Result<Operand<'a>, Cause> {
        let (left, right) = (left.as_str(), right.as_str());
        self.budget.charge_bytes(left.len() + right.len())?;
        Ok(Operand::Text(Text::made(Rc::from([left, right].concat()), Origin::Written)))
    }

    fn range<'a>(&mut self, from: &Operand<'a>, to: &Operand<'a>) -> Result<Operand<'a>, Cause> {
        let (from, to) = (integer(from, "..")?, integer(to, "..")?);
        let length = usize::try_from((to - from + 1).max(0)).unwrap_or(usize::MAX);
        self.budget.charge(length)?;
        Operand::list((from..=to).map(|it| Operand::Number(Number::Integer(it))).collect())
    }

    fn equal(&mut self, left: &Operand<'_>, right: &Operand<'_>) -> Result<bool, Cause> {
        match (left, right) {
            (Operand::Number(number), Operand::Text(text))
            | (Operand::Text(text), Operand::Number(number)) => {
                let found = self.coercion.number_in(text);
                let order = found.and_then(|it| it.compare(*number));
                Ok(order.is_some_and(Ordering::is_eq))
            }
            (
                Operand::Nil
                | Operand::Bool(_)
                | Operand::Number(_)
                | Operand::Text(_)
                | Operand::List(_)
                | Operand::Map(_),
                _,
            ) => left.equals(right, self.budget),
        }
    }

    /// Whether an ordering holds. Nothing holds of NaN.
    pub(super) fn holds(
        &mut self,
        operator: BinaryOperator,
        left: &Operand<'_>,
        right: &Operand<'_>,
    ) -> Result<bool, Cause> {
        let Some(order) = self.order(operator.symbol(), left, right)? else { return Ok(false) };
        let holding = match order {
            Ordering::Less => [BinaryOperator::Less, BinaryOperator::LessOrEqual],
            Ordering::Equal => [BinaryOperator::LessOrEqual, BinaryOperator::GreaterOrEqual],
            Ordering::Greater => [BinaryOperator::Greater, BinaryOperator::GreaterOrEqual],
        };
        Ok(holding.contains(&operator))
    }

    fn order(
        &self,
        operator: &str,
        left: &Operand<'_>,
        right: &Operand<'_>,
    ) -> Result<Option<Ordering>, Cause> {
        if let (Operand::Text(left), Operand::Text(right)) = (left, right) {
            let numbers = (self.coercion.number_in(left), self.coercion.number_in(right));
            return Ok(match numbers {
                (Some(left), Some(right)) => left.compare(right),
                (Some(_) | None, _) => Some(left.as_str().cmp(right.as_str())),
            });
        }
        let left = self.coercion.number(left, operator)?;
        Ok(left.compare(self.coercion.number(right, operator)?))
    }

    /// Whether a collection has an element, or an object a key. Text is never coerced here.
    pub(super) fn is_in(
        &mut self,
        element: &Operand<'_>,
        collection: &Operand<'_>,
    ) -> Result<bool, Cause> {
        match (collection, element) {
            (Operand::List(list), _) => self.has(list, element),
            (Operand::Map(members), Operand::Text(key)) => Ok(members.has(key.as_str())),
            (Operand::Nil, _) => Ok(false),
            (Operand::Map(_) | Operand::Bool(_) | Operand::Number(_) | Operand::Text(_), _) => {
                let (collection, element) = (collection.type_name(), element.type_name());
                Err(Cause::operation(format!("cannot look for {element} in {collection}")))
            }
        }
    }

    fn has(&mut self, list: &List<'_>, element: &Operand<'_>) -> Result<bool, Cause> {
        for item in list.iter() {
            if item.equals(element, self.budget)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A pattern that is only known now is compiled now, and costs accordingly.
    fn matches<'a>(
        &mut self,
        left: &Operand<'a>,
        right: &Operand<'a>,
    ) -> Result<Operand<'a>, Cause> {
        self.budget.charge(PATTERN_STEPS)?;
        let pattern = pattern::compile(text(right, "matches")?, self.pattern_bytes)?;
        self.is_match(&pattern, left)
    }

    pub(super) fn is_match<'a>(
        &mut self,
        pattern: &Regex,
        operand: &Operand<'a>,
    ) -> Result<Operand<'a>, Cause> {
        let text = text(operand, "matches")?;
        self.budget.charge(text.len())?;
        Ok(Operand::Bool(pattern.is_match(text)))
    }

    fn texts<'a>(
        &self,
        operator: BinaryOperator,
        left: &Operand<'a>,
        right: &Operand<'a>,
        test: impl Fn(&str, &str) -> bool,
    ) -> Result<Operand<'a>, Cause> {
        let operator = operator.symbol();
        let (left, right) = (text(left, operator)?, text(right, operator)?);
        Ok(Operand::Bool(test(left, right)))
    }
}

pub(super) fn number(operand: &Operand<'_>, operator: &str) -> Result<Number, Cause> {
    Coercion::Off.number(operand, operator)
}

pub(super) fn integer(operand: &Operand<'_>, operator: &str) -> Result<i128, Cause> {
    let whole = number(operand, operator)?.whole();
    whole.ok_or_else(|| Cause::operation(format!("{operator} needs integers")))
}

pub(super) fn text<'o>(operand: &'o Operand<'_>, operator: &str) -> Result<&'o str, Cause> {
    match operand {
        Operand::Text(text) => Ok(text.as_str()),
        Operand::Nil
        | Operand::Bool(_)
        | Operand::Number(_)
        | Operand::List(_)
        | Operand::Map(_) => {
            let found = operand.type_name();
            Err(Cause::operation(format!("{operator} needs text, found {found}")))
        }
    }
}
