//! Reads conditions. Members that nobody knows are ignored; what is known must be right.

use waypost_documents::{
    document::Value,
    predicate::{Field, OperandError, Operator, Path, Predicate},
};

use super::{
    Criterion, Function,
    error::{CriterionError, Mistake},
    limits::{CONDITIONS_MAX, DEPTH_MAX, PATTERNS_MAX, SHAPES_MAX},
};

pub(super) fn parse(condition: &Value) -> Result<Criterion, CriterionError> {
    Parser::default().condition(condition, 0)
}

/// Counts what is limited.
#[derive(Default)]
struct Parser {
    n_conditions: usize,
    n_patterns: usize,
    n_shapes: usize,
}

impl Parser {
    fn condition(&mut self, condition: &Value, depth: usize) -> Result<Criterion, CriterionError> {
        if depth > DEPTH_MAX {
            let detail = format!("conditions lie at most {DEPTH_MAX} groups deep");
            return Err(CriterionError::condition("", detail));
        }
        self.count(1)?;
        if !matches!(condition, Value::Object(_)) {
            return Err(expected("", "a condition, which is an object", condition));
        }
        match text(condition, "type")? {
            Some("simple") => self.simple(condition).map(Criterion::Predicate),
            Some("lifecycle") => self.lifecycle(condition).map(Criterion::Predicate),
            Some("array") => self.array(condition).map(Criterion::Predicate),
            Some("group") => self.group(condition, depth),
            Some("function") => function(condition).map(Criterion::Function),
            None | Some(_) => Err(CriterionError::condition("type", TYPES)),
        }
    }

    fn simple(&mut self, condition: &Value) -> Result<Predicate, CriterionError> {
        let path = path(condition)?;
        let operator = self.operator(condition)?;
        Predicate::compare(path, operator, operand(condition)).map_err(|it| compares("value", &it))
    }

    fn lifecycle(&mut self, condition: &Value) -> Result<Predicate, CriterionError> {
        let field = field(condition)?;
        let operator = self.operator(condition)?;
        Predicate::lifecycle(field, operator, operand(condition))
            .map_err(|it| compares("value", &it))
    }

    fn array(&mut self, condition: &Value) -> Result<Predicate, CriterionError> {
        let path = path(condition)?;
        let values = list(condition, "values")?;
        let values = values.ok_or_else(|| expected("values", "a list", &Value::Null))?;
        self.count(values.len())?;
        Predicate::elements(path, values)
            .map_err(|(index, it)| compares(&format!("values[{index}]"), &it))
    }

    fn group(&mut self, condition: &Value, depth: usize) -> Result<Criterion, CriterionError> {
        let group = match text(condition, "operator")? {
            Some("AND") => Criterion::All,
            Some("OR") => Criterion::Any,
            None | Some(_) => {
                return Err(CriterionError::condition("operator", "expected AND or OR"));
            }
        };
        let conditions = list(condition, "conditions")?.unwrap_or_default().iter().enumerate();
        let inner = conditions.map(|(index, inner)| {
            self.condition(inner, depth + 1)
                .map_err(|it| it.inside(&format!("conditions[{index}]")))
        });
        inner.collect::<Result<_, _>>().map(group)
    }

    /// The first of its three names that says something counts.
    fn operator(&mut self, condition: &Value) -> Result<Operator, CriterionError> {
        for name in ["operatorType", "operator", "operation"] {
            let Some(written) = text(condition, name)?.filter(|it| !it.is_empty()) else {
                continue;
            };
            let operator = Operator::named(written).ok_or_else(|| unknown_operator(name))?;
            self.count_costly(operator).map_err(|it| CriterionError::condition(name, it))?;
            return Ok(operator);
        }
        Err(unknown_operator("operatorType"))
    }

    /// Counts what takes longer than other operators do.
    fn count_costly(&mut self, operator: Operator) -> Result<(), String> {
        self.n_patterns += usize::from(operator == Operator::MatchesPattern);
        let seeks =
            matches!(operator, Operator::Like | Operator::IContains | Operator::INotContains);
        self.n_shapes += usize::from(seeks);
        if self.n_patterns > PATTERNS_MAX {
            return Err(format!("a criterion has at most {PATTERNS_MAX} patterns"));
        }
        if self.n_shapes > SHAPES_MAX {
            return Err(format!(
                "a criterion has at most {SHAPES_MAX} of LIKE, ICONTAINS and INOT_CONTAINS"
            ));
        }
        Ok(())
    }

    fn count(&mut self, conditions: usize) -> Result<(), CriterionError> {
        self.n_conditions += conditions;
        if self.n_conditions > CONDITIONS_MAX {
            let detail = format!("a criterion has at most {CONDITIONS_MAX} conditions and values");
            return Err(CriterionError::condition("", detail));
        }
        Ok(())
    }
}

const TYPES: &str = "expected simple, lifecycle, group, array or function";

fn path(condition: &Value) -> Result<Path, CriterionError> {
    let Some(path) = text(condition, "jsonPath")? else {
        return Err(CriterionError::condition("jsonPath", "expected a path"));
    };
    Path::parse(path).map_err(|it| CriterionError::new("jsonPath", Mistake::Field, it.to_string()))
}

fn field(condition: &Value) -> Result<Field, CriterionError> {
    let field = text(condition, "field")?.and_then(Field::named);
    field.ok_or_else(|| {
        let names = names(Field::NAMES.iter().map(|(name, _)| *name));
        CriterionError::new("field", Mistake::Field, format!("expected one of {names}"))
    })
}

fn unknown_operator(place: &str) -> CriterionError {
    let names = names(Operator::NAMES.iter().map(|(name, _)| *name));
    CriterionError::condition(place, format!("expected one of {names}"))
}

fn names(names: impl Iterator<Item = &'static str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

fn operand(condition: &Value) -> &Value {
    condition.member("value").unwrap_or(&Value::Null)
}

fn compares(place: &str, error: &OperandError) -> CriterionError {
    let mistake = match error {
        OperandError::Kind { .. } | OperandError::Range(_) | OperandError::Time => Mistake::Operand,
        OperandError::Length | OperandError::Pattern(_) => Mistake::Condition,
    };
    CriterionError::new(place, mistake, error.to_string())
}

fn function(condition: &Value) -> Result<Function, CriterionError> {
    let inside = |it: CriterionError| it.inside("function");
    let function = match condition.member("function") {
        Some(function @ Value::Object(_)) => function,
        other => return Err(expected("function", "an object", other.unwrap_or(&Value::Null))),
    };
    let name = text(function, "name").map_err(inside)?.filter(|it| !it.is_empty());
    let Some(name) = name else {
        return Err(CriterionError::condition("function.name", "expected a name"));
    };
    configured(name, function).map_err(inside)
}

fn configured(name: &str, function: &Value) -> Result<Function, CriterionError> {
    let inside = |it: CriterionError| it.inside("config");
    let config = match function.member("config") {
        Some(config @ Value::Object(_)) => config,
        None | Some(Value::Null) => &Value::Null,
        Some(other) => return Err(expected("config", "an object", other)),
    };
    let written =
        |name| text(config, name).map(|it| it.unwrap_or_default().to_owned()).map_err(inside);
    let tags = written("calculationNodesTags")?;
    let tags = tags.split(',').map(str::trim).filter(|it| !it.is_empty());
    Ok(Function {
        name: name.to_owned(),
        tags: tags.map(str::to_owned).collect(),
        attach_entity: yes(config, "attachEntity").map_err(inside)?.unwrap_or(true),
        timeout_ms: milliseconds(config, "responseTimeoutMs").map_err(inside)?,
        retry_policy: written("retryPolicy")?,
        context: written("context")?,
    })
}

fn text<'a>(object: &'a Value, name: &str) -> Result<Option<&'a str>, CriterionError> {
    match object.member(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Text(text)) => Ok(Some(text)),
        Some(other) => Err(expected(name, "text", other)),
    }
}

fn list<'a>(object: &'a Value, name: &str) -> Result<Option<&'a [Value]>, CriterionError> {
    match object.member(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::List(elements)) => Ok(Some(elements)),
        Some(other) => Err(expected(name, "a list", other)),
    }
}

fn yes(object: &Value, name: &str) -> Result<Option<bool>, CriterionError> {
    match object.member(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(yes)) => Ok(Some(*yes)),
        Some(other) => Err(expected(name, "true or false", other)),
    }
}

/// A time that has passed already, or none at all, says nothing.
fn milliseconds(object: &Value, name: &str) -> Result<Option<u64>, CriterionError> {
    let number = match object.member(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Number(number)) => number.as_str().parse::<i64>().ok(),
        Some(_) => None,
    };
    let Some(number) = number else {
        return Err(CriterionError::condition(name, "expected a whole number of milliseconds"));
    };
    Ok(u64::try_from(number).ok().filter(|it| *it > 0))
}

fn expected(place: &str, what: &str, found: &Value) -> CriterionError {
    let found = match found {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::Text(_) => "text",
        Value::List(_) => "a list",
        Value::Object(_) => "an object",
    };
    CriterionError::condition(place, format!("expected {what}, found {found}"))
}
