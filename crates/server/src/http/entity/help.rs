//! Help: topics that are built into the program, for everybody and for pages of every site.

use axum::{
    http::{HeaderValue, Method, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use serde::Serialize;
use waypost_engine::entity::Code;

use super::{
    answer::json,
    params::InPath,
    problem::{Failure, HELP_TOPIC_NOT_FOUND},
};
use crate::errors;

/// Topics and their pages. The errors are beside them: each has a page of its own.
const TOPICS: [(&str, &str); 6] = [
    ("audit", include_str!("../../../../../docs/help/audit.md")),
    ("crud", include_str!("../../../../../docs/help/crud.md")),
    ("errors", include_str!("../../../../../docs/help/errors.md")),
    ("models", include_str!("../../../../../docs/help/models.md")),
    ("search", include_str!("../../../../../docs/help/search.md")),
    ("workflows", include_str!("../../../../../docs/help/workflows.md")),
];

/// All topics.
#[derive(Serialize)]
struct Contents {
    schema: u32,
    version: &'static str,
    topics: Vec<Topic>,
}

/// One topic.
#[derive(Debug, Serialize)]
struct Topic {
    topic: String,
    path: Vec<String>,
    title: &'static str,
    synopsis: &'static str,
    body: &'static str,
    sections: Vec<Section>,
    see_also: Vec<&'static str>,
    stability: &'static str,
    actions: [&'static str; 0],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    children: Vec<String>,
}

/// A part of a page.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Section {
    name: &'static str,
    body: &'static str,
}

/// All topics of the built-in help. Everybody may ask.
#[utoipa::path(
    get, path = "/api/help", tag = "Entity operations",
    responses((status = 200, description = "The topics", body = Object)),
)]
pub(in crate::http) async fn list(method: Method) -> Result<Response, Failure> {
    if let Some(answer) = other_than_reading(&method)? {
        return Ok(answer);
    }
    let topics = TOPICS.iter().map(|(name, page)| topic((*name).to_owned(), page)).collect();
    let version = env!("CARGO_PKG_VERSION");
    Ok(open(json(&Contents { schema: 1, version, topics })?))
}

/// One topic of the built-in help. Dots and slashes between its parts are the same.
#[utoipa::path(
    get, path = "/api/help/{topic}", tag = "Entity operations",
    params(("topic" = String, Path, description = "Such as `errors.CONFLICT`")),
    responses(
        (status = 200, description = "The topic", body = Object),
        (status = 404, description = "No such topic: HELP_TOPIC_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn show(method: Method, path: InPath) -> Result<Response, Failure> {
    if let Some(answer) = other_than_reading(&method)? {
        return Ok(answer);
    }
    let name = path.text("topic");
    let parts: Vec<&str> = name.split(['.', '/']).collect();
    if !is_well_formed(name) || parts.contains(&"") {
        return Err(Failure::bad_request("a topic is made of letters, digits, - and _").open());
    }
    let found = match parts.as_slice() {
        ["errors", code] => errors::page(&code.to_ascii_uppercase()),
        [name] => TOPICS.iter().find(|(known, _)| known == name).map(|it| it.1),
        _ => None,
    };
    let missing = || {
        let text = format!("there is no topic {}", parts.join("."));
        Failure::new(StatusCode::NOT_FOUND, HELP_TOPIC_NOT_FOUND, text).open()
    };
    Ok(open(json(&topic(parts.join("."), found.ok_or_else(missing)?))?))
}

fn is_well_formed(name: &str) -> bool {
    let is_inside = |it: char| it.is_ascii_alphanumeric() || "._/-".contains(it);
    let is_end = |it: char| it.is_ascii_alphanumeric();
    name.chars().all(is_inside) && name.starts_with(is_end) && name.ends_with(is_end)
}

/// The answer to a browser that asks before it reads, or a refusal.
fn other_than_reading(method: &Method) -> Result<Option<Response>, Failure> {
    match *method {
        Method::GET | Method::HEAD => Ok(None),
        Method::OPTIONS => {
            let mut answer = open(StatusCode::NO_CONTENT.into_response());
            let allowed = [
                (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, OPTIONS"),
                (header::ACCESS_CONTROL_ALLOW_HEADERS, "Content-Type, Authorization"),
                (header::ACCESS_CONTROL_MAX_AGE, "86400"),
            ];
            let allowed = allowed.map(|(name, text)| (name, HeaderValue::from_static(text)));
            answer.headers_mut().extend(allowed);
            Ok(Some(answer))
        }
        _ => {
            let (status, code) = (StatusCode::METHOD_NOT_ALLOWED, Code::BadRequest.as_str());
            let refused = Failure::new(status, code, "help can only be read");
            Err(refused.allowing("GET, OPTIONS").open())
        }
    }
}

/// Pages of every site may read it.
fn open(mut answer: Response) -> Response {
    let everybody = HeaderValue::from_static("*");
    answer.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, everybody);
    answer
}

/// The page begins with its title and a sentence; parts have headings of the second level, and the
/// last of them may be a list of other topics.
fn topic(name: String, page: &'static str) -> Topic {
    let (head, rest) = page.split_once("\n\n").unwrap_or((page, ""));
    let synopsis = rest.split("\n\n").next().unwrap_or_default().trim();
    let mut sections: Vec<Section> = rest.split("\n## ").skip(1).map(section).collect();
    let last = sections.pop_if(|it| it.name == "See also");
    let see_also = last.map_or("", |it| it.body).lines();
    let see_also = see_also.filter_map(|it| it.strip_prefix("- ")).collect();
    let children = match name.as_str() {
        "errors" => errors::codes().map(|it| format!("errors.{it}")).collect(),
        _ => Vec::new(),
    };
    Topic {
        path: name.split('.').map(str::to_owned).collect(),
        topic: name,
        title: head.trim_start_matches("# "),
        synopsis,
        body: page,
        sections,
        see_also,
        stability: "stable",
        actions: [],
        children,
    }
}

fn section(text: &'static str) -> Section {
    let (name, body) = text.split_once('\n').unwrap_or((text, ""));
    Section { name: name.trim(), body: body.trim() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_topic_says_what_it_is_and_refers_to_others_that_are_there() {
        for (name, page) in TOPICS {
            let topic = topic(name.to_owned(), page);
            assert!(page.starts_with("# "), "{name}");
            assert!(!topic.title.is_empty() && !topic.synopsis.is_empty(), "{name}");
            assert!(!topic.sections.is_empty() && !topic.see_also.is_empty(), "{name}");
            for other in topic.see_also {
                assert!(TOPICS.iter().any(|(known, _)| *known == other), "{name}: {other}");
            }
        }
    }

    #[test]
    fn a_page_is_taken_apart_at_its_headings() {
        let page = "# T\n\nOne sentence.\n\nMore.\n\n## A\n\ntext\n\n## See also\n\n- b\n- c\n";
        let topic = topic("a.b".to_owned(), page);
        assert_eq!((topic.title, topic.synopsis), ("T", "One sentence."));
        assert_eq!(topic.sections, [Section { name: "A", body: "text" }]);
        assert_eq!(topic.see_also, ["b", "c"]);
        assert_eq!(topic.path, ["a", "b"]);
    }
}
