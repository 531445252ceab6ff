//! The same expressions in an independent implementation of the language underneath ours.
//!
//! Compared is what both promise, after the rewriting that ours does not need: `${x}` is `(x)`, `#x`
//! is `x`, and `contains(a, b)` is `(b in a)`. Known differences, kept out of the comparison:
//! - coercion: the other one has none, so ours is switched off;
//! - comparisons in a row: an error there, each must hold here;
//! - `??`: its right side is everything that follows there, and one operand here;
//! - `%` of doubles: an error there, defined here if they are integral;
//! - an index out of range: nil there, an error here;
//! - membership in nil: an error there, false here, so it is spelled out there;
//! - a number that is not finite as the result: an error here;
//! - 64-bit overflow: wraps around there, becomes a double here, so numbers are small.

use expr::{Context, Value as Other};
use proptest::prelude::{ProptestConfig, Strategy, prop, prop_oneof, proptest};
use serde_json::{Map, Value};
use waypost_machines::process::expression::Coercion;

use crate::check::{evaluate, variables_of};

const VARIABLES: &str = r#"{"i":7,"j":-2,"d":0.5,"s":"abc","t":"5","yes":true,"no":false,"n":null,
    "list":[1,"abc",null,[1]],"map":{"k":1,"m":{"k":"v"}},"e":[]}"#;

/// One expression in both dialects.
#[derive(Clone, Debug)]
struct Twin {
    ours: String,
    other: String,
}

fn leaf() -> impl Strategy<Value = Twin> {
    let same = |it: &str| Twin { ours: it.to_owned(), other: it.to_owned() };
    let plain = prop::sample::select(vec![
        "0",
        "1",
        "3",
        "2.5",
        "\"abc\"",
        "true",
        "false",
        "nil",
        "[1, 2]",
        "[]",
        "map.k",
        "map.m.k",
        "map.none",
        "map[\"k\"]",
        "list[0]",
        "list[1]",
        "i.x",
        "n.x",
    ]);
    let named =
        prop::sample::select(vec!["i", "j", "d", "s", "t", "yes", "no", "n", "list", "map", "e"]);
    prop_oneof![
        plain.prop_map(same),
        named.clone().prop_map(same),
        named.clone().prop_map(|it| Twin { ours: format!("#{it}"), other: it.to_owned() }),
        named.prop_map(|it| Twin { ours: format!("${{{it}}}"), other: format!("({it})") }),
    ]
}

fn twin() -> impl Strategy<Value = Twin> {
    leaf().prop_recursive(4, 24, 3, |inner| {
        let operator = prop::sample::select(vec![
            "+", "-", "*", "/", "==", "!=", "<", "<=", ">", ">=", "&&", "||",
        ]);
        let unary = prop::sample::select(vec!["!", "-"]);
        prop_oneof![
            6 => (inner.clone(), operator, inner.clone()).prop_map(|(left, operator, right)| Twin {
                ours: format!("({}) {operator} ({})", left.ours, right.ours),
                other: format!("(({}) {operator} ({}))", left.other, right.other),
            }),
            1 => (unary, inner.clone()).prop_map(|(operator, it)| Twin {
                ours: format!("{operator}({})", it.ours),
                other: format!("({operator}({}))", it.other),
            }),
            1 => (inner.clone(), inner.clone()).prop_map(|(list, element)| Twin {
                ours: format!("({}) in ({})", element.ours, list.ours),
                other: member_of_other(&element.other, &list.other),
            }),
            1 => (inner.clone(), inner.clone()).prop_map(|(list, element)| Twin {
                ours: format!("contains({}, {})", list.ours, element.ours),
                other: format!(
                    "(type({1}) == \"string\" ? ({1}) contains ({0}) : {2})",
                    element.other, list.other, member_of_other(&element.other, &list.other),
                ),
            }),
            1 => inner.clone().prop_map(|it| Twin {
                ours: format!("len({})", it.ours),
                other: format!("len({})", it.other),
            }),
            1 => (inner.clone(), inner.clone(), inner).prop_map(|(condition, then, otherwise)| Twin {
                ours: format!("({}) ? ({}) : ({})", condition.ours, then.ours, otherwise.ours),
                other: format!("(({}) ? ({}) : ({}))", condition.other, then.other, otherwise.other),
            }),
        ]
    })
}

/// Operands and operators without any parentheses, so that precedence decides. At most one of the
/// operators is an ordering.
fn row() -> impl Strategy<Value = String> {
    let operand = prop::sample::select(vec!["i", "j", "d", "1", "2", "yes", "no", "s"]);
    let prefix = prop::sample::select(vec!["", "", "", "-", "!", "not "]);
    let operator =
        prop::sample::select(vec!["+", "-", "*", "/", "**", "==", "!=", "&&", "||", "and", "or"]);
    let ordering = prop::sample::select(vec!["<", "<=", ">", ">=", "=="]);
    let term = (prefix, operand).prop_map(|(prefix, operand)| format!("{prefix}{operand}"));
    let side =
        (term.clone(), prop::collection::vec((operator, term), 0..4)).prop_map(|(first, rest)| {
            rest.iter().fold(first, |row, (operator, it)| format!("{row} {operator} {it}"))
        });
    (side.clone(), ordering, side).prop_map(|(left, it, right)| format!("{left} {it} {right}"))
}

/// Nothing is in nil, which is an error there. Both sides are looked at before it is decided.
fn member_of_other(element: &str, list: &str) -> String {
    format!("((({element}) == nil || true) && (({list}) == nil ? false : ({element}) in ({list})))")
}

fn to_other(value: &Value) -> Other {
    match value {
        Value::Null => Other::Nil,
        Value::Bool(bool) => Other::Bool(*bool),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => Other::Integer(integer),
            None => Other::Float(number.as_f64().unwrap()),
        },
        Value::String(text) => Other::String(text.clone()),
        Value::Array(items) => Other::Array(items.iter().map(to_other).collect()),
        Value::Object(members) => {
            Other::Map(members.iter().map(|(key, it)| (key.clone(), to_other(it))).collect())
        }
    }
}

/// The other's value as JSON, with numbers as ours are; nothing if JSON cannot hold it.
fn from_other(value: &Other) -> Option<Value> {
    match value {
        Other::Nil => Some(Value::Null),
        Other::Bool(bool) => Some(Value::Bool(*bool)),
        Other::Integer(integer) => Some(Value::from(*integer)),
        Other::Float(double) if !double.is_finite() => None,
        #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and small")]
        Other::Float(double) if double.fract() == 0.0 && double.abs() < 1e15 => {
            Some(Value::from(*double as i64))
        }
        Other::Float(double) => Some(Value::from(*double)),
        Other::String(text) => Some(Value::from(text.clone())),
        Other::Array(items) => items.iter().map(from_other).collect(),
        Other::Map(members) => {
            let members = members.iter().map(|(key, it)| Some((key.clone(), from_other(it)?)));
            members.collect::<Option<Map<_, _>>>().map(Value::Object)
        }
        Other::Bytes(_) | Other::KeyedMap(_) => panic!("{value:?} is not JSON"),
    }
}

fn answer_of_other(source: &str) -> Option<Value> {
    let mut context = Context::default();
    for (name, value) in variables_of(VARIABLES) {
        context.insert(name, to_other(&value));
    }
    expr::eval(source, &context).ok().as_ref().and_then(from_other)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn both_give_the_same_value_or_none(twin in twin()) {
        agree(&twin.ours, &twin.other);
    }

    #[test]
    fn both_read_operators_in_the_same_order(row in row()) {
        agree(&row, &row);
    }
}

fn agree(source: &str, source_of_other: &str) {
    let ours = evaluate(source, VARIABLES, Coercion::Off);
    let other = answer_of_other(source_of_other);
    assert!(ours.as_ref().ok() == other.as_ref(), "{source}\n ours: {ours:?}\nother: {other:?}");
}

#[test]
fn the_other_one_does_answer() {
    assert_eq!(answer_of_other("(i + 1) / 2 > 3 && \"abc\" in list"), Some(Value::Bool(true)));
    assert_eq!(answer_of_other("i.x"), None);
}
