//! What members are told, and how often they are asked.

use std::time::Duration;

use waypost_machines::entity::{
    cascade::{Cause, FailureKind, Pace, Retry, Terms},
    workflow::Config,
};

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
    ] {
        assert_eq!(kind.is_retryable(), is_retryable, "{}", kind.code());
    }
}
