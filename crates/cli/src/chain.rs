//! The verbs for chains, one file each.

mod cancel;
mod events;
mod history;
mod list;
mod show;
mod signal;
mod start;
mod watch;

pub(crate) use self::{
    cancel::{CancelArgs, run as cancel},
    history::{HistoryArgs, run as history},
    list::{ListArgs, run as list},
    show::{ShowArgs, run as show},
    signal::{SignalArgs, run as signal},
    start::{StartArgs, run as start},
    watch::{WatchArgs, run as watch},
};
