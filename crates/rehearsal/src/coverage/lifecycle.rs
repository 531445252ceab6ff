//! What of a table of phases was come to: its moves.

use std::collections::BTreeSet;

use waypost_machines::lifecycle::Transitions;

use super::{Kind, Point, point};

pub(super) fn points(table: &Transitions) -> Vec<Point> {
    let moves = |from: &str| {
        let from = from.to_owned();
        let targets = table.targets(&from).iter();
        targets.map(|to| moved(&from, to)).collect::<Vec<_>>()
    };
    table.phases().into_iter().flat_map(moves).collect()
}

pub(super) fn hits(phases: &[String]) -> BTreeSet<Point> {
    phases.iter().zip(phases.iter().skip(1)).map(|(from, to)| moved(from, to)).collect()
}

fn moved(from: &str, to: &str) -> Point {
    point(Kind::Transition, from, 0, format!("{from} → {to}"))
}
