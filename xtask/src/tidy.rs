//! Checks what no compiler does. Each rule is a pure function from the tree to what is wrong in it.

mod code;
mod layer;
mod link;
mod size;
mod text;
mod tree;

use crate::{root, tidy::tree::Tree};

/// A rule: what is wrong, one sentence each, beginning with the file.
type Rule = fn(&Tree) -> Vec<String>;

const RULES: [Rule; 14] = [
    layer::every_crate_is_on_the_map,
    layer::pure_crates_stay_pure,
    layer::dependencies_point_down,
    layer::faces_do_not_know_each_other,
    code::codes_and_pages_match,
    size::files_are_short,
    size::the_kernel_is_small,
    text::no_line_ends_in_space,
    text::open_points_have_a_number,
    text::no_path_of_a_machine,
    text::no_test_is_skipped,
    text::no_module_hides_its_name,
    text::every_file_ends_in_a_line,
    link::links_lead_somewhere,
];

/// Checks the tree this program was built from.
pub(crate) fn check() -> Result<(), String> {
    let tree = Tree::read(&root())?;
    let findings: Vec<_> = RULES.iter().flat_map(|rule| rule(&tree)).collect();
    if findings.is_empty() { Ok(()) } else { Err(findings.join("\n")) }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_tree_is_tidy() {
        if let Err(findings) = super::check() {
            panic!("{findings}");
        }
    }
}
