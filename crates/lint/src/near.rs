//! Names that were probably meant.

/// How many letters of a name may be wrong for another one to be meant.
const WRONG_MAX: usize = 2;

/// Names longer than this are not compared: it takes the square of their length.
const LENGTH_MAX: usize = 64;

/// The name among those known that comes closest to `name`, if one comes close.
pub(crate) fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let is_short = |it: &str| it.len() <= LENGTH_MAX;
    if !is_short(name) {
        return None;
    }
    let candidates = known.into_iter().filter(|it| is_short(it) && *it != name);
    let (distance, best) = candidates.map(|it| (distance(name, it), it)).min()?;
    // Of short names every other letter may be meant.
    let most = WRONG_MAX.min(name.chars().count() / 3);
    (distance <= most).then_some(best)
}

/// How many letters must be put in, left out, changed or turned around. Case counts as nothing.
fn distance(one: &str, other: &str) -> usize {
    let one: Vec<char> = one.to_lowercase().chars().collect();
    let other: Vec<char> = other.to_lowercase().chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let at =
                |row: &[usize], index: usize| row.get(index).copied().unwrap_or(usize::MAX / 2);
            let changed = at(&row, j) + usize::from(a != b);
            let mut least = changed.min(at(&row, j + 1) + 1).min(at(&next, j) + 1);
            let is_turned =
                i > 0 && j > 0 && one.get(i - 1) == Some(b) && other.get(j - 1) == Some(a);
            if is_turned {
                least = least.min(at(&before, j - 1) + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_pen_are_seen_through() {
        let known = ["creditScore", "amount", "id"];
        assert_eq!(nearest("credtScore", known), Some("creditScore"));
        assert_eq!(nearest("creditscore", known), Some("creditScore"));
        assert_eq!(nearest("amuont", known), Some("amount"));
        assert_eq!(nearest("total", known), None);
        assert_eq!(nearest("ix", known), None);
    }
}
