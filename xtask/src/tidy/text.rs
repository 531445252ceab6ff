//! What must not be written, anywhere.
//!
//! The forbidden words are put together from pieces, so that this file may contain them.

use super::tree::Tree;

pub(super) fn no_line_ends_in_space(tree: &Tree) -> Vec<String> {
    lines_where(tree, "ends in white space", |_, line| line.trim_end() != line)
}

pub(super) fn open_points_have_a_number(tree: &Tree) -> Vec<String> {
    const WORDS: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];
    let is_open = |line: &str| {
        WORDS.iter().any(|word| {
            let mut rests = line.split(word).skip(1);
            rests.any(|rest| {
                let number = rest.strip_prefix("(#").and_then(|it| it.split_once(')'));
                number.is_none_or(|(it, _)| it.parse::<u32>().is_err())
            })
        })
    };
    lines_where(tree, "leaves something open without an issue number", |_, line| is_open(line))
}

pub(super) fn no_path_of_a_machine(tree: &Tree) -> Vec<String> {
    const PLACES: [&str; 4] = [
        concat!("/ho", "me/"),
        concat!("/ro", "ot/"),
        concat!("/wo", "rk/"),
        concat!("/Us", "ers/"),
    ];
    lines_where(tree, "names a place on somebody's machine", |_, line| {
        PLACES.iter().any(|place| line.match_indices(place).any(|(at, _)| begins_path(line, at)))
    })
}

/// Whether what is at `at` begins a path, rather than going on with one, as in a URL.
fn begins_path(line: &str, at: usize) -> bool {
    let before = line.get(..at).and_then(|it| it.chars().next_back());
    !before.is_some_and(|it| it.is_alphanumeric() || "}_-.~".contains(it))
}

pub(super) fn no_test_is_skipped(tree: &Tree) -> Vec<String> {
    const SKIPPED: [&str; 2] = [concat!("#[ign", "ore"), concat!("#[should_", "panic")];
    lines_where(tree, "skips a test, or wants it to panic", |path, line| {
        path.ends_with(".rs") && SKIPPED.iter().any(|it| line.trim_start().starts_with(it))
    })
}

pub(super) fn no_module_hides_its_name(tree: &Tree) -> Vec<String> {
    let hidden = tree.files().filter(|(path, _)| path.ends_with("/mod.rs"));
    hidden.map(|(path, _)| format!("{path}: call it by the name of its folder")).collect()
}

pub(super) fn every_file_ends_in_a_line(tree: &Tree) -> Vec<String> {
    let cut = tree.files().filter(|(_, text)| !text.is_empty() && !text.ends_with('\n'));
    cut.map(|(path, _)| format!("{path}: does not end in a line")).collect()
}

fn lines_where(tree: &Tree, what: &str, is_wrong: impl Fn(&str, &str) -> bool) -> Vec<String> {
    tree.files()
        .flat_map(|(path, text)| (1..).zip(text.lines()).map(move |(at, line)| (path, at, line)))
        .filter(|(path, _, line)| is_wrong(path, line))
        .map(|(path, at, _)| format!("{path}:{at}: {what}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn space_at_the_end_of_a_line_is_found() {
        let tree = Tree::of([("a.rs", "one\ntwo \n\t\nfour\n")]);
        let found = ["a.rs:2: ends in white space", "a.rs:3: ends in white space"];
        assert_eq!(no_line_ends_in_space(&tree), found);
    }

    #[test]
    fn an_open_point_without_a_number_is_found() {
        let text = ["// ", concat!("TO", "DO"), "(#12): later\n// ", concat!("FIX", "ME"), ": x\n"];
        let tree = Tree::of([("a.rs", &text.concat())]);
        let found = ["a.rs:2: leaves something open without an issue number"];
        assert_eq!(open_points_have_a_number(&tree), found);
    }

    #[test]
    fn a_path_of_a_machine_is_found() {
        let text =
            ["see ", concat!("/ho", "me/"), "ann\n`", concat!("/ro", "ot/"), "x`\n"].concat();
        let fine = ["https://example.org", concat!("/ho", "me/"), "page\n"].concat();
        let tree = Tree::of([("a.md", &text), ("b.md", &fine)]);
        assert_eq!(
            no_path_of_a_machine(&tree),
            [
                "a.md:1: names a place on somebody's machine",
                "a.md:2: names a place on somebody's machine",
            ]
        );
    }

    #[test]
    fn a_skipped_test_is_found() {
        let text = ["#[test]\n    ", concat!("#[ign", "ore"), " = \"slow\"]\nfn it_works() {}\n"];
        let tree = Tree::of([("a.rs", &text.concat()), ("a.md", &text.concat())]);
        assert_eq!(no_test_is_skipped(&tree), ["a.rs:2: skips a test, or wants it to panic"]);
    }

    #[test]
    fn a_module_that_hides_its_name_is_found() {
        let tree = Tree::of([("crates/a/src/b/mod.rs", ""), ("crates/a/src/b.rs", "")]);
        let found = ["crates/a/src/b/mod.rs: call it by the name of its folder"];
        assert_eq!(no_module_hides_its_name(&tree), found);
    }

    #[test]
    fn a_file_that_does_not_end_in_a_line_is_found() {
        let tree = Tree::of([("a.md", "one\n"), ("b.md", "one"), ("c.png", "")]);
        assert_eq!(every_file_ends_in_a_line(&tree), ["b.md: does not end in a line"]);
    }
}
