//! The promises under fire. `cargo sim` runs as many seeds as one likes.

use e2e::sim::{Mutant, run};

/// Within how many seeds a planted bug must be found.
const SEEDS_MAX: u64 = 2_000;

fn inside<T>(test: impl FnOnce() -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.expect("a runtime");
    let _inside = runtime.enter();
    test()
}

#[test]
fn three_hundred_seeds_keep_every_promise() {
    inside(|| {
        for seed in 0..300 {
            if let Err(problem) = run(seed, None) {
                panic!("seed {seed}: {problem}");
            }
        }
    });
}

#[test]
fn a_seed_is_always_the_same_story() {
    inside(|| {
        let tell = |seed| format!("{:?}", run(seed, None));
        for seed in 0..20 {
            assert_eq!(tell(seed), tell(seed));
        }
    });
}

#[test]
fn every_planted_bug_is_found() {
    inside(|| {
        for mutant in Mutant::ALL {
            let found = (0..SEEDS_MAX).find(|seed| run(*seed, Some(mutant)).is_err());
            assert!(found.is_some(), "{mutant:?} lived through {SEEDS_MAX} seeds");
        }
    });
}
