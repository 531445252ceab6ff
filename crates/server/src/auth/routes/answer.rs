//! Answers: JSON that ends with a line feed, as all of this interface does.

use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::http::entity::answer::json;

/// What is answered.
pub(crate) struct Json<T>(pub(crate) T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        json(&self.0).into_response()
    }
}
