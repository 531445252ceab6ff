//! Planted bugs. A simulator that does not find them proves nothing.

use std::str::FromStr;

use waypost_kernel::{Commit, Expectation, Json, MessageChange, TaskChange};

/// A bug, planted between the engine and its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutant {
    /// Reports are not fenced by their lease.
    NoFence,
    /// A lease is taken to have lapsed because somebody said so.
    NoLapseCheck,
    /// Whether a worker is busy with a time-out is not asked.
    NoFreeCheck,
    /// Events that come early are forgotten.
    DropBuffer,
    /// Outgoing events are not written with the state.
    DropOutbox,
    /// The next step is not scheduled.
    LoseTask,
    /// A commit is acknowledged before it is made.
    AckEarly,
    /// Request ids are not remembered.
    ForgetRequest,
    /// A step that ends keeps its old task.
    KeepTask,
}

impl Mutant {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::NoFence,
        Self::NoLapseCheck,
        Self::NoFreeCheck,
        Self::DropBuffer,
        Self::DropOutbox,
        Self::LoseTask,
        Self::AckEarly,
        Self::ForgetRequest,
        Self::KeepTask,
    ];

    /// Does its harm to a commit. `roll` is below a hundred.
    pub(super) fn spoil(self, commit: &mut Commit, roll: u64) {
        match self {
            Self::NoFence => {
                commit.expect.retain(|it| !matches!(it, Expectation::Lease { .. }));
            }
            Self::NoLapseCheck => {
                commit.expect.retain(|it| !matches!(it, Expectation::Lapsed { .. }));
            }
            Self::NoFreeCheck => {
                commit.expect.retain(|it| !matches!(it, Expectation::Free { .. }));
            }
            Self::DropBuffer => commit.writes.iter_mut().for_each(|it| forget(&mut it.state)),
            Self::DropOutbox => {
                commit.messages.retain(|it| !matches!(it, MessageChange::Send { .. }) || roll > 20);
            }
            Self::LoseTask => {
                commit.tasks.retain(|it| !matches!(it, TaskChange::Schedule(_)) || roll > 5);
            }
            Self::KeepTask => {
                commit.tasks.retain(|it| !matches!(it, TaskChange::Withdraw(_)) || roll > 20);
            }
            Self::ForgetRequest => commit.request = None,
            // Done where commits are made.
            Self::AckEarly => {}
        }
    }
}

fn forget(state: &mut Json) {
    let Ok(mut value) = state.read::<serde_json::Value>() else { return };
    if let Some(members) = value.as_object_mut() {
        members.remove("signals");
    }
    *state = Json::of(&value);
}

impl FromStr for Mutant {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = |it: &Self| format!("{it:?}").eq_ignore_ascii_case(text);
        Self::ALL
            .into_iter()
            .find(named)
            .ok_or_else(|| format!("no mutant {text:?}; there are {:?}", Self::ALL))
    }
}
