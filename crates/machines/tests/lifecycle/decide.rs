//! Where an entity goes, for every goal, and for any table.

use proptest::prelude::*;
use waypost_machines::lifecycle::{Goal, Refusal, Target, Transitions, check, decide};

use crate::survey;

fn goes(from: &str, goal: Goal<'_>) -> Result<String, Refusal> {
    decide(&survey(), from, goal).map(|it| it.phase)
}

fn no_edge(from: &str, to: &str) -> Refusal {
    Refusal::NoEdge { from: from.to_owned(), to: to.to_owned() }
}

#[test]
fn an_entity_moves_along_declared_edges_only() {
    assert_eq!(goes("planning", Goal::Move("flying")).unwrap(), "flying");
    assert_eq!(goes("planning", Goal::Move("landing")), Err(no_edge("planning", "landing")));
    assert_eq!(goes("planning", Goal::Move("planning")), Err(no_edge("planning", "planning")));
    let terminal = Refusal::Terminal { phase: "completed".to_owned() };
    assert_eq!(goes("completed", Goal::Move("flying")), Err(terminal));
    let drifted = Refusal::Terminal { phase: "lost".to_owned() };
    assert_eq!(goes("lost", Goal::Move("flying")), Err(drifted));
}

#[test]
fn a_goal_that_is_not_declared_is_refused_wherever_the_entity_is() {
    let undeclared = Refusal::Undeclared { to: "moon".to_owned() };
    assert_eq!(check(&survey(), Goal::Move("moon")), Err(undeclared.clone()));
    assert_eq!(goes("completed", Goal::Move("moon")), Err(undeclared));
}

#[test]
fn completing_takes_the_first_terminal_phase_that_is_one_step_away() {
    let landed = decide(&survey(), "landing", Goal::Complete).unwrap();
    let alternatives = vec!["failed".to_owned()];
    assert_eq!(landed, Target { phase: "completed".to_owned(), alternatives });
    assert_eq!(goes("flying", Goal::Complete).unwrap(), "aborted");
    let nowhere = Refusal::NoTerminalNear { from: "capturing".to_owned() };
    assert_eq!(goes("capturing", Goal::Complete), Err(nowhere));
    let over = Refusal::Terminal { phase: "aborted".to_owned() };
    assert_eq!(goes("aborted", Goal::Complete), Err(over));
}

#[test]
fn failing_needs_a_terminal_phase_of_that_name_and_a_way_to_it() {
    assert_eq!(goes("landing", Goal::Fail).unwrap(), "failed");
    assert_eq!(goes("flying", Goal::Fail), Err(no_edge("flying", "failed")));
    for table in [
        Transitions::new().phase("a", ["b"]).phase("b", []),
        Transitions::new().phase("a", ["failed"]).phase("failed", ["a"]),
    ] {
        assert_eq!(check(&table, Goal::Fail), Err(Refusal::NoFailedPhase));
    }
}

proptest! {
    #[test]
    fn for_any_table_a_move_is_an_edge_and_a_refusal_has_its_reason(
        edges in proptest::collection::btree_map("[a-e]", proptest::collection::btree_set("[a-e]", 0..4), 1..5),
        from in "[a-f]",
        to in "[a-f]",
    ) {
        let table = edges.iter().fold(Transitions::new(), |table, (phase, targets)| {
            table.phase(phase, targets.iter().map(String::as_str))
        });
        match decide(&table, &from, Goal::Move(&to)) {
            Ok(target) => {
                prop_assert_eq!(&target.phase, &to);
                prop_assert!(table.is_valid_transition(&from, &to));
            }
            Err(Refusal::Undeclared { .. }) => prop_assert!(!table.declares(&to)),
            Err(Refusal::Terminal { .. }) => prop_assert!(table.is_terminal(&from)),
            Err(Refusal::NoEdge { .. }) => {
                prop_assert!(!table.is_valid_transition(&from, &to) && !table.is_terminal(&from));
            }
            Err(other) => prop_assert!(false, "{other:?}"),
        }
        if let Ok(target) = decide(&table, &from, Goal::Complete) {
            prop_assert!(table.is_terminal(&target.phase));
            prop_assert!(table.is_valid_transition(&from, &target.phase));
            prop_assert!(target.alternatives.iter().all(|it| *it > target.phase));
        }
    }
}
