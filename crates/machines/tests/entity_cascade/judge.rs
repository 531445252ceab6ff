//! A small judge: enough of a condition language to tell stories with.

use waypost_documents::document::Value;
use waypost_machines::entity::cascade::{Function, Question, Terms, Verdict};

/// The verdict on a criterion of the types simple, lifecycle, group, function and broken.
pub(crate) fn verdict(question: Question<'_>) -> Verdict {
    let mut answers = question.answers.iter();
    match holds(question.criterion, question, &mut answers) {
        Ok(true) => Verdict::Yes,
        Ok(false) => Verdict::No { reason: None },
        Err(verdict) => verdict,
    }
}

fn holds<'a>(
    criterion: &Value,
    question: Question<'_>,
    answers: &mut impl Iterator<Item = &'a bool>,
) -> Result<bool, Verdict> {
    let text = |name| criterion.member(name).and_then(Value::as_text).unwrap_or_default();
    match text("type") {
        "simple" => {
            let found = question.entity.value.member(text("jsonPath").trim_start_matches("$."));
            Ok(found.unwrap_or(&Value::Null) == criterion.member("value").unwrap())
        }
        "lifecycle" => {
            let found = match text("field") {
                "state" => question.entity.state,
                "previousTransition" => question.entity.previous_transition,
                other => return Err(Verdict::Broken(format!("there is no field {other}"))),
            };
            Ok(found == text("value"))
        }
        "group" => {
            let Some(Value::List(conditions)) = criterion.member("conditions") else { panic!() };
            let settles = text("operator") == "OR";
            for condition in conditions {
                if holds(condition, question, answers)? == settles {
                    return Ok(settles);
                }
            }
            Ok(!settles)
        }
        "function" => match answers.next() {
            Some(answer) => Ok(*answer),
            None => Err(Verdict::Ask(function(criterion))),
        },
        other => Err(Verdict::Broken(format!("there is no type {other}"))),
    }
}

fn function(criterion: &Value) -> Function {
    let function = criterion.member("function").unwrap();
    let text = |name| function.member(name).and_then(Value::as_text).unwrap_or_default().to_owned();
    let terms =
        Terms { attach_entity: true, retry_policy: text("retryPolicy"), ..Terms::default() };
    Function { name: text("name"), terms }
}
