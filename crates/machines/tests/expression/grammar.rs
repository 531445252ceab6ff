//! How sources are read: precedence, literals, and the forms beyond the basics.

use waypost_machines::process::expression::{Compiled, Expression, Limits, Span};

use crate::check::check;

fn tree(source: &str) -> Expression {
    let compiled = Compiled::parse(source, Limits::default());
    compiled.unwrap_or_else(|error| panic!("{error}")).expression().clone()
}

#[test]
fn operators_bind_as_documented() {
    for (source, meant) in [
        ("a ? b : c ? d : e", "a ? b : (c ? d : e)"),
        ("a || b ? c : d", "(a || b) ? c : d"),
        ("a || b && c", "a || (b && c)"),
        ("a && b || c && d", "(a && b) || (c && d)"),
        ("a && b == c", "a && (b == c)"),
        ("a == b != c", "(a == b) != c"),
        ("a == b in c", "(a == b) in c"),
        ("a < b == c", "(a < b) == c"),
        ("a == b .. c", "a == (b .. c)"),
        ("a .. b + c", "a .. (b + c)"),
        ("a + b - c", "(a + b) - c"),
        ("a + b * c", "a + (b * c)"),
        ("!a + b", "(!a) + b"),
        ("!a * b", "!(a * b)"),
        ("!a == b", "(!a) == b"),
        ("not a in b", "(not a) in b"),
        ("a not in b", "not (a in b)"),
        ("a not in b && c", "(not (a in b)) && c"),
        ("a / b % c", "(a / b) % c"),
        ("-a * b", "(-a) * b"),
        ("-a ** b", "-(a ** b)"),
        ("a ** -b", "a ** (-b)"),
        ("a ** b ** c", "a ** (b ** c)"),
        ("a ^ b", "a ** b"),
        ("a || b ?? c", "a || (b ?? c)"),
        ("a ?? b || c", "(a ?? b) || c"),
        ("a ?? b ** c", "(a ?? b) ** c"),
        ("-a.b[0]", "-((a.b)[0])"),
        ("a or b and not c", "a || (b && (!c))"),
        ("a | len() + 1", "len(a) + 1"),
        ("a + b | max(c)", "max(a + b, c)"),
        ("a matches 'x' && b", "(a matches 'x') && b"),
        ("${a} + b", "(a) + b"),
        ("#a + #b.c", "a + b.c"),
        ("if a { b } else if c { d } else { e }", "a ? b : (c ? d : e)"),
        ("filter(a, .b)", "filter(a, {#.b})"),
    ] {
        let (found, expected) = (tree(source), tree(meant));
        assert!(found.is_same_as(&expected), "{source} was read as {found}");
    }
}

#[test]
fn different_trees_are_told_apart() {
    assert!(!tree("(a + b) * c").is_same_as(&tree("a + b * c")));
    assert!(!tree("(1 < a) < b").is_same_as(&tree("1 < a < b")));
    assert!(!tree("(a?.b).c").is_same_as(&tree("a?.b.c")));
    assert!(!tree("a").is_same_as(&tree("b")));
}

#[test]
fn a_tree_is_written_with_the_parentheses_it_needs() {
    for source in [
        "(a + b) * c",
        "a + b * c",
        "(1 < a) < b",
        "1 < a < b",
        "(a ** b) ** c",
        "(a?.b).c",
        "a?.b.c",
        "(1).x",
        "!(a == b)",
        "(-a) ** b",
        "a ? b : c",
        "(a ? b : c) ? d : e",
        "let x = 1; x + a",
        "filter(a, {# > #index})",
        "reduce(a, {#acc + #}, 0)",
        r#"{"a": 1, "b c": [1.5, nil, null]}"#,
        r#""a\"b\\c\u000A""#,
        "a[1 : ]?.[0]",
    ] {
        assert_eq!(tree(source).to_string(), source);
    }
}

#[test]
fn what_text_substitution_got_wrong_is_right() {
    check(&[
        (r#"!contains(a,"x")"#, r#"{"a":["y"]}"#, "true"),
        ("contains((a), (b))", r#"{"a":["x"],"b":"x"}"#, "true"),
        ("contains(keys(a), upper('x'))", r#"{"a":{"X":1}}"#, "true"),
        ("contains ([1, 2], 2)", "", "true"),
        (r##""#tag""##, "", r##""#tag""##),
        (r#""${a}""#, r#"{"a":1}"#, r#""${a}""#),
        (r#"'say "x"'"#, "", r#""say \"x\"""#),
        (r#""it's" + 'y'"#, "", r#""it'sy""#),
        (r#"${ {"k":1} }"#, "", r#"{"k":1}"#),
        (r#"${ {"k":"}"}.k }"#, "", r#""}""#),
    ]);
}

#[test]
fn numbers_are_written_in_several_ways() {
    check(&[
        ("700", "", "700"),
        ("1_000", "", "1000"),
        ("0x1F", "", "31"),
        ("0o17", "", "15"),
        ("0b101", "", "5"),
        ("0.9", "", "0.9"),
        (".5", "", "0.5"),
        ("1e3", "", "1000"),
        ("1.5E-1", "", "0.15"),
        ("9223372036854775807", "", "9223372036854775807"),
        ("0x", "", "error"),
        ("1e", "", "error"),
        ("1e999", "", "error"),
        ("0b12", "", "error"),
        ("1.2.3", "", "error"),
    ]);
}

#[test]
fn integers_are_exact_and_doubles_take_over() {
    check(&[
        ("a", r#"{"a":9007199254740993}"#, "9007199254740993"),
        ("a", r#"{"a":18446744073709551615}"#, "18446744073709551615"),
        ("a + 1", r#"{"a":9007199254740992}"#, "9007199254740993"),
        ("a == 9007199254740992.0", r#"{"a":9007199254740993}"#, "false"),
        ("a > 9007199254740992.0", r#"{"a":9007199254740993}"#, "true"),
        ("a == b", r#"{"a":"9007199254740993","b":9007199254740993}"#, "true"),
        ("9223372036854775807 * 4", "", "3.6893488147419103e+19"),
        ("9007199254740993 / 1", "", "9007199254740992"),
        ("1e18", "", "1000000000000000000"),
        ("1e300", "", "1e+300"),
        ("-0.0", "", "0"),
        ("1 / 0 == 1 / 0", "", "true"),
        ("0 / 0 == 0 / 0", "", "false"),
        ("0 / 0 < 1 || 0 / 0 >= 1", "", "false"),
        ("[1 / 0]", "", "error: not a number"),
    ]);
}

#[test]
fn text_knows_escapes() {
    check(&[
        (r#""\n\r\t\\\"\'\a\b\f\v""#, "", r#""\n\r\t\\\"'\u0007\b\f\u000b""#),
        (r#""\x41\u00e9\U0001F600\101""#, "", r#""Aé😀A""#),
        (r#""\uD800""#, "", "error: unknown escape"),
        (r#""\x4""#, "", "error: unknown escape"),
        (r#""\d""#, "", "error: unknown escape"),
        (r#""a\"#, "", "error"),
        (r"`C:\dir ${a} 'x'`", "", r#""C:\\dir ${a} 'x'""#),
        ("`x", "", "error: does not end"),
        ("'a\nb'", "", "error: does not end"),
    ]);
}

#[test]
fn comments_are_skipped() {
    check(&[
        ("1 + // one\n 2", "", "3"),
        ("1 /* and */ + 2 // end", "", "3"),
        ("'// not' + ' /* one */'", "", r#""// not /* one */""#),
        ("1 /* open", "", "error: does not end"),
        ("// nothing", "", "error: empty"),
    ]);
}

#[test]
fn comparisons_in_a_row_must_all_hold() {
    check(&[
        ("1 < a <= 3 < b", r#"{"a":3,"b":4}"#, "true"),
        ("1 < a <= 3 < b", r#"{"a":3,"b":3}"#, "false"),
        ("5 > a > 1", r#"{"a":2}"#, "true"),
        ("(1 < a) < 3", r#"{"a":2}"#, "error"),
        ("3 < a < b", r#"{"a":2,"b":null}"#, "false"),
    ]);
}

#[test]
fn nil_is_passed_over_where_asked() {
    check(&[
        ("a?.b.c.d", r#"{"a":null}"#, "null"),
        ("(a?.b).c", r#"{"a":null}"#, "error"),
        ("a?.b.c", r#"{"a":{}}"#, "error"),
        ("a?.b?.c", r#"{"a":{}}"#, "null"),
        ("a?.[0].b", r#"{"a":null}"#, "null"),
        ("a?.[1:2]", r#"{"a":null}"#, "null"),
        ("a?.b", r#"{"a":5}"#, "error"),
        ("[a?.b.c, 1]", r#"{"a":null}"#, "[null,1]"),
        ("a ?.5 : 1", r#"{"a":true}"#, "0.5"),
        ("a ?? b ?? 1", r#"{"a":null,"b":null}"#, "1"),
        ("null ?? 1", "", "1"),
        ("null", r#"{"null":7}"#, "7"),
    ]);
}

#[test]
fn slices_and_ranges_count_from_both_ends() {
    let variables = r#"{"a":[1,2,3,4],"s":"héllo"}"#;
    check(&[
        ("a[1:3]", variables, "[2,3]"),
        ("a[:2]", variables, "[1,2]"),
        ("a[2:]", variables, "[3,4]"),
        ("a[:]", variables, "[1,2,3,4]"),
        ("a[-2:]", variables, "[3,4]"),
        ("a[:-1]", variables, "[1,2,3]"),
        ("a[1:99]", variables, "[2,3,4]"),
        ("a[-99:1]", variables, "[1]"),
        ("a[3:1]", variables, "[]"),
        ("s[1:3]", variables, r#""él""#),
        ("(1..3)[1:]", variables, "[2,3]"),
        ("a['x':]", variables, "error"),
        ("a[0][1:]", variables, "error"),
        ("1..3", "", "[1,2,3]"),
        ("3..1", "", "[]"),
        ("1..1.5", "", "error"),
        ("2 in 1..3", "", "true"),
    ]);
}

#[test]
fn names_can_be_given_to_values() {
    check(&[
        ("let x = a + 1; x * x", r#"{"a":2}"#, "9"),
        ("let x = 1; let y = x + 1; [x, y]", "", "[1,2]"),
        ("let a = 5; a", r#"{"a":2}"#, "5"),
        ("let x = 1; let x = x + 1; x", "", "2"),
        ("(let x = 1; x) + x", "", r#"error: undefined variable "x""#),
        ("map([1, 2], let y = # * 2; y + 1)", "", "[3,5]"),
        ("let x = 1", "", "error"),
        ("let in = 1; 2", "", "error"),
        ("if a { 1 } else { 2 }", r#"{"a":true}"#, "1"),
        ("if a { 1 } else if b { 2 } else { 3 }", r#"{"a":false,"b":false}"#, "3"),
        ("if a { 1 }", r#"{"a":true}"#, "error: expected `else`"),
    ]);
}

#[test]
fn lists_and_objects_can_be_written_down() {
    check(&[
        ("[]", "", "[]"),
        ("[1, a, [nil],]", r#"{"a":"x"}"#, r#"[1,"x",[null]]"#),
        ("{}", "", "{}"),
        (r#"{b: 1, "a": 2, in: 3}"#, "", r#"{"b":1,"a":2,"in":3}"#),
        ("{a: 1}.a + {a: 2}['a']", "", "3"),
        ("{a: 1, a: 2}", "", r#"{"a":2}"#),
        ("a.in + a.not", r#"{"a":{"in":1,"not":2}}"#, "3"),
        ("[1 2]", "", "error"),
        ("{1: 2}", "", "error: expected a key"),
        ("[1", "", "error"),
    ]);
}

#[test]
fn text_can_be_searched() {
    let variables = r#"{"a":"order-17","p":"^o"}"#;
    check(&[
        (r"a matches '^order-\\d+$'", variables, "true"),
        ("a matches p", variables, "true"),
        ("a not matches p", variables, "false"),
        ("a matches '('", variables, "error: is not a pattern"),
        ("a matches p + '('", variables, "error: is not a pattern"),
        ("a contains 'der'", variables, "true"),
        ("a startsWith 'order'", variables, "true"),
        ("a endsWith '18'", variables, "false"),
        ("a not contains 'x'", variables, "true"),
        ("1 contains 'x'", variables, "error"),
        ("1 matches 'x'", variables, "error"),
    ]);
}

#[test]
fn a_literal_stays_a_literal_wherever_it_goes() {
    check(&[
        ("('5') > 3", "", "error"),
        ("(a ?? '5') > 3", r#"{"a":null}"#, "error"),
        ("(a ?? '5') > 3", r#"{"a":"5"}"#, "true"),
        ("('' + a) * 2", r#"{"a":"5"}"#, "error"),
        ("a.b[0] * 2", r#"{"a":{"b":["5"]}}"#, "10"),
        ("trim(a) * 2", r#"{"a":" 5 "}"#, "10"),
    ]);
}

#[test]
fn an_expression_names_the_variables_it_needs() {
    let compiled = Compiled::parse(
        "#b + ${a} + b.c + len(d) + (let x = 1; x) + sum(e, # + f)",
        Limits::default(),
    )
    .unwrap();
    let named: Vec<_> = compiled.variables().iter().map(|it| it.name.as_str()).collect();
    assert_eq!(named, ["b", "a", "d", "e", "f"]);
    let spans = &compiled.variables().first().unwrap().spans;
    assert_eq!(spans, &[Span { start: 1, end: 2 }, Span { start: 12, end: 13 }]);
    assert!(compiled.source().starts_with("#b +"));
}

#[test]
fn an_expression_can_be_shared_between_threads() {
    fn shared<T: Send + Sync + Clone>(_: &T) {}
    shared(&Compiled::parse("a matches 'b'", Limits::default()).unwrap());
}

#[test]
fn children_come_before_their_parents() {
    let tree = tree("a.b + [1, 2][0] * -c");
    assert_eq!(tree.node(tree.root()).span, Span { start: 0, end: 20 });
    let ends: Vec<_> = tree.nodes().iter().map(|it| it.span.end).collect();
    assert_eq!(ends, [1, 3, 8, 11, 12, 14, 15, 20, 20, 20, 20]);
}
