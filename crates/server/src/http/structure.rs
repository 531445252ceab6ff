//! Limits on the shape of JSON, for documents that are carried without being read.

use std::{borrow::Cow, collections::HashSet, fmt::Write as _};

use waypost_api::problem::EdgeCode;

use super::problem::Refusal;

/// Levels of nesting. Whatever reads a document later recurses as deep.
pub(super) const DEPTH_MAX: usize = 64;

/// Members of one object.
pub(super) const MEMBERS_MAX: usize = 10_000;

/// An object or an array that is open.
enum Open<'a> {
    Object { names: HashSet<Cow<'a, str>>, name: &'a str, expects_name: bool },
    Array { index: usize },
}

/// Checks a text that is known to be one JSON document: how deep it is, how wide, and that no
/// object has a member twice. Which of two would count is for nobody to guess.
pub(super) fn check(text: &str) -> Result<(), Refusal> {
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut string_from = None;
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match (string_from, byte) {
            (Some(_), _) if is_escaped => is_escaped = false,
            (Some(_), b'\\') => is_escaped = true,
            (Some(from), b'"') => {
                string_from = None;
                end_string(&mut open, text.get(from..=at).unwrap_or_default())?;
            }
            (Some(_), _) => {}
            (None, b'"') => string_from = Some(at),
            (None, b'{') => {
                deeper(&open)?;
                open.push(Open::Object { names: HashSet::new(), name: "", expects_name: true });
            }
            (None, b'[') => {
                deeper(&open)?;
                open.push(Open::Array { index: 0 });
            }
            (None, b'}' | b']') => drop(open.pop()),
            (None, b',') => next_item(&mut open),
            (None, _) => {}
        }
    }
    Ok(())
}

fn deeper(open: &[Open<'_>]) -> Result<(), Refusal> {
    if open.len() < DEPTH_MAX {
        return Ok(());
    }
    let problem = format!("is nested deeper than {DEPTH_MAX} levels");
    Err(Refusal::at(EdgeCode::JsonTooDeep, place(open), problem))
}

fn next_item(open: &mut [Open<'_>]) {
    match open.last_mut() {
        Some(Open::Object { expects_name, .. }) => *expects_name = true,
        Some(Open::Array { index }) => *index += 1,
        None => {}
    }
}

/// A string is a member's name if an object is open and has come to one.
fn end_string<'a>(open: &mut [Open<'a>], quoted: &'a str) -> Result<(), Refusal> {
    let Some(Open::Object { names, name, expects_name }) = open.last_mut() else { return Ok(()) };
    if !*expects_name {
        return Ok(());
    }
    *expects_name = false;
    *name = quoted.strip_prefix('"').and_then(|it| it.strip_suffix('"')).unwrap_or_default();
    // The same name can be spelled in several ways.
    let spelled: Cow<'_, str> = match quoted.contains('\\') {
        true => serde_json::from_str::<String>(quoted).unwrap_or_default().into(),
        false => (*name).into(),
    };
    let is_new = names.insert(spelled);
    let n_names = names.len();
    if !is_new {
        let problem = "is there twice in one object";
        return Err(Refusal::at(EdgeCode::BodyInvalid, place(open), problem));
    }
    if n_names > MEMBERS_MAX {
        let problem = format!("is the member after the first {MEMBERS_MAX} of one object");
        return Err(Refusal::at(EdgeCode::JsonTooWide, place(open), problem));
    }
    Ok(())
}

/// Where we are: `context.items[3].name`.
fn place(open: &[Open<'_>]) -> String {
    let mut place = String::new();
    for level in open {
        let dot = if place.is_empty() { "" } else { "." };
        let written = match level {
            Open::Object { name: "", .. } => Ok(()),
            Open::Object { name, .. } => write!(place, "{dot}{name}"),
            Open::Array { index } => write!(place, "[{index}]"),
        };
        written.expect("text can be written to");
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(text: &str) -> String {
        match check(text) {
            Ok(()) => "ok".into(),
            Err(refusal) => format!("{} {}", refusal.problem.code, refusal.problem.detail),
        }
    }

    #[test]
    fn names_may_come_back_in_other_objects_but_not_in_the_same() {
        let twice = "is there twice in one object";
        for (text, expected) in [
            ("1", "ok".to_owned()),
            (r#""a:{[,""#, "ok".into()),
            (r#"{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}"#, "ok".into()),
            (r#"{"a":"a","b":"a"}"#, "ok".into()),
            (r#"{"a":"\\","b":"\"a\":"}"#, "ok".into()),
            (r#"{"a":1,"a":2}"#, format!("BODY_INVALID a: {twice}")),
            (r#"{"a":1,"\u0061":2}"#, format!(r"BODY_INVALID \u0061: {twice}")),
            (r#"{"x":[{},{"y":{"a":1,"b":2,"a":3}}]}"#, format!("BODY_INVALID x[1].y.a: {twice}")),
        ] {
            assert_eq!(look(text), expected, "{text}");
        }
    }

    #[test]
    fn depth_is_limited() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(look(&nested(DEPTH_MAX)), "ok");
        assert!(look(&nested(DEPTH_MAX + 1)).starts_with("JSON_TOO_DEEP [0][0]"));
        let side_by_side = format!("[{}1]", "[[]],".repeat(1_000));
        assert_eq!(look(&side_by_side), "ok");
    }

    #[test]
    fn width_is_limited() {
        let wide = |width: usize| {
            let members: Vec<_> = (0..width).map(|it| format!("\"m{it}\":0")).collect();
            format!("{{{}}}", members.join(","))
        };
        assert_eq!(look(&wide(MEMBERS_MAX)), "ok");
        assert!(look(&wide(MEMBERS_MAX + 1)).starts_with("JSON_TOO_WIDE m10000"));
    }
}
