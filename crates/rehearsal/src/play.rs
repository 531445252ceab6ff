//! Plays a script on a stage, and holds what comes of it against what is expected.

use crate::{Action, Deed, Expect, Refused, Stage, Standing, limits};

/// What came of a scenario.
#[derive(Clone, Debug)]
pub struct Played {
    /// Where the instances stand at the end, the first one first.
    pub standings: Vec<Standing>,
    /// Where that is not as expected.
    pub mismatches: Vec<Mismatch>,
}

/// Something that is not as expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Where in the scenario that is said.
    pub place: String,
    /// What is said there.
    pub expected: String,
    /// What is so.
    pub actual: String,
}

/// Plays `deeds`, lets everything happen that then is to come, and looks at the end.
///
/// `started` is what came of the start: an instance that was refused has nothing done to it.
pub fn play(
    stage: &mut dyn Stage,
    started: Result<(), Refused>,
    (deeds, expect): (&[Deed], &Expect),
) -> Played {
    let mut play = Play { stage, mismatches: Vec::new(), n_commands: 0, refused: Vec::new() };
    match started {
        Ok(()) => play.perform(deeds),
        Err(refused) => play.refused.push(refused),
    }
    let standings = play.stage.standings();
    play.check_refusals(expect);
    let is_refused = standings.is_empty() && expect.rejected.is_some();
    if !is_refused {
        play.mismatches.extend(expect.mismatches("expect", &standings));
    }
    Played { standings, mismatches: play.mismatches }
}

struct Play<'s> {
    stage: &'s mut dyn Stage,
    mismatches: Vec<Mismatch>,
    n_commands: usize,
    refused: Vec<Refused>,
}

impl Play<'_> {
    fn perform(&mut self, deeds: &[Deed]) {
        for (index, deed) in deeds.iter().enumerate() {
            let place = format!("do[{index}]");
            // What is due at this very moment has happened before anybody does or looks; but who
            // waits for a step wants to be there before it is over.
            let settles = !matches!(deed.action, Action::Until(_));
            if settles {
                self.run_until(self.stage.now());
            }
            if !self.deed(deed, &place) {
                return;
            }
            if let Some(expect) = &deed.expect {
                if settles {
                    self.run_until(self.stage.now());
                }
                let standings = self.stage.standings();
                self.mismatches.extend(expect.mismatches(&format!("{place}.expect"), &standings));
            }
        }
        while self.stage.due().is_some() && self.go_on() {}
    }

    /// Does it; whether the scenario can go on.
    fn deed(&mut self, deed: &Deed, place: &str) -> bool {
        match &deed.action {
            Action::Look => true,
            Action::Advance(length) => {
                let until = self.stage.now() + length.0;
                self.run_until(until);
                self.stage.wait(until);
                true
            }
            Action::Until(step) => self.run_to(step, place),
            action @ (Action::Complete(_)
            | Action::Fail(_)
            | Action::Signal(_)
            | Action::Retry(_)
            | Action::Cancel(_)
            | Action::Transition(_)
            | Action::Update(_)
            | Action::Move(_)) => {
                let outcome = self.stage.act(action);
                self.check_outcome(outcome, deed.rejected.as_deref(), place)
            }
        }
    }

    fn run_until(&mut self, until: waypost_kernel::Timestamp) {
        while self.stage.due().is_some_and(|it| it <= until) && self.go_on() {}
    }

    fn run_to(&mut self, step: &str, place: &str) -> bool {
        while !self.stage.is_at(step) {
            if self.stage.due().is_none() {
                let standings = self.stage.standings();
                let at = standings.last().map(|it| it.at.join(", ")).unwrap_or_default();
                let actual = format!("nothing more happens, and it is at [{at}]");
                self.differ(place, format!("to come to {step}"), actual);
                return false;
            }
            if !self.go_on() {
                return false;
            }
        }
        true
    }

    /// Lets one thing happen, unless too much has happened already.
    fn go_on(&mut self) -> bool {
        self.n_commands += 1;
        let most = limits::COMMANDS_MAX;
        if self.n_commands > most {
            if self.n_commands == most + 1 {
                let actual = format!("still moving after {most} commands");
                self.differ("expect", "to come to rest".to_owned(), actual);
            }
            return false;
        }
        self.stage.happen();
        self.refused.extend(self.stage.refused());
        true
    }

    fn check_outcome(
        &mut self,
        outcome: Result<(), Refused>,
        rejected: Option<&str>,
        place: &str,
    ) -> bool {
        match (outcome, rejected) {
            (Ok(()), None) => true,
            (Err(refused), Some(code)) if refused.code == code => true,
            (Ok(()), Some(code)) => {
                self.differ(place, format!("rejected with {code}"), "accepted".to_owned());
                true
            }
            (Err(refused), rejected) => {
                let expected =
                    rejected.map_or("accepted".to_owned(), |it| format!("rejected with {it}"));
                self.differ(place, expected, shown(&refused));
                false
            }
        }
    }

    /// What was refused although nobody said so, and the other way round.
    fn check_refusals(&mut self, expect: &Expect) {
        let refused = std::mem::take(&mut self.refused);
        let is_wanted = |it: &&Refused| expect.rejected.as_deref() == Some(&it.code);
        if let Some(code) = &expect.rejected
            && !refused.iter().any(|it| is_wanted(&it))
        {
            let actual = refused.first().map_or("nothing was rejected".to_owned(), shown);
            self.differ("expect.rejected", code.clone(), actual);
            return;
        }
        if let Some(other) = refused.iter().find(|it| !is_wanted(it)) {
            self.differ("expect.rejected", "nothing is rejected".to_owned(), shown(other));
        }
    }

    fn differ(&mut self, place: &str, expected: String, actual: String) {
        self.mismatches.push(Mismatch { place: place.to_owned(), expected, actual });
    }
}

fn shown(refused: &Refused) -> String {
    format!("rejected with {}: {}", refused.code, refused.detail)
}
