//! Spelling that does not matter.

use std::char::ToLowercase;

/// The text without its case. Characters that differ in nothing else become the same one.
pub(super) fn folded(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_lowercase() } else { text.chars().flat_map(fold).collect() }
}

/// Some lower case letters, like the two sigmas, share one that is upper case, so the way goes
/// through that. The dotless i would meet the one with a dot there, but is another letter.
fn fold(character: char) -> ToLowercase {
    let mut upper = character.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(upper), None) if character != 'ı' => upper.to_lowercase(),
        (None | Some(_), None | Some(_)) => character.to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::folded;

    #[test]
    fn letters_that_differ_only_in_case_are_the_same() {
        for (one, other) in [
            ("Straße", "STRAßE"),
            ("ΟΔΟΣ", "οδος"),
            ("οδοσ", "οδος"),
            ("ſ", "S"),
            ("\u{212a}", "k"),
        ] {
            assert_eq!(folded(one), folded(other), "{one} {other}");
        }
        for (one, other) in [("ı", "i"), ("e", "é"), ("ß", "ss"), ("a", "b")] {
            assert_ne!(folded(one), folded(other), "{one} {other}");
        }
    }

    #[test]
    fn folding_agrees_with_regular_expressions_that_ignore_case() {
        // Letters that become two when their case changes have no partner there.
        let is_single = |it: &char| it.to_lowercase().count() == 1;
        for character in ('\0'..='\u{5ff}').chain('\u{1e00}'..='\u{1fff}').filter(is_single) {
            let alike = folded(&character.to_string());
            let pattern = format!(r"(?i)\A\x{{{:x}}}\z", u32::from(character));
            assert!(Regex::new(&pattern).unwrap().is_match(&alike), "{character:?} {alike:?}");
        }
    }
}
