//! What is asked of text: shapes, and spelling that does not matter.

use std::{char::ToLowercase, str::Chars};

/// The shape of a text as `LIKE` describes it: `%` is any run of characters, `_` any one of them,
/// and a backslash lets the character after it stand for itself. Neither spans lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Like(Vec<Piece>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    Run,
    One,
    Is(char),
}

impl Like {
    /// The shape that `text` describes. Every text describes one.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut pieces = Vec::new();
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            pieces.push(match character {
                '%' => Piece::Run,
                '_' => Piece::One,
                '\\' => Piece::Is(characters.next().unwrap_or('\\')),
                other => Piece::Is(other),
            });
        }
        Self(pieces)
    }

    /// Whether the whole of `text` has this shape.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        let (mut pieces, mut rest) = (self.0.as_slice(), text.chars());
        // Only the last run is ever made longer: where it ends first, the runs before it end best.
        let mut run: Option<(&[Piece], Chars<'_>)> = None;
        loop {
            let mut after = rest.clone();
            match (pieces.split_first(), after.next()) {
                (None, None) => return true,
                (Some((Piece::Run, others)), _) => {
                    run = Some((others, rest.clone()));
                    pieces = others;
                    continue;
                }
                (Some((piece, others)), Some(character)) if piece.is(character) => {
                    (pieces, rest) = (others, after);
                    continue;
                }
                (None | Some(_), None | Some(_)) => {}
            }
            let Some((others, end)) = &mut run else { return false };
            match end.next() {
                None | Some('\n') => return false,
                Some(_) => (pieces, rest) = (others, end.clone()),
            }
        }
    }
}

impl Piece {
    fn is(self, character: char) -> bool {
        match self {
            Self::Run => false,
            Self::One => character != '\n',
            Self::Is(wanted) => character == wanted,
        }
    }
}

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

    use super::{Like, folded};

    #[test]
    fn a_shape_describes_the_whole_text() {
        for (shape, yes, no) in [
            ("", &[""][..], &["a"][..]),
            ("ab", &["ab"], &["", "a", "abc", "xab", "AB"]),
            ("%", &["", "a", "a%b_c"], &["a\nb", "\n"]),
            ("_", &["a", "é", "😀", "%"], &["", "ab", "\n"]),
            ("a%", &["a", "ab", "aa"], &["", "ba", "a\n"]),
            ("%a", &["a", "ba", "aaa"], &["", "ab"]),
            ("%a%", &["a", "bab"], &["", "b"]),
            ("a%b%c", &["abc", "axbxc", "abbcc", "abcbc"], &["acb", "abcd"]),
            ("%ab%ab", &["abab", "ababab", "xabxab"], &["ab", "aba"]),
            ("_%_", &["ab", "abc"], &["", "a"]),
            (r"100\%", &["100%"], &["100", "1000"]),
            (r"a\_b", &["a_b"], &["axb", r"a\_b"]),
            (r"a\\b", &[r"a\b"], &["ab", r"a\\b"]),
            (r"\a", &["a"], &[r"\a"]),
            (r"a\", &[r"a\"], &["a"]),
            ("a\n%", &["a\n", "a\nb"], &["a", "a\nb\nc"]),
            ("%\n%", &["\n", "a\nb"], &["a", "a\nb\nc"]),
        ] {
            let like = Like::new(shape);
            yes.iter().for_each(|text| assert!(like.matches(text), "{shape:?} {text:?}"));
            no.iter().for_each(|text| assert!(!like.matches(text), "{shape:?} {text:?}"));
        }
    }

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
