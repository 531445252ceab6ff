//! History, from what is retained and what was remembered.

use proptest::prelude::*;
use waypost_kernel::Timestamp;
use waypost_machines::lifecycle::{Found, History, Moved, Observed, Source, Trail};

fn at(second: i64) -> Timestamp {
    Timestamp::from_millis(second * 1_000)
}

fn value(second: i64, phase: &str, trail: Option<&Trail>) -> Observed {
    let found = Found::Value { phase: phase.to_owned(), trail: trail.cloned() };
    Observed { at: at(second), found }
}

fn history(revisions: &[Observed]) -> Vec<Moved> {
    let mut history = History::default();
    revisions.iter().for_each(|it| history.see(it));
    history.moves()
}

/// `from > to @second source note`, line by line.
fn told(moves: &[Moved]) -> Vec<String> {
    let line = |it: &Moved| {
        let second = it.at.as_micros() / 1_000_000;
        let text = format!("{} > {} @{second} {} {}", it.from, it.to, it.source.as_str(), it.note);
        text.trim().to_owned()
    };
    moves.iter().map(line).collect()
}

fn moved(trail: &Trail, second: i64, [from, to, note]: [&str; 3], source: Source) -> Trail {
    let carried = trail.clone().carried(at(second));
    carried.moved(from.to_owned(), to.to_owned(), source, note.to_owned())
}

/// Created, touched, moved by an operator and by a rule; seconds 1 to 4.
fn story() -> [Trail; 4] {
    let created = Trail::begin("survey", "planning", Source::Framework);
    let touched = created.clone().carried(at(1));
    let flying = moved(&touched, 2, ["planning", "flying", "go"], Source::Operator);
    let landing = moved(&flying, 3, ["flying", "landing", ""], Source::Rule);
    [created, touched, flying, landing]
}

const WHOLE: [&str; 3] =
    ["> planning @1 framework", "planning > flying @3 operator go", "flying > landing @4 rule"];

#[test]
fn every_move_is_told_with_its_source_and_note() {
    let [created, touched, flying, landing] = story();
    let revisions = [
        value(1, "planning", Some(&created)),
        value(2, "planning", Some(&touched)),
        value(3, "flying", Some(&flying)),
        value(4, "landing", Some(&landing)),
    ];
    for kept in 0..4 {
        assert_eq!(told(&history(&revisions[kept..])), WHOLE, "the first {kept} are gone");
    }
}

#[test]
fn a_write_that_moves_nothing_keeps_what_is_known_at_depth_one() {
    let [.., landing] = story();
    let touched = landing.carried(at(4));
    assert_eq!(told(&history(&[value(9, "landing", Some(&touched))])), WHOLE);
}

#[test]
fn without_a_trail_a_move_is_a_phase_that_differs() {
    let revisions = [value(1, "a", None), value(2, "a", None), value(3, "b", None)];
    assert_eq!(told(&history(&revisions)), ["> a @1 framework", "a > b @3 framework"]);
    let gone = told(&history(&revisions[2..]));
    assert_eq!(gone, ["> b @3 framework"], "the oldest looks like the beginning");
}

#[test]
fn a_trail_that_does_not_fit_is_not_believed() {
    let [created, _, flying, _] = story();
    let revisions = [
        value(1, "planning", Some(&created)),
        // Somebody else wrote another phase and copied the rest.
        value(2, "capturing", Some(&flying)),
        value(3, "flying", Some(&flying)),
    ];
    assert_eq!(
        told(&history(&revisions)),
        [
            "> planning @1 framework",
            "planning > capturing @2 framework",
            "capturing > flying @3 framework"
        ]
    );
}

#[test]
fn somebody_elses_write_at_depth_one_is_added_to_what_is_known() {
    let [.., landing] = story();
    let copied = told(&history(&[value(9, "lost", Some(&landing))]));
    let expected = [
        "> planning @1 framework",
        "planning > flying @3 operator go",
        // What it copied says that this was not the write that moved to landing.
        "flying > lost @9 framework",
    ];
    assert_eq!(copied, expected);
}

#[test]
fn deletion_is_a_move_and_so_is_the_new_beginning() {
    let [created, ..] = story();
    let revisions = [
        value(1, "planning", Some(&created)),
        Observed { at: at(2), found: Found::Deleted },
        value(3, "planning", Some(&created)),
    ];
    assert_eq!(
        told(&history(&revisions)),
        [
            "> planning @1 framework",
            "planning > <deleted> @2 framework",
            "<deleted> > planning @3 framework"
        ]
    );
}

#[test]
fn what_cannot_be_read_is_passed_over() {
    let revisions = [
        value(1, "a", None),
        Observed { at: at(2), found: Found::Unreadable },
        value(3, "a", None),
        value(4, "b", None),
    ];
    assert_eq!(told(&history(&revisions)), ["> a @1 framework", "a > b @4 framework"]);
}

#[test]
fn a_trail_remembers_a_bounded_number_of_moves() {
    let mut trail = Trail::begin("survey", "p-0", Source::Framework);
    for step in 1..=100 {
        let (from, to) = (format!("p-{}", step - 1), format!("p-{step}"));
        trail = moved(&trail, step, [&from, &to, ""], Source::Rule);
    }
    assert_eq!(trail.recent.len(), Trail::STEPS_MAX);
    let moves = told(&history(&[value(101, "p-100", Some(&trail))]));
    assert_eq!(moves.len(), Trail::STEPS_MAX);
    assert_eq!(moves.first().unwrap(), "p-36 > p-37 @38 rule", "its origin is still known");
    assert_eq!(moves.last().unwrap(), "p-99 > p-100 @101 rule");
}

#[test]
fn a_trail_looks_like_this_on_the_wire() {
    let [created, touched, flying, _] = story();
    let text = |it: &Trail| serde_json::to_string(it).unwrap();
    assert_eq!(
        text(&created),
        r#"{"workflow":"survey","from":"","to":"planning","source":"framework","seq":1,"recent":[{"from":"","to":"planning","source":"framework","seq":1}]}"#
    );
    assert_eq!(
        text(&touched),
        r#"{"workflow":"survey","recent":[{"from":"","to":"planning","source":"framework","seq":1,"at":1000000}]}"#
    );
    for trail in [created, touched, flying] {
        assert_eq!(serde_json::from_str::<Trail>(&text(&trail)).unwrap(), trail);
    }
}

proptest! {
    /// However many revisions are gone, the end of the history stays the same.
    #[test]
    fn history_does_not_depend_on_how_much_is_retained(
        phases in proptest::collection::vec("[a-c]", 1..40),
        kept in 0_usize..40,
    ) {
        let mut trail = Trail::begin("t", &phases[0], Source::Framework);
        let mut revisions = vec![value(0, &phases[0], Some(&trail))];
        for (index, pair) in phases.windows(2).enumerate() {
            let second = i64::try_from(index).unwrap();
            trail = trail.carried(at(second));
            if pair[0] != pair[1] {
                let note = format!("n-{index}");
                trail = trail.moved(pair[0].clone(), pair[1].clone(), Source::Rule, note);
            }
            revisions.push(value(second + 1, &pair[1], Some(&trail)));
        }
        let kept = kept.min(revisions.len() - 1);
        prop_assert_eq!(history(&revisions[kept..]), history(&revisions));
    }
}

#[test]
fn the_last_number_there_is_ends_no_trail() {
    let [.., mut last] = story();
    for step in last.recent.last_mut().into_iter().chain(last.this.as_mut()) {
        step.seq = u64::MAX;
    }
    let next = moved(&last, 4, ["landing", "completed", ""], Source::Component);
    let lines = told(&history(&[value(5, "completed", Some(&next))]));
    let after = ["landing > completed @5 component"];
    assert_eq!(lines, [&WHOLE[..], &after[..]].concat());
}
