//! When text from variables stands for a number or a boolean, and when it does not.

use super::{
    Cause, Coercion,
    number::Number,
    operand::{Operand, Origin, Text},
};

impl Coercion {
    /// The number a text stands for, if it may stand for one and looks like one.
    pub(super) fn number_in(self, text: &Text<'_>) -> Option<Number> {
        if self.applies_to(text) { Number::shaped(text.as_str()) } else { None }
    }

    /// The operand as a number, for an operator that needs one.
    pub(super) fn number(self, operand: &Operand<'_>, operator: &str) -> Result<Number, Cause> {
        match operand {
            Operand::Number(number) => Ok(*number),
            Operand::Text(text) if self.applies_to(text) => {
                Number::shaped(text.as_str()).ok_or_else(|| cannot_coerce(text, "number"))
            }
            Operand::Text(_)
            | Operand::Nil
            | Operand::Bool(_)
            | Operand::List(_)
            | Operand::Map(_) => {
                let found = operand.type_name();
                Err(Cause::operation(format!("{operator} needs numbers, found {found}")))
            }
        }
    }

    /// The operand as a boolean, for an operator that needs one.
    pub(super) fn bool(self, operand: &Operand<'_>, operator: &str) -> Result<bool, Cause> {
        match operand {
            Operand::Bool(bool) => Ok(*bool),
            Operand::Text(text) if self.applies_to(text) => match text.as_str() {
                yes if yes.eq_ignore_ascii_case("true") => Ok(true),
                no if no.eq_ignore_ascii_case("false") => Ok(false),
                _ => Err(cannot_coerce(text, "bool")),
            },
            Operand::Text(_)
            | Operand::Nil
            | Operand::Number(_)
            | Operand::List(_)
            | Operand::Map(_) => {
                let found = operand.type_name();
                Err(Cause::operation(format!("{operator} needs booleans, found {found}")))
            }
        }
    }

    fn applies_to(self, text: &Text<'_>) -> bool {
        self == Self::On && text.origin == Origin::Variable
    }
}

fn cannot_coerce(text: &Text<'_>, to: &'static str) -> Cause {
    Cause::Coercion { value: text.as_str().to_owned(), to }
}
