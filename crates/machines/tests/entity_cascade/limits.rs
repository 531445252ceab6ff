//! How far a cascade goes.

use crate::story::tell;

/// A line of states from `S0`, each leading to the next by itself.
fn line(n_transitions: usize) -> String {
    let step = |index: usize| format!("S{index} t{index} -> S{}\n", index + 1);
    (0..n_transitions).map(step).collect()
}

fn last_line(story: &str) -> String {
    tell(story).lines().last().unwrap().to_owned()
}

#[test]
fn ninety_nine_automated_transitions_are_possible_and_a_hundred_are_not() {
    let create = |n| last_line(&format!("workflow a S0\n{}create {{}}", line(n)));
    assert_eq!(create(99), "=> S99 by loopback, a, as it was");
    assert_eq!(create(100), "=> WORKFLOW_FAILED the entity is still moving after 100 rounds");
}

#[test]
fn a_transition_that_was_asked_for_does_not_count() {
    let take = |n| last_line(&format!("workflow a S0\n{}take t0 at S0 {{}}", line(n)));
    assert_eq!(take(100), "=> S100 by t0, a, as it was".replace(", a,", ", -,"));
    assert_eq!(take(101), "=> WORKFLOW_FAILED the entity is still moving after 100 rounds");
}

#[test]
fn nobody_is_asked_to_work_on_what_is_given_up() {
    let story = format!("workflow a S0\n{}S99 t99 -> S100 do p\ncreate {{}}", line(99));
    let told = tell(&story);
    assert_eq!(told.matches("TRANSITION_MAKE").count(), 99);
    assert_eq!(told.matches("CANCEL [S99]").count(), 1);
    assert!(!told.contains("ask"), "{told}");
}

#[test]
fn a_guarded_circle_is_given_up_when_a_state_is_entered_for_the_eleventh_time() {
    let told = tell("workflow a A\nA on -> B if x=1\nB back -> A if x=1\ncreate {\"x\":1}");
    assert_eq!(told.matches("TRANSITION_MAKE [A]").count(), 10);
    assert_eq!(told.matches("TRANSITION_MAKE [B]").count(), 10);
    let end: Vec<_> = told.lines().rev().take(2).collect();
    assert_eq!(end[1], "  CANCEL [A] state A was entered more than 10 times");
    assert_eq!(end[0], "=> WORKFLOW_FAILED state A was entered more than 10 times");
}

#[test]
fn the_state_in_which_the_cascade_begins_counts_as_entered() {
    // The circle is left after the tenth visit, because the processor counts.
    let answers: String = (1..=9).map(|it| format!("answer p {{\"n\":{it}}}\n")).collect();
    let circle = "workflow a A\nA out -> OUT if n=9\nA on -> A if go=null do p\n";
    let story = format!("{circle}{answers}take missing at A {{}}\nupdate at A {{}}");
    assert_eq!(last_line(&story), "=> OUT by loopback, -, {\"n\":9}");
    let more = story.replace("n=9\n", "n=10\n").replace("take", "answer p {\"n\":10}\ntake");
    assert_eq!(last_line(&more), "=> WORKFLOW_FAILED state A was entered more than 10 times");
}

#[test]
fn a_long_reason_is_cut_between_two_characters() {
    let reason = "é".repeat(1_023) + "ab" + "é";
    let story =
        format!("workflow a A\nA go -> B manual if f\nanswer f no {reason}\ntake go at A {{}}");
    let told = tell(&story);
    let kept = "é".repeat(1_023) + "ab";
    assert!(told.contains(&format!("\"reason\":\"{kept}\"}}")), "{told}");
    assert!(told.ends_with(&format!(
        "=> WORKFLOW_FAILED transition go is not possible in state A: {kept}\n"
    )));
    let odd = "a".to_owned() + &"é".repeat(1_024);
    let story = format!("workflow a A if f\nanswer f no {odd}\ncreate {{}}");
    let kept = "a".to_owned() + &"é".repeat(1_023);
    assert!(tell(&story).contains(&format!("\"reason\":\"{kept}\"}}")));
}

#[test]
fn what_members_say_is_cut_before_it_is_kept() {
    let endless = "x".repeat(5_000);
    let kept = |text: &str| text.matches('x').count();
    let story =
        format!("workflow a A\nA go -> B do p\nanswer p fails refused {endless}\ncreate {{}}");
    assert_eq!(kept(&last_line(&story)), 2_048);
    let story =
        format!("workflow a A\nA go -> B if f\nanswer f fails refused {endless}\ncreate {{}}");
    assert_eq!(kept(&last_line(&story)), 2_048);
    let warns =
        format!("workflow a A\nA go -> B do p\nwarns {endless}\nanswer p nothing\ncreate {{}}");
    assert_eq!(kept(&tell(&warns)), 2_048);
}
