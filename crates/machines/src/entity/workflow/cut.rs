//! Shortens what others wrote, so that a message or a record stays readable.

/// The beginning of `text`, at most `bytes_max` long and never half a character.
pub(crate) fn cut(text: &str, bytes_max: usize) -> &str {
    let ends = text.char_indices().map(|(at, character)| at + character.len_utf8());
    let end = ends.take_while(|it| *it <= bytes_max).last().unwrap_or(0);
    text.get(..end).unwrap_or_default()
}
