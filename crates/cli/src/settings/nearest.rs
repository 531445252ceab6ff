//! What somebody who mistyped a name may have meant.

/// The candidate closest to `given`, if one is close enough to have been meant.
pub(crate) fn nearest(given: &str, candidates: impl IntoIterator<Item = String>) -> Option<String> {
    let far = (given.chars().count() / 3).max(2);
    candidates
        .into_iter()
        .map(|it| (distance(given, &it), it))
        .filter(|(distance, _)| *distance <= far)
        .min()
        .map(|(_, it)| it)
}

/// How many letters must be added, removed or replaced to get from one to the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (n_done, letter) in from.chars().enumerate() {
        let mut next = vec![n_done + 1];
        for ((other, pair), left) in to.iter().zip(row.windows(2)).zip(0..) {
            let &[diagonal, above] = pair else { continue };
            let replaced = diagonal + usize::from(*other != letter);
            let added = next.get(left).map_or(usize::MAX, |it: &usize| it + 1);
            next.push(replaced.min(above + 1).min(added));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_letters() {
        for (from, to, expected) in
            [("", "", 0), ("abc", "abc", 0), ("abc", "", 3), ("stroe", "store", 2), ("a", "ab", 1)]
        {
            assert_eq!(distance(from, to), expected, "{from} {to}");
        }
    }

    #[test]
    fn only_what_is_close_is_suggested() {
        let known = || ["store".to_owned(), "http".to_owned()];
        assert_eq!(nearest("stroe", known()), Some("store".to_owned()));
        assert_eq!(nearest("password", known()), None);
    }
}
