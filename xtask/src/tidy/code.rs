//! Every code a client can see has a page, and every page has a code.

use std::collections::BTreeMap;

use super::tree::Tree;

const PAGES: &str = "docs/errors/";

/// What opens a list of codes. Lists may be anywhere in the crates.
const LIST: &str = "codes! {";

pub(super) fn codes_and_pages_match(tree: &Tree) -> Vec<String> {
    let codes: BTreeMap<&str, &str> = tree
        .below("crates/", ".rs")
        .flat_map(|(path, text)| codes(text).map(move |code| (code, path)))
        .collect();
    let pages = tree.below(PAGES, ".md").filter_map(|(path, _)| {
        let name = path.strip_prefix(PAGES)?.strip_suffix(".md")?;
        (name != "README").then_some((path, name))
    });
    let unused = pages
        .filter(|(_, name)| !codes.contains_key(name))
        .map(|(path, _)| format!("{path}: there is no such code"));
    let missing = codes
        .iter()
        .filter(|(code, _)| tree.text(&format!("{PAGES}{code}.md")).is_none())
        .map(|(code, path)| format!("{path}: {code} has no page {PAGES}{code}.md"));
    missing.chain(unused).collect()
}

/// The codes in the lists of a file: every quoted word in capitals.
fn codes(text: &str) -> impl Iterator<Item = &str> {
    let lists = text.split(&format!("\n{LIST}")).skip(1).collect::<Vec<_>>();
    let lists = lists.into_iter().map(|list| list.split("\n}").next().unwrap_or_default());
    lists.flat_map(|list| list.split('"').skip(1).step_by(2)).filter(|word| is_code(word))
}

fn is_code(word: &str) -> bool {
    let allowed = |it: char| it.is_ascii_uppercase() || it.is_ascii_digit() || it == '_';
    !word.is_empty() && word.chars().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTED: &str = "macro_rules! codes {\n    () => {};\n}\n\ncodes! {\n    /// It's \
                          gone.\n    Gone = \"IT_IS_GONE\", Missing;\n    Late = \"IT_IS_LATE\", \
                          Conflict;\n}\n\nconst OTHER: &str = \"NOT_A_CODE\";\n";

    #[test]
    fn a_code_without_a_page_is_found() {
        let tree = Tree::of([
            ("crates/kernel/src/rejection.rs", LISTED),
            ("docs/errors/IT_IS_GONE.md", ""),
        ]);
        assert_eq!(
            codes_and_pages_match(&tree),
            ["crates/kernel/src/rejection.rs: IT_IS_LATE has no page docs/errors/IT_IS_LATE.md"]
        );
    }

    #[test]
    fn a_page_without_a_code_is_found() {
        let tree = Tree::of([
            ("crates/api/src/problem.rs", LISTED),
            ("docs/errors/IT_IS_GONE.md", ""),
            ("docs/errors/IT_IS_LATE.md", ""),
            ("docs/errors/NOT_A_CODE.md", ""),
            ("docs/errors/it-is-gone.md", ""),
            ("docs/errors/README.md", ""),
        ]);
        assert_eq!(
            codes_and_pages_match(&tree),
            [
                "docs/errors/NOT_A_CODE.md: there is no such code",
                "docs/errors/it-is-gone.md: there is no such code",
            ]
        );
    }
}
