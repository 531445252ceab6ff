//! Texts in pictures: how wide they are, and how they are broken into lines. Whatever a definition
//! says, what comes out is short and has no control characters.

/// A text without control characters and without more than one blank in a row. Line breaks stay.
pub(crate) fn clean(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let plain = line.replace(|it: char| it.is_control() || is_mark(it), " ");
        plain.split_whitespace().collect::<Vec<_>>().join(" ")
    });
    lines.filter(|it| !it.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Marks that turn the direction of writing around, and could make a picture lie.
const fn is_mark(it: char) -> bool {
    matches!(it, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// How many columns of a terminal a character takes.
pub(crate) const fn columns_of(it: char) -> usize {
    match it {
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200d}' | '\u{fe00}'..='\u{fe0f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe4f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

pub(crate) fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// How many hundredths of its size a character of a proportional font takes, rather too many than
/// too few: nobody knows which font it will be.
const fn breadth_of(it: char) -> i64 {
    match it {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | '(' | ')' | '[' | ']'
        | ' ' => 36,
        'f' | 'r' | 't' | '-' | '"' | '/' | 'I' => 44,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 98,
        'A'..='Z' | '#' | '&' | '=' | '<' | '>' | '+' | '_' | '…' | '×' => 74,
        'a'..='z' | '0'..='9' => 63,
        _ => match columns_of(it) {
            0 => 0,
            1 => 70,
            _ => 105,
        },
    }
}

/// How wide a line is in a proportional font of that size.
pub(crate) fn breadth(line: &str, size: i64) -> i64 {
    line.chars().map(breadth_of).sum::<i64>() * size / 100 + 1
}

/// Breaks a text into lines of at most so many columns, between words if possible. What does not
/// fit into the last line is cut.
pub(crate) fn wrap(text: &str, width: usize, lines_max: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in clean(text).lines() {
        let mut current = String::new();
        for word in line.split(' ') {
            let gap = usize::from(!current.is_empty());
            if columns(&current) + gap + columns(word) > width && gap > 0 {
                lines.push(std::mem::take(&mut current));
            }
            if !current.is_empty() {
                current.push(' ');
            }
            current.push_str(word);
            while columns(&current) > width {
                let (head, tail) = split(&current, width);
                lines.push(head);
                current = tail;
            }
        }
        lines.push(current);
    }
    let is_cut = lines.len() > lines_max;
    lines.truncate(lines_max);
    if let Some(last) = lines.last_mut().filter(|_| is_cut) {
        *last = format!("{}…", split(last, width.saturating_sub(1)).0.trim_end());
    }
    lines
}

/// The first so many columns, and the rest. A name is rather broken at one of its seams.
fn split(text: &str, width: usize) -> (String, String) {
    let (mut used, mut end, mut seam) = (0, 0, None);
    for (at, it) in text.char_indices() {
        used += columns_of(it);
        if used > width && end > 0 {
            break;
        }
        end = at + it.len_utf8();
        if matches!(it, '-' | '_' | '.' | ':' | '/') && used * 2 > width {
            seam = Some(end);
        }
    }
    let end = if end == text.len() { end } else { seam.unwrap_or(end) };
    let (head, tail) = text.split_at_checked(end).unwrap_or((text, ""));
    (head.to_owned(), tail.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_the_last_is_cut() {
        assert_eq!(
            wrap("Manual Review by Underwriter", 14, 3),
            ["Manual Review", "by Underwriter"]
        );
        assert_eq!(wrap("one two three four", 7, 2), ["one two", "three…"]);
    }

    #[test]
    fn a_word_that_is_too_long_breaks_at_a_seam() {
        assert_eq!(wrap("notify-approval-overdue", 18, 3), ["notify-approval-", "overdue"]);
        assert_eq!(wrap("abcdefghij", 4, 9), ["abcd", "efgh", "ij"]);
    }

    #[test]
    fn nothing_that_moves_the_cursor_gets_through() {
        assert_eq!(clean("a\u{1b}[2J\tb\n\u{202e}c"), "a [2J b\nc");
    }

    #[test]
    fn wide_letters_take_two_columns() {
        assert_eq!(wrap("審査審査", 4, 2), ["審査", "審査"]);
    }
}
