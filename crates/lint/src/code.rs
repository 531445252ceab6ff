//! The codes: stable names of what can be found.

use std::fmt;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Probably not meant.
    Warning,
    /// Cannot work, or is refused.
    Error,
}

impl Severity {
    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// A kind of mistake.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// Its name, which never changes.
    pub id: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// What it is, in a few words.
    pub title: &'static str,
    /// What to do about it.
    pub help: &'static str,
    /// What a deployment is refused with, if it is.
    pub refused: Option<&'static str>,
}

macro_rules! codes {
    ($($id:ident $severity:ident $([$refused:literal])? $title:literal, $help:literal;)*) => {
        $(pub(crate) static $id: Code = Code {
            id: stringify!($id),
            severity: Severity::$severity,
            title: $title,
            help: $help,
            refused: codes!(@ $($refused)?),
        };)*

        /// All codes, sorted.
        pub static ALL: &[&Code] = &[$(&$id),*];
    };
    (@ $refused:literal) => { Some($refused) };
    (@) => { None };
}

codes! {
    C001 Error ["BODY_INVALID"] "not a chain definition",
        "a chain definition has workflowType, workflowVersion and steps, and nothing else";
    C002 Error ["DEFINITION_INVALID"] "breaks a rule of chain definitions",
        "the deployment is refused as long as this is so";
    C003 Info "the same step type twice",
        "workers that ask for this type get both steps; give them different types if they differ";
    C004 Warning "a step that is never tried again",
        "0 means the same as 1: the first failure is final; write 1 if that is meant, or more";
    C005 Warning "step types that differ only by case",
        "a worker that asks for one of them does not get the other; write them alike";

    E001 Error ["BAD_REQUEST"] "not an import of workflows",
        "an import has workflows, each with name, initialState and states";
    E002 Error ["VALIDATION_FAILED"] "breaks a rule of workflows",
        "the import is refused as long as this is so";
    E003 Warning "a state nothing leads to",
        "add a transition that leads here, or take the state away";
    E004 Warning "a way round without a way out",
        "add a transition to a state that entities may stay in for good";
    E005 Warning "a state whose only ways out are disabled",
        "enable one of them, or take them away if entities are to stay here";
    E006 Warning "a transition behind one that is always taken",
        "put it before the one without a criterion, or give that one a criterion";
    E007 Warning "a criterion that never holds",
        "nothing can be as it asks; change it, or take the transition away";
    E008 Info "a processor for whoever is there",
        "any member of the tenant may be asked; name its tags in config.calculationNodesTags";
    E009 Warning "a circle that runs to the limit",
        "nothing on the way changes the entity, so what holds once holds again; add a processor that changes it, or make one of the transitions manual";
    E010 Warning "a member nobody reads",
        "it is ignored; correct its name or take it away";
    E011 Warning "a workflow behind one that takes every entity",
        "put it first, or give the one before it a criterion";
    E012 Warning "a criterion on a path the model does not have",
        "entities of this model have nothing there; correct the path, or teach the model with a sample that has it";
    E013 Warning "work for members nobody is",
        "no member that is connected has all these tags; correct them, or start one that has";

    G001 Info "more than is shown",
        "mend these first, then look again";

    L001 Error "not a description of lifecycles",
        "a file has types, each with workflow, bucket, transitions and fields";
    L002 Error "breaks a rule of lifecycles",
        "the type is refused as long as this is so";
    L003 Warning "a phase nothing leads to",
        "have another phase lead here, or take the phase away";
    L004 Info "several beginnings",
        "entities may be created in each of them; if one is a mistake, have another phase lead to it";
    L005 Warning "no way to a terminal phase",
        "entities that come here can never end; add a phase without successors and a way to it";

    P001 Error ["DEFINITION_INVALID"] "not a process definition",
        "a process definition has id, name and steps; members it does not know are refused";
    P002 Error ["DEFINITION_INVALID"] "breaks a rule of process definitions",
        "the deployment is refused as long as this is so";
    P003 Error ["DEFINITION_INVALID"] "a step nothing leads to",
        "have another step lead here, or take the step away";
    P005 Warning "a member without effect",
        "steps of this type do not look at it; take it away";
    P010 Error "a join that can never fill",
        "lead every branch to the joinStep of its gateway";
    P011 Warning "a branch that can miss its join",
        "lead every way of the branch to the joinStep of its gateway, or to an END";
    P012 Error "a join that is reached without its gateway",
        "instances fail here; lead only branches of the join's own gateway to it";
    P019 Info "too large to be proved",
        "whether all branches meet was not looked at; a smaller definition can be";
    P020 Error "no way to an END",
        "add a way that leads to an END";
    P021 Warning "a way that stops without an END",
        "instances that come here stay open for ever; give the step a nextStep";
    P022 Error "a circle that nothing stops",
        "instances fail here after 10000 steps; put a step that waits into the circle, or a way out";
    P023 Warning "a circle of automatic steps",
        "each round must change what the conditions look at, or instances fail after 10000 steps";
    P024 Warning "a timer that multiplies its step",
        "each time it fires another visit of the step begins while the first goes on; make it interrupting, or lead it elsewhere";
    P025 Info "a timer that goes round by itself",
        "this never ends unless somebody answers; add a way out after some rounds if that is not meant";
    P030 Error "an expression that cannot be read",
        "instances fail when they come here";
    P031 Error "a condition that is never true or false",
        "conditions must come to true or false, or instances fail here";
    P032 Warning "a condition that never holds",
        "the way behind it is never taken; change the condition, or take it away";
    P033 Warning "a condition behind others that hold first",
        "conditions are tried in their order, and the first that holds decides; put it before them, or take it away";
    P034 Warning "a comparison of different types",
        "it comes out the same whatever the variables are, or fails; compare with a value of the same type";
    P036 Info "a decision that may find no way",
        "instances fail here then; add \"true\" as the last condition to catch the rest";
    P038 Info "a variable that is probably misspelled",
        "nothing in this definition sets a variable of this name";
    P040 Warning "job types that differ only by case",
        "a worker that asks for one of them does not get the other; write them alike";
    P041 Warning "a definition that starts itself",
        "every instance starts another at its end, for ever; name another definition in nextWorkflowId, or none";

    T001 Error "a cell that cannot be read",
        "instances fail when they come to this table";
    T002 Error "a cell that is never true or false",
        "cells must come to true or false, or instances fail at this table";
    T003 Warning "a masked rule",
        "earlier rules match whatever this one matches, and the first that matches decides; put it before them, or take it away";
    T004 Warning "rules that overlap",
        "with hit policy U instances fail when two rules match; make the rules exclude each other, or choose another policy";
    T005 Warning "rules that contradict each other",
        "with hit policy A instances fail when matching rules differ in what they set; have them set the same";
    T006 Warning "a gap",
        "instances fail when no rule matches; end the table with a rule without when";
    T007 Warning "a rule that never matches",
        "nothing can be as it asks; change its conditions, or take it away";
    T008 Error "an output that cannot be added up",
        "hit policies C+, C> and C< need numbers, or instances fail when this rule matches";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_and_say_everything() {
        let ids: Vec<&str> = ALL.iter().map(|it| it.id).collect();
        assert!(ids.is_sorted(), "{ids:?}");
        for code in ALL {
            assert!(!code.title.is_empty() && !code.help.is_empty(), "{}", code.id);
            let is_refusal = code.id.ends_with("001") || code.id.ends_with("002");
            assert!(code.refused.is_none() || code.severity == Severity::Error, "{}", code.id);
            assert!(
                !is_refusal || code.id.starts_with(['T', 'G']) || code.severity == Severity::Error
            );
        }
    }
}
