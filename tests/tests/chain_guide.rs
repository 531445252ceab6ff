//! The guide of chains tells the truth: what it says to type is typed.

use e2e::guide::{Reader, commands, seen};

const GUIDE: &str = include_str!("../../docs/guides/chain.md");

#[test]
fn every_command_of_the_chain_guide_does_what_it_says() {
    let script = commands(GUIDE);
    assert!(script.matches("waypost ").count() > 6 && script.matches("curl ").count() > 4);
    let told = [
        "chain order version 1: deployed",
        r#""bizKey":"o-2""#,
        r#""leasedUntil":"#,
        "woken: the chain waited for PAID",
        "duplicate: ",
        r#""wake":{"eventType":"PAID""#,
        "SHIP",
        "canceled ",
    ];
    seen(&Reader::new().types(&script), &told);
}
