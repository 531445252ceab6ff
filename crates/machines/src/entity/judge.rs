//! Criteria in a run: what [`super::criterion`] says, in the words of [`super::cascade`].

use std::time::Duration;

use waypost_documents::{document::Value, predicate::Subject};

use super::{
    cascade::{self, Entity, Question, Terms, Verdict},
    criterion::{Criterion, Function},
};

/// Whether `criterion`, which is that of `question`, holds. Functions that have answered are not
/// asked again; the first that has not is asked now.
#[must_use]
pub fn judge(criterion: &Criterion, question: &Question<'_>) -> Verdict {
    let mut answers = question.answers.iter().copied();
    let mut ask = |function: &Function| answers.next().ok_or_else(|| asked(function));
    match criterion.evaluate(&subject(&question.entity), &mut ask) {
        Ok(true) => Verdict::Yes,
        Ok(false) => Verdict::No { reason: None },
        Err(function) => Verdict::Ask(function),
    }
}

/// Whether a criterion can be read, so that it is refused before it is stored.
///
/// # Errors
/// The first mistake and its place.
pub fn is_sound(criterion: &Value) -> Result<(), String> {
    Criterion::parse(criterion).map(drop).map_err(|error| error.to_string())
}

pub(super) fn subject<'a>(entity: &Entity<'a>) -> Subject<'a> {
    Subject {
        value: entity.value,
        state: entity.state,
        previous_transition: entity.previous_transition,
        created_at: entity.created_at.as_micros(),
        updated_at: entity.updated_at.as_micros(),
        transaction: entity.transaction,
        id: entity.id,
    }
}

fn asked(function: &Function) -> cascade::Function {
    cascade::Function {
        name: function.name.clone(),
        terms: Terms {
            attach_entity: function.attach_entity,
            tags: function.tags.clone(),
            timeout: function.timeout_ms.map(Duration::from_millis),
            retry_policy: function.retry_policy.clone(),
            context: function.context.clone(),
        },
    }
}
