//! Timers of scheduled transitions: what is armed with an entity, as the store has it.

use serde::{Deserialize, Serialize};
use waypost_kernel::{Json, Key, Timer, TimerChange, TimerId, TimerRef};
use waypost_machines::entity::cascade::Armed;

use super::Save;

/// What a timer of an entity stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Firing {
    pub(super) source_state: String,
    pub(super) transition: String,
    /// Who has armed it, in whose name it fires.
    pub(super) user: String,
}

/// What a commit does to the timers of an entity that had `before` armed and is saved as `after`.
/// What is armed as it was is left alone: it may have been put off.
pub(super) fn changes(key: &Key, before: &[Armed], after: &Save) -> Vec<TimerChange> {
    let is_gone = |it: &&Armed| !after.armed.iter().any(|new| id(new) == id(it));
    let gone = before.iter().filter(is_gone).map(|it| TimerChange::Disarm(at(key, it)));
    let new = after.armed.iter().filter(|it| !before.contains(it));
    gone.chain(new.map(|it| TimerChange::Arm(timer(key, it, &after.user)))).collect()
}

fn timer(key: &Key, armed: &Armed, user: &str) -> Timer {
    let command = Json::of(&Firing {
        source_state: armed.source_state.clone(),
        transition: armed.transition.clone(),
        user: user.to_owned(),
    });
    Timer { at: at(key, armed), due_at: armed.scheduled_at, command }
}

fn at(key: &Key, armed: &Armed) -> TimerRef {
    TimerRef { key: key.clone(), id: id(armed) }
}

/// States and transitions may be called anything: the length says where the one ends.
fn id(armed: &Armed) -> TimerId {
    let Armed { source_state, transition, .. } = armed;
    format!("{}:{source_state}/{transition}", source_state.len()).into()
}

#[cfg(test)]
mod tests {
    use waypost_kernel::{InstanceId, Kind, Tenant, Timestamp};

    use super::{super::ChangeKind, *};

    #[test]
    fn only_what_differs_is_changed() {
        let after = saved(&[armed("stays", 1), armed("moves", 3), armed("comes", 4)]);
        let before = [armed("stays", 1), armed("moves", 2), armed("goes", 2)];
        let told: Vec<String> = changes(&key(), &before, &after).iter().map(show).collect();
        let expected = [
            "disarm 3:NEW/goes",
            r#"3:NEW/moves at 3: {"source_state":"NEW","transition":"moves","user":"jo"}"#,
            r#"3:NEW/comes at 4: {"source_state":"NEW","transition":"comes","user":"jo"}"#,
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn no_two_timers_are_called_the_same() {
        let named = |source_state: &str, transition: &str| {
            let (source_state, transition) = (source_state.to_owned(), transition.to_owned());
            id(&Armed { source_state, transition, ..armed("", 1) })
        };
        assert_ne!(named("A/B", "C"), named("A", "B/C"));
    }

    fn show(change: &TimerChange) -> String {
        match change {
            TimerChange::Arm(it) => {
                format!("{} at {}: {}", it.at.id, it.due_at.as_micros(), it.command.as_str())
            }
            TimerChange::Disarm(it) => format!("disarm {}", it.id),
        }
    }

    fn key() -> Key {
        Key::new(Tenant::from("t"), Kind::Entity, InstanceId::from("e"))
    }

    fn saved(armed: &[Armed]) -> Save {
        Save {
            workflow: None,
            transition: "loopback".to_owned(),
            transaction: "tx".to_owned(),
            user: "jo".to_owned(),
            change: ChangeKind::Updated,
            armed: armed.to_vec(),
        }
    }

    fn armed(transition: &str, micros: i64) -> Armed {
        Armed {
            transition: transition.to_owned(),
            source_state: "NEW".to_owned(),
            scheduled_at: Timestamp::from_micros(micros),
            timeout_millis: None,
        }
    }
}
