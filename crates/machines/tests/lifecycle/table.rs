//! What a table says of itself, and which tables are mistakes.

use waypost_machines::lifecycle::{TableError, Transitions};

use crate::survey;

#[test]
fn the_survey_is_a_good_table() {
    assert_eq!(survey().validate(), Ok(()));
    assert_eq!(
        survey().phases(),
        ["aborted", "capturing", "completed", "failed", "flying", "landing", "planning"]
    );
    assert_eq!(survey().terminal_phases(), ["aborted", "completed", "failed"]);
}

#[test]
fn a_phase_without_a_way_out_is_terminal_and_so_is_one_that_nobody_declared() {
    let table = survey();
    for (phase, is_terminal) in
        [("planning", false), ("capturing", false), ("completed", true), ("lost", true), ("", true)]
    {
        assert_eq!(table.is_terminal(phase), is_terminal, "{phase}");
    }
}

#[test]
fn only_declared_moves_are_valid() {
    let table = survey();
    assert!(table.is_valid_transition("planning", "flying"));
    assert!(!table.is_valid_transition("flying", "planning"));
    assert!(!table.is_valid_transition("planning", "planning"));
    assert!(!table.is_valid_transition("lost", "flying"));
    assert!(!table.is_valid_transition("completed", "flying"));
}

#[test]
fn mistakes_are_found() {
    let [from, to] = ["a", "b"].map(str::to_owned);
    for (table, mistake) in [
        (Transitions::new(), TableError::Empty),
        (Transitions::new().phase("", []), TableError::UnnamedPhase),
        (Transitions::new().phase("a", [""]), TableError::UnnamedTarget { from: from.clone() }),
        (
            Transitions::new().phase("a", ["b"]),
            TableError::UndeclaredTarget { from: from.clone(), to: to.clone() },
        ),
        (
            Transitions::new().phase("a", ["b", "a", "b"]).phase("b", []),
            TableError::RepeatedTarget { from, to },
        ),
    ] {
        assert_eq!(table.validate(), Err(mistake));
    }
}

#[test]
fn circles_self_edges_and_islands_are_all_right() {
    let table = Transitions::new().phase("a", ["a", "b"]).phase("b", ["a"]).phase("island", []);
    assert_eq!(table.validate(), Ok(()));
}

#[test]
fn a_table_is_a_map_on_the_wire() {
    let text = serde_json::to_string(&Transitions::new().phase("a", ["b"]).phase("b", [])).unwrap();
    assert_eq!(text, r#"{"a":["b"],"b":[]}"#);
    assert_eq!(
        serde_json::from_str::<Transitions>(&text).unwrap(),
        Transitions::new().phase("a", ["b"]).phase("b", [])
    );
}
