//! What a check came to.

use serde::Serialize;

/// One line of the doctor's report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    pub(super) check: &'static str,
    pub(super) level: Level,
    pub(super) detail: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) advice: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    Ok,
    Warn,
    Fail,
}

impl Level {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

impl Finding {
    pub(super) fn ok(check: &'static str, detail: impl Into<String>) -> Self {
        Self { check, level: Level::Ok, detail: detail.into(), advice: None }
    }

    pub(super) fn warn(
        check: &'static str,
        detail: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self { check, level: Level::Warn, detail: detail.into(), advice: Some(advice.into()) }
    }

    pub(super) fn fail(
        check: &'static str,
        detail: impl Into<String>,
        advice: Option<String>,
    ) -> Self {
        Self { check, level: Level::Fail, detail: detail.into(), advice }
    }
}
