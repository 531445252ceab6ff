//! What holds for any condition and any document.

use proptest::prelude::{
    BoxedStrategy, Just, ProptestConfig, Strategy, any, prop, prop_assert, prop_assert_eq,
    prop_oneof, proptest,
};
use waypost_documents::{
    document::{Members, Number, Value},
    predicate::{Like, Operator, Path, Predicate},
};
use waypost_machines::entity::criterion::Criterion;

use super::check::{compares, subject};

/// Operators and what they negate. For text, always exactly one of the two holds.
const NEGATED: [(&str, &str); 8] = [
    ("EQUALS", "NOT_EQUAL"),
    ("CONTAINS", "NOT_CONTAINS"),
    ("STARTS_WITH", "NOT_STARTS_WITH"),
    ("ENDS_WITH", "NOT_ENDS_WITH"),
    ("IEQUALS", "INOT_EQUAL"),
    ("ICONTAINS", "INOT_CONTAINS"),
    ("ISTARTS_WITH", "INOT_STARTS_WITH"),
    ("IENDS_WITH", "INOT_ENDS_WITH"),
];

/// Names and words that mean something in conditions, so that some come out right.
const WORDS: &str = "type simple lifecycle group array function jsonPath $.a $.b[*] a[ operatorType \
    operator value values conditions AND OR EQUALS LIKE BETWEEN MATCHES_PATTERN IS_NULL field state \
    creationDate 2024 1,2 name config a b (a*)*";

fn word() -> impl Strategy<Value = String> {
    let known = WORDS.split(' ').collect::<Vec<_>>();
    prop_oneof![4 => prop::sample::select(known).prop_map(str::to_owned), 1 => ".{0,6}"]
}

pub(super) fn scalar() -> BoxedStrategy<Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (-20_i64..20).prop_map(|it| Value::Number(it.into())),
        "-?(0|[1-9][0-9]{0,4})(\\.[0-9]{1,3})?(e[+-]?[0-9]{1,3})?"
            .prop_map(|it| Value::Number(Number::parse(&it).unwrap())),
        word().prop_map(Value::Text),
        "[abAB%_]{0,4}".prop_map(Value::Text),
    ]
    .boxed()
}

pub(super) fn document() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(5, 60, 5, |inner| {
        let members = prop::collection::vec((word(), inner.clone()), 0..5);
        prop_oneof![
            prop::collection::vec(inner, 0..5).prop_map(Value::List),
            members.prop_map(|it| Value::Object(Members::from_iter(it))),
        ]
    })
}

/// A condition that is mostly right.
fn condition() -> impl Strategy<Value = Value> {
    let operator = prop::sample::select(&Operator::NAMES[..]).prop_map(|(name, _)| name);
    let leaf = (operator, prop::sample::select(&["$.a", "b[*]", "$.a.b", "$"][..]), scalar());
    let leaf = leaf.prop_map(|(operator, path, value)| {
        object([
            ("type", text("simple")),
            ("jsonPath", text(path)),
            ("operatorType", text(operator)),
            ("value", value),
        ])
    });
    leaf.prop_recursive(3, 20, 4, |inner| {
        (prop::bool::ANY, prop::collection::vec(inner, 0..4))
            .prop_map(|(is_all, conditions)| group(if is_all { "AND" } else { "OR" }, conditions))
    })
}

fn group(operator: &str, conditions: Vec<Value>) -> Value {
    let conditions = Value::List(conditions);
    object([("type", text("group")), ("operator", text(operator)), ("conditions", conditions)])
}

fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn holds(condition: &Value, document: &Value) -> Option<bool> {
    let criterion = Criterion::parse(condition).ok()?;
    let answer = criterion.evaluate(&subject(document), &mut |_| Err(())).ok()?;
    assert_eq!(criterion.predicate().unwrap().matches(&subject(document)), answer);
    Some(answer)
}

/// Whether `operator` holds for the value itself.
fn asks(value: &Value, operator: &str, operand: &Value) -> Option<bool> {
    let path = Path::parse("$").unwrap();
    let predicate = Predicate::compare(path, Operator::named(operator).unwrap(), operand).ok()?;
    Some(predicate.matches(&subject(value)))
}

/// `LIKE` as one would explain it: a run takes as much as it has to, whatever that costs.
fn is_like(shape: &[char], text: &[char]) -> bool {
    match (shape, text) {
        ([], _) => text.is_empty(),
        (['%', others @ ..], _) => {
            let line = text.iter().take_while(|it| **it != '\n').count();
            (0..=line).any(|run| is_like(others, text.get(run..).unwrap()))
        }
        (['\\', wanted, others @ ..], [first, rest @ ..]) => {
            wanted == first && is_like(others, rest)
        }
        (['_', others @ ..], [first, rest @ ..]) => *first != '\n' && is_like(others, rest),
        ([wanted, others @ ..], [first, rest @ ..]) => wanted == first && is_like(others, rest),
        (_, []) => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reading_never_panics(condition in document(), document in document()) {
        holds(&condition, &document);
    }

    #[test]
    fn reading_a_path_never_panics(path in "[a$.\\[\\]*'\"\\\\0é]{0,20}", document in document()) {
        if let Ok(path) = Path::parse(&path) {
            path.any(&document, &mut |_| false);
        }
    }

    #[test]
    fn groups_are_and_and_or(
        one in condition(), other in condition(), document in document(),
    ) {
        if let (Some(first), Some(second)) = (holds(&one, &document), holds(&other, &document)) {
            let both = vec![one, other];
            prop_assert_eq!(holds(&group("AND", both.clone()), &document), Some(first && second));
            prop_assert_eq!(holds(&group("OR", both), &document), Some(first || second));
        }
    }

    #[test]
    fn a_value_never_meets_both_a_comparison_and_its_negation(
        value in scalar(), operand in scalar(),
    ) {
        for (operator, negated) in NEGATED {
            let (Some(yes), Some(no)) =
                (asks(&value, operator, &operand), asks(&value, negated, &operand)) else { continue };
            prop_assert!(!(yes && no), "{} {} {}", value, operator, operand);
            let is_decided = value.as_text().is_some() || (operator == "EQUALS" && !value.is_null());
            prop_assert_eq!(yes || no, is_decided, "{} {} {}", value, operator, operand);
        }
    }

    #[test]
    fn order_is_whole_or_not_there(value in scalar(), operand in scalar()) {
        let ask = |operator| asks(&value, operator, &operand);
        let (Some(below), Some(above)) = (ask("LESS_THAN"), ask("GREATER_THAN")) else { return Ok(()) };
        let equal = ask("EQUALS").unwrap();
        prop_assert!(u8::from(below) + u8::from(equal) + u8::from(above) <= 1);
        prop_assert_eq!(ask("LESS_OR_EQUAL"), Some(below || equal));
        prop_assert_eq!(ask("GREATER_OR_EQUAL"), Some(above || equal));
    }

    #[test]
    fn between_is_above_and_below(value in scalar(), low in scalar(), high in scalar()) {
        let range = Value::List(vec![low.clone(), high.clone()]);
        let Some(between) = asks(&value, "BETWEEN", &range) else { return Ok(()) };
        let lies = |above, below| {
            asks(&value, above, &low).unwrap() && asks(&value, below, &high).unwrap()
        };
        prop_assert_eq!(between, lies("GREATER_THAN", "LESS_THAN"));
        let inclusive = asks(&value, "BETWEEN_INCLUSIVE", &range);
        prop_assert_eq!(inclusive, Some(lies("GREATER_OR_EQUAL", "LESS_OR_EQUAL")));
    }

    #[test]
    fn a_list_meets_what_one_of_its_elements_meets(
        values in prop::collection::vec(scalar(), 0..5), operand in scalar(),
    ) {
        let list = Value::List(values.clone());
        for (operator, _) in &Operator::NAMES {
            let Some(any) = asks(&list, operator, &operand) else { continue };
            let each = values.iter().any(|it| asks(it, operator, &operand).unwrap());
            prop_assert_eq!(any, each, "{} {} {}", list, operator, operand);
        }
    }

    #[test]
    fn numbers_compare_like_whole_numbers_of_the_same_scale(
        one in any::<i64>(), other in any::<i64>(), scale in 0_usize..19, shift in -30_i32..30,
    ) {
        // The same digits with the point and the exponent moved against each other.
        let spell = |number: i64| format!("{number}e{shift}");
        let moved = |number: i64| {
            let digits = format!("{:0>20}", number.unsigned_abs());
            let (whole, fraction) = digits.split_at(20 - scale);
            let whole = whole.trim_start_matches('0');
            let whole = if whole.is_empty() { "0" } else { whole };
            let sign = if number < 0 { "-" } else { "" };
            let point = if scale == 0 { "" } else { "." };
            format!("{sign}{whole}{point}{fraction}e{}", shift + i32::try_from(scale).unwrap())
        };
        let stored = format!(r#"{{"v":{}}}"#, spell(one));
        for operand in [spell(other), moved(other), format!("\"{}\"", moved(other))] {
            let (one, other) = (i128::from(one), i128::from(other));
            prop_assert_eq!(compares(&stored, "v", "EQUALS", &operand), one == other);
            prop_assert_eq!(compares(&stored, "v", "NOT_EQUAL", &operand), one != other);
            prop_assert_eq!(compares(&stored, "v", "LESS_THAN", &operand), one < other);
            prop_assert_eq!(compares(&stored, "v", "GREATER_OR_EQUAL", &operand), one >= other);
        }
        prop_assert!(compares(&stored, "v", "EQUALS", &moved(one)));
    }

    #[test]
    fn like_is_what_one_would_explain(shape in "[ab%_\\\\\n]{0,8}", text in "[ab%_\n]{0,10}") {
        // A backslash at the end has nothing to stand before; it is text then.
        let ends_open = shape.chars().rev().take_while(|it| *it == '\\').count() % 2 == 1;
        let explained = if ends_open { format!("{shape}\\") } else { shape.clone() };
        let characters = |text: &str| text.chars().collect::<Vec<_>>();
        let expected = is_like(&characters(&explained), &characters(&text));
        prop_assert_eq!(Like::new(&shape).matches(&text), expected, "{:?} {:?}", shape, text);
    }
}
