//! The channels between layers, in which edges run across: each on a track, so that no two lie on
//! top of each other and few cross.

mod net;

use std::collections::BTreeMap;

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
    let nets = sorted(nets(sheet, segments), spacing.line_gap);
    let mut tracks: Vec<usize> = Vec::with_capacity(nets.len());
    let mut channel = Channel { height: spacing.layer_gap, ..Channel::default() };
    for (place, net) in nets.iter().enumerate() {
        let over = nets.iter().zip(&tracks).take(place);
        let over = over.filter(|(it, _)| it.meets(net, spacing.line_gap));
        let track = over.map(|(_, track)| track + 1).max().unwrap_or_default();
        tracks.push(track);
        let y = spacing.above_tracks + whole(track) * spacing.track_gap;
        channel.tracks.extend(net.segments.iter().map(|it| (*it, y)));
        channel.height = channel.height.max(y + spacing.below_tracks);
    }
    channel
}

/// From the top: so that few cross, and none runs down where another does.
fn sorted(mut nets: Vec<Net>, gap: i64) -> Vec<Net> {
    if nets.len() > WEIGHED_MAX {
        nets.sort_by_key(|it| (it.from, it.to));
        return nets;
    }
    let count = nets.len();
    // How much is lost if the first is above the second, and not below.
    let mut loss: Column<i64> = Column::new(count, 0);
    let weigh = |one: &Net, other: &Net| one.cost_above(other, gap) - other.cost_above(one, gap);
    for (place, one) in nets.iter().enumerate() {
        loss[place] = nets.iter().map(|other| weigh(one, other).max(0)).sum();
    }
    let mut left: Vec<(usize, Net)> = nets.into_iter().enumerate().collect();
    let mut sorted = Vec::with_capacity(count);
    while let Some(best) = (0..left.len()).min_by_key(|it| left.get(*it).map(|it| loss[it.0])) {
        let (_, net) = left.remove(best);
        for (place, other) in &left {
            loss[*place] -= weigh(other, &net).max(0);
        }
        sorted.push(net);
    }
    sorted
}
