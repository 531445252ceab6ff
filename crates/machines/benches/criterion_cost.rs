//! What judging a criterion costs, which must stay under a microsecond, and what reading one costs.

use std::{convert::Infallible, hint::black_box};

use criterion::{Criterion as Bench, criterion_group, criterion_main};
use waypost_documents::{document::Value, predicate::Subject};
use waypost_machines::entity::criterion::Criterion;

const ORDER: &str = r#"{
    "total": 1250.75, "quantity": 12, "paid": true, "customer": {"name": "Ada Lovelace", "country": "GB"},
    "codes": ["x", "y", "z"], "comment": null,
    "lines": [{"sku": "A1", "price": 9.5}, {"sku": "B2", "price": 700}, {"sku": "C3", "price": 541.25}]
}"#;

const CONDITIONS: [(&str, &str); 11] = [
    (
        "whole",
        r#"{"type":"simple","jsonPath":"$.quantity","operatorType":"GREATER_THAN","value":10}"#,
    ),
    (
        "decimal",
        r#"{"type":"simple","jsonPath":"$.total","operatorType":"LESS_THAN","value":"2000.50"}"#,
    ),
    (
        "text",
        r#"{"type":"simple","jsonPath":"$.customer.country","operatorType":"EQUALS","value":"GB"}"#,
    ),
    (
        "fold",
        r#"{"type":"simple","jsonPath":"$.customer.name","operatorType":"ICONTAINS","value":"LOVE"}"#,
    ),
    (
        "like",
        r#"{"type":"simple","jsonPath":"$.customer.name","operatorType":"LIKE","value":"%love%"}"#,
    ),
    (
        "pattern",
        r#"{"type":"simple","jsonPath":"$.customer.name","operatorType":"MATCHES_PATTERN","value":"[A-Z][a-z]+ .*"}"#,
    ),
    (
        "many",
        r#"{"type":"simple","jsonPath":"$.lines[*].price","operatorType":"BETWEEN","value":[500,600]}"#,
    ),
    ("array", r#"{"type":"array","jsonPath":"$.codes","values":["x",null,"z"]}"#),
    ("state", r#"{"type":"lifecycle","field":"state","operatorType":"EQUALS","value":"OPEN"}"#),
    (
        "time",
        r#"{"type":"lifecycle","field":"creationDate","operatorType":"GREATER_THAN","value":"2024-09"}"#,
    ),
    (
        "group",
        r#"{"type":"group","operator":"AND","conditions":[
            {"type":"lifecycle","field":"state","operatorType":"EQUALS","value":"OPEN"},
            {"type":"simple","jsonPath":"$.paid","operatorType":"EQUALS","value":true},
            {"type":"simple","jsonPath":"$.total","operatorType":"GREATER_THAN","value":1000},
            {"type":"group","operator":"OR","conditions":[
                {"type":"simple","jsonPath":"$.customer.country","operatorType":"EQUALS","value":"DE"},
                {"type":"simple","jsonPath":"$.customer.country","operatorType":"EQUALS","value":"GB"}]},
            {"type":"simple","jsonPath":"$.comment","operatorType":"IS_NULL"}]}"#,
    ),
];

fn cost(bench: &mut Bench) {
    let order = Value::parse(ORDER).expect("it is a document");
    let subject = Subject {
        value: &order,
        state: "OPEN",
        previous_transition: "SUBMIT",
        created_at: 1_725_532_215_250_000,
        updated_at: 1_725_618_615_000_000,
        transaction: "8d9a1f70-6b5e-11ef-8000-000000000001",
        id: "7c1f0a52-6b5e-11ef-8000-000000000002",
    };
    for (name, condition) in CONDITIONS {
        let condition = Value::parse(condition).expect("it is a document");
        let criterion = Criterion::parse(&condition).expect("it is a criterion");
        bench.bench_function(&format!("evaluate/{name}"), |bench| {
            bench.iter(|| {
                black_box(&criterion).evaluate::<Infallible>(&subject, &mut |_| Ok(false))
            });
        });
        bench.bench_function(&format!("parse/{name}"), |bench| {
            bench.iter(|| Criterion::parse(black_box(&condition)));
        });
    }
}

criterion_group!(benches, cost);
criterion_main!(benches);
