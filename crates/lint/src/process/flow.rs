//! Where instances can go: the ways of a graph that count, by the places of its steps.

use std::collections::BTreeMap;

use waypost_machines::process::{Boundary, Choice, Exit, Graph, Step, Work};

/// The ways of a graph.
pub(super) struct Flow<'g> {
    pub(super) graph: &'g Graph,
    /// Of each step, where the path goes that rests there or passes.
    pub(super) ways: Vec<Vec<usize>>,
    /// Of each step, where timers that interrupt it lead.
    pub(super) interrupts: Vec<Vec<usize>>,
    /// Of each step, where other timers lead, and which of its timers it is.
    pub(super) sides: Vec<Vec<(usize, usize)>>,
    places: BTreeMap<&'g str, usize>,
}

impl<'g> Flow<'g> {
    pub(super) fn new(graph: &'g Graph) -> Self {
        let places: BTreeMap<&str, usize> =
            graph.steps().iter().enumerate().map(|(index, it)| (&*it.id, index)).collect();
        let place = |id: &str| places.get(id).copied();
        let ways = graph.steps().iter().map(|it| targets(it).filter_map(place).collect());
        let timers = |step: &Step, interrupting: bool| {
            let timers = step.timers.iter().enumerate();
            let timers =
                timers.filter(|(_, it): &(usize, &Boundary)| it.interrupting == interrupting);
            let found = timers.filter_map(|(index, it)| Some((place(&it.target)?, index)));
            found.collect::<Vec<_>>()
        };
        let interrupts =
            graph.steps().iter().map(|it| timers(it, true).iter().map(|it| it.0).collect());
        let (ways, interrupts) = (ways.collect(), interrupts.collect());
        let sides = graph.steps().iter().map(|it| timers(it, false)).collect();
        Self { graph, ways, interrupts, sides, places }
    }

    pub(super) fn len(&self) -> usize {
        self.ways.len()
    }

    pub(super) fn step(&self, index: usize) -> Option<&'g Step> {
        self.graph.steps().get(index)
    }

    pub(super) fn id(&self, index: usize) -> &'g str {
        self.step(index).map_or("", |it| &it.id)
    }

    pub(super) fn place(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }

    /// Where the path goes that is at a step, timers that interrupt it included.
    pub(super) fn onward(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        let own = |of: &[Vec<usize>]| of.get(index).cloned().unwrap_or_default();
        own(&self.ways).into_iter().chain(own(&self.interrupts))
    }

    /// Where any path can go from a step.
    pub(super) fn all(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        let sides = self.sides.get(index).into_iter().flatten().map(|it| it.0);
        self.onward(index).chain(sides)
    }

    /// Whether a path can stop at a step without having come to an end.
    pub(super) fn stops(&self, index: usize) -> bool {
        match self.step(index).map(|it| &it.work) {
            Some(Work::Service { exit, .. } | Work::User { exit, .. } | Work::Wait { exit }) => {
                exit.choices.is_empty() && exit.next.is_none()
            }
            _ => false,
        }
    }

    pub(super) fn is_end(&self, index: usize) -> bool {
        matches!(self.step(index).map(|it| &it.work), Some(Work::End { .. }))
    }

    /// Whether instances rest at a step until somebody answers.
    pub(super) fn rests(&self, index: usize) -> bool {
        let work = self.step(index).map(|it| &it.work);
        matches!(work, Some(Work::Service { .. } | Work::User { .. } | Work::Wait { .. }))
    }

    /// The ways turned around.
    pub(super) fn reversed(&self, next: impl Fn(usize) -> Vec<usize>) -> Vec<Vec<usize>> {
        let mut back = vec![Vec::new(); self.len()];
        for from in 0..self.len() {
            for to in next(from) {
                if let Some(it) = back.get_mut(to) {
                    it.push(from);
                }
            }
        }
        back
    }
}

fn targets(step: &Step) -> Box<dyn Iterator<Item = &str> + '_> {
    match &step.work {
        Work::Service { exit, .. } | Work::User { exit, .. } | Work::Wait { exit } => leaving(exit),
        Work::Decide(choices) => Box::new(chosen(choices)),
        Work::Table { next, .. } | Work::Transform { next, .. } | Work::Join { next } => {
            Box::new(std::iter::once(&**next))
        }
        Work::Fork { branches, .. } => Box::new(branches.iter().map(|it| &**it)),
        Work::End { .. } => Box::new(std::iter::empty()),
    }
}

/// Where there are conditions, what follows otherwise is never looked at.
fn leaving(exit: &Exit) -> Box<dyn Iterator<Item = &str> + '_> {
    match exit.choices.as_slice() {
        [] => Box::new(exit.next.iter().map(|it| &**it)),
        choices => Box::new(chosen(choices)),
    }
}

fn chosen(choices: &[Choice]) -> impl Iterator<Item = &str> {
    choices.iter().map(|it| &*it.target)
}

/// All that can be reached from `starts`.
pub(super) fn reach(
    length: usize,
    starts: impl IntoIterator<Item = usize>,
    next: impl Fn(usize) -> Vec<usize>,
) -> Vec<bool> {
    let mut reached = vec![false; length];
    let mut pending: Vec<usize> = starts.into_iter().collect();
    while let Some(at) = pending.pop() {
        let Some(seen) = reached.get_mut(at).filter(|it| !**it) else { continue };
        *seen = true;
        pending.extend(next(at));
    }
    reached
}

/// Whether a place is marked.
pub(super) fn has(marks: &[bool], at: usize) -> bool {
    marks.get(at).copied().unwrap_or_default()
}
