//! The tables of the guide tell the truth.

use waypost_machines::process::expression::Coercion;

use crate::check::differs;

const GUIDE: &str = include_str!("../../../../docs/guides/expressions.md");

/// The cells of a row of three: an expression, variables, and a result, each in backticks.
fn row(line: &str) -> Option<[String; 3]> {
    let inner = line.strip_prefix("| `")?.strip_suffix(" |")?;
    // A pipe inside of a cell is written with a backslash before it.
    let cells: Vec<_> = inner.replace("\\|", "\u{0}").split(" | ").map(cell).collect();
    cells.try_into().ok()
}

fn cell(text: &str) -> String {
    text.trim().trim_matches('`').replace('\u{0}', "|")
}

#[test]
fn every_example_of_the_guide_is_true() {
    let mut examples = 0;
    let mut wrong = Vec::new();
    let mut is_table = false;
    for line in GUIDE.lines() {
        is_table =
            line == "| expression | variables | result |" || (is_table && line.starts_with('|'));
        let Some([source, variables, result]) = row(line).filter(|_| is_table) else { continue };
        examples += 1;
        wrong.extend(differs(&source, &variables, &result, Coercion::On));
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    assert!(examples >= 60, "only {examples} examples were found");
}
