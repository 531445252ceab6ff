//! Ways that lead back to where they began.

use super::{
    Definition,
    flow::{Flow, has, reach},
};
use crate::{
    code,
    ledger::{At, Ledger, Note},
    limits::WALKED_MAX,
    source::down,
};

/// Tells of circles; gives the steps of those that nothing stops.
pub(super) fn check(
    definition: &Definition<'_>,
    flow: &Flow<'_>,
    ledger: &mut Ledger<'_>,
) -> Vec<usize> {
    let reached = reach(flow.len(), [0], |at| flow.all(at).collect());
    let is_automatic = |at: usize| has(&reached, at) && !flow.rests(at);
    let automatic = |at: usize| match is_automatic(at) {
        true => flow
            .ways
            .get(at)
            .into_iter()
            .flatten()
            .copied()
            .filter(|it| is_automatic(*it))
            .collect(),
        false => Vec::new(),
    };
    let mut endless = Vec::new();
    for circle in circles(flow.len(), &automatic) {
        let inside = marked(flow.len(), &circle);
        let leaves =
            |at: &usize| flow.ways.get(*at).into_iter().flatten().any(|it| !has(&inside, *it));
        let (code, what) = match circle.iter().any(leaves) {
            true => (&code::P023, "go in a circle without resting"),
            false => (&code::P022, "go in a circle for ever without resting"),
        };
        if code == &code::P022 {
            endless.extend(&circle);
        }
        tell(definition, flow, (code, what), &circle, ledger);
    }
    timers(definition, flow, ledger);
    endless
}

fn tell(
    definition: &Definition<'_>,
    flow: &Flow<'_>,
    (code, what): (&'static crate::Code, &str),
    circle: &[usize],
    ledger: &mut Ledger<'_>,
) {
    let Some((first, others)) = circle.split_first() else { return };
    let ids: Vec<&str> = circle.iter().take(8).map(|it| flow.id(*it)).collect();
    let more = if circle.len() > ids.len() { ", …" } else { "" };
    let note = Note::new(code, definition.at(*first), format!("{}{more} {what}", ids.join(", ")));
    ledger.add(others.iter().fold(note, |note, it| note.related(definition.at(*it), "and this")));
}

fn timers(definition: &Definition<'_>, flow: &Flow<'_>, ledger: &mut Ledger<'_>) {
    let mut n_walked = 0;
    let size = flow.len() + flow.ways.iter().map(Vec::len).sum::<usize>();
    for at in 0..flow.len() {
        for (target, timer) in flow.sides.get(at).into_iter().flatten() {
            n_walked += size;
            if n_walked > WALKED_MAX {
                break;
            }
            if !has(&reach(flow.len(), [*target], |at| flow.all(at).collect()), at) {
                continue;
            }
            let place = down(&down(&definition.step(at), "boundaryEvents"), timer);
            let message = format!("the timer of {:?} leads back to it", flow.id(at));
            let at = At::value(down(&place, "targetStepId"));
            ledger.add(Note::new(&code::P024, at, message));
        }
    }
    // Of steps that rest, only what time alone does.
    let by_itself = |at: usize| match flow.rests(at) {
        true => flow.interrupts.get(at).cloned().unwrap_or_default(),
        false => flow.ways.get(at).cloned().unwrap_or_default(),
    };
    for circle in circles(flow.len(), &by_itself) {
        let inside = marked(flow.len(), &circle);
        let leaves =
            |at: &usize| !flow.rests(*at) && by_itself(*at).iter().any(|it| !has(&inside, *it));
        if circle.iter().any(|it| flow.rests(*it)) && !circle.iter().any(leaves) {
            let what = "go round for as long as nobody answers";
            tell(definition, flow, (&code::P025, what), &circle, ledger);
        }
    }
}

fn marked(length: usize, places: &[usize]) -> Vec<bool> {
    let mut marks = vec![false; length];
    for at in places {
        if let Some(mark) = marks.get_mut(*at) {
            *mark = true;
        }
    }
    marks
}

/// The largest sets of steps from each of which all others of its set can be reached, each sorted;
/// a step alone only if it leads to itself. One pass, with a stack of its own: graphs may be deep.
fn circles(length: usize, next: &dyn Fn(usize) -> Vec<usize>) -> Vec<Vec<usize>> {
    let ways: Vec<Vec<usize>> = (0..length).map(next).collect();
    let mut search = Search { order: vec![0; length], low: vec![0; length], ..Search::default() };
    search.open_marks = vec![false; length];
    for start in 0..length {
        search.from(start, &ways);
    }
    let is_circle = |it: &Vec<usize>| {
        it.len() > 1 || it.iter().any(|at| ways.get(*at).is_some_and(|it| it.contains(at)))
    };
    let mut found: Vec<Vec<usize>> = search.found.into_iter().filter(is_circle).collect();
    found.iter_mut().for_each(|it| it.sort_unstable());
    found.sort();
    found
}

#[derive(Default)]
struct Search {
    count: usize,
    /// When a step was first seen, from 1.
    order: Vec<usize>,
    /// The earliest step that can be reached from it.
    low: Vec<usize>,
    open: Vec<usize>,
    open_marks: Vec<bool>,
    found: Vec<Vec<usize>>,
}

impl Search {
    fn from(&mut self, start: usize, ways: &[Vec<usize>]) {
        if at(&self.order, start) != 0 {
            return;
        }
        let mut path = vec![(start, 0)];
        self.see(start);
        while let Some((here, edge)) = path.last_mut() {
            let here = *here;
            let target = ways.get(here).and_then(|it| it.get(*edge)).copied();
            *edge += 1;
            match target {
                Some(target) if at(&self.order, target) == 0 => {
                    self.see(target);
                    path.push((target, 0));
                }
                Some(target) if has(&self.open_marks, target) => {
                    self.lower(here, at(&self.order, target));
                }
                Some(_) => {}
                None => {
                    path.pop();
                    self.close(here);
                    if let Some((before, _)) = path.last() {
                        self.lower(*before, at(&self.low, here));
                    }
                }
            }
        }
    }

    fn see(&mut self, here: usize) {
        self.count += 1;
        set(&mut self.order, here, self.count);
        set(&mut self.low, here, self.count);
        self.open.push(here);
        if let Some(mark) = self.open_marks.get_mut(here) {
            *mark = true;
        }
    }

    fn lower(&mut self, here: usize, to: usize) {
        let low = at(&self.low, here).min(to);
        set(&mut self.low, here, low);
    }

    /// All that was opened since is one set, if nothing earlier can be reached.
    fn close(&mut self, here: usize) {
        if at(&self.low, here) != at(&self.order, here) {
            return;
        }
        let mut part = Vec::new();
        while let Some(one) = self.open.pop() {
            if let Some(mark) = self.open_marks.get_mut(one) {
                *mark = false;
            }
            part.push(one);
            if one == here {
                break;
            }
        }
        self.found.push(part);
    }
}

fn at(numbers: &[usize], index: usize) -> usize {
    numbers.get(index).copied().unwrap_or_default()
}

fn set(numbers: &mut [usize], index: usize, to: usize) {
    if let Some(number) = numbers.get_mut(index) {
        *number = to;
    }
}
