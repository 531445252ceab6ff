//! What laying out and drawing a process of two hundred nodes takes.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};
use waypost_diagram::{Letters, Theme, of, picture::Picture, placed, svg, text};
use waypost_machines::process::Source;

/// Parts of a task, a decision that may go back or skip, a gateway, two branches and their join:
/// six nodes each; beside them where it starts and where it ends.
fn large(n_nodes: usize) -> Picture {
    let n_parts = (n_nodes - 2) / 6;
    let mut steps: Vec<Value> = Vec::new();
    for part in 0..n_parts {
        let id = |name: &str| format!("{name}-{part}");
        let next = match part + 1 < n_parts {
            true => format!("task-{}", part + 1),
            false => "end".to_owned(),
        };
        let ways = json!({"amount > 100": id("fork"), "amount < 0": id("task"), "true": next});
        let branch = |name: &str| {
            json!({"id": id(name), "name": name, "type": "SERVICE_TASK", "jobType": name,
                   "nextStep": id("join")})
        };
        steps.extend([
            json!({"id": id("task"), "name": "Look at it", "type": "SERVICE_TASK",
                   "jobType": "look", "nextStep": id("way")}),
            json!({"id": id("way"), "name": "Which way?", "type": "DECISION",
                   "conditionalNextSteps": ways}),
            json!({"id": id("fork"), "name": "Both", "type": "PARALLEL_GATEWAY",
                   "parallelNextSteps": [id("left"), id("right")], "joinStep": id("join")}),
            branch("left"),
            branch("right"),
            json!({"id": id("join"), "name": "Both done", "type": "JOIN_GATEWAY",
                   "nextStep": next}),
        ]);
    }
    steps.push(json!({"id": "end", "name": "Done", "type": "END"}));
    let definition = json!({"id": "large", "name": "Large", "steps": steps}).to_string();
    of::process::picture(&Source::parse(&definition).expect("it is sound"))
}

fn drawing(criterion: &mut Criterion) {
    let picture = large(200);
    assert_eq!(picture.nodes.len(), 200);
    criterion.bench_function("lay out 200 nodes", |it| {
        it.iter(|| placed(black_box(&picture)).expect("it is small enough"));
    });
    criterion.bench_function("draw 200 nodes as SVG", |it| {
        it.iter(|| svg(black_box(&picture), Theme::Auto).expect("it is small enough"));
    });
    criterion.bench_function("draw 200 nodes as text", |it| {
        it.iter(|| text(black_box(&picture), Letters::Unicode).expect("it is small enough"));
    });
}

criterion_group!(benches, drawing);
criterion_main!(benches);
