//! The worked examples of the language, one row per case.

use waypost_machines::process::expression::Coercion;

use crate::check::{check, check_with};

#[test]
fn arithmetic_has_the_usual_precedence() {
    check(&[
        ("1 + 1 == 2", "", "true"),
        ("2 + 3 * 4", "", "14"),
        ("(2 + 3) * 4", "", "20"),
        ("7 - 2 - 1", "", "4"),
        ("7 / 2", "", "3.5"),
        ("6 / 2", "", "3"),
        ("10 / 2 * 5", "", "25"),
        ("7 % 2", "", "1"),
        ("-7 % 2", "", "-1"),
        ("10 % 3 == 1", "", "true"),
        ("2 * 3 % 4", "", "2"),
        ("1 % 0", "", "error: % by zero"),
        ("1 / 0 > 5", "", "true"),
        ("10 - -3", "", "13"),
        ("2 ** 3", "", "8"),
        ("-2 ** 2", "", "-4"),
        ("2 ** 3 ** 2", "", "512"),
        ("9223372036854775808", "", "error: 64-bit"),
        ("1.0", "", "1"),
        ("0.50", "", "0.5"),
        ("${1.0}", "", "1"),
        ("${0.50}", "", "0.5"),
        ("null", "", "null"),
    ]);
}

#[test]
fn arithmetic_works_on_variables() {
    check(&[
        ("-a + b", r#"{"a":1,"b":3}"#, "2"),
        ("-a * b", r#"{"a":1,"b":3}"#, "-3"),
        ("a + b", r#"{"a":7,"b":2}"#, "9"),
        ("a - b", r#"{"a":7,"b":2}"#, "5"),
        ("a * b", r#"{"a":7,"b":2}"#, "14"),
        ("a / b", r#"{"a":7,"b":2}"#, "3.5"),
        ("a % b", r#"{"a":7,"b":2}"#, "1"),
        ("a % b", r#"{"a":7.0,"b":2.0}"#, "1"),
        ("a % b", r#"{"a":7.5,"b":2}"#, "error: % needs integers"),
        ("a + b", r#"{"a":0.1,"b":0.2}"#, "0.30000000000000004"),
        ("a / 3", r#"{"a":10}"#, "3.3333333333333335"),
        ("a - a * 0.01", r#"{"a":200000000}"#, "198000000"),
        ("unitPrice * quantity - discount", r#"{"unitPrice":2.5,"quantity":4,"discount":1}"#, "9"),
        ("((a + b) * (c - d)) / e", r#"{"a":1,"b":2,"c":5,"d":3,"e":4}"#, "1.5"),
        ("a / 0", r#"{"a":1,"b":0}"#, "error: not a number"),
        ("a / b", r#"{"a":1,"b":0}"#, "error: not a number"),
        ("b / b", r#"{"a":1,"b":0}"#, "error: not a number"),
        ("a == 1e2", r#"{"a":100}"#, "true"),
        ("a == 1_000", r#"{"a":100}"#, "false"),
        ("a > -1", r#"{"a":100}"#, "true"),
        ("-a", r#"{"a":"5"}"#, "error: needs numbers"),
    ]);
}

#[test]
fn equality_knows_types_and_structure() {
    check(&[
        ("1 == 1.0", "", "true"),
        ("a == 1", r#"{"a":1.0}"#, "true"),
        ("a == 0.1 + 0.2", r#"{"a":0.3}"#, "false"),
        ("status == 'APPROVED'", r#"{"status":"APPROVED"}"#, "true"),
        (r#"status == "APPROVED""#, r#"{"status":"APPROVED"}"#, "true"),
        ("retryCount != 0", r#"{"retryCount":0}"#, "false"),
        ("a == true", r#"{"a":true}"#, "true"),
        ("a == true", r#"{"a":"true"}"#, "false"),
        ("a == true", r#"{"a":1}"#, "false"),
        ("a == 1", r#"{"a":true}"#, "false"),
        ("a == nil", r#"{"a":null}"#, "true"),
        ("a == nil", r#"{"a":1}"#, "false"),
        ("a == nil", r#"{"a":""}"#, "false"),
        ("a == nil", "{}", r#"error: undefined variable "a""#),
        ("a == false", r#"{"a":null}"#, "false"),
        ("a == 0", r#"{"a":null}"#, "false"),
        ("a == b", r#"{"a":null,"b":null}"#, "true"),
        ("a == b", r#"{"a":[1,2],"b":[1,2]}"#, "true"),
        ("a == b", r#"{"a":[1,2],"b":[1.0,2]}"#, "true"),
        ("a == b", r#"{"a":[1,2],"b":[1,"2"]}"#, "false"),
        ("a == b", r#"{"a":{"x":1},"b":{"x":1}}"#, "true"),
        ("a == b", r#"{"a":{"x":1,"y":2},"b":{"y":2,"x":1}}"#, "true"),
        ("a == b", r#"{"a":{},"b":[]}"#, "false"),
        ("a == [1,2]", r#"{"a":[1,2]}"#, "true"),
        (r#"a == "x""#, r#"{"a":["x"]}"#, "false"),
        ("a != b", r#"{"a":1,"b":"x"}"#, "true"),
        ("a == 'É'", r#"{"a":"É"}"#, "true"),
        (r#""5" == 5"#, "", "false"),
        ("1 == true", "", "false"),
        ("'true' == true", "", "false"),
    ]);
}

#[test]
fn only_numbers_and_texts_have_an_order() {
    check(&[
        ("creditScore >= 700", r#"{"creditScore":720}"#, "true"),
        ("riskScore < 0.5", r#"{"riskScore":0.4}"#, "true"),
        ("a > 1", r#"{"a":null}"#, "error: found nil"),
        ("a > 1", r#"{"a":true}"#, "error: found bool"),
        ("a > 1", r#"{"a":[1]}"#, "error: found array"),
        ("a > b", r#"{"a":true,"b":false}"#, "error"),
        ("1 < a < 3", r#"{"a":2}"#, "true"),
        ("1 < a < 3", r#"{"a":5}"#, "false"),
        ("a < b", r#"{"a":"apple","b":"banana"}"#, "true"),
        (r#"a < "banana""#, r#"{"a":"apple"}"#, "true"),
        (r#""apple" < "banana""#, "", "true"),
    ]);
}

#[test]
fn text_from_variables_stands_for_numbers() {
    check(&[
        ("amount > 50", r#"{"amount":"100.5"}"#, "true"),
        ("amount > 50", r#"{"amount":"abc"}"#, r#"error: cannot coerce value "abc" to number"#),
        ("amount > 0", r#"{"amount":""}"#, r#"error: cannot coerce value "" to number"#),
        ("amount > 0", r#"{"amount":" 5"}"#, "error"),
        ("amount > 0", r#"{"amount":"100,5"}"#, "error"),
        ("amount > 0", r#"{"amount":"0x10"}"#, "error"),
        ("amount > 0", r#"{"amount":"Inf"}"#, "error"),
        ("amount > 0", r#"{"amount":"1e"}"#, "error"),
        ("amount > 0", r#"{"amount":"-"}"#, "error"),
        ("amount > 0", r#"{"amount":"+1.5e-3"}"#, "true"),
        ("amount + 1", r#"{"amount":"100.5"}"#, "101.5"),
        ("1 + amount", r#"{"amount":"100.5"}"#, "101.5"),
        ("amount * 2", r#"{"amount":"10"}"#, "20"),
        ("amount - 1", r#"{"amount":"10"}"#, "9"),
        ("amount / 2", r#"{"amount":"10"}"#, "5"),
        ("a + b", r#"{"a":"1","b":"2"}"#, "3"),
        ("a + 1", r#"{"a":"y"}"#, "error: cannot coerce"),
        (r#""n=" + a"#, r#"{"a":5}"#, "error"),
        ("a == 5", r#"{"a":"5"}"#, "true"),
        ("a != 5", r#"{"a":"5"}"#, "false"),
        ("a == 5", r#"{"a":"5.0"}"#, "true"),
        ("a == 5", r#"{"a":" 5"}"#, "false"),
        ("a == 5", r#"{"a":"x"}"#, "false"),
        (r#"a == "5""#, r#"{"a":"5"}"#, "true"),
        (r#"a == "5""#, r#"{"a":5}"#, "false"),
        ("a == b", r#"{"a":"007","b":"7"}"#, "false"),
        ("a == b", r#"{"a":"5","b":5}"#, "true"),
        ("a < b", r#"{"a":"10","b":"9"}"#, "false"),
        ("a > '5'", r#"{"a":"10"}"#, "false"),
        (r#"a > "5""#, r#"{"a":10}"#, "error"),
    ]);
}

#[test]
fn text_that_is_no_number_is_joined() {
    check(&[
        ("a + b", r#"{"a":"x","b":"y"}"#, r#""xy""#),
        (r#""Hello " + name"#, r#"{"name":"Bob"}"#, r#""Hello Bob""#),
        (r#"firstName + " " + lastName"#, r#"{"firstName":"A","lastName":"B"}"#, r#""A B""#),
        (r#""" + a + b"#, r#"{"a":"1","b":"2"}"#, r#""12""#),
    ]);
}

#[test]
fn text_from_variables_stands_for_booleans() {
    check(&[
        ("a && b", r#"{"a":"true","b":"TRUE"}"#, "true"),
        ("a and b", r#"{"a":"true","b":"False"}"#, "false"),
        ("enabled || other", r#"{"enabled":"false","other":false}"#, "false"),
        ("!a", r#"{"a":"false"}"#, "true"),
        ("not a", r#"{"a":"false"}"#, "true"),
        ("!a", r#"{"a":"no"}"#, r#"error: cannot coerce value "no" to bool"#),
        ("!a", r#"{"a":1}"#, "error"),
        ("!a", r#"{"a":null}"#, "error"),
        ("a && b", r#"{"a":"yes","b":true}"#, r#"error: cannot coerce value "yes" to bool"#),
        ("a && b", r#"{"a":"","b":true}"#, r#"error: cannot coerce value "" to bool"#),
        ("a && b", r#"{"a":1,"b":1}"#, "error"),
        (r#""true""#, "", r#""true""#),
    ]);
}

#[test]
fn without_coercion_text_is_text() {
    check_with(
        Coercion::Off,
        &[
            ("amount > 50", r#"{"amount":"100.5"}"#, "error"),
            ("amount * 2", r#"{"amount":"10"}"#, "error"),
            ("a == 5", r#"{"a":"5"}"#, "false"),
            ("a + b", r#"{"a":"1","b":"2"}"#, r#""12""#),
            ("a < b", r#"{"a":"10","b":"9"}"#, "true"),
            ("a && b", r#"{"a":"true","b":"true"}"#, "error"),
            ("!a", r#"{"a":"false"}"#, "error"),
        ],
    );
}

#[test]
fn booleans_are_not_numbers_and_stop_early() {
    check(&[
        ("valid == true && creditScore >= 600", r#"{"valid":true,"creditScore":600}"#, "true"),
        ("(a > 1 && b < 5) || c == true", r#"{"a":0,"b":9,"c":true}"#, "true"),
        ("a || b && c", r#"{"a":true,"b":false,"c":false}"#, "true"),
        ("a && b || c", r#"{"a":false,"b":true,"c":true}"#, "true"),
        ("!a && b", r#"{"a":false,"b":true}"#, "true"),
        ("!(a && b)", r#"{"a":false,"b":true}"#, "true"),
        ("!!b", r#"{"a":false,"b":true}"#, "true"),
        ("!a == b", r#"{"a":true,"b":false}"#, "true"),
        ("!(a == 1)", r#"{"a":1}"#, "false"),
        ("! a == 1", r#"{"a":1}"#, "error"),
        ("a and b", r#"{"a":false,"b":true}"#, "false"),
        ("a or b", r#"{"a":false,"b":true}"#, "true"),
        ("not a", r#"{"a":false,"b":true}"#, "true"),
        ("a || b", r#"{"a":true,"b":"junk"}"#, "true"),
        ("a && b", r#"{"a":false,"b":"junk"}"#, "false"),
        ("a || missing", r#"{"a":true}"#, r#"error: undefined variable "missing""#),
        ("a == nil || a > 1", r#"{"a":null}"#, "true"),
        ("a != nil && a > 1", r#"{"a":null}"#, "false"),
        ("creditScore", r#"{"creditScore":1}"#, "1"),
        ("0", "", "0"),
        (r#""yes""#, "", r#""yes""#),
    ]);
}

#[test]
fn members_and_elements_are_reached() {
    let result = r#"{"result":{"eligible":true,"score":720}}"#;
    check(&[
        ("result.eligible", result, "true"),
        ("${result.eligible}", result, "true"),
        (r#"result["score"]"#, result, "720"),
        ("result['score']", result, "720"),
        ("a.b[1].c", r#"{"a":{"b":[{"c":1},{"c":2}]}}"#, "2"),
        (r#"a["b"][0]["c"]"#, r#"{"a":{"b":[{"c":1},{"c":2}]}}"#, "1"),
        (r#"a["b-c"]"#, r#"{"a":{"b-c":3}}"#, "3"),
        ("a[0]", r#"{"a":[5,6],"i":1}"#, "5"),
        ("a[-1]", r#"{"a":[5,6],"i":1}"#, "6"),
        ("a[i]", r#"{"a":[5,6],"i":1}"#, "6"),
        ("a[2]", r#"{"a":[5,6],"i":1}"#, "error: out of range"),
        ("a[-3]", r#"{"a":[5,6]}"#, "error: out of range"),
        ("a['0']", r#"{"a":[5,6]}"#, "error"),
        ("m[k]", r#"{"m":{"x":1},"k":"x"}"#, "1"),
        ("a.b", r#"{"a":{}}"#, "null"),
        ("a.b == nil", r#"{"a":{}}"#, "true"),
        (r#"a.x == "y""#, r#"{"a":{}}"#, "false"),
        ("a.b.c", r#"{"a":{}}"#, "error: of nil"),
        ("a.b > 1", r#"{"a":{}}"#, "error"),
        ("len(a.items)", r#"{"a":{}}"#, "error"),
        ("a?.b?.c == nil", r#"{"a":null}"#, "true"),
        ("a.b", r#"{"a":null}"#, "error"),
        ("a.b", r#"{"a":5}"#, "error"),
        ("a.b", r#"{"a":"s"}"#, "error"),
        ("missing", "", r#"error: undefined variable "missing""#),
        ("missing ?? 1", "", r#"error: undefined variable "missing""#),
        (r#"a ?? "d""#, r#"{"a":null}"#, r#""d""#),
        (r#"a ?? "d""#, r#"{"a":5}"#, "5"),
    ]);
}

#[test]
fn membership_is_equality_without_coercion() {
    check(&[
        (r#""ADMIN" in user.roles"#, r#"{"user":{"roles":["ADMIN"]}}"#, "true"),
        ("x in [1,2,3]", r#"{"x":2}"#, "true"),
        ("x not in [1,2,3]", r#"{"x":2}"#, "false"),
        (r#""1" in a"#, r#"{"a":[1,2],"b":"1"}"#, "false"),
        ("1 in a", r#"{"a":[1,2],"b":"1"}"#, "true"),
        ("b in a", r#"{"a":[1,2],"b":"1"}"#, "false"),
        (r#""k" in m"#, r#"{"m":{"k":1}}"#, "true"),
        (r#""z" in m"#, r#"{"m":{"k":1}}"#, "false"),
        ("1 in m", r#"{"m":{"k":1}}"#, "error"),
        ("[1] in a", r#"{"a":[[1],[2]],"b":[null]}"#, "true"),
        ("nil in b", r#"{"a":[[1],[2]],"b":[null]}"#, "true"),
        (r#""x" in a"#, r#"{"a":null}"#, "false"),
        (r#""x" in a"#, r#"{"a":"axb"}"#, "error"),
        (r#""x" in a"#, r#"{"a":5}"#, "error"),
        (r#""x" in a.roles"#, r#"{"a":{}}"#, "false"),
        (r#"contains(a, "A")"#, r#"{"a":["A"]}"#, "true"),
        ("contains(a,'A')", r#"{"a":["A"]}"#, "true"),
        (r#"contains( a , "A" )"#, r#"{"a":["A"]}"#, "true"),
        ("contains(u.roles, 'LO') && amt <= 50000", r#"{"u":{"roles":["LO"]},"amt":1000}"#, "true"),
        ("contains(a, b + 1)", r#"{"a":[3],"b":2}"#, "true"),
        (r#"contains(a, "A, B")"#, r#"{"a":["A, B"]}"#, "true"),
        (r#"contains(m, "k")"#, r#"{"m":{"k":1}}"#, "true"),
        (r#"!contains(a, "Z")"#, r#"{"a":["A"]}"#, "true"),
        ("contains([1,2], 2)", r#"{"a":[2],"b":[1,1]}"#, "true"),
        ("contains(a, len(b))", r#"{"a":[2],"b":[1,1]}"#, "true"),
        ("contains(a, 'A') || contains(b, 'B')", r#"{"a":[],"b":["B"]}"#, "true"),
        ("contains(a, 'ell')", r#"{"a":"hello"}"#, "true"),
    ]);
}

#[test]
fn len_counts_elements_keys_and_characters() {
    check(&[
        ("len(a)", r#"{"a":[]}"#, "0"),
        ("len(a)", r#"{"a":{"x":1}}"#, "1"),
        ("len(a)", r#"{"a":"héllo"}"#, "5"),
        ("len(a)", r#"{"a":5}"#, "error: no length"),
        ("len(a)", r#"{"a":null}"#, "error"),
        ("len(a)", r#"{"a":true}"#, "error"),
        ("len(a) > 0", r#"{"a":[1,2,3]}"#, "true"),
        ("len(a) / 2", r#"{"a":[1,2,3]}"#, "1.5"),
        ("len()", r#"{"a":[1]}"#, "error: 0 arguments"),
        ("len(a, a)", r#"{"a":[1]}"#, "error: 2 arguments"),
        ("foo(1)", r#"{"a":[1]}"#, r#"error: undefined variable "foo""#),
    ]);
}

#[test]
fn conditions_must_be_boolean() {
    check(&[
        ("amount > 100000000 ? 0.5 : 0.4", r#"{"amount":30000000}"#, "0.4"),
        (r#"a > 1 && b > 1 ? "x" : "y""#, r#"{"a":2,"b":2}"#, r#""x""#),
        ("a ? b : c ? d : e", r#"{"a":false,"b":1,"c":true,"d":2,"e":3}"#, "2"),
        ("a ? 1 : 2", r#"{"a":"true"}"#, "error"),
        ("a ? 1 : 2", r#"{"a":1}"#, "error"),
    ]);
}

#[test]
fn variables_may_be_called_like_functions() {
    let variables = r#"{"count":2,"type":"x","first":1,"len":[1,2]}"#;
    check(&[
        ("count > 1", variables, "true"),
        (r#"type == "x""#, variables, "true"),
        ("first + 1", variables, "2"),
        ("len(len)", variables, "2"),
    ]);
}

#[test]
fn the_older_ways_to_write_a_variable_still_work() {
    check(&[
        ("#a == 1", r#"{"a":1}"#, "true"),
        ("#a.b == 1", r#"{"a":{"b":1}}"#, "true"),
        ("#a-1", r#"{"a":5,"b":2}"#, "4"),
        ("#a - b", r#"{"a":5,"b":2}"#, "3"),
        ("#a-b", r#"{"a":5,"b":2}"#, "3"),
        ("#creditScore >= 500 && #creditScore < 700", r#"{"creditScore":650}"#, "true"),
        ("#1 + #.5", "", "1.5"),
        ("# a", r#"{"a":1}"#, "error"),
        ("##a", r#"{"a":1}"#, "error"),
        ("#$a", r#"{"$a":1}"#, "error"),
        ("#{a}", r#"{"a":1}"#, "error"),
        ("${a} + ${b}", r#"{"a":1,"b":2}"#, "3"),
        ("${a + b} * 2", r#"{"a":1,"b":2}"#, "6"),
        ("${#a}", r#"{"a":1,"b":2}"#, "1"),
        ("a == 1 and${b == 2}", r#"{"a":1,"b":2}"#, "true"),
        ("a${b}", r#"{"a":1,"b":2}"#, "error: found `${`"),
        ("${a} + #b > c", r#"{"a":1,"b":2,"c":2}"#, "true"),
        ("${a == 'x'}", r#"{"a":"x"}"#, "true"),
        ("${a", r#"{"a":1}"#, "error: unterminated '${' in expression"),
        ("${}", r#"{"a":1}"#, "error"),
        ("a}", r#"{"a":1}"#, "error"),
        ("$a", r#"{"a":1}"#, r#"error: undefined variable "$a""#),
        ("$env", r#"{"a":1}"#, r#"error: undefined variable "$env""#),
    ]);
}

#[test]
fn text_is_opaque() {
    check(&[
        (r##"a == "#tag""##, r##"{"a":"#tag"}"##, "true"),
        (r##"a == "#tag""##, r#"{"a":"tag"}"#, "false"),
        (r#""${a}""#, r#"{"a":1}"#, r#""${a}""#),
        (r#"a == "it's" && b == 'y'"#, r#"{"a":"it's","b":"y"}"#, "true"),
        (r#"a == 'x"y'"#, r#"{"a":"x\"y"}"#, "true"),
        (r"a == 'a\nb'", r#"{"a":"a\nb"}"#, "true"),
        (r"a == 'C:\dir'", r#"{"a":""}"#, "error: unknown escape"),
        ("a == 'x", r#"{"a":"x"}"#, "error: does not end"),
        (r#"a == "x"#, r#"{"a":"x"}"#, "error: does not end"),
    ]);
}

#[test]
fn what_is_no_expression_is_refused() {
    let variables = r#"{"a":1,"b":2,"in":1,"not":1,"matches":1,"order-id":5}"#;
    check(&[
        ("", "", "error: empty"),
        ("  ", "", "error: empty"),
        ("a ==", variables, "error"),
        ("== b", variables, "error"),
        ("(a", variables, "error"),
        ("a)", variables, "error"),
        ("a b", variables, "error"),
        ("a = 1", variables, "error"),
        ("a === 1", variables, "error"),
        ("a & b", variables, "error"),
        ("a <> b", variables, "error"),
        ("@a", variables, "error"),
        ("1a", variables, "error"),
        ("order-id", variables, r#"error: undefined variable "order""#),
        ("in", variables, "error"),
        ("not", variables, "error"),
        ("matches == 1", variables, "error"),
    ]);
}

#[test]
fn names_may_be_of_any_script() {
    check(&[
        ("été", r#"{"été":5,"_a1":6}"#, "5"),
        ("_a1", r#"{"été":5,"_a1":6}"#, "6"),
        (" a ", r#"{"a":1}"#, "1"),
    ]);
}

#[test]
fn examples_of_the_format_mean_what_they_say() {
    check(&[
        ("age > 18", r#"{"age":18}"#, "false"),
        ("age > 18", r#"{"age":19}"#, "true"),
        ("amount <= 10000", r#"{"amount":10000}"#, "true"),
        ("amount <= 10000", r#"{"amount":10000.01}"#, "false"),
        ("baseAmount + fee", r#"{"baseAmount":100,"fee":2.5}"#, "102.5"),
        ("total - discount", r#"{"total":100,"discount":30}"#, "70"),
        ("price * quantity", r#"{"price":2.5,"quantity":4}"#, "10"),
        ("totalCost / itemCount", r#"{"totalCost":10,"itemCount":4}"#, "2.5"),
        ("totalScore / reviewCount", r#"{"totalScore":9,"reviewCount":2}"#, "4.5"),
        ("bypass == true || creditScore >= 800", r#"{"bypass":false,"creditScore":800}"#, "true"),
        ("bypass == true || creditScore >= 800", r#"{"bypass":false,"creditScore":799}"#, "false"),
        ("bypass == true || creditScore >= 800", r#"{"bypass":true,"creditScore":0}"#, "true"),
        ("!blacklisted", r#"{"blacklisted":false}"#, "true"),
        ("len(attachments) == 0", r#"{"attachments":[]}"#, "true"),
        ("len(attachments) == 0", r#"{"attachments":["a"]}"#, "false"),
        (
            "creditScore >= 600 && !blacklisted",
            r#"{"creditScore":600,"blacklisted":false}"#,
            "true",
        ),
        (
            "creditScore >= 600 && !blacklisted",
            r#"{"creditScore":600,"blacklisted":true}"#,
            "false",
        ),
        ("3.14", "", "3.14"),
        ("result.score >= 700", r#"{"result":{"eligible":true,"score":720}}"#, "true"),
        ("result.score >= 700", r#"{"result":{"eligible":true,"score":699}}"#, "false"),
        ("status == 'APPROVED'", r#"{"status":"APPROVED"}"#, "true"),
        ("status == 'APPROVED'", r#"{"status":"REJECTED"}"#, "false"),
        ("retryCount != 0", r#"{"retryCount":1}"#, "true"),
        ("retryCount != 0", r#"{"retryCount":0}"#, "false"),
        ("creditScore >= 700", r#"{"creditScore":699}"#, "false"),
        ("riskScore < 0.5", r#"{"riskScore":0.5}"#, "false"),
        ("valid == true && creditScore >= 600", r#"{"valid":true,"creditScore":599}"#, "false"),
        ("valid == true && creditScore >= 600", r#"{"valid":false,"creditScore":600}"#, "false"),
        ("(a > 1 && b < 5) || c == true", r#"{"a":2,"b":4,"c":false}"#, "true"),
        ("(a > 1 && b < 5) || c == true", r#"{"a":2,"b":5,"c":false}"#, "false"),
        (r#""ADMIN" in user.roles"#, r#"{"user":{"roles":["USER"]}}"#, "false"),
        ("!blacklisted", r#"{"blacklisted":true}"#, "false"),
    ]);
}
