//! Conditions in a few words.

use waypost_documents::document::Value;

/// How deep groups are written out.
const DEPTH_MAX: usize = 3;

/// How many conditions of a group are written out.
const SHOWN_MAX: usize = 4;

/// A condition as people would say it. What is not understood is shown as three dots.
#[must_use]
pub fn shown(condition: &Value) -> String {
    said(condition, 0)
}

fn said(condition: &Value, depth: usize) -> String {
    let text = |name: &str| condition.member(name).and_then(Value::as_text).unwrap_or_default();
    match text("type") {
        "simple" => comparison(condition, text("jsonPath").trim_start_matches("$.")),
        "lifecycle" => comparison(condition, text("field")),
        "array" => format!("{} is as listed", text("jsonPath").trim_start_matches("$.")),
        "function" => {
            let function = condition.member("function").and_then(|it| it.member("name"));
            format!("{}()", function.and_then(Value::as_text).unwrap_or_default())
        }
        "group" if depth < DEPTH_MAX => {
            let word = if text("operator") == "OR" { " or " } else { " and " };
            let joined = group(condition, depth).join(word);
            if depth == 0 { joined } else { format!("({joined})") }
        }
        _ => "…".to_owned(),
    }
}

fn group(condition: &Value, depth: usize) -> Vec<String> {
    let Some(Value::List(conditions)) = condition.member("conditions") else { return Vec::new() };
    let mut all: Vec<String> =
        conditions.iter().take(SHOWN_MAX).map(|it| said(it, depth + 1)).collect();
    if conditions.len() > SHOWN_MAX {
        all.push("…".to_owned());
    }
    all
}

fn comparison(condition: &Value, subject: &str) -> String {
    let names = ["operatorType", "operator", "operation"];
    let operator = names.iter().find_map(|it| condition.member(it).and_then(Value::as_text));
    let operator = operator.unwrap_or_default();
    let sign = match operator {
        "EQUALS" => "=",
        "NOT_EQUAL" => "≠",
        "GREATER_THAN" => ">",
        "LESS_THAN" => "<",
        "GREATER_OR_EQUAL" => "≥",
        "LESS_OR_EQUAL" => "≤",
        "IS_NULL" => return format!("{subject} is null"),
        "NOT_NULL" => return format!("{subject} is not null"),
        other => &other.to_lowercase().replace('_', " "),
    };
    match condition.member("value") {
        Some(value) => format!("{subject} {sign} {value}"),
        None => format!("{subject} {sign}"),
    }
}
