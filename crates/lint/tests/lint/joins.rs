//! Whenever lint says that joins cannot deadlock, no run finds one that does.

use std::cell::Cell;

use proptest::{
    collection::vec,
    prelude::*,
    test_runner::{Config, TestRunner},
};
use serde_json::json;
use waypost_lint::lint;
use waypost_machines::process::Phase;

use crate::{
    graph::{Block, blocks, definition},
    runs::{Run, graph, variables},
};

/// Codes that say that not everything comes to its end.
const DOUBTS: [&str; 5] = ["P010", "P011", "P012", "P019", "P021"];

/// Whether nothing is said against the joins of a definition.
fn is_cleared(text: &str) -> bool {
    let report = lint(text, None).unwrap();
    !report.findings.iter().any(|it| DOUBTS.contains(&it.code.id))
}

/// Runs a definition; gives what is stuck, if anything is.
fn stuck(text: &str, moves: &[(usize, u32)]) -> Option<String> {
    let mut run = Run::start(graph(text)?, variables(&json!({"n": 0})));
    for (which, n) in moves {
        if let Some(join) = run.deadlock() {
            return Some(format!("join {join} waits for nobody"));
        }
        let open = run.open();
        if open.is_empty() {
            let is_stuck = run.state.phase == Phase::Running;
            return is_stuck.then(|| "nothing can happen any more".to_owned());
        }
        let chosen = open.get(which % open.len()).unwrap().clone();
        run.happen(chosen, variables(&json!({"n": n})));
    }
    run.deadlock()
}

#[test]
fn joins_that_are_cleared_never_deadlock() {
    let (n_cleared, n_stuck) = (Cell::new(0), Cell::new(0));
    let detours = vec((0..100_usize, 0..100_usize), 0..3);
    let runs = vec(vec((0..10_usize, 0..3_u32), 40), 4);
    let mut runner = TestRunner::new(Config::with_cases(800));
    runner
        .run(&(blocks(), detours, runs), |(block, detours, runs)| {
            let text = definition(&block, &detours);
            prop_assume!(graph(&text).is_some());
            let is_cleared = is_cleared(&text);
            n_cleared.set(n_cleared.get() + u32::from(is_cleared));
            for moves in &runs {
                let stuck = stuck(&text, moves);
                n_stuck.set(n_stuck.get() + u32::from(stuck.is_some()));
                prop_assert!(!is_cleared || stuck.is_none(), "{stuck:?} in {text}");
            }
            Ok(())
        })
        .unwrap();
    // Chance must have shown both sides, or the test has shown nothing.
    assert!(n_cleared.get() > 80, "{n_cleared:?} cleared");
    assert!(n_stuck.get() > 80, "{n_stuck:?} stuck");
}

/// Blocks that fit together meet, and lint knows it.
#[test]
fn well_made_definitions_are_cleared() {
    let task = || Block::Task;
    let choice = Block::Choice(vec![task(), Block::End, Block::Parallel(vec![task(), task()])]);
    let timed = Block::Timed { interrupting: true, elsewhere: Box::new(task()) };
    let aside = Block::Timed { interrupting: false, elsewhere: Box::new(Block::Stop) };
    let inner = Block::Parallel(vec![choice, Block::Series(vec![timed, aside])]);
    let text = definition(&Block::Parallel(vec![inner, task(), Block::User]), &[]);
    assert!(is_cleared(&text), "{text}");
}
