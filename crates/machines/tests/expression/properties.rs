//! What holds for any source and any variables.

use proptest::prelude::{
    Just, ProptestConfig, Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest,
};
use serde_json::{Map, Value, json};
use waypost_machines::process::expression::{Coercion, Compiled, Limits};

/// Pieces of sources. Glued together at random they are mostly nonsense, and sometimes not.
const PIECES: [&str; 72] = [
    "a",
    "b",
    "s",
    "list",
    "map",
    "#",
    "#index",
    "#acc",
    ".x",
    "?.x",
    "1",
    "0",
    "2.5",
    "1e3",
    "'5'",
    "\"x\"",
    "`r`",
    "true",
    "false",
    "nil",
    "null",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "${",
    ",",
    ":",
    "?",
    ";",
    "=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "**",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "&&",
    "||",
    "!",
    "and",
    "or",
    "not",
    "in",
    "..",
    "??",
    "|",
    "matches",
    "contains",
    "startsWith",
    "let x =",
    "if",
    "else",
    "len(",
    "filter(",
    "map(",
    "reduce(",
    "sum(",
    "sort(",
    "split(",
    "é",
    "\\",
    "//",
    "@",
];

fn soup() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES.as_slice()), 0..25)
        .prop_map(|it| it.join(" "))
}

/// Sources that are expressions, by construction.
fn source() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "a",
        "b",
        "s",
        "list",
        "map",
        "1",
        "0",
        "2.5",
        "1e300",
        "'5'",
        "'x\\n'",
        "true",
        "false",
        "nil",
        "null",
        "#b",
        "${a}",
        "map.x",
        "map?.x.y",
        "list[0]",
        "list[-1:]",
        "a?.[0]",
    ]);
    leaf.prop_map(str::to_owned).prop_recursive(6, 40, 3, |inner| {
        let operator = prop::sample::select(vec![
            "+", "-", "*", "/", "%", "**", "^", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "and",
            "or", "in", "not in", "..", "??", "matches", "contains", "not startsWith",
        ]);
        let unary = prop::sample::select(vec!["!", "-", "+", "not "]);
        let function = prop::sample::select(vec!["len", "sum", "abs", "string", "type", "sort"]);
        let each = prop::sample::select(vec!["filter", "map", "all", "count", "groupBy", "sortBy"]);
        prop_oneof![
            4 => (inner.clone(), operator, inner.clone()).prop_map(|(l, o, r)| format!("{l} {o} {r}")),
            2 => inner.clone().prop_map(|it| format!("({it})")),
            1 => (unary, inner.clone()).prop_map(|(o, it)| format!("{o}{it}")),
            1 => inner.clone().prop_map(|it| format!("${{{it}}}")),
            1 => inner.clone().prop_map(|it| format!("({it}).x")),
            1 => (inner.clone(), inner.clone()).prop_map(|(l, r)| format!("[{l}, {r}][{r}]")),
            1 => (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(c, l, r)| format!("({c} ? {l} : {r})")),
            1 => (inner.clone(), inner.clone()).prop_map(|(l, r)| format!("(let x = {l}; x + {r})")),
            1 => (function, inner.clone()).prop_map(|(f, it)| format!("{f}({it})")),
            1 => (each, inner.clone(), inner.clone())
                .prop_map(|(f, l, r)| format!("{f}({l}, # == {r} || #.x)")),
            1 => (inner.clone(), inner).prop_map(|(l, r)| format!("reduce({l}, #acc + #index, {r})")),
        ]
    })
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (-3_i64..4).prop_map(Value::from),
        prop::sample::select(vec!["", "5", "-1.5e2", "true", "FALSE", "é", "^a*$"])
            .prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((prop::sample::select(vec!["x", "y"]), inner), 0..3).prop_map(
                |it| it.into_iter().map(|(key, it)| (key.to_owned(), it)).collect::<Value>()
            ),
        ]
    })
}

fn variables() -> impl Strategy<Value = Map<String, Value>> {
    (value(), value(), value(), value(), value()).prop_map(|(a, b, s, list, map)| {
        let named = [("a", a), ("b", b), ("s", s), ("list", list), ("map", map)];
        named.into_iter().map(|(name, it)| (name.to_owned(), it)).collect()
    })
}

/// Evaluates both ways. Nothing is expected of it but to come back, and to say the same again.
fn survives(source: &str, variables: &Map<String, Value>) {
    let limits = Limits { steps: 10_000, ..Limits::default() };
    let Ok(compiled) = Compiled::parse(source, limits) else { return };
    for coercion in [Coercion::On, Coercion::Off] {
        let first = compiled.evaluate(variables, coercion);
        assert_eq!(first, compiled.evaluate(variables, coercion), "{source}");
        if let Err(error) = first {
            let text = error.to_string();
            assert!(!text.contains('\n') && source.get(error.span().start..).is_some(), "{text}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_comes_to_an_end(source in any::<String>(), variables in variables()) {
        survives(&source, &variables);
    }

    #[test]
    fn any_pieces_come_to_an_end(source in soup(), variables in variables()) {
        survives(&source, &variables);
    }

    #[test]
    fn any_expression_comes_to_an_end(source in source(), variables in variables()) {
        survives(&source, &variables);
    }

    #[test]
    fn what_is_written_from_a_tree_is_read_as_that_tree(source in prop_oneof![source(), soup()]) {
        let Ok(compiled) = Compiled::parse(&source, Limits::default()) else { return Ok(()) };
        let written = compiled.expression().to_string();
        let again = Compiled::parse(&written, Limits::default());
        let again = again.unwrap_or_else(|error| panic!("{source}: {error}"));
        prop_assert!(compiled.expression().is_same_as(again.expression()), "{source}: {written}");
    }

    #[test]
    fn a_variable_comes_out_as_it_went_in(value in value()) {
        let variables = Map::from_iter([("a".to_owned(), value.clone())]);
        let compiled = Compiled::parse("a", Limits::default()).unwrap();
        let found = compiled.evaluate(&variables, Coercion::On).unwrap();
        let equal = Compiled::parse("a == b && len([a]) == 1", Limits::default()).unwrap();
        let both = Map::from_iter([("a".to_owned(), value), ("b".to_owned(), found)]);
        prop_assert_eq!(equal.evaluate(&both, Coercion::Off), Ok(json!(true)));
    }

    #[test]
    fn integers_of_64_bits_stay_exact(left in any::<i64>(), right in any::<i64>()) {
        let variables = Map::from_iter([("a".to_owned(), json!(left)), ("b".to_owned(), json!(right))]);
        let result = |source| {
            Compiled::parse(source, Limits::default()).unwrap().evaluate(&variables, Coercion::On)
        };
        if let Some(sum) = left.checked_add(right) {
            prop_assert_eq!(result("a + b"), Ok(json!(sum)));
        }
        if let Some(product) = left.checked_mul(right) {
            prop_assert_eq!(result("a * b"), Ok(json!(product)));
        }
        prop_assert_eq!(result("a < b"), Ok(json!(left < right)));
        prop_assert_eq!(result("a == b"), Ok(json!(left == right)));
    }
}
