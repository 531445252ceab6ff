//! How many claims that want the same one search serves.

/// How many tasks one search looks for: those found are in memory at once.
pub(crate) const SEARCH_MAX: u32 = 1_000;

/// How many of the claims with these limits one search serves, at least one; and how much they want
/// together.
pub(crate) fn portion(limits: impl Iterator<Item = u32>) -> (usize, u32) {
    let (mut n_served, mut wanted) = (0, 0_u32);
    for limit in limits {
        let more = wanted.saturating_add(limit);
        if n_served > 0 && more > SEARCH_MAX {
            break;
        }
        (n_served, wanted) = (n_served + 1, more);
    }
    (n_served, wanted)
}

#[cfg(test)]
mod tests {
    use super::{SEARCH_MAX, portion};

    #[test]
    fn a_search_is_shared_up_to_a_limit() {
        let portion_of = |limits: &[u32]| portion(limits.iter().copied());
        assert_eq!(portion_of(&[]), (0, 0));
        assert_eq!(portion_of(&[1, 2, 3]), (3, 6));
        assert_eq!(portion_of(&[600, 400, 1]), (2, SEARCH_MAX));
        assert_eq!(portion_of(&[u32::MAX, 1]), (1, u32::MAX));
    }
}
