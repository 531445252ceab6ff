//! Moves, and what the store itself takes for the same bytes.

use std::{future::Future, sync::Arc, time::Duration};

use bytes::Bytes;
use tokio::{task::JoinSet, time::Instant};
use waypost_lifecycle::{Bucket, BucketError, Buckets, Manager, Revision, Source, Workflow};

use super::{
    LifecycleArgs, failure,
    mission::{Mission, id, mission},
    questions::indexed,
    row::{Row, median},
    site::{DEPTH, Site},
};
use crate::exit::Failure;

/// Moves before measuring begins: more than a trail remembers, so that it is as long as it gets.
const WARM: u32 = 66;

/// How an overhead is called: what a move takes more than what the store itself does, as a share. A
/// move reads, decides, and writes with its trail if nobody else has; the store's part of that is to
/// read and to update the same bytes, and by that the library is judged. Against the update alone the
/// reading counts as overhead, too.
const OVER_READ: &str = "over read+update";
const OVER_UPDATE: &str = "over update";

/// Says so, for people.
pub(super) const JUDGED: &str = "A transition reads, decides, and writes with its trail if nobody else \
     has meanwhile. It is judged by \"over read+update\": what it takes more than the store does for \
     a read and an update of the same bytes, at most 0.20. An index is fed with every write, and is \
     work of its own. Overheads are medians of those of the rounds.";

pub(super) async fn measure(site: &Site, args: &LifecycleArgs) -> Result<Vec<Row>, Failure> {
    let bench = Moves::prepare(site, args).await?;
    let (mut moves, mut plain, mut reads, mut updates) = (vec![], vec![], vec![], vec![]);
    for _ in 0..args.rounds {
        moves.push(bench.moves("transitions", indexing(&bench.buckets).await?).await?);
        plain.push(bench.moves("transitions, no index", unindexed(&bench.buckets).await?).await?);
        reads.push(bench.raw("raw: read and update", read_and_update).await?);
        updates.push(bench.raw("raw: update alone", update_alone).await?);
    }
    let overheads = [&moves, &plain]
        .map(|it| [(OVER_READ, overhead(it, &reads)), (OVER_UPDATE, overhead(it, &updates))]);
    let rows = [moves, plain, reads, updates].map(median);
    let mut rows: Vec<Row> = rows.into_iter().flatten().collect();
    for (row, overheads) in rows.iter_mut().zip(overheads) {
        row.more.extend(overheads);
    }
    Ok(rows)
}

/// The median of what the rounds say: whatever the machine does to a round it does to all of it.
fn overhead(moves: &[Row], raw: &[Row]) -> f64 {
    let shares = moves.iter().zip(raw).map(|(moves, raw)| raw.per_second / moves.per_second - 1.0);
    let mut shares: Vec<f64> = shares.collect();
    shares.sort_by(f64::total_cmp);
    shares.get(shares.len() / 2).copied().unwrap_or_default()
}

struct Moves {
    store: &'static str,
    callers: u32,
    length: Duration,
    buckets: Arc<dyn Buckets>,
    raw: Arc<dyn Bucket>,
    value: Bytes,
}

impl Moves {
    /// An entity for each caller, with a long past, and another bucket with the same bytes.
    async fn prepare(site: &Site, args: &LifecycleArgs) -> Result<Self, Failure> {
        let buckets: Arc<dyn Buckets> = site.buckets("MOVES");
        let missions = indexing(&buckets).await?;
        each(args.callers, |caller| warm(missions.clone(), caller)).await?;
        drop(missions);
        let stored = buckets.open("MISSIONS").await.map_err(failure)?;
        let stored = stored.get(&key(0)).await.map_err(failure)?;
        let value = stored.map(|it| it.value).ok_or_else(|| failure("an entity is gone"))?;
        let raw = buckets.create("RAW", 1).await.map_err(failure)?;
        each(args.callers, |caller| created(Arc::clone(&raw), caller, value.clone())).await?;
        let length = Duration::from_secs(args.seconds);
        Ok(Self { store: site.name, callers: args.callers, length, buckets, raw, value })
    }

    /// The library is only there meanwhile: its index follows what is written, and the store's part
    /// is to be measured without it.
    async fn moves(&self, measurement: &str, missions: Workflow<Mission>) -> Result<Row, Failure> {
        let end = Instant::now() + self.length;
        let caller = |caller| to_and_fro(missions.clone(), caller, end);
        self.row(measurement, caller).await
    }

    async fn raw<F>(
        &self,
        measurement: &str,
        work: impl Fn(Arc<dyn Bucket>, u32, Bytes, Instant) -> F,
    ) -> Result<Row, Failure>
    where
        F: Future<Output = Result<Vec<Duration>, Failure>> + Send + 'static,
    {
        let end = Instant::now() + self.length;
        let caller = |caller| work(Arc::clone(&self.raw), caller, self.value.clone(), end);
        self.row(measurement, caller).await
    }

    async fn row<F>(&self, measurement: &str, caller: impl Fn(u32) -> F) -> Result<Row, Failure>
    where
        F: Future<Output = Result<Vec<Duration>, Failure>> + Send + 'static,
    {
        let begin = Instant::now();
        let latencies = each(self.callers, caller).await?;
        let latencies = latencies.into_iter().flatten().collect();
        Ok(Row::new(self.store, measurement, latencies, begin.elapsed()))
    }
}

async fn indexing(buckets: &Arc<dyn Buckets>) -> Result<Workflow<Mission>, Failure> {
    let manager = Site::manager(buckets, DEPTH);
    let missions = manager.register::<Mission>().await.map_err(failure)?;
    indexed(&manager).await?;
    Ok(missions)
}

async fn unindexed(buckets: &Arc<dyn Buckets>) -> Result<Workflow<Mission>, Failure> {
    let manager = Manager::builder(Arc::clone(buckets)).without_index().build();
    manager.register::<Mission>().await.map_err(failure)
}

fn key(caller: u32) -> String {
    format!("mission.{}", id(caller))
}

/// Has callers work side by side, and waits for all of them.
pub(super) async fn each<T, F>(count: u32, work: impl Fn(u32) -> F) -> Result<Vec<T>, Failure>
where
    T: Send + 'static,
    F: Future<Output = Result<T, Failure>> + Send + 'static,
{
    let mut callers: JoinSet<_> = (0..count).map(work).collect();
    let mut done = Vec::new();
    while let Some(one) = callers.join_next().await {
        done.push(one.map_err(failure)??);
    }
    Ok(done)
}

async fn warm(missions: Workflow<Mission>, caller: u32) -> Result<(), Failure> {
    let begin = Mission { phase: "flying".to_owned(), ..mission(caller) };
    missions.create(&begin).await.map_err(failure)?;
    for number in 0..WARM {
        go(&missions, &begin.entity_id, number).await?;
    }
    Ok(())
}

async fn go(missions: &Workflow<Mission>, id: &str, number: u32) -> Result<(), Failure> {
    let to = if number.is_multiple_of(2) { "capturing" } else { "flying" };
    let moved = missions.transition(id, to, Source::Component, "as planned").await;
    moved.map(drop).map_err(failure)
}

async fn to_and_fro(
    missions: Workflow<Mission>,
    caller: u32,
    end: Instant,
) -> Result<Vec<Duration>, Failure> {
    let (id, mut latencies) = (id(caller), Vec::new());
    // Where the last round has left it.
    let at = missions.get(&id).await.map_err(failure)?.phase;
    let mut number = u32::from(at == "capturing");
    while Instant::now() < end {
        let begin = Instant::now();
        go(&missions, &id, number).await?;
        latencies.push(begin.elapsed());
        number = number.wrapping_add(1);
        // In memory nothing else would give the others a chance.
        tokio::task::yield_now().await;
    }
    Ok(latencies)
}

async fn created(bucket: Arc<dyn Bucket>, caller: u32, value: Bytes) -> Result<(), Failure> {
    bucket.create(&key(caller), value).await.map(drop).map_err(failure)
}

async fn revision(bucket: &dyn Bucket, key: &str) -> Result<Revision, BucketError> {
    let found = bucket.get(key).await?;
    found.map(|it| it.revision).ok_or_else(|| BucketError::NotFound(key.to_owned()))
}

async fn read_and_update(
    bucket: Arc<dyn Bucket>,
    caller: u32,
    value: Bytes,
    end: Instant,
) -> Result<Vec<Duration>, Failure> {
    let (key, mut latencies) = (key(caller), Vec::new());
    while Instant::now() < end {
        let begin = Instant::now();
        let expected = revision(&*bucket, &key).await.map_err(failure)?;
        bucket.update(&key, value.clone(), expected).await.map_err(failure)?;
        latencies.push(begin.elapsed());
        tokio::task::yield_now().await;
    }
    Ok(latencies)
}

async fn update_alone(
    bucket: Arc<dyn Bucket>,
    caller: u32,
    value: Bytes,
    end: Instant,
) -> Result<Vec<Duration>, Failure> {
    let (key, mut latencies) = (key(caller), Vec::new());
    let mut expected = revision(&*bucket, &key).await.map_err(failure)?;
    while Instant::now() < end {
        let begin = Instant::now();
        expected = bucket.update(&key, value.clone(), expected).await.map_err(failure)?;
        latencies.push(begin.elapsed());
        tokio::task::yield_now().await;
    }
    Ok(latencies)
}
