//! The channels between layers, in which edges run across: each on a track, so that no two lie on
//! top of each other and few cross.

mod net;

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
};

use self::net::{Net, nets};
use super::{Spacing, column::Column, column::whole, sheet::Sheet};

/// One channel.
#[derive(Clone, Debug, Default)]
pub(super) struct Channel {
    pub(super) height: i64,
    /// How far below the channel's top each segment that runs across does so.
    pub(super) tracks: BTreeMap<usize, i64>,
}

/// Above so many lines that run across in one channel, each gets the first track that is free.
const WEIGHED_MAX: usize = 200;

/// The channel below each layer.
pub(super) fn channels(sheet: &Sheet, spacing: &Spacing) -> Vec<Channel> {
    let mut segments: Column<Vec<usize>> = Column::new(sheet.layers.len(), Vec::new());
    for (number, segment) in sheet.segments.iter().enumerate() {
        segments[sheet.vertices[segment.upper].layer].push(number);
    }
    segments.iter().map(|it| channel(sheet, spacing, it)).collect()
}

fn channel(sheet: &Sheet, spacing: &Spacing, segments: &[usize]) -> Channel {
    let gap = spacing.line_gap;
    let nets = nets(sheet, segments);
    let nets = if nets.len() > WEIGHED_MAX { in_turn(nets, gap) } else { weighed(nets, gap) };
    let mut channel = Channel { height: spacing.layer_gap, ..Channel::default() };
    for (net, track) in nets {
        let y = spacing.above_tracks + whole(track) * spacing.track_gap;
        channel.tracks.extend(net.segments.iter().map(|it| (*it, y)));
        channel.height = channel.height.max(y + spacing.below_tracks);
    }
    channel
}

/// Each gets the first track that is free, from the left.
fn in_turn(mut nets: Vec<Net>, gap: i64) -> Vec<(Net, usize)> {
    nets.sort_by_key(|it| (it.from, it.to));
    // Where each track is free again, the first of them on top.
    let mut free: BinaryHeap<Reverse<(i64, usize)>> = BinaryHeap::new();
    let mut placed = Vec::with_capacity(nets.len());
    for net in nets {
        let ended = free.peek().map(|it| it.0).filter(|(end, _)| end + gap <= net.from);
        let track = ended.map_or(free.len(), |(_, track)| track);
        if ended.is_some() {
            free.pop();
        }
        free.push(Reverse((net.to, track)));
        placed.push((net, track));
    }
    placed
}

/// Each lies below those that are to be above it.
fn weighed(nets: Vec<Net>, gap: i64) -> Vec<(Net, usize)> {
    let mut placed: Vec<(Net, usize)> = Vec::with_capacity(nets.len());
    for net in sorted(nets, gap) {
        let over = placed.iter().filter(|(it, _)| it.meets(&net, gap));
        let track = over.map(|(_, track)| track + 1).max().unwrap_or_default();
        placed.push((net, track));
    }
    placed
}

/// From the top: so that few cross, and none runs down where another does.
fn sorted(nets: Vec<Net>, gap: i64) -> Vec<Net> {
    // How much is lost if one is above the others, and not below.
    let loss = |one: &Net| -> i64 {
        let weigh = |other: &Net| one.cost_above(other, gap) - other.cost_above(one, gap);
        nets.iter().map(|other| weigh(other).max(0)).sum()
    };
    let losses: Vec<i64> = nets.iter().map(loss).collect();
    let mut sorted: Vec<(i64, Net)> = losses.into_iter().zip(nets).collect();
    sorted.sort_by_key(|it| it.0);
    sorted.into_iter().map(|it| it.1).collect()
}
