//! Query strings, read as leniently as clients expect: what is no number counts as absent.

use serde::Deserialize;
use waypost_engine::limits::PAGE_MAX;

/// Items of a page unless the client says otherwise.
const PAGE_SIZE: u32 = 20;

/// Which page of a list.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(in crate::http) struct Paging {
    /// Which page, counted from 0.
    #[serde(default)]
    page: Option<String>,
    /// How many items; 20 unless given, at most 1000.
    #[serde(default)]
    page_size: Option<String>,
}

impl Paging {
    pub(super) fn page(&self) -> u32 {
        let page = self.page.as_deref().and_then(|it| it.trim().parse::<i64>().ok());
        page.and_then(|it| u32::try_from(it.max(0)).ok()).unwrap_or(0)
    }

    pub(super) fn size(&self) -> u32 {
        let size = self.page_size.as_deref().and_then(|it| it.trim().parse::<u32>().ok());
        size.filter(|it| *it > 0).unwrap_or(PAGE_SIZE).min(PAGE_MAX)
    }

    pub(super) fn offset(&self) -> u32 {
        self.page().saturating_mul(self.size())
    }
}

/// What is empty is not asked for.
pub(super) fn given(text: Option<String>) -> Option<String> {
    text.filter(|it| !it.is_empty())
}
