//! How much may wait to be written. Under load, new work is refused before the end of old work.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use waypost_kernel::{Commit, MessageChange, StoreError, TimerChange, Urgency};

/// Lets commits in as long as there is room.
pub(super) struct Gate {
    items_max: usize,
    bytes_max: usize,
    inside: Mutex<Inside>,
}

#[derive(Default)]
struct Inside {
    items: usize,
    bytes: usize,
}

/// The room one commit takes, until it is dropped.
pub(super) struct Pass {
    gate: Arc<Gate>,
    bytes: usize,
}

impl Gate {
    pub(super) fn new(items_max: usize, bytes_max: usize) -> Arc<Self> {
        Arc::new(Self { items_max, bytes_max, inside: Mutex::default() })
    }

    /// Makes room for something, unless there is too much for its urgency.
    pub(super) fn enter(
        self: &Arc<Self>,
        bytes: usize,
        urgency: Urgency,
    ) -> Result<Pass, StoreError> {
        let mut inside = self.inside();
        // What finds the gate empty is let in whatever its size, or it could never be.
        let is_full = inside.items >= share(self.items_max, urgency)
            || inside.bytes + bytes > share(self.bytes_max, urgency);
        if is_full && inside.items > 0 {
            return Err(StoreError::Busy);
        }
        inside.items += 1;
        inside.bytes += bytes;
        Ok(Pass { gate: Arc::clone(self), bytes })
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        let mut inside = self.gate.inside();
        inside.items -= 1;
        inside.bytes -= self.bytes;
    }
}

/// How much of the room may be filled before something of that urgency is refused.
const fn share(whole: usize, urgency: Urgency) -> usize {
    match urgency {
        Urgency::New => whole / 2,
        Urgency::News => whole / 4 * 3,
        Urgency::Finish => whole,
    }
}

/// About how many bytes a commit holds.
pub(super) fn weight(commit: &Commit) -> usize {
    /// What an entry takes besides its document: keys and names.
    const ENTRY: usize = 256;
    let entries = commit.expect.len() + commit.tasks.len() + commit.erased.len() + 1;
    let definitions = commit.definitions.iter().map(|it| it.body.as_str().len() + ENTRY);
    let writes = commit.writes.iter().map(|it| it.state.as_str().len() + ENTRY);
    let terms = commit.writes.iter().filter_map(|it| it.terms.as_ref()).flatten();
    let terms = terms.map(|it| it.path.len() + it.key.len() + ENTRY);
    let events = commit.events.iter().map(|it| it.events.as_str().len() + ENTRY);
    let timers = commit.timers.iter().map(|change| match change {
        TimerChange::Arm(timer) => timer.command.as_str().len() + ENTRY,
        TimerChange::Disarm(_) => ENTRY,
    });
    let messages = commit.messages.iter().map(|change| match change {
        MessageChange::Send { message, .. } => message.payload.as_str().len() + ENTRY,
        MessageChange::Settle { .. } => ENTRY,
    });
    let documents =
        definitions.chain(writes).chain(terms).chain(events).chain(timers).chain(messages);
    entries * ENTRY + documents.sum::<usize>()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Gate, Pass, StoreError, Urgency};

    fn fill(gate: &Arc<Gate>, urgency: Urgency) -> Vec<Pass> {
        std::iter::from_fn(|| gate.enter(10, urgency).ok()).collect()
    }

    #[test]
    fn new_work_is_refused_before_news_and_news_before_the_end() {
        for gate in [Gate::new(8, 1_000), Gate::new(100, 80)] {
            let inside = Urgency::New;
            let passes =
                [fill(&gate, inside), fill(&gate, Urgency::News), fill(&gate, Urgency::Finish)];
            assert_eq!(passes.each_ref().map(Vec::len), [4, 2, 2]);
            assert_eq!(gate.enter(10, Urgency::Finish).err(), Some(StoreError::Busy));
            drop(passes);
            assert!(gate.enter(10, Urgency::New).is_ok());
        }
    }

    #[test]
    fn what_is_larger_than_the_room_goes_in_alone() {
        let gate = Gate::new(8, 80);
        let large = gate.enter(1_000, Urgency::New).unwrap();
        assert_eq!(gate.enter(1, Urgency::Finish).err(), Some(StoreError::Busy));
        drop(large);
        assert!(gate.enter(1, Urgency::New).is_ok());
    }
}
