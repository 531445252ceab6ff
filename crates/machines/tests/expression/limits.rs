//! Hostile sources and values: an error at the worst, and soon.

use serde_json::{Map, Value, json};
use waypost_machines::process::expression::{Cause, Coercion, Compiled, Limits};

use crate::check::variables_of;

/// Large enough that nothing but the limit in question is met.
fn roomy() -> Limits {
    Limits { source_bytes: 10_000_000, nodes: 1_000_000, ..Limits::default() }
}

fn outcome(source: &str, limits: Limits) -> Result<Value, Cause> {
    let mut variables = variables_of(r#"{"a":{"a":1},"n":1,"t":true,"s":"aaaaaaaaaaaaaaaa"}"#);
    let big = "9".repeat(400_000);
    variables.insert("keyed".to_owned(), json!({ big.as_str(): 1 }));
    variables.insert("other".to_owned(), json!(big.as_str()));
    variables.insert("big".to_owned(), json!(big));
    Compiled::parse(source, limits)
        .and_then(|it| it.evaluate(&variables, Coercion::On))
        .map_err(|error| error.cause().clone())
}

fn exceeded(source: &str, limits: Limits) -> &'static str {
    match outcome(source, limits) {
        Err(Cause::Limit { what, .. }) => what,
        other => panic!("{}: {other:?}", source.get(..50).unwrap_or(source)),
    }
}

#[test]
fn deep_nesting_is_refused() {
    let many = 10_000;
    let around = |open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(many), close.repeat(many))
    };
    for source in [
        around("(", "1", ")"),
        around("[", "1", "]"),
        around("${", "1", "}"),
        around("{a:", "1", "}"),
        around("len(", "1", ")"),
        around("map([1], ", "1", ")"),
        around("n[", "1", "]"),
        around("!", "t", ""),
        around("- ", "n", ""),
        around("1 ** ", "1", ""),
        around("t ? 1 : ", "1", ""),
        around("t ? ", "1", " : 1"),
        around("let x = 1; ", "1", ""),
        around("if t { 1 } else ", "", "{ 1 }"),
        around("n ?? (", "1", ")"),
        "(".repeat(many),
        "[".repeat(many),
        "${".repeat(many),
        "!".repeat(many),
        "map(n, ".repeat(many),
        "if t {".repeat(many),
    ] {
        assert_eq!(exceeded(&source, roomy()), "levels of nesting");
    }
}

#[test]
fn nesting_below_the_limit_is_fine() {
    let source = format!("{}1{}", "(".repeat(150), ")".repeat(150));
    assert_eq!(outcome(&source, Limits::default()), Ok(json!(1)));
    let source = format!("{}1{}", "map([1], {[".repeat(60), "]})".repeat(60));
    assert!(outcome(&source, Limits::default()).is_err(), "120 levels in a value");
    let source = format!("{}1{}", "map([1], ".repeat(90), ")".repeat(90));
    assert!(outcome(&source, Limits::default()).is_ok());
}

#[test]
fn long_rows_need_no_depth() {
    let many = 20_000;
    let sum = format!("n{}", " + 1".repeat(many));
    assert_eq!(outcome(&sum, roomy()), Ok(json!(many + 1)));
    let all = format!("t{}", " && t".repeat(many));
    assert_eq!(outcome(&all, roomy()), Ok(json!(true)));
    let row = format!("1{}", " <= 1".repeat(many));
    assert_eq!(outcome(&row, roomy()), Ok(json!(true)));
    let members = format!("a{}", "?.b".repeat(many));
    assert_eq!(outcome(&members, roomy()), Ok(json!(null)));
    let pipes = format!("-1{}", " | abs()".repeat(many));
    assert_eq!(outcome(&pipes, roomy()), Ok(json!(1)));
    let written = Compiled::parse(&sum, roomy()).unwrap().expression().to_string();
    assert_eq!(written, sum);
}

#[test]
fn an_expression_has_a_limited_size() {
    let sum = format!("n{}", " + 1".repeat(6_000));
    assert_eq!(exceeded(&sum, Limits::default()), "syntax nodes");
    let text = format!("'{}'", "x".repeat(70_000));
    assert_eq!(exceeded(&text, Limits::default()), "bytes of source");
    assert_eq!(exceeded(&"a.a".repeat(30_000), Limits::default()), "bytes of source");
    let digits = "9".repeat(60_000);
    assert!(matches!(outcome(&digits, Limits::default()), Err(Cause::Syntax(_))));
    assert!(matches!(outcome(&format!("{digits}.0"), Limits::default()), Err(Cause::Syntax(_))));
    let small = format!("0.{digits}");
    assert_eq!(outcome(&small, Limits::default()), Ok(json!(1)));
}

/// As deep as the limit allows, in every way that recurses, on a stack that is small for a server.
#[test]
fn the_deepest_expression_fits_a_small_stack() {
    let deep = |open: &str, times: usize, close: &str| {
        format!("{}true{}", open.repeat(times), close.repeat(times))
    };
    let sources = [
        deep("(", 198, ")"),
        deep("!", 198, ""),
        deep("t && (", 98, ")"),
        deep("t ? (", 98, ") : 1"),
        deep("t ? 1 : ", 198, ""),
        deep("let x = 1; ", 198, ""),
        deep("if t { ", 198, " } else { 1 }"),
        deep("map([1], ", 98, ")"),
        deep("first(map([1], {", 98, "}))"),
        deep("reduce([1], {[", 90, "]}, 1)"),
        deep("groupBy([1], type(", 98, "))"),
        deep("[1][0 * len(string(", 45, "))]"),
        deep("{a: ", 98, "}"),
    ];
    let small = std::thread::Builder::new().stack_size(512 * 1024);
    let evaluate_all = move || {
        for source in sources {
            let outcome = outcome(&source, Limits::default());
            assert!(outcome.is_ok(), "{source}: {outcome:?}");
        }
    };
    small.spawn(evaluate_all).unwrap().join().unwrap();
}

#[test]
fn an_evaluation_takes_a_limited_number_of_steps() {
    let doubling: String = (1..40).map(|it| format!("let x{it} = x{0} + x{0}; ", it - 1)).collect();
    let pairing: String = (1..40).map(|it| format!("let x{it} = [x{0}, x{0}]; ", it - 1)).collect();
    for source in [
        "1..1000000000".to_owned(),
        "-9000000000000000000..9000000000000000000".to_owned(),
        "map(1..2000, map(1..2000, 1))".to_owned(),
        "repeat('x', 1000000000000)".to_owned(),
        "repeat('', 1000000000000)".to_owned(),
        "repeat(repeat(s, 1000), 1000000)".to_owned(),
        "replace(repeat('a', 100000), '', repeat('b', 100000))".to_owned(),
        "join(map(1..10000, repeat('a', 10000)))".to_owned(),
        "len(uniq(1..5000))".to_owned(),
        "reduce(1..5000, concat(#acc, [#]), [])".to_owned(),
        "map(1..100, 'a' matches string(#))".to_owned(),
        "count(1..1000, repeat('a', 10000) matches 'b')".to_owned(),
        format!("let x0 = s; {doubling} len(x39)"),
        // What is large and already there must cost something each time it is looked at.
        "count(1..50000, big == big + '')".to_owned(),
        "count(1..50000, big == other)".to_owned(),
        "count(1..50000, big < other)".to_owned(),
        "count(1..50000, 'a' > big <= other)".to_owned(),
        "count(1..50000, big > 1)".to_owned(),
        "count(1..50000, big in [other])".to_owned(),
        "count(1..50000, a[big] == 1)".to_owned(),
        "count(1..50000, get(a, big) == 1)".to_owned(),
        "count(1..50000, len(big) == 1)".to_owned(),
        "count(1..50000, big contains 'x')".to_owned(),
        "count(1..50000, keys(keyed) == 1)".to_owned(),
        "count(1..50000, toPairs(keyed) == 1)".to_owned(),
        "count(1..50000, fromPairs([[big, 1]]) == 1)".to_owned(),
        "map(1..50000, big)".to_owned(),
        format!("count(1..50000, ({{\"{}\": 1}}) == 1)", "a".repeat(60_000)),
        format!("let x0 = s; {pairing} x39"),
        format!("let x0 = s; {pairing} x39 == [x38, x38]"),
        format!("let x0 = s; {pairing} flatten(x39)"),
    ] {
        assert_eq!(exceeded(&source, Limits::default()), "steps of evaluation", "{source}");
    }
    assert_eq!(outcome("sum(map(1..10000, # * 2))", Limits::default()), Ok(json!(100_010_000)));
}

#[test]
fn a_value_nests_so_deep_and_no_deeper() {
    let deep = "reduce(1..100000, [#acc])";
    assert_eq!(exceeded(deep, Limits::default()), "levels in a value");
    assert_eq!(exceeded("reduce(1..100000, {{a: #acc}})", Limits::default()), "levels in a value");
    assert!(outcome("reduce(1..90, [#acc])", Limits::default()).is_ok());
    let mut nested = json!(1);
    for _ in 0..120 {
        nested = json!([nested]);
    }
    let variables = Map::from_iter([("v".to_owned(), nested)]);
    for source in ["v", "[v]", "v == [v]", "v == v"] {
        let compiled = Compiled::parse(source, Limits::default()).unwrap();
        let error = compiled.evaluate(&variables, Coercion::On).unwrap_err();
        assert!(error.to_string().contains("levels in a value"), "{source}: {error}");
    }
}

#[test]
fn patterns_are_limited_in_size_and_number() {
    let small = Limits { pattern_bytes: 10_000, ..Limits::default() };
    for end in ["", " + ''"] {
        let source = format!("s matches '(\\\\w{{10}}){{10}}'{end}");
        assert_eq!(exceeded(&source, small), "bytes of a pattern");
    }
    let many = format!("t{}", " && s matches 'a'".repeat(51));
    assert_eq!(exceeded(&many, Limits::default()), "patterns");
    let row = format!("t{}", " && s matches '(a*)*b|a'".repeat(50));
    assert_eq!(outcome(&row, Limits::default()), Ok(json!(true)));
}

#[test]
fn patterns_are_limited_with_their_repetitions_written_out() {
    let long = "characters of a pattern, its repetitions written out";
    for (pattern, is_short) in [
        ("a{1024}", true),
        ("a{1025}", false),
        ("(ab{31}){32}", true),
        ("(ab{32}){32}", false),
        ("(a{1,32}|b{1,32}){16}", true),
        ("(a{1,32}|b{1,33}){16}", false),
        ("(a{32}){33,}", false),
        ("(((a{1000}){1000}){1000}){1000}", false),
        ("(a*)*(b+)+c?", true),
    ] {
        // Compiled beforehand, and while it is evaluated.
        for end in ["", " + ''"] {
            let source = format!("big matches '{pattern}'{end}");
            let expected = match is_short {
                true => Ok(json!(false)),
                false => Err(Cause::Limit { what: long, limit: 1_024 }),
            };
            assert_eq!(outcome(&source, Limits::default()), expected, "{source}");
        }
    }
}
