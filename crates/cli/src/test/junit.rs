//! The outcome as JUnit XML, for those who collect it.

use std::fmt::Write as _;

use super::{Tested, report};

/// One suite for each file.
pub(super) fn xml(tested: &[Tested]) -> String {
    let mut suites: Vec<(&str, Vec<&Tested>)> = Vec::new();
    for it in tested {
        match suites.last_mut() {
            Some((file, members)) if *file == it.file => members.push(it),
            Some(_) | None => suites.push((&it.file, vec![it])),
        }
    }
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let n_failed = tested.iter().filter(|it| !it.has_passed()).count();
    let _ = writeln!(xml, "<testsuites tests=\"{}\" failures=\"{n_failed}\">", tested.len());
    suites.iter().for_each(|(file, members)| suite(&mut xml, file, members));
    xml.push_str("</testsuites>\n");
    xml
}

fn suite(xml: &mut String, file: &str, members: &[&Tested]) {
    let (name, all) = (escaped(file), members.len());
    let n_failed = members.iter().filter(|it| !it.has_passed()).count();
    let _ = writeln!(xml, "  <testsuite name=\"{name}\" tests=\"{all}\" failures=\"{n_failed}\">");
    members.iter().for_each(|it| case(xml, it));
    xml.push_str("  </testsuite>\n");
}

fn case(xml: &mut String, tested: &Tested) {
    let (file, name) = (escaped(&tested.file), escaped(&tested.name));
    let line = tested.line;
    let head = format!(
        "    <testcase classname=\"{file}\" name=\"{name}\" file=\"{file}\" line=\"{line}\""
    );
    if tested.has_passed() {
        let _ = writeln!(xml, "{head}/>");
        return;
    }
    let mismatches = &tested.played.mismatches;
    let places: Vec<&str> = mismatches.iter().map(|it| it.place.as_str()).collect();
    let mut lines: Vec<String> = mismatches.iter().flat_map(report::mismatch).collect();
    lines.extend(tested.played.standings.iter().flat_map(report::path));
    let (message, text) = (escaped(&places.join(", ")), escaped(&lines.join("\n")));
    let _ = writeln!(
        xml,
        "{head}>\n      <failure message=\"{message}\">{text}</failure>\n    </testcase>"
    );
}

/// The text as XML has a place for it.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push('\n'),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            it if it.is_control() => escaped.push('\u{fffd}'),
            it => escaped.push(it),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_what_xml_has_a_place_for() {
        assert_eq!(escaped("a<b & \"c\"\u{1b}\n"), "a&lt;b &amp; &quot;c&quot;\u{fffd}\n");
    }
}
