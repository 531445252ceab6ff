//! What members are told, and how often they are asked.

use std::time::Duration;

use expect_test::expect;
use waypost_documents::document::Value;
use waypost_kernel::Timestamp;
use waypost_machines::entity::{
    cascade::{
        Call, Cause, Command, Entity, FailureKind, Function, Pace, Question, Replies, Reply, Retry,
        Stop, Terms, Verdict, run,
    },
    workflow::{Config, Processor, Workflow, built_in},
};

use crate::story::whole;

/// The built-in workflow, guarded by a function of its own and one of its first transition, which
/// has a processor.
fn asking() -> Workflow {
    let criterion = Value::parse(r#"{"type":"function"}"#).ok();
    let mut workflow = Workflow { criterion: criterion.clone(), ..built_in().clone() };
    let first = &mut workflow.states.get_mut("NONE").unwrap().transitions[0];
    first.criterion = criterion;
    let config = Config { tags: "stock,eu".to_owned(), timeout_millis: 5, ..Config::default() };
    first.processors = vec![Processor { name: "p".to_owned(), config, ..Processor::default() }];
    workflow
}

fn function_terms() -> Terms {
    Terms { attach_entity: true, context: "v2".to_owned(), ..Terms::default() }
}

/// Creates an entity by [`asking`]: what the judge was asked in the last round, and all calls.
fn created() -> (Vec<String>, Vec<Call>) {
    let (workflow, value) = ([asking()], Value::parse(r#"{"a":1}"#).unwrap());
    let entity = Entity {
        id: "e-1",
        value: &value,
        state: "",
        workflow: None,
        previous_transition: "before",
        armed: &[],
        created_at: Timestamp::from_micros(1),
        updated_at: Timestamp::from_micros(2),
        transaction: "t-1",
    };
    let (mut replies, mut calls) = (Replies::new(), Vec::new());
    loop {
        let mut questions = Vec::new();
        let mut judge = |question: Question<'_>| {
            questions.push(show(&question));
            match question.answers {
                [] => Verdict::Ask(Function { name: "f".to_owned(), terms: function_terms() }),
                _ => Verdict::Yes,
            }
        };
        let command = Command::Create { transition: None };
        match run(whole(command, entity, &workflow), &replies, &mut judge) {
            Err(Stop::Call(call)) => {
                let reply = match call.key {
                    2 => Reply::Processed { value: None, warnings: vec![] },
                    _ => Reply::Matched { matches: true, reason: None, warnings: vec![] },
                };
                replies.insert(call.key, reply);
                calls.push(*call);
            }
            Ok(_) => return (questions, calls),
            Err(Stop::Failed(failure)) => panic!("{}", failure.text),
        }
    }
}

fn show(question: &Question<'_>) -> String {
    let Question { criterion, target, workflow, transition, entity, answers } = question;
    let transition = transition.map_or("-", |it| &it.name);
    let Entity { id, value, state, previous_transition, transaction, .. } = entity;
    let times = (entity.created_at.as_micros(), entity.updated_at.as_micros());
    format!(
        "{target:?} {} {transition} {criterion} {answers:?}: {id} {value} {state:?} \
         {previous_transition} {times:?} {transaction}",
        workflow.name
    )
}

#[test]
fn the_judge_is_told_what_the_question_is_about() {
    let (questions, _) = created();
    expect![[r#"
        Workflow default - {"type":"function"} []: e-1 {"a":1} "" before (1, 2) t-1
        Workflow default - {"type":"function"} [true]: e-1 {"a":1} "" before (1, 2) t-1
        Transition default NEW {"type":"function"} []: e-1 {"a":1} "NONE" before (1, 2) t-1
        Transition default NEW {"type":"function"} [true]: e-1 {"a":1} "NONE" before (1, 2) t-1"#]]
    .assert_eq(&questions.join("\n"));
}

#[test]
fn a_member_is_asked_on_the_terms_of_the_definition() {
    let (_, calls) = created();
    let terms: Vec<&Terms> = calls.iter().map(|it| &it.terms).collect();
    let processor = Terms {
        tags: vec!["stock".to_owned(), "eu".to_owned()],
        timeout: Some(Duration::from_millis(5)),
        ..Terms::default()
    };
    assert_eq!(terms, [&function_terms(), &function_terms(), &processor]);
}

#[test]
fn tags_are_separated_by_commas_and_nothing_else() {
    let tags =
        |text: &str| Terms::from(&Config { tags: text.to_owned(), ..Config::default() }).tags;
    assert_eq!(tags("stock, eu ,,A b"), ["stock", "eu", "A b"]);
    assert!(tags("").is_empty() && tags(" , ").is_empty());
}

#[test]
fn a_time_limit_that_is_not_above_zero_is_none() {
    let timeout =
        |timeout_millis| Terms::from(&Config { timeout_millis, ..Config::default() }).timeout;
    assert_eq!(timeout(15_000), Some(Duration::from_secs(15)));
    assert_eq!((timeout(0), timeout(-1)), (None, None));
}

#[test]
fn the_rest_is_passed_on_as_it_is() {
    let config = Config {
        attach_entity: true,
        retry_policy: "FIXED".to_owned(),
        context: "warehouse=7".to_owned(),
        ..Config::default()
    };
    let terms = Terms::from(&config);
    assert!(terms.attach_entity);
    assert_eq!((terms.retry_policy.as_str(), terms.context.as_str()), ("FIXED", "warehouse=7"));
    assert!(!Terms::from(&Config::default()).attach_entity);
}

#[test]
fn retry_policies_have_these_names() {
    assert_eq!(Retry::named(""), Some(Retry::Once));
    assert_eq!(Retry::named("NONE"), Some(Retry::Once));
    assert_eq!(Retry::named("FIXED"), Some(Retry::Fixed));
    assert_eq!(Retry::named("fixed"), None);
}

#[test]
fn fixed_asks_three_times_more_half_a_second_apart() {
    let wait = |n_attempts| Retry::Fixed.wait(n_attempts, Cause::TimedOut, Pace::default());
    let half = Some(Duration::from_millis(500));
    assert_eq!([1, 2, 3, 4, 5].map(wait), [half, half, half, None, None]);
    let pace = Pace { further_max: 1, apart: Duration::from_secs(1) };
    let wait = |n_attempts| Retry::Fixed.wait(n_attempts, Cause::NoMember, pace);
    assert_eq!([1, 2].map(wait), [Some(Duration::from_secs(1)), None]);
    assert_eq!(Retry::Once.wait(1, Cause::TimedOut, Pace::default()), None);
}

#[test]
fn a_no_of_the_member_is_not_asked_again_unless_it_says_so() {
    let is_asked = |cause| Retry::Fixed.wait(1, cause, Pace::default()).is_some();
    for cause in [
        Cause::NoMember,
        Cause::Disconnected,
        Cause::NotSent,
        Cause::Unreachable,
        Cause::TimedOut,
        Cause::Refused { is_retryable: true },
    ] {
        assert!(is_asked(cause), "{cause:?}");
    }
    assert!(!is_asked(Cause::Refused { is_retryable: false }));
}

#[test]
fn only_members_that_are_not_there_are_worth_another_request() {
    for (kind, is_retryable) in [
        (FailureKind::TransitionNotFound, false),
        (FailureKind::WorkflowFailed, false),
        (FailureKind::NoComputeMemberForTag, true),
        (FailureKind::ComputeMemberDisconnected, true),
        (FailureKind::DispatchForwardFailed, true),
    ] {
        assert_eq!(kind.is_retryable(), is_retryable, "{}", kind.code());
    }
}
