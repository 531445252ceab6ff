//! What came of scenarios, for people and for machines.

use serde_json::{Value, json};
use waypost_rehearsal::{Length, Mismatch, Standing};

use super::{Run, Tested, cover};
use crate::{
    exit::Failure,
    output::{Output, Tone, printable},
};

pub(super) fn show(run: &Run, with_coverage: bool, output: Output) -> Result<(), Failure> {
    if output.is_json {
        return output.json(&json(run, with_coverage));
    }
    for tested in &run.tested {
        show_one(tested, output)?;
    }
    if with_coverage {
        cover::show(&run.coverage, output)?;
    }
    let n_passed = run.tested.iter().filter(|it| it.has_passed()).count();
    let all = run.tested.len();
    output.line(&format!("{n_passed} of {all} scenarios passed"))
}

fn show_one(tested: &Tested, output: Output) -> Result<(), Failure> {
    let Tested { file, line, name, played } = tested;
    let (word, tone) = match tested.has_passed() {
        true => ("ok", Tone::Good),
        false => ("FAIL", Tone::Bad),
    };
    let word = output.paint(word, tone);
    output.line(&format!("{word} {file}:{line} {}", printable(name)))?;
    for line in played.mismatches.iter().flat_map(mismatch) {
        output.line(&line)?;
    }
    if tested.has_passed() {
        return Ok(());
    }
    for standing in &played.standings {
        path(standing).iter().try_for_each(|it| output.line(it))?;
    }
    Ok(())
}

/// Where, what is expected, what is so.
pub(super) fn mismatch(mismatch: &Mismatch) -> Vec<String> {
    let Mismatch { place, expected, actual } = mismatch;
    vec![
        format!("  {}", printable(place)),
        format!("    expected  {}", printable(expected)),
        format!("    actual    {}", printable(actual)),
    ]
}

/// How an instance came to where it stands.
pub(crate) fn path(standing: &Standing) -> Vec<String> {
    let mut lines = vec![format!("  path of {}", printable(&standing.definition))];
    let began_at = standing.history.first().map(|it| it.at).unwrap_or_default();
    for it in &standing.history {
        let after = Length(it.at.since(began_at)).to_string();
        let detail = it.detail.as_ref().map(|it| format!(": {it}")).unwrap_or_default();
        lines.push(printable(&format!("    {after:<8}  {}{detail}", it.told())));
    }
    let at = match standing.at.is_empty() {
        true => String::new(),
        false => format!(" at {}", standing.at.join(", ")),
    };
    lines.push(printable(&format!("    it is {}{at}", standing.status)));
    lines.extend(standing.unattended.iter().map(|it| format!("    {}", printable(it))));
    lines
}

fn json(run: &Run, with_coverage: bool) -> Value {
    let n_passed = run.tested.iter().filter(|it| it.has_passed()).count();
    let scenarios: Vec<Value> = run.tested.iter().map(scenario).collect();
    let mut document = json!({
        "passed": n_passed, "failed": run.tested.len() - n_passed, "scenarios": scenarios,
    });
    if with_coverage && let Some(members) = document.as_object_mut() {
        members.insert("coverage".to_owned(), cover::json(&run.coverage));
    }
    document
}

fn scenario(tested: &Tested) -> Value {
    let mismatch =
        |it: &Mismatch| json!({ "place": it.place, "expected": it.expected, "actual": it.actual });
    let Tested { file, line, name, played } = tested;
    let outcome = if tested.has_passed() { "PASSED" } else { "FAILED" };
    json!({
        "file": file, "line": line, "name": name, "outcome": outcome,
        "mismatches": played.mismatches.iter().map(mismatch).collect::<Vec<_>>(),
        "instances": played.standings.iter().map(instance).collect::<Vec<_>>(),
    })
}

fn instance(standing: &Standing) -> Value {
    json!({
        "definition": standing.definition, "status": standing.status, "at": standing.at,
        "elapsed": Length(standing.elapsed).to_string(), "visits": standing.visits,
    })
}
