//! How findings look to other programs.

use expect_test::expect;
use waypost_lint::{ALL, Paint, json, lint, sarif, text};

const CHAIN: &str = "{\"workflowType\": \"ä\", \"workflowVersion\": 1,\n \"steps\": [{\"stepType\": \"A\"}, {\"stepType\": \"a\"}]}\n";

#[test]
fn json_says_everything() {
    let report = lint(CHAIN, None).unwrap();
    let shown = serde_json::to_string_pretty(&json("c.json", &report)).unwrap();
    expect![[r#"
        {
          "file": "c.json",
          "kinds": [
            "chain"
          ],
          "errors": 0,
          "warnings": 1,
          "findings": [
            {
              "code": "C005",
              "severity": "warning",
              "message": "\"a\" is not \"A\"",
              "help": "a worker that asks for one of them does not get the other; write them alike",
              "place": {
                "pointer": "/steps/1/stepType",
                "line": 2,
                "column": 44,
                "start": 88,
                "end": 91
              },
              "related": [
                {
                  "message": "written so here",
                  "place": {
                    "pointer": "/steps/0/stepType",
                    "line": 2,
                    "column": 25,
                    "start": 69,
                    "end": 72
                  }
                }
              ]
            }
          ]
        }"#]]
    .assert_eq(&shown);
}

#[test]
fn sarif_has_rules_results_and_places() {
    let report = lint(CHAIN, None).unwrap();
    let sarif = sarif(&[("a folder/c.json", &report)]);
    assert_eq!(sarif["version"], "2.1.0");
    let run = &sarif["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert_eq!(rules.len(), ALL.len());
    let result = &run["results"][0];
    let rule = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
    assert_eq!(rules[rule]["id"], result["ruleId"]);
    let shown = serde_json::to_string_pretty(&run["results"]).unwrap();
    expect![[r#"
        [
          {
            "ruleId": "C005",
            "ruleIndex": 4,
            "level": "warning",
            "message": {
              "text": "\"a\" is not \"A\"; a worker that asks for one of them does not get the other; write them alike"
            },
            "locations": [
              {
                "physicalLocation": {
                  "artifactLocation": {
                    "uri": "a%20folder/c.json"
                  },
                  "region": {
                    "startLine": 2,
                    "startColumn": 44,
                    "byteOffset": 88,
                    "byteLength": 3
                  }
                },
                "logicalLocations": [
                  {
                    "fullyQualifiedName": "/steps/1/stepType"
                  }
                ]
              }
            ],
            "relatedLocations": [
              {
                "physicalLocation": {
                  "artifactLocation": {
                    "uri": "a%20folder/c.json"
                  },
                  "region": {
                    "startLine": 2,
                    "startColumn": 25,
                    "byteOffset": 69,
                    "byteLength": 3
                  }
                },
                "logicalLocations": [
                  {
                    "fullyQualifiedName": "/steps/0/stepType"
                  }
                ],
                "id": 0,
                "message": {
                  "text": "written so here"
                }
              }
            ]
          }
        ]"#]].assert_eq(&shown);
}

#[test]
fn colors_and_nothing_else_are_added_for_terminals() {
    let report = lint(CHAIN, None).unwrap();
    let plain = text("c.json", CHAIN, &report, Paint::Plain);
    let colored = text("c.json", CHAIN, &report, Paint::Colors);
    assert!(!plain.contains('\u{1b}') && colored.contains("\u{1b}[1;33mwarning[C005]\u{1b}[0m"));
    let mut bare = colored;
    for escape in ["\u{1b}[1;33m", "\u{1b}[36m", "\u{1b}[0m"] {
        bare = bare.replace(escape, "");
    }
    assert_eq!(bare, plain);
}

#[test]
fn a_long_line_is_cut_around_what_is_meant() {
    let steps: Vec<String> = (0..50).map(|it| format!(r#"{{"stepType":"S{it}"}}"#)).collect();
    let source = format!(
        r#"{{"workflowType":"w","workflowVersion":1,"steps":[{},{{"stepType":"s7"}}]}}"#,
        steps.join(",")
    );
    let report = lint(&source, None).unwrap();
    let shown = text("c.json", &source, &report, Paint::Plain);
    assert!(shown.lines().all(|it| it.chars().count() < 130), "{shown}");
    let lines: Vec<&str> = shown.lines().collect();
    let marks = lines.iter().position(|it| it.contains('^')).unwrap();
    let at = lines[marks].find('^').unwrap();
    assert_eq!(&lines[marks - 1][at..at + 4], "\"s7\"");
}

#[test]
fn findings_do_not_steer_the_terminal() {
    let source = r#"{"workflowType": "w", "workflowVersion": 1, "steps": [{"stepType": "A"}, {"stepType": "\u001b[2Ja"}], "\u001b[2J": 1}"#;
    let report = lint(source, None).unwrap();
    let shown = text("c.json", source, &report, Paint::Plain);
    assert!(!shown.contains('\u{1b}'), "{shown}");
}
