//! What one evaluation costs once an expression is compiled, and what compiling costs.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::{Map, Value, json};
use waypost_machines::process::expression::{Coercion, Compiled, Limits};

const SOURCES: [(&str, &str); 6] = [
    ("compare", "creditScore >= 700"),
    ("and", "valid == true && creditScore >= 600"),
    ("membership", "contains(user.roles, 'LOAN_OFFICER') && loanAmount <= 50000"),
    ("arithmetic", "unitPrice * quantity - discount"),
    ("flags", "creditScore >= 600 && !blacklisted"),
    ("wrapped", "${(loanAmount + processingFee) / reviewCount > 100 ? 'high' : 'low'}"),
];

fn variables() -> Map<String, Value> {
    let variables = json!({
        "creditScore": 720, "valid": true, "blacklisted": false, "loanAmount": 30000,
        "processingFee": 12.5, "unitPrice": 2.5, "quantity": 4, "discount": 1, "reviewCount": 3,
        "user": {"id": "u-1", "roles": ["CLERK", "REVIEWER", "LOAN_OFFICER"]},
        "history": [{"at": "2026-05-03T10:00:00Z", "by": "u-1"}],
    });
    variables.as_object().cloned().unwrap_or_default()
}

fn expression(criterion: &mut Criterion) {
    let variables = variables();
    for (name, source) in SOURCES {
        let compiled = Compiled::parse(source, Limits::default()).expect("it is an expression");
        criterion.bench_function(&format!("evaluate/{name}"), |bench| {
            bench.iter(|| compiled.evaluate(black_box(&variables), Coercion::On));
        });
        criterion.bench_function(&format!("parse/{name}"), |bench| {
            bench.iter(|| Compiled::parse(black_box(source), Limits::default()));
        });
    }
}

criterion_group!(benches, expression);
criterion_main!(benches);
