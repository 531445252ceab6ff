//! Documents that come as XML.

use waypost_documents::document::Value;
use waypost_machines::entity::model::{XmlFault, parse_xml};

fn check(xml: &str, expected: &str) {
    assert_eq!(parse_xml(xml).unwrap().to_string(), expected, "{xml}");
}

fn fault(xml: &str) -> XmlFault {
    parse_xml(xml).unwrap_err().fault
}

#[test]
fn elements_and_attributes_become_members() {
    check(
        r#"<?xml version="1.0" encoding="UTF-8"?>
           <!-- an order -->
           <order id="7" open="true">
             <buyer><name>N</name></buyer>
             <total>12.50</total>
           </order>"#,
        r#"{"id":7,"open":true,"buyer":{"name":"N"},"total":12.50}"#,
    );
}

#[test]
fn members_of_the_same_name_become_an_array() {
    check("<r><a>1</a></r>", r#"{"a":1}"#);
    check("<r><a>1</a><b/><a>x</a><a><c>2</c></a></r>", r#"{"a":[1,"x",{"c":2}],"b":{}}"#);
    check(r#"<r a="1"><a>2</a></r>"#, r#"{"a":[1,2]}"#);
}

#[test]
fn prefixes_are_dropped() {
    check(
        r#"<x:r xmlns:x="urn:x" xmlns="urn:y" x:a="1"><x:b>2</x:b><b>3</b></x:r>"#,
        r#"{"a":1,"b":[2,3]}"#,
    );
}

#[test]
fn text_beside_members_is_a_member() {
    check(r#"<r><a b="1"> text </a></r>"#, r#"{"a":{"b":1,"_text":"text"}}"#);
    check("<r> one <a>1</a> two <a>2</a>\n</r>", r#"{"a":[1,2],"_text":"one two"}"#);
    check(r#"<r a="1">5</r>"#, r#"{"a":1,"_text":5}"#);
}

#[test]
fn blanks_around_a_value_say_nothing() {
    check(
        r#"<r a=" 5 " b="&#10;true&#9;" c=" one  two " d="  "> <e> 5 </e></r>"#,
        r#"{"a":5,"b":true,"c":"one  two","d":"","e":5}"#,
    );
}

#[test]
fn an_empty_element_is_an_empty_object() {
    check("<r/>", "{}");
    check("<r></r>", "{}");
    check("<r><a/><b> \n </b></r>", r#"{"a":{},"b":{}}"#);
    check(r#"<r><a b=""/></r>"#, r#"{"a":{"b":""}}"#);
}

#[test]
fn a_root_of_text_gets_a_member() {
    check("<r> 5 </r>", r#"{"_value":5}"#);
    check("<r>text</r>", r#"{"_value":"text"}"#);
}

#[test]
fn runs_of_text_are_joined_with_one_blank() {
    check("<r><a> one <!-- x --> two <?p?> three </a></r>", r#"{"a":"one two three"}"#);
    check("<r><a>1<!-- x -->2</a></r>", r#"{"a":"1 2"}"#);
}

#[test]
fn what_stands_for_characters_does_not_end_a_run() {
    check("<r><a>x &lt;&amp;&gt; &#65;&#x42;</a></r>", r#"{"a":"x <&> AB"}"#);
    check("<r><a>x<![CDATA[<y>&z;]]>1</a></r>", r#"{"a":"x<y>&z;1"}"#);
    check(r#"<r a="&quot;&apos;&#65;"/>"#, r#"{"a":"\"'A"}"#);
}

#[test]
fn scalars_are_numbers_booleans_or_texts() {
    for (text, expected) in [
        ("1", "1"),
        ("-0.50", "-0.50"),
        ("1e400", "1e400"),
        ("true", "true"),
        ("false", "false"),
        ("01", r#""01""#),
        ("+1", r#""+1""#),
        (".5", r#"".5""#),
        ("NaN", r#""NaN""#),
        ("null", r#""null""#),
        ("t", r#""t""#),
        ("T", r#""T""#),
        ("TRUE", r#""TRUE""#),
        ("True", r#""True""#),
        ("0", "0"),
        ("1e2147483648", r#""1e2147483648""#),
    ] {
        check(&format!("<r><a>{text}</a></r>"), &format!(r#"{{"a":{expected}}}"#));
        check(&format!(r#"<r a="{text}"/>"#), &format!(r#"{{"a":{expected}}}"#));
    }
}

#[test]
fn entities_are_never_expanded() {
    let laughs = r#"<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><r>&b;</r>"#;
    assert_eq!(fault(laughs), XmlFault::DocumentType);
    assert_eq!(fault("<!DOCTYPE r><r/>"), XmlFault::DocumentType);
    assert_eq!(
        fault(r#"<!DOCTYPE r SYSTEM "http://example.invalid/r"><r/>"#),
        XmlFault::DocumentType
    );
    assert_eq!(fault("<r>&b;</r>"), XmlFault::Entity("b".to_owned()));
    assert!(matches!(fault(r#"<r a="&b;"/>"#), XmlFault::Malformed(_)));
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let wrong = parse_xml("<r>\n<a>\n</b></r>").unwrap_err();
    assert_eq!(wrong.line, 3);
    assert!(wrong.to_string().ends_with(" at line 3"), "{wrong}");
    for xml in ["<r", "</r>", "<r></s>", "<r a=1/>", r#"<r a="1" a="2"/>"#, "<r>&amp</r>"] {
        assert!(matches!(fault(xml), XmlFault::Malformed(_)), "{xml}: {:?}", fault(xml));
    }
}

#[test]
fn there_is_one_root_and_nothing_beside_it() {
    assert_eq!(fault(""), XmlFault::NoRoot);
    assert_eq!(fault(" <!-- nothing --> "), XmlFault::NoRoot);
    assert_eq!(fault("<r><a>1"), XmlFault::Unclosed("a".to_owned()));
    assert_eq!(fault("<r/><r/>"), XmlFault::BesideRoot);
    assert_eq!(fault("x<r/>"), XmlFault::BesideRoot);
    assert_eq!(fault("<r/>x"), XmlFault::BesideRoot);
    assert_eq!(fault(r#"{"a":1}"#), XmlFault::BesideRoot);
}

#[test]
fn depth_is_limited_as_it_is_for_json() {
    let nested = |depth: usize| format!("{}1{}", "<a>".repeat(depth), "</a>".repeat(depth));
    let deepest = parse_xml(&nested(Value::DEPTH_MAX + 1)).unwrap();
    assert_eq!(Value::parse(&deepest.to_string()).unwrap(), deepest);
    assert_eq!(fault(&nested(Value::DEPTH_MAX + 2)), XmlFault::TooDeep);
    assert_eq!(fault(&"<a>".repeat(1_000_000)), XmlFault::TooDeep);
    // An array is a level, too.
    let doubled = |depth: usize| format!("{}<b/><b/>{}", "<a>".repeat(depth), "</a>".repeat(depth));
    let deepest = parse_xml(&doubled(Value::DEPTH_MAX - 2)).unwrap();
    assert_eq!(Value::parse(&deepest.to_string()).unwrap(), deepest);
    assert_eq!(fault(&doubled(Value::DEPTH_MAX - 1)), XmlFault::TooDeep);
}
