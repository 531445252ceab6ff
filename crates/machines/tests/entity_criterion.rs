//! Criteria: conditions as they are written in, yes or no out.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that panics has failed")]

#[path = "entity_criterion/check.rs"]
mod check;
#[path = "entity_criterion/functions.rs"]
mod functions;
#[path = "entity_criterion/groups.rs"]
mod groups;
#[path = "entity_criterion/hostile.rs"]
mod hostile;
#[path = "entity_criterion/lifecycle.rs"]
mod lifecycle;
#[path = "entity_criterion/lookup.rs"]
mod lookup;
#[path = "entity_criterion/mistakes.rs"]
mod mistakes;
#[path = "entity_criterion/numbers.rs"]
mod numbers;
#[path = "entity_criterion/operators.rs"]
mod operators;
#[path = "entity_criterion/paths.rs"]
mod paths;
#[path = "entity_criterion/properties.rs"]
mod properties;
#[path = "entity_criterion/texts.rs"]
mod texts;
