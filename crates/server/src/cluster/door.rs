//! Questions that other nodes send to members of this one. Whoever has the common secret is a node.

use std::sync::Arc;

use axum::{
    Router,
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse as _, Response},
    routing::post,
};

use super::{
    hop::{CRITERIA, MESSAGE_MAX, PROCESSOR, SEALED, SENT_AT},
    node::Cluster,
    seal::About,
};
use crate::{
    compute::peer::Offered,
    http::{App, Refusal, read_within},
};

/// Where other nodes knock.
pub(crate) fn routes() -> Router<Arc<App>> {
    Router::new().route(PROCESSOR, post(answer)).route(CRITERIA, post(answer))
}

async fn answer(State(app): State<Arc<App>>, request: Request) -> Response {
    let Some(cluster) = &app.cluster else { return StatusCode::NOT_FOUND.into_response() };
    let Some(sent_at) = sent_at(request.headers()) else { return forbidden() };
    let path = request.uri().path().to_owned();
    match read(&app, request).await {
        Ok(sealed) => cluster.take(About { path: &path, sent_at, answers: None }, &sealed).await,
        Err(refusal) => refusal.into_response(),
    }
}

/// Without a word: whoever knocks here knows why, or must not learn it.
fn forbidden() -> Response {
    StatusCode::FORBIDDEN.into_response()
}

/// When it was sent, if it looks like a question of a node.
fn sent_at(headers: &HeaderMap) -> Option<i64> {
    let kind = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let sent_at = headers.get(SENT_AT)?.to_str().ok()?;
    (kind == SEALED).then(|| sent_at.parse().ok())?
}

async fn read(app: &App, request: Request) -> Result<bytes::Bytes, Refusal> {
    let length = request.headers().get(header::CONTENT_LENGTH);
    let length = length.and_then(|it| it.to_str().ok()?.parse().ok());
    // Nobody who waits for a member holds on to the sealed form of the question.
    let _room = app.admission.carry(length.unwrap_or(MESSAGE_MAX).min(MESSAGE_MAX))?;
    read_within(request, app, MESSAGE_MAX).await
}

impl Cluster {
    async fn take(&self, about: About<'_>, sealed: &[u8]) -> Response {
        let Some((number, text)) = self.0.seal.take(about, sealed, self.seconds()) else {
            tracing::warn!("a question for members is from no node, or was sent before");
            return forbidden();
        };
        let offered: Offered = match serde_json::from_slice(&text) {
            Ok(offered) => offered,
            Err(error) => {
                tracing::warn!(%error, "a question of another node makes no sense");
                return StatusCode::BAD_REQUEST.into_response();
            }
        };
        drop(text);
        let outcome = self.0.members.ask_for_peer(offered).await;
        let text = serde_json::to_vec(&outcome).expect("an outcome has a JSON form");
        let (_, sealed) = self.0.seal.close(About { answers: Some(&number), ..about }, text);
        ([(header::CONTENT_TYPE, SEALED)], sealed).into_response()
    }
}
