//! The verbs for processes, one file each.

mod audit;
mod cancel;
mod complete;
mod list;
mod retry;
mod show;
mod signal;
mod start;
mod story;
mod tasks;

pub(crate) use self::{
    cancel::{CancelArgs, run as cancel},
    complete::{CompleteArgs, run as complete},
    list::{ListArgs, run as list},
    retry::{RetryArgs, run as retry},
    show::{HistoryArgs, ShowArgs, history, show},
    signal::{SignalArgs, run as signal},
    start::{StartArgs, run as start},
    tasks::{TasksArgs, run as tasks},
};
