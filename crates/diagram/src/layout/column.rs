//! Lists by number, for algorithms that count: a number that is not there reads as blank, and what
//! is written there is forgotten. So no graph, however odd, can make them panic.

use std::ops::{Index, IndexMut};

/// One value for each of so many numbers.
#[derive(Clone, Debug)]
pub(super) struct Column<T> {
    items: Vec<T>,
    blank: T,
    spill: T,
}

impl<T: Clone> Column<T> {
    pub(super) fn new(length: usize, blank: T) -> Self {
        Self { items: vec![blank.clone(); length], spill: blank.clone(), blank }
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    pub(super) fn push(&mut self, item: T) -> usize {
        self.items.push(item);
        self.items.len() - 1
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator {
        self.items.iter()
    }
}

impl<T: Clone + Default> Default for Column<T> {
    fn default() -> Self {
        Self::new(0, T::default())
    }
}

impl<T: Clone + Default> FromIterator<T> for Column<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self { items: items.into_iter().collect(), blank: T::default(), spill: T::default() }
    }
}

impl<T> Index<usize> for Column<T> {
    type Output = T;

    fn index(&self, number: usize) -> &T {
        self.items.get(number).unwrap_or(&self.blank)
    }
}

impl<T: Clone> IndexMut<usize> for Column<T> {
    fn index_mut(&mut self, number: usize) -> &mut T {
        self.spill = self.blank.clone();
        self.items.get_mut(number).unwrap_or(&mut self.spill)
    }
}

/// A count as a length.
pub(super) fn whole(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
