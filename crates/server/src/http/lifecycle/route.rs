//! What a path and a method stand for.

use axum::http::Method;
use percent_encoding::percent_decode_str;
use waypost_api::diagram::Format;

use super::failure::Denied;

/// What is wanted.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Types,
    List {
        of: String,
    },
    Entity {
        of: String,
        id: String,
    },
    History {
        of: String,
        id: String,
    },
    Explanation {
        of: String,
        id: String,
    },
    /// Of the type, or of an entity in it.
    Picture {
        of: String,
        id: Option<String>,
    },
    /// Of whatever type.
    Children {
        id: String,
    },
    Patch {
        of: String,
        id: String,
    },
    Transition {
        of: String,
        id: String,
    },
}

/// What there is to be had below an entity.
const BELOW: &str = "history, explain, children, state, transition, diagram.svg";

/// Reads what is left of a path below the root. Slashes at the end do not count.
pub(super) fn route(method: &Method, path: &str) -> Result<Wanted, Denied> {
    let parts: Vec<&str> = path.trim_end_matches('/').split('/').skip(1).collect();
    let parts = parts.into_iter().map(decoded).collect::<Result<Vec<String>, Denied>>()?;
    let mut parts = parts.into_iter();
    let (of, id, what) = (parts.next(), parts.next(), parts.next());
    if parts.next().is_some() {
        return Err(Denied::not_found("there is nothing so far below"));
    }
    let (wanted, allowed) = match (of, id, what.as_deref()) {
        (None, _, _) => (Wanted::Types, READ),
        (Some(of), None, _) => (Wanted::List { of }, READ),
        (Some(of), Some(name), None) if is_picture(&name) => {
            (Wanted::Picture { of, id: None }, READ)
        }
        (Some(of), Some(id), None) => (Wanted::Entity { of, id }, READ),
        (Some(of), Some(id), Some(name)) if is_picture(name) => {
            (Wanted::Picture { of, id: Some(id) }, READ)
        }
        (Some(of), Some(id), Some("history")) => (Wanted::History { of, id }, READ),
        (Some(of), Some(id), Some("explain")) => (Wanted::Explanation { of, id }, READ),
        (Some(_), Some(id), Some("children")) => (Wanted::Children { id }, READ),
        (Some(of), Some(id), Some("state")) => (Wanted::Patch { of, id }, "POST"),
        (Some(of), Some(id), Some("transition")) => (Wanted::Transition { of, id }, "POST"),
        (Some(_), Some(_), Some(other)) => {
            return Err(Denied::not_found(format!("there is no {other:?}; there are {BELOW}")));
        }
    };
    match allowed.split(", ").any(|it| method == it) {
        true => Ok(wanted),
        false => Err(Denied::not_allowed(allowed)),
    }
}

const READ: &str = "GET, HEAD";

/// Whether a part of the path names a picture. No entity can be reached that is called so.
fn is_picture(name: &str) -> bool {
    name.strip_prefix("diagram.").is_some_and(|it| Format::of_extension(it).is_some())
}

fn decoded(part: &str) -> Result<String, Denied> {
    match percent_decode_str(part).decode_utf8() {
        Ok(text) => Ok(text.into_owned()),
        Err(_) => Err(Denied::bad("path", "is not UTF-8")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slashes_at_the_end_do_not_count_and_names_may_be_encoded() {
        assert_eq!(route(&Method::GET, "").unwrap(), Wanted::Types);
        assert_eq!(route(&Method::GET, "//").unwrap(), Wanted::Types);
        let list = Wanted::List { of: "drone survey".into() };
        assert_eq!(route(&Method::GET, "/drone%20survey/").unwrap(), list);
        let entity = Wanted::Entity { of: "d".into(), id: "a.b".into() };
        assert_eq!(route(&Method::HEAD, "/d/a.b").unwrap(), entity);
    }

    #[test]
    fn pictures_are_of_a_type_or_of_an_entity() {
        let picture = |id: Option<&str>| Wanted::Picture { of: "d".into(), id: id.map(Into::into) };
        assert_eq!(route(&Method::GET, "/d/diagram.svg").unwrap(), picture(None));
        assert_eq!(route(&Method::GET, "/d/a/diagram.mmd").unwrap(), picture(Some("a")));
        let entity = Wanted::Entity { of: "d".into(), id: "diagram.png".into() };
        assert_eq!(route(&Method::GET, "/d/diagram.png").unwrap(), entity);
    }

    #[test]
    fn what_is_not_there_is_not_found_and_what_cannot_be_done_is_not_allowed() {
        for (method, path, status) in [
            (Method::GET, "/d/a/nothing", 404),
            (Method::GET, "/d/a/history/more", 404),
            (Method::GET, "/d/%ff", 400),
            (Method::POST, "/d", 405),
            (Method::DELETE, "/d/a", 405),
            (Method::GET, "/d/a/state", 405),
            (Method::PUT, "/d/a/transition", 405),
        ] {
            assert_eq!(route(&method, path).unwrap_err().status(), status, "{method} {path}");
        }
    }
}
