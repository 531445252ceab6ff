//! A whole scenario, from its start to what is expected of it.

use crate::{
    Cast, ChainStage, Deed, Definitions, EntityStage, Face, LifecycleStage, Played, ProcessStage,
    Scenario, Stubs, WhatIf, coverage::Coverage, limits, play,
};

/// Plays a scenario with these definitions; `cast` does what the scenario says nothing about. What
/// was come to is added to `coverage`.
pub fn rehearse(
    scenario: &Scenario,
    definitions: &Definitions,
    cast: &Cast,
    coverage: &mut Coverage,
) -> Played {
    let (begin, cast) = (&scenario.start, cast.of(scenario));
    let script = (scenario.deeds.as_slice(), &scenario.expect);
    match begin.face {
        Face::Process => {
            let mut stage = ProcessStage::new(definitions, cast);
            let started = stage.start(begin);
            let played = play(&mut stage, started, script);
            coverage.add_processes(&stage);
            played
        }
        Face::Chain => {
            let mut stage = ChainStage::new(definitions, cast);
            let started = stage.start(begin);
            let played = play(&mut stage, started, script);
            coverage.add_chain(&stage);
            played
        }
        Face::Entity => {
            let mut stage = EntityStage::new(definitions, cast);
            let started = stage.start(begin);
            let played = play(&mut stage, started, script);
            coverage.add_entity(&stage, definitions);
            played
        }
        Face::Lifecycle => {
            let mut stage = LifecycleStage::new(definitions);
            let started = stage.start(begin);
            let played = play(&mut stage, started, script);
            coverage.add_lifecycle(&stage);
            played
        }
    }
}

impl Scenario {
    /// What makes it impossible to play with these definitions, if anything does.
    #[must_use]
    pub fn problem(&self, definitions: &Definitions) -> Option<String> {
        let (face, name) = (self.start.face, &self.start.definition);
        let is_known = match face {
            Face::Process => definitions.graph(name).is_some(),
            Face::Chain => definitions.plan(name, self.start.version).is_some(),
            // The name is that of the model, which is not part of a definition.
            Face::Entity => true,
            Face::Lifecycle => definitions.phases(name).is_some(),
        };
        if !is_known {
            return Some(format!("there is no {} {name:?} among the definitions", face.as_str()));
        }
        misfit(&self.deeds, face)
    }
}

impl WhatIf {
    /// What makes it impossible to try, if anything does.
    #[must_use]
    pub fn problem(&self, face: Face) -> Option<String> {
        let of_entities = [("processors", &self.processors), ("criteria", &self.criteria)];
        let of_others =
            [("workers", &self.workers), ("people", &self.people), ("signals", &self.signals)];
        let foreign: &[(&str, &Stubs)] = match face {
            Face::Process | Face::Chain => &of_entities,
            Face::Entity => &of_others,
            Face::Lifecycle => &[],
        };
        let given = foreign.iter().find(|(_, it)| !it.0.is_empty());
        let given = given.map(|(name, _)| format!("{name}: nobody like that works for this"));
        given.or_else(|| misfit(&self.deeds, face))
    }
}

fn misfit(deeds: &[Deed], face: Face) -> Option<String> {
    if deeds.len() > limits::DEEDS_MAX {
        let (most, found) = (limits::DEEDS_MAX, deeds.len());
        return Some(format!("do has {found} deeds; at most {most}"));
    }
    let unfit = deeds.iter().enumerate().find(|(_, it)| !it.action.fits(face));
    unfit.map(|(index, it)| format!("do[{index}]: a {} has no {}", face.as_str(), it.action.name()))
}
