//! Functions that try a predicate on each element of a list.

use indexmap::IndexMap;

use super::{Frame, list, list_of, value};
use crate::process::expression::{
    Cause, Each, Node, NodeId,
    error::Fault,
    evaluate::{Evaluation, truth},
    number::Number,
    operand::{List, Operand},
    operation,
};

/// From which end a list is searched.
#[derive(Clone, Copy)]
enum End {
    Front,
    Back,
}

impl<'a> Evaluation<'a> {
    pub(super) fn each(
        &mut self,
        node: &Node,
        each: Each,
        (first, rest): (Operand<'a>, &[NodeId]),
    ) -> Result<Operand<'a>, Fault> {
        let at = |cause: Cause| cause.at(node.span);
        let list = list_of(&first, "a function with a predicate").map_err(at)?;
        let predicate = rest.first().copied();
        let option = match rest.get(1) {
            Some(id) => Some(self.evaluate(*id)?),
            None => None,
        };
        let place = Frame { element: Operand::Nil, index: 0, accumulator: Operand::Nil };
        self.frames.push(place);
        let walk = Walk { node, list: &list, predicate };
        let result = match each {
            Each::All => Ok(Operand::Bool(self.first(&walk, false, End::Front)?.is_none())),
            Each::Any => Ok(Operand::Bool(self.first(&walk, true, End::Front)?.is_some())),
            Each::None => Ok(Operand::Bool(self.first(&walk, true, End::Front)?.is_none())),
            Each::One => Ok(Operand::Bool(self.hits(&walk)?.len() == 1)),
            Each::Count => Ok(Operand::count(self.hits(&walk)?.len())),
            Each::Filter => Operand::list(self.hits(&walk)?).map_err(at),
            Each::Map => Operand::list(self.mapped(&walk)?).map_err(at),
            Each::Find => Ok(found(&list, self.first(&walk, true, End::Front)?)),
            Each::FindLast => Ok(found(&list, self.first(&walk, true, End::Back)?)),
            Each::FindIndex => Ok(found_index(self.first(&walk, true, End::Front)?)),
            Each::FindLastIndex => Ok(found_index(self.first(&walk, true, End::Back)?)),
            Each::Sum => sum(&self.mapped(&walk)?).map_err(at),
            Each::GroupBy => self.grouped(&walk),
            Each::SortBy => {
                let keys = self.mapped(&walk)?;
                list::sorted(&list, keys, (option.as_ref(), &mut self.budget)).map_err(at)
            }
            Each::Reduce => self.reduced(&walk, option),
        };
        self.frames.pop();
        result
    }

    /// The predicate's value for one element. Without a predicate it is the element.
    fn tried(
        &mut self,
        walk: &Walk<'_, 'a>,
        index: usize,
        element: Operand<'a>,
    ) -> Result<Operand<'a>, Fault> {
        self.budget.charge(1).map_err(|it| it.at(walk.node.span))?;
        let Some(predicate) = walk.predicate else { return Ok(element) };
        if let Some(frame) = self.frames.last_mut() {
            frame.element = element;
            frame.index = index;
        }
        self.evaluate(predicate)
    }

    fn test(
        &mut self,
        walk: &Walk<'_, 'a>,
        index: usize,
        element: Operand<'a>,
    ) -> Result<bool, Fault> {
        let value = self.tried(walk, index, element)?;
        truth(&value, "a predicate").map_err(|it| it.at(walk.node.span))
    }

    /// Where the predicate first gives the wanted answer.
    fn first(
        &mut self,
        walk: &Walk<'_, 'a>,
        wanted: bool,
        end: End,
    ) -> Result<Option<usize>, Fault> {
        let length = walk.list.len();
        for step in 0..length {
            let index = match end {
                End::Front => step,
                End::Back => length - 1 - step,
            };
            let Some(element) = walk.list.get(index) else { continue };
            if self.test(walk, index, element)? == wanted {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    fn hits(&mut self, walk: &Walk<'_, 'a>) -> Result<Vec<Operand<'a>>, Fault> {
        let mut hits = Vec::new();
        for (index, element) in walk.list.iter().enumerate() {
            if self.test(walk, index, element.clone())? {
                hits.push(element);
            }
        }
        Ok(hits)
    }

    fn mapped(&mut self, walk: &Walk<'_, 'a>) -> Result<Vec<Operand<'a>>, Fault> {
        let elements = walk.list.iter().enumerate();
        elements.map(|(index, element)| self.tried(walk, index, element)).collect()
    }

    /// The elements by the text of what the predicate gives for them.
    fn grouped(&mut self, walk: &Walk<'_, 'a>) -> Result<Operand<'a>, Fault> {
        let at = |cause: Cause| cause.at(walk.node.span);
        let keys = self.mapped(walk)?;
        let mut groups: IndexMap<String, Vec<Operand<'a>>> = IndexMap::new();
        for (key, element) in keys.into_iter().zip(walk.list.iter()) {
            let key = value::text_of(&key, &mut self.budget).map_err(at)?;
            groups.entry(key).or_default().push(element);
        }
        let mut members = IndexMap::new();
        for (key, group) in groups {
            members.insert(key, Operand::list(group).map_err(at)?);
        }
        Operand::map(members).map_err(at)
    }

    /// Carries a value from element to element; without a first value it is the first element.
    fn reduced(
        &mut self,
        walk: &Walk<'_, 'a>,
        initial: Option<Operand<'a>>,
    ) -> Result<Operand<'a>, Fault> {
        let skipped = usize::from(initial.is_none());
        let Some(mut accumulator) = initial.or_else(|| walk.list.get(0)) else {
            let cause = Cause::operation("reduce of an empty array needs a first value");
            return Err(cause.at(walk.node.span));
        };
        for (index, element) in walk.list.iter().enumerate().skip(skipped) {
            if let Some(frame) = self.frames.last_mut() {
                frame.accumulator = accumulator;
            }
            accumulator = self.tried(walk, index, element)?;
        }
        Ok(accumulator)
    }
}

/// A list and what is tried on its elements.
struct Walk<'w, 'a> {
    node: &'w Node,
    list: &'w List<'a>,
    predicate: Option<NodeId>,
}

fn found<'a>(list: &List<'a>, index: Option<usize>) -> Operand<'a> {
    index.and_then(|it| list.get(it)).unwrap_or(Operand::Nil)
}

fn found_index<'a>(index: Option<usize>) -> Operand<'a> {
    index.map_or(Operand::Number(Number::Integer(-1)), Operand::count)
}

fn sum<'a>(items: &[Operand<'a>]) -> Result<Operand<'a>, Cause> {
    let mut total = Number::Integer(0);
    for item in items {
        total = total.add(operation::number(item, "sum")?);
    }
    Ok(Operand::Number(total))
}
