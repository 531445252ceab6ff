//! Searching at once: what matches is sent line by line, as it is found.

use std::collections::VecDeque;

use axum::{
    body::{Body, Bytes},
    http::header,
    response::{IntoResponse as _, Response},
};
use futures_util::stream::unfold;
use waypost_api::entity::http::Envelope;
use waypost_engine::{
    entity::{Code, Found, condition},
    limits::ENTITIES_MAX,
};

use super::{
    asker::Asker,
    body::Text,
    convert::{envelope, refusal},
    entities::refused,
    params::{Asked, InPath, bad},
    problem::Failure,
};

/// Entities a search gives unless the client says otherwise. Up to so many are found before the
/// first is sent, so that a client is told if there are more.
const LIMIT: usize = 1_000;

/// Bytes that are held back for that. When there are more, what is found is sent, and cut.
const HELD_MAX: usize = 16 << 20;

/// The entities of a model that match a condition, by id, one on each line.
#[utoipa::path(
    post, path = "/api/search/direct/{entityName}/{modelVersion}", tag = "Entity search",
    params(
        ("entityName" = String, Path, description = "The model's name"),
        ("modelVersion" = i32, Path, description = "The model's version"),
        ("pointInTime" = Option<String>, Query, description = "As they were then"),
        ("limit" = Option<u32>, Query, description = "How many; 1000 unless given, at most 10000"),
    ),
    request_body(content = Object, description = "A condition"),
    responses(
        (status = 200, description = "What matches", body = Envelope<'_>,
            content_type = "application/x-ndjson"),
        (status = 400, description = "The condition cannot be read, or more than 1000 or fewer \
            were asked for, and there are more: SEARCH_RESULT_LIMIT"),
        (status = 404, description = "No such model: MODEL_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn direct(
    Asker(entities): Asker,
    path: InPath,
    asked: Asked,
    text: Text,
) -> Result<Response, Failure> {
    let (model, limit, at) = (path.model()?, limit(&asked)?, asked.time("pointInTime")?);
    let predicate = condition(&text.document("JSON")?).map_err(refused)?;
    let found = entities.search(&model, Some(predicate), at).await?;
    let mut lines = Lines { found, waiting: VecDeque::new(), n_left: limit };
    if limit <= LIMIT {
        lines.hold(limit).await?;
    }
    let stream = unfold(lines, async |mut lines| {
        let line = lines.next().await?;
        Some((line, lines))
    });
    let kind = [(header::CONTENT_TYPE, "application/x-ndjson")];
    Ok((kind, Body::from_stream(stream)).into_response())
}

fn limit(asked: &Asked) -> Result<usize, Failure> {
    let Some(text) = asked.text("limit") else { return Ok(LIMIT) };
    let most = usize::try_from(ENTITIES_MAX).unwrap_or(usize::MAX);
    match text.parse::<usize>() {
        Ok(0) => Ok(LIMIT),
        Ok(limit) if limit <= most => Ok(limit),
        Ok(_) | Err(_) => {
            Err(bad("limit", &format!("must be a whole number from 0 to {most}"), text))
        }
    }
}

/// What was found and is not sent yet: a page at the most, unless it is held back.
struct Lines {
    found: Found,
    waiting: VecDeque<Bytes>,
    n_left: usize,
}

impl Lines {
    /// Looks whether there are more than were asked for, before anything is sent.
    async fn hold(&mut self, limit: usize) -> Result<(), Failure> {
        let mut n_held = 0;
        while self.waiting.len() <= limit && n_held <= HELD_MAX {
            let (n_before, is_last) = (self.waiting.len(), !self.read().await?);
            n_held += self.waiting.iter().skip(n_before).map(Bytes::len).sum::<usize>();
            if is_last {
                return Ok(());
            }
        }
        if self.waiting.len() <= limit {
            return Ok(());
        }
        let detail = format!("more than {limit} entities match; narrow the search or raise limit");
        Err(refusal(Code::SearchResultLimit, detail, Vec::new()))
    }

    /// The next line. A failure can only break the stream off by now.
    async fn next(&mut self) -> Option<Result<Bytes, std::io::Error>> {
        self.n_left = self.n_left.checked_sub(1)?;
        while self.waiting.is_empty() {
            match self.read().await {
                Ok(true) => {}
                Ok(false) => return None,
                Err(failure) => {
                    tracing::warn!(?failure, "a search breaks off");
                    return Some(Err(std::io::Error::other("the search broke off")));
                }
            }
        }
        self.waiting.pop_front().map(Ok)
    }

    /// Reads on; says whether there was more.
    async fn read(&mut self) -> Result<bool, Failure> {
        let page = self.found.next().await?;
        for entity in &page {
            let line = serde_json::to_vec(&envelope(entity));
            let mut line = line.map_err(|it| Failure::defect(it.to_string()))?;
            line.push(b'\n');
            self.waiting.push_back(line.into());
        }
        Ok(!page.is_empty())
    }
}
