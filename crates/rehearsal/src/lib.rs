//! A world in virtual time, in which the machines run without store and engine: workers, people,
//! signals and compute nodes are stubs, and the clock jumps to whatever is due next. The same
//! `decide` and `evolve` as in the engine; a week takes a millisecond, and nothing outside is
//! touched.

mod answer;
mod chain;
pub mod coverage;
mod definitions;
mod entity;
mod expect;
mod length;
mod lifecycle;
mod likeness;
mod live;
mod one_or_many;
mod play;
mod process;
mod rehearse;
mod scenario;
mod script;
mod stage;
mod standing;

pub use self::{
    answer::{Answer, Outcome, Outcomes, Stubs},
    chain::ChainStage,
    definitions::Definitions,
    entity::{EntityStage, ForkedEntity},
    expect::Expect,
    length::Length,
    lifecycle::LifecycleStage,
    live::Fork,
    play::{Mismatch, Played, play},
    process::ProcessStage,
    rehearse::rehearse,
    scenario::{Cast, Scenario, WhatIf, limits},
    script::{Action, Begin, Deed, Face},
    stage::{Refused, Stage},
    standing::{Happening, Standing},
};
