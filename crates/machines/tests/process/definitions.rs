//! The text of a definition: what is read, what is refused, and what comes back.

use serde_json::{Value, json};
use waypost_machines::process::{Graph, Source, expression::Coercion};

use crate::notation::{definition, source};

fn refused(text: &str) -> String {
    Source::parse(text).unwrap_err()
}

/// The smallest definition, with a step of all members put in front.
fn with_step(members: &str) -> String {
    format!(
        r#"{{"id":"o","name":"O","steps":[{{"id":"a","name":"A",{members}}},{{"id":"e","name":"E","type":"END"}}]}}"#
    )
}

fn with(members: &str) -> String {
    format!(r#"{{"id":"o","name":"O",{members},"steps":[{{"id":"e","name":"E","type":"END"}}]}}"#)
}

// Row 31.
#[test]
fn a_member_nobody_knows_is_named_with_its_place() {
    for (text, place, name) in [
        (with(r#""foo":1"#), "", "foo"),
        (with(r#""inputSchema":{}"#), "", "inputSchema"),
        (with_step(r#""bar":1"#), "steps[0].", "bar"),
        (with_step(r#""outputsSchema":{}"#), "steps[0].", "outputsSchema"),
        (with_step(r#""boundaryEvents":[{"baz":1}]"#), "steps[0].boundaryEvents[0].", "baz"),
        (with_step(r#""decisionTable":{"foo":1}"#), "steps[0].decisionTable.", "foo"),
        (
            with_step(r#""decisionTable":{"rules":[{},{"bar":1}]}"#),
            "steps[0].decisionTable.rules[1].",
            "bar",
        ),
        (with(r#""input_schema":{"baz":1}"#), "input_schema.", "baz"),
        (
            with(r#""input_schema":{"properties":{"p":{"foo":1}}}"#),
            "input_schema.properties.p.",
            "foo",
        ),
        (
            with_step(r#""outputs_schema":{"additionalProperties":false}"#),
            "steps[0].outputs_schema.",
            "additionalProperties",
        ),
    ] {
        let said = refused(&text);
        let expected = format!("{place}{name}: unknown field `{name}`");
        assert!(said.starts_with(&expected), "{said}");
    }
}

// Row 32.
#[test]
fn members_of_former_times_are_refused_with_advice() {
    for (text, name) in [
        (with_step(r#""decisionTable":{"rules":[{"then":"e"}]}"#), "then"),
        (with_step(r#""decisionTable":{"rules":[{"then":null}]}"#), "then"),
        (with_step(r#""decisionTable":{"defaultNextStep":"e"}"#), "defaultNextStep"),
    ] {
        let said = refused(&text);
        assert!(said.contains(name), "{said}");
        assert!(said.contains("no longer supported"), "{said}");
        assert!(said.contains("005") && said.contains("007"), "{said}");
    }
}

// Row 33.
#[test]
fn what_has_another_shape_is_refused_with_its_place() {
    for (text, place) in [
        (String::new(), "EOF"),
        (" ".to_owned(), "EOF"),
        ("{".to_owned(), "EOF"),
        ("null".to_owned(), "invalid type: null"),
        ("7".to_owned(), "invalid type: integer"),
        (r#"["o","O"]"#.to_owned(), "invalid type: sequence, expected an object"),
        ("{} {}".to_owned(), "trailing characters"),
        ("<definition/>".to_owned(), "expected value"),
        (with(r#""version":"1""#), "version"),
        (with(r#""description":1"#), "description"),
        (with(r#""autoStartNextWorkflow":"true""#), "autoStartNextWorkflow"),
        (with(r#""metadata":[1]"#), "metadata: expected an object"),
        (with(r#""metadata":"text""#), "metadata: expected an object"),
        (
            with(r#""input_schema":[{"a":{"type":"string"}}]"#),
            "input_schema: invalid type: sequence",
        ),
        (
            with(r#""input_schema":{"properties":{"p":["string"]}}"#),
            "input_schema.properties.p: invalid type: sequence, expected an object",
        ),
        (with(r#""input_schema":{"required":"p"}"#), "input_schema.required"),
        (r#"{"steps":{"a":1}}"#.to_owned(), "steps: invalid type: map"),
        (
            r#"{"steps":[["a","A","END"]]}"#.to_owned(),
            "steps[0]: invalid type: sequence, expected an object",
        ),
        (r#"{"steps":[null]}"#.to_owned(), "steps[0]: invalid type: null, expected an object"),
        (with_step(r#""retryCount":"3""#), "steps[0].retryCount"),
        (with_step(r#""retryCount":1.5"#), "steps[0].retryCount"),
        (with_step(r#""conditionalNextSteps":["e"]"#), "steps[0].conditionalNextSteps"),
        (with_step(r#""conditionalNextSteps":{"a":1}"#), "steps[0].conditionalNextSteps"),
        (with_step(r#""conditionalNextSteps":{"a":null}"#), "steps[0].conditionalNextSteps"),
        (with_step(r#""parallelNextSteps":"e""#), "steps[0].parallelNextSteps"),
        (with_step(r#""transformations":[1]"#), "steps[0].transformations"),
        (with_step(r#""decisionTable":[[]]"#), "steps[0].decisionTable: invalid type: sequence"),
        (with_step(r#""decisionTable":{"rules":[[{}]]}"#), "steps[0].decisionTable.rules[0]"),
        (
            with_step(r#""decisionTable":{"rules":[{"when":[]}]}"#),
            "steps[0].decisionTable.rules[0].when",
        ),
        (
            with_step(r#""decisionTable":{"rules":[{"when":{"c":1}}]}"#),
            "steps[0].decisionTable.rules[0].when",
        ),
        // Row 28: what is not a value is not JSON at all.
        (
            with_step(r#""decisionTable":{"rules":[{"outputs":{"k":nope}}]}"#),
            "steps[0].decisionTable.rules[0].outputs",
        ),
        (
            with_step(r#""boundaryEvents":[["TIMER","PT1S",true,"e"]]"#),
            "steps[0].boundaryEvents[0]: invalid type: sequence",
        ),
        (
            with_step(r#""boundaryEvents":[{"interrupting":"yes"}]"#),
            "steps[0].boundaryEvents[0].interrupting",
        ),
        (
            with_step(r#""boundaryEvents":[{"type":"TIMER","duration":30}]"#),
            "steps[0].boundaryEvents[0].duration: invalid type: integer `30`",
        ),
        (with_step(r#""type":"END","type":"WAIT""#), "steps[0]: duplicate field `type`"),
    ] {
        let said = refused(&text);
        assert!(said.starts_with(place), "{text}\n{said}\n{place}");
    }
}

#[test]
fn what_nests_without_end_is_refused() {
    let deep = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
    let metadata =
        |levels: usize| with(&format!(r#""metadata":{{"a":{},"b":"[\"{{"}}"#, deep(levels)));
    assert_eq!(
        refused(&metadata(100)).split(" at line").next(),
        Some("metadata: must have at most 100 levels")
    );
    assert_eq!(
        refused(&metadata(100_000)).split(" at line").next(),
        Some("metadata: must have at most 100 levels")
    );
    Source::parse(&metadata(99)).unwrap();
    let literal = with_step(&format!(r#""transformations":{{"a":{}}}"#, deep(100_000)));
    assert!(refused(&literal).contains("recursion limit"), "{}", refused(&literal));
}

#[test]
fn null_says_the_same_as_nothing() {
    let nulls = |names: &[&str]| {
        let members: Vec<String> = names.iter().map(|it| format!(r#""{it}":null"#)).collect();
        members.join(",")
    };
    let step = with_step(&nulls(&[
        "type",
        "description",
        "nextStep",
        "conditionalNextSteps",
        "parallelNextSteps",
        "joinStep",
        "transformations",
        "jobType",
        "delegateClass",
        "retryCount",
        "hitPolicy",
        "decisionTable",
        "boundaryEvents",
        "outputs_schema",
    ]));
    assert_eq!(Source::parse(&step).unwrap(), Source::parse(&with_step(r#""type":"""#)).unwrap());
    let whole = with(&nulls(&[
        "version",
        "description",
        "autoStartNextWorkflow",
        "nextWorkflowId",
        "metadata",
        "input_schema",
    ]));
    assert_eq!(Source::parse(&whole).unwrap(), Source::parse(&with(r#""version":null"#)).unwrap());
    for (nothing, absent) in [
        (
            r#""boundaryEvents":[{"type":null,"duration":null,"interrupting":null,"targetStepId":null}]"#,
            r#""boundaryEvents":[{}]"#,
        ),
        (r#""decisionTable":{"rules":null}"#, r#""decisionTable":{}"#),
        (
            r#""decisionTable":{"rules":[{"when":null,"outputs":null}]}"#,
            r#""decisionTable":{"rules":[{}]}"#,
        ),
        (r#""outputs_schema":{"properties":null,"required":null}"#, r#""outputs_schema":{}"#),
        (
            r#""outputs_schema":{"properties":{"p":{"type":null}}}"#,
            r#""outputs_schema":{"properties":{"p":{}}}"#,
        ),
    ] {
        let (one, other) = (Source::parse(&with_step(nothing)), Source::parse(&with_step(absent)));
        assert_eq!(one.unwrap(), other.unwrap(), "{nothing}");
    }
}

#[test]
fn conditions_keep_their_order() {
    let text = with_step(
        r#""type":"DECISION","conditionalNextSteps":{"zz > 1":"e","a":"e","m == 2 && b":"e","b":"e"}"#,
    );
    let source = Source::parse(&text).unwrap();
    let written = serde_json::to_string(&source).unwrap();
    assert!(written.contains(r#"{"zz > 1":"e","a":"e","m == 2 && b":"e","b":"e"}"#), "{written}");
    let again = Source::parse(&written).unwrap();
    let order =
        |it: &Source| it.steps[0].conditional_next_steps.keys().cloned().collect::<Vec<_>>();
    assert_eq!(order(&again), ["zz > 1", "a", "m == 2 && b", "b"]);
    assert_eq!(again, source);
}

#[test]
fn a_condition_that_is_written_twice_has_its_first_place_and_its_last_target() {
    let text = with_step(r#""type":"DECISION","conditionalNextSteps":{"x":"e","y":"e","x":"a"}"#);
    let source = Source::parse(&text).unwrap();
    let conditions: Vec<_> = source.steps[0].conditional_next_steps.iter().collect();
    let pair = |one: &str, other: &str| (one.to_owned(), other.to_owned());
    let expected = [pair("x", "a"), pair("y", "e")];
    assert!(conditions.into_iter().eq(expected.iter().map(|(one, other)| (one, other))));
}

/// All there is to write.
const EVERYTHING: &str = r#"
    input {"properties":{"n":{"type":"number"}},"required":["n"]}
    next other
    f fork a b join j
    a task A retries=3 -> j
      if n > 1 -> j
      interrupt PT1S -> j
      outputs {"properties":{"n":{"type":"number"}}}
    b table C+ -> x
      rule n > 1 => {"m":1,"l":[{"a":null}]}
      rule => {"m":"${n}"}
    x set -> d
      put k = {"b":1,"a":[1.50]}
    d decide
      if k.b == 1 -> j
      if k.b == 2 -> u
    u user -> w
    w wait -> j
    j join -> e
    e end
"#;

#[test]
fn what_is_written_is_read_back() {
    let source = source(EVERYTHING);
    let written = serde_json::to_string(&source).unwrap();
    assert_eq!(Source::parse(&written).unwrap(), source);
    let again: Value = serde_json::from_str(&written).unwrap();
    // The notation writes what is empty, and reading leaves it out.
    let mut expected = definition(EVERYTHING);
    for step in expected["steps"].as_array_mut().unwrap() {
        step.as_object_mut().unwrap().retain(|name, it| name != "retryCount" || *it != 0);
    }
    expected["steps"][2]["decisionTable"]["rules"][1]["when"] = json!({ "c0": "" });
    assert_eq!(again, expected);
    Graph::new(&source, 1, Coercion::On).unwrap();
}

#[test]
fn what_is_empty_is_left_out_but_whether_a_timer_interrupts() {
    let text = r#"{
        "id": "o", "name": "O", "version": 3, "description": "", "autoStartNextWorkflow": false,
        "nextWorkflowId": "", "metadata": { },
        "steps": [{
            "id": "a", "name": "A", "type": "SERVICE_TASK", "jobType": "A", "retryCount": 0,
            "conditionalNextSteps": {}, "parallelNextSteps": [], "transformations": {},
            "description": "", "joinStep": "", "delegateClass": "", "hitPolicy": "",
            "boundaryEvents": [{ "type": "TIMER", "duration": "PT1S", "targetStepId": "a" }]
        }]
    }"#;
    let mut source = Source::parse(text).unwrap();
    let expected = concat!(
        r#"{"id":"o","version":3,"name":"O","steps":[{"id":"a","name":"A","type":"SERVICE_TASK","#,
        r#""jobType":"A","boundaryEvents":[{"type":"TIMER","duration":"PT1S","#,
        r#""interrupting":false,"targetStepId":"a"}]}]}"#,
    );
    assert_eq!(serde_json::to_string(&source).unwrap(), expected);
    source.version = None;
    assert!(!serde_json::to_string(&source).unwrap().contains("version"));
}

#[test]
fn metadata_come_back_as_they_were() {
    let metadata =
        r#"{"z":1.0,"a":123456789012345678901234567890,"e":1E400,"t":"\u00e9","n":null,"o":{}}"#;
    let source = Source::parse(&with(&format!(r#""metadata": {metadata} "#))).unwrap();
    let written = serde_json::to_string(&source).unwrap();
    assert!(written.contains(&format!(r#""metadata":{metadata}"#)), "{written}");
}

#[test]
fn definitions_that_say_the_same_have_one_canonical_text() {
    let same = |one: &str, other: &str| {
        let canonical = |text: &str| Source::parse(text).unwrap().canonical();
        canonical(one) == canonical(other)
    };
    let metadata = |it: &str| with(&format!(r#""metadata":{it}"#));
    let conditions = |it: &str| with_step(&format!(r#""conditionalNextSteps":{it}"#));
    // Spaces, the order of members, the version and what is empty do not count.
    for (one, other) in [
        (
            with(r#""description":"x","version":1"#),
            with("\"version\" : 2,\n \"description\":\"x\""),
        ),
        (
            with_step(r#""jobType":"A","nextStep":"e""#),
            with_step(r#""nextStep":"e","jobType":"A","retryCount":0"#),
        ),
        (
            metadata(r#"{"a":1,"b":{"c":[1, 2],"d":null}}"#),
            metadata(r#"{"b":{"d":null,"c":[1,2]},"a":1}"#),
        ),
        (metadata(r#"{"a":"é"}"#), metadata(r#"{"a":"\u00e9"}"#)),
        (
            metadata(r#"{"conditionalNextSteps":{"a":1,"b":2}}"#),
            metadata(r#"{"conditionalNextSteps":{"b":2,"a":1}}"#),
        ),
        (
            with_step(r#""transformations":{"a":1,"b":2}"#),
            with_step(r#""transformations":{"b":2,"a":1}"#),
        ),
        (conditions(r#"{"a":"e" , "b":"e"}"#), conditions(r#"{"a":"e","b":"e"}"#)),
    ] {
        assert!(same(&one, &other), "{one}\n{other}");
    }
    // The order of conditions and of what stands in a row does.
    for (one, other) in [
        (with(r#""description":"x""#), with(r#""description":"y""#)),
        (conditions(r#"{"a":"e","b":"e"}"#), conditions(r#"{"b":"e","a":"e"}"#)),
        (
            with_step(r#""parallelNextSteps":["a","e"]"#),
            with_step(r#""parallelNextSteps":["e","a"]"#),
        ),
        (metadata(r#"{"a":[1,2]}"#), metadata(r#"{"a":[2,1]}"#)),
        (metadata(r#"{"a":1}"#), metadata(r#"{"a":"1"}"#)),
        (
            metadata(r#"{"a":123456789012345678901234567890}"#),
            metadata(r#"{"a":123456789012345678901234567891}"#),
        ),
        (
            with_step(r#""transformations":{"a":null}"#),
            with_step(r#""transformations":{"b":null}"#),
        ),
    ] {
        assert!(!same(&one, &other), "{one}\n{other}");
    }
}
