//! Groups as they can be drawn: each inside of another or apart from it.

use std::collections::BTreeSet;

use super::{column::Column, limits};

/// Which groups there are, and which node lies in which.
#[derive(Clone, Debug)]
pub(crate) struct Nest {
    /// The innermost group of each node.
    pub(super) of_node: Column<Option<usize>>,
    /// The group around each group.
    pub(super) around: Column<Option<usize>>,
    depth: Column<usize>,
    /// Whether a group is drawn, by its number in the request.
    pub(super) is_kept: Column<bool>,
}

impl Nest {
    pub(crate) fn new(nodes: usize, groups: &[Vec<usize>]) -> Self {
        let count = groups.len();
        let mut nest = Self {
            of_node: Column::new(nodes, None),
            around: Column::new(count, None),
            depth: Column::new(count, 0),
            is_kept: Column::new(count, false),
        };
        let members = |group: &Vec<usize>| -> BTreeSet<usize> {
            group.iter().copied().filter(|it| *it < nodes).collect()
        };
        let mut sets: Vec<_> = groups.iter().map(members).enumerate().collect();
        sets.sort_by_key(|(group, members)| (usize::MAX - members.len(), *group));
        for (group, members) in sets {
            nest.add(group, &members);
        }
        nest
    }

    /// Takes the group in unless it crosses one that is there. Larger ones come first.
    fn add(&mut self, group: usize, members: &BTreeSet<usize>) {
        let Some(first) = members.first() else { return };
        let around = self.of_node[*first];
        let depth = around.map_or(1, |it| self.depth[it] + 1);
        if depth > limits::DEPTH_MAX || members.iter().any(|it| self.of_node[*it] != around) {
            return;
        }
        self.around[group] = around;
        self.depth[group] = depth;
        self.is_kept[group] = true;
        for member in members {
            self.of_node[*member] = Some(group);
        }
    }

    /// The group and those around it, from the inside.
    pub(super) fn outward(&self, group: Option<usize>) -> impl Iterator<Item = usize> {
        std::iter::successors(group, |it| self.around[*it])
    }

    /// Whether `inner` lies in `outer` or is it. Everything lies in none.
    pub(super) fn lies_in(&self, inner: Option<usize>, outer: Option<usize>) -> bool {
        outer.is_none() || self.outward(inner).any(|it| Some(it) == outer)
    }

    /// The nodes that lie right inside of a group, or in none.
    pub(crate) fn nodes_in(&self, group: Option<usize>) -> Vec<usize> {
        (0..self.of_node.len()).filter(|it| self.of_node[*it] == group).collect()
    }

    /// The groups that lie right inside of a group, or in none.
    pub(crate) fn groups_in(&self, group: Option<usize>) -> Vec<usize> {
        let is_inside = |it: &usize| self.is_kept[*it] && self.around[*it] == group;
        (0..self.around.len()).filter(is_inside).collect()
    }

    /// The innermost group around both.
    pub(super) fn shared(&self, one: Option<usize>, other: Option<usize>) -> Option<usize> {
        self.outward(one).find(|it| self.lies_in(other, Some(*it)))
    }

    /// The group right inside of `outer` that `inner` lies in; none if there is nothing between.
    pub(super) fn child(&self, outer: Option<usize>, inner: Option<usize>) -> Option<usize> {
        self.outward(inner).find(|it| self.around[*it] == outer)
    }
}
