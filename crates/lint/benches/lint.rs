//! What looking at a definition of a thousand steps takes.
#![expect(clippy::indexing_slicing, reason = "a bench that panics has failed")]

use criterion::{Criterion, criterion_group, criterion_main};
use waypost_lint::lint;

#[path = "../tests/lint/large.rs"]
mod large;

use self::large::large;

fn looking(c: &mut Criterion) {
    for n_steps in [100, 1_000, 2_000] {
        let text = large(n_steps);
        assert!(lint(&text, None).is_ok_and(|it| it.findings.is_empty()));
        c.bench_function(&format!("lint {n_steps} steps"), |it| it.iter(|| lint(&text, None)));
    }
}

criterion_group!(benches, looking);
criterion_main!(benches);
