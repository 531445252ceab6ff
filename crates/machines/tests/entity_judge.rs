//! Criteria as they are written, in runs as they are decided: which functions are asked, in which
//! order, and what their answers come to.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that panics has failed")]

use waypost_documents::document::Value;
use waypost_kernel::Timestamp;
use waypost_machines::entity::{
    cascade::{Asked, Command, Entity, Limits, Ran, Replies, Reply, Run, Stop, run},
    criterion::Criterion,
    judge::{is_sound, judge},
    workflow::{Rules, Workflow, import},
};

/// One guarded transition from A to B.
fn guarded(criterion: &str) -> Vec<Workflow> {
    let body = format!(
        r#"{{"workflows":[{{"name":"w","initialState":"A","states":{{"B":{{}},"A":{{"transitions":[
            {{"name":"go","next":"B","criterion":{criterion}}}]}}}}}}]}}"#
    );
    let rules = Rules { strict_types: true, is_sound: &is_sound };
    import(&[], &Value::parse(&body).unwrap(), &rules).unwrap()
}

fn decide(workflows: &[Workflow], value: &str, replies: &Replies) -> Result<Ran, Stop> {
    let value = Value::parse(value).unwrap();
    let at = Timestamp::from_millis(1_000);
    let entity = Entity {
        id: "e-1",
        value: &value,
        state: "",
        workflow: None,
        previous_transition: "",
        armed: &[],
        created_at: at,
        updated_at: at,
        transaction: "t-1",
    };
    let command = Command::Create { transition: None };
    let whole =
        Run { command, entity, workflows, limits: Limits::default(), now: Timestamp::EPOCH };
    run(whole, replies, &mut |question| {
        judge(&Criterion::parse(question.criterion).unwrap(), &question)
    })
}

/// Decides again until there is an end, answering with what `answers` says of a function's name;
/// gives the last state and who was asked.
fn settle(criterion: &str, value: &str, answers: &[(&str, bool)]) -> (String, Vec<String>) {
    let (workflows, mut replies, mut asked) = (guarded(criterion), Replies::new(), Vec::new());
    loop {
        let call = match decide(&workflows, value, &replies) {
            Ok(ran) => return (ran.state, asked),
            Err(Stop::Call(call)) => call,
            Err(Stop::Failed(failure)) => panic!("{}", failure.text),
        };
        let Asked::Function { name, .. } = &call.asked else { panic!("{call:?}") };
        let (_, matches) = *answers.iter().find(|(known, _)| known == name).unwrap();
        asked.push(name.clone());
        let warnings = Vec::new();
        replies.insert(call.key, Reply::Matched { matches, reason: None, warnings });
    }
}

const BIG: &str = r#"{"type":"simple","jsonPath":"$.n","operatorType":"GREATER_THAN","value":10}"#;

fn function(name: &str) -> String {
    format!(r#"{{"type":"function","function":{{"name":"{name}"}}}}"#)
}

fn group(operator: &str, conditions: &[String]) -> String {
    let conditions = conditions.join(",");
    format!(r#"{{"type":"group","operator":"{operator}","conditions":[{conditions}]}}"#)
}

#[test]
fn a_condition_on_the_value_decides_where_the_entity_rests() {
    assert_eq!(settle(BIG, r#"{"n":11}"#, &[]).0, "B");
    assert_eq!(settle(BIG, r#"{"n":10.0}"#, &[]).0, "A");
    let new = r#"{"type":"lifecycle","field":"state","operatorType":"EQUALS","value":"A"}"#;
    assert_eq!(settle(new, "{}", &[]).0, "B");
}

#[test]
fn a_function_is_not_asked_when_a_cheaper_condition_has_decided() {
    let both = group("AND", &[BIG.to_owned(), function("f")]);
    assert_eq!(settle(&both, r#"{"n":1}"#, &[]), ("A".to_owned(), Vec::new()));
    let expected = ("B".to_owned(), vec!["f".to_owned()]);
    assert_eq!(settle(&both, r#"{"n":11}"#, &[("f", true)]), expected);
    let either = group("OR", &[BIG.to_owned(), function("f")]);
    assert_eq!(settle(&either, r#"{"n":11}"#, &[]), ("B".to_owned(), Vec::new()));
}

#[test]
fn several_functions_are_asked_one_after_the_other_and_only_once() {
    let both = group("AND", &[function("f"), function("g")]);
    let asked = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    let settled = |f, g| settle(&both, "{}", &[("f", f), ("g", g)]);
    assert_eq!(settled(true, true), ("B".to_owned(), asked(&["f", "g"])));
    assert_eq!(settled(true, false), ("A".to_owned(), asked(&["f", "g"])));
    assert_eq!(settled(false, true), ("A".to_owned(), asked(&["f"])));
}

#[test]
fn a_criterion_that_cannot_be_read_is_not_imported() {
    let body = r#"{"workflows":[{"name":"w","initialState":"A","states":{"A":{"transitions":[
        {"name":"go","next":"A","criterion":{"type":"simple","jsonPath":"$.n","operatorType":"IS"}}
        ]}}}]}"#;
    let rules = Rules { strict_types: true, is_sound: &is_sound };
    let refused = import(&[], &Value::parse(body).unwrap(), &rules).unwrap_err().to_string();
    assert!(refused.contains("operatorType"), "{refused}");
}
