//! What is small can be read.

use super::tree::Tree;

const FILE_MAX: usize = 500;
const KERNEL_MAX: usize = 2_000;

/// Files that are longer than they should be, and how long. They may shrink, not grow; the list is
/// to become empty and stay so.
const RATCHET: &[(&str, usize)] = &[];

pub(super) fn files_are_short(tree: &Tree) -> Vec<String> {
    let is_test = |path: &str| path.contains("tests/") && !path.starts_with("tests/src/");
    tree.below("", ".rs")
        .filter(|(path, _)| !is_test(path))
        .map(|(path, text)| (path, lines(text), most(path)))
        .filter(|(_, lines, most)| lines > most)
        .map(|(path, lines, most)| format!("{path}: has {lines} lines, of {most} allowed"))
        .collect()
}

pub(super) fn the_kernel_is_small(tree: &Tree) -> Vec<String> {
    let lines: usize = tree.below("crates/kernel/src/", ".rs").map(|(_, text)| lines(text)).sum();
    let finding = format!("crates/kernel: has {lines} lines, of {KERNEL_MAX} allowed");
    (lines > KERNEL_MAX).then_some(finding).into_iter().collect()
}

fn most(path: &str) -> usize {
    RATCHET.iter().find(|(it, _)| *it == path).map_or(FILE_MAX, |(_, lines)| *lines)
}

/// The lines of a file before its tests.
fn lines(text: &str) -> usize {
    text.lines().take_while(|line| *line != "#[cfg(test)]").count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_is_found() {
        let right = "x\n".repeat(FILE_MAX);
        let long = format!("{right}x\n");
        let tested = format!("{right}#[cfg(test)]\n{right}");
        let tree = Tree::of([
            ("crates/kernel/src/long.rs", &long),
            ("crates/kernel/src/right.rs", &right),
            ("crates/kernel/src/tested.rs", &tested),
            ("crates/kernel/tests/long.rs", &long),
            ("tests/tests/long.rs", &long),
            ("tests/src/long.rs", &long),
            ("docs/long.md", &long),
        ]);
        assert_eq!(
            files_are_short(&tree),
            [
                "crates/kernel/src/long.rs: has 501 lines, of 500 allowed",
                "tests/src/long.rs: has 501 lines, of 500 allowed",
            ]
        );
    }

    #[test]
    fn a_large_kernel_is_found() {
        let half = "x\n".repeat(KERNEL_MAX / 2);
        let right = [("crates/kernel/src/a.rs", &*half), ("crates/kernel/src/b.rs", &*half)];
        assert_eq!(the_kernel_is_small(&Tree::of(right)), [""; 0]);
        let [a, b] = right;
        let large = Tree::of([a, b, ("crates/kernel/src/c.rs", "x")]);
        let found = the_kernel_is_small(&large);
        assert_eq!(found, ["crates/kernel: has 2001 lines, of 2000 allowed"]);
    }
}
