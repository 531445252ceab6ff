//! Which model is meant.

use waypost_api::entity::http::ModelKey;

use crate::output::printable;

/// A model.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct ModelArgs {
    /// The model's name
    #[arg(value_name = "MODEL")]
    model: String,

    /// The model's version
    #[arg(value_name = "VERSION", allow_negative_numbers = true)]
    model_version: i32,
}

impl ModelArgs {
    pub(super) fn key(self) -> ModelKey {
        ModelKey { name: self.model, version: self.model_version }
    }
}

/// A model in words.
pub(super) fn told(model: &ModelKey) -> String {
    format!("{} version {}", printable(&model.name), model.version)
}
