//! Lifecycles: what a server shows of them, and the verbs, one file each.

mod gateway;
mod list;
mod patch;
mod show;
mod signal;
mod watch;

pub(crate) use self::{
    gateway::{gateway, parse},
    list::{ListArgs, run as list},
    patch::{PatchArgs, run as patch},
    show::{HistoryArgs, ShowArgs, history, show},
    signal::{SignalArgs, run as signal},
    watch::{WatchArgs, run as watch},
};
