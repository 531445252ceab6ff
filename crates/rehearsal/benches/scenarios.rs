//! How many scenarios are played per second.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::json;
use waypost_rehearsal::{Cast, Definitions, Scenario, coverage::Coverage, rehearse};

fn scenarios(criterion: &mut Criterion) {
    let mut definitions = Definitions::default();
    for text in [
        include_str!("../../../examples/loan-application.json"),
        include_str!("../../../examples/loan-disbursement.json"),
    ] {
        definitions.add(text).expect("the examples are sound");
    }
    let scenario: Scenario = serde_json::from_value(json!({
        "name": "a review that is overdue",
        "start": { "process": "LOS::loan-application-full", "variables": { "loanAmount": 1000 } },
        "workers": {
            "validate-application": "complete",
            "credit-score": { "complete": { "creditScore": 600 } },
            "fraud-screen": { "complete": { "fraudScore": 0.1 } },
            "escalate-review": "complete",
        },
        "expect": { "status": "COMPLETED", "elapsed": "48h" },
    }))
    .expect("the scenario is well-formed");
    let mut coverage = Coverage::of(&definitions);
    criterion.bench_function("loan application, overdue", |bencher| {
        bencher.iter(|| {
            let played = rehearse(&scenario, &definitions, &Cast::default(), &mut coverage);
            assert!(played.mismatches.is_empty(), "{:?}", played.mismatches);
            black_box(played)
        });
    });
}

criterion_group!(benches, scenarios);
criterion_main!(benches);
