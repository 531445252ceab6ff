//! Finding the name of one step among several that are joined.

use waypost_kernel::Facets;

/// What joined names have in them, once a separator is put at both ends, if `step` is one of them.
/// Nothing has it if `step` has a separator in it: then it cannot be a name.
pub(crate) fn enclosed(step: &str) -> Option<String> {
    let separator = Facets::STEP_SEPARATOR;
    (!step.contains(separator)).then(|| format!("{separator}{step}{separator}"))
}
