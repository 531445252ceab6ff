//! The pages that explain error codes, built into the program.

/// Code and page, by code.
static PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/error_pages.rs"));

/// The page of a code, in Markdown.
#[must_use]
pub fn page(code: &str) -> Option<&'static str> {
    PAGES.iter().find(|(known, _)| *known == code).map(|(_, page)| *page)
}

/// Every code that has a page.
pub fn codes() -> impl Iterator<Item = &'static str> {
    PAGES.iter().map(|(code, _)| *code)
}

#[cfg(test)]
mod tests {
    use waypost_api::problem::EdgeCode;

    use super::*;

    #[test]
    fn every_code_of_the_edge_has_a_page() {
        for code in EdgeCode::ALL {
            assert!(page(code.as_str()).is_some(), "docs/errors/{code}.md is missing");
        }
    }

    #[test]
    fn pages_begin_with_their_code() {
        for (code, page) in PAGES {
            assert!(page.starts_with(&format!("# {code}\n")), "{code}");
        }
    }
}
