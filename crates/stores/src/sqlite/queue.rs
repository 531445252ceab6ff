//! What waits to be written. Bounded; under load, new work is refused before the end of old work.

use std::{
    collections::VecDeque,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

use waypost_kernel::{StoreError, Urgency};

/// Filled by everybody, emptied by the writer.
pub(super) struct Queue<T> {
    items_max: usize,
    bytes_max: usize,
    waiting: Mutex<Waiting<T>>,
    arrived: Condvar,
}

struct Waiting<T> {
    items: VecDeque<(T, usize)>,
    bytes: usize,
    is_closed: bool,
}

impl<T> Queue<T> {
    pub(super) fn new(items_max: usize, bytes_max: usize) -> Self {
        let waiting = Waiting { items: VecDeque::new(), bytes: 0, is_closed: false };
        Self { items_max, bytes_max, waiting: Mutex::new(waiting), arrived: Condvar::new() }
    }

    /// Puts `item` at the end, unless there is too much before it for its urgency.
    pub(super) fn push(&self, item: T, bytes: usize, urgency: Urgency) -> Result<(), StoreError> {
        let mut waiting = self.waiting();
        if waiting.is_closed {
            return Err(StoreError::Unavailable("the store is closed".to_owned()));
        }
        // What finds the queue empty is taken whatever its size, or it could never be.
        let is_full = waiting.items.len() >= share(self.items_max, urgency)
            || waiting.bytes + bytes > share(self.bytes_max, urgency);
        if is_full && !waiting.items.is_empty() {
            return Err(StoreError::Busy);
        }
        waiting.items.push_back((item, bytes));
        waiting.bytes += bytes;
        // The writer only sleeps when nothing waits.
        if waiting.items.len() == 1 {
            self.arrived.notify_one();
        }
        Ok(())
    }

    /// Waits until there is something and takes it, at most `most`. Nothing once the queue is
    /// closed and empty.
    pub(super) fn take(&self, most: usize) -> Option<Vec<T>> {
        let mut waiting = self
            .arrived
            .wait_while(self.waiting(), |it| it.items.is_empty() && !it.is_closed)
            .unwrap_or_else(PoisonError::into_inner);
        let n_taken = waiting.items.len().min(most.max(1));
        let taken: Vec<(T, usize)> = waiting.items.drain(..n_taken).collect();
        waiting.bytes -= taken.iter().map(|(_, bytes)| bytes).sum::<usize>();
        drop(waiting);
        (!taken.is_empty()).then(|| taken.into_iter().map(|(item, _)| item).collect())
    }

    /// Refuses everything from now on. What waits can still be taken.
    pub(super) fn close(&self) {
        self.waiting().is_closed = true;
        self.arrived.notify_one();
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting<T>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How much of the queue may be filled before something of that urgency is refused.
const fn share(whole: usize, urgency: Urgency) -> usize {
    match urgency {
        Urgency::New => whole / 2,
        Urgency::News => whole / 4 * 3,
        Urgency::Finish => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::{Queue, StoreError, Urgency};

    fn fill(queue: &Queue<usize>, urgency: Urgency) -> usize {
        (0..).take_while(|item| queue.push(*item, 10, urgency).is_ok()).count()
    }

    #[test]
    fn new_work_is_refused_before_news_and_news_before_the_end() {
        let queue = Queue::new(8, 1_000);
        assert_eq!(fill(&queue, Urgency::New), 4);
        assert_eq!(fill(&queue, Urgency::News), 2);
        assert_eq!(fill(&queue, Urgency::Finish), 2);
        assert_eq!(queue.push(9, 10, Urgency::Finish), Err(StoreError::Busy));
    }

    #[test]
    fn bytes_count_as_well() {
        let queue = Queue::new(100, 80);
        assert_eq!(fill(&queue, Urgency::New), 4);
        assert_eq!(fill(&queue, Urgency::News), 2);
        assert_eq!(fill(&queue, Urgency::Finish), 2);
    }

    #[test]
    fn what_is_larger_than_the_queue_goes_through_it_alone() {
        let queue = Queue::new(8, 80);
        assert_eq!(queue.push(1, 1_000, Urgency::New), Ok(()));
        assert_eq!(queue.push(2, 1, Urgency::Finish), Err(StoreError::Busy));
        assert_eq!(queue.take(8), Some(vec![1]));
        assert_eq!(queue.push(2, 1, Urgency::New), Ok(()));
    }

    #[test]
    fn a_closed_queue_gives_what_it_has_and_takes_no_more() {
        let queue = Queue::new(8, 80);
        queue.push(1, 1, Urgency::New).unwrap();
        queue.push(2, 1, Urgency::New).unwrap();
        queue.close();
        assert!(matches!(queue.push(3, 1, Urgency::Finish), Err(StoreError::Unavailable(_))));
        assert_eq!(queue.take(1), Some(vec![1]));
        assert_eq!(queue.take(1), Some(vec![2]));
        assert_eq!(queue.take(1), None);
    }
}
