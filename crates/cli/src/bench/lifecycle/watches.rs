//! Many watches of one bucket, while it is written to.

use std::{sync::Arc, time::Duration};

use futures_util::StreamExt as _;
use tokio::{sync::Barrier, task::JoinSet, time::Instant};
use waypost_lifecycle::{Source, WatchEvent, Workflow};

use super::{
    LifecycleArgs, failure,
    mission::{Mission, mission},
    moves::each,
    questions::fill,
    row::Row,
    site::{DEPTH_SHOWN, Site},
};
use crate::{bench::meter::memory_mb, exit::Failure};

/// How long a watch may take to be shown everything.
const PATIENCE: Duration = Duration::from_secs(600);

pub(super) async fn measure(site: &Site, args: &LifecycleArgs) -> Result<Row, Failure> {
    let manager = Site::manager(&site.buckets("WATCH"), DEPTH_SHOWN);
    let missions = manager.register::<Mission>().await.map_err(failure)?;
    let (callers, present) = (args.callers, args.watched);
    each(callers, |caller| fill(missions.clone(), (caller, callers), present)).await?;
    let first = Mission { phase: "flying".to_owned(), ..mission(present) };
    missions.create(&first).await.map_err(failure)?;
    let empty = memory_mb();
    let ready = Arc::new(Barrier::new(args.watches as usize + 1));
    let mut watches: JoinSet<_> = (0..args.watches)
        .map(|_| shown(missions.clone(), Arc::clone(&ready), present + args.writes))
        .collect();
    ready.wait().await;
    let (begin, mut latencies) = (Instant::now(), Vec::new());
    let mut most = memory_mb();
    for number in 0..args.writes {
        let written = Instant::now();
        let to = if number.is_multiple_of(2) { "capturing" } else { "flying" };
        let moved = missions.transition(&first.entity_id, to, Source::Component, "").await;
        moved.map_err(failure)?;
        latencies.push(written.elapsed());
        most = most.max(memory_mb());
    }
    while let Some(watch) = watches.join_next().await {
        watch.map_err(failure)??;
        most = most.max(memory_mb());
    }
    let mut row = Row::new(
        site.name,
        format!("writes shown to {} watches of {present} entities", args.watches),
        latencies,
        begin.elapsed(),
    );
    row.more.push(("deliveries/s", row.per_second * f64::from(args.watches)));
    row.more.push(("MB more", most - empty));
    Ok(row)
}

/// Follows until every write was shown, and nothing was missed on the way.
async fn shown(
    missions: Workflow<Mission>,
    ready: Arc<Barrier>,
    expected: u32,
) -> Result<(), Failure> {
    let mut events = missions.watch_events().await.map_err(failure)?;
    let mut n_seen = 0;
    let following = async {
        while let Some(event) = events.next().await {
            match event {
                WatchEvent::CaughtUp => {
                    ready.wait().await;
                }
                WatchEvent::Value(_) => n_seen += 1,
                WatchEvent::Deleted { .. } => {}
                WatchEvent::Missed { count } => {
                    return Err(failure(format!("a watch missed {count} writes")));
                }
                WatchEvent::Failed(error) => return Err(failure(error)),
            }
            // What was there, with the entity as it was at the beginning, then each write.
            if n_seen > expected {
                return Ok(());
            }
        }
        Err(failure("a watch ended"))
    };
    tokio::time::timeout(PATIENCE, following).await.map_err(failure)?
}
