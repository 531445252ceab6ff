//! Lists, lookups and children: what the index answers, and what reading everything takes.

use std::{future::Future, time::Duration};

use tokio::time::Instant;
use waypost_lifecycle::{ListOptions, Manager, Workflow};

use super::{
    failure,
    mission::{Mission, mission},
    moves::each,
    row::Row,
    site::{DEPTH, Site},
};
use crate::exit::Failure;

/// How often each question is asked; reading everything takes long.
const TIMES: u32 = 200;
const SCANS: u32 = 3;

/// The mission whose owner, phase and site are asked for.
const ASKED: u32 = 501;

/// How long an index may take to have read everything.
const INDEX_MAX: Duration = Duration::from_secs(120);

pub(super) async fn measure(site: &Site, entities: u32, callers: u32) -> Result<Vec<Row>, Failure> {
    let buckets = site.buckets(&format!("OF{entities}"));
    let manager = Site::manager(&buckets, DEPTH);
    let missions = manager.register::<Mission>().await.map_err(failure)?;
    each(callers, |caller| fill(missions.clone(), (caller, callers), entities)).await?;
    indexed(&manager).await?;
    let asked = mission(ASKED.min(entities - 1));
    let list = ListOptions::default()
        .in_phase(asked.phase.clone())
        .matching("owner_org_id", asked.owner_org_id.clone());
    let scan = list.clone().fresh();
    let site_of = asked.site.clone().unwrap_or_default();
    let question = |what: &str| format!("{what}, {entities} entities");
    Ok(vec![
        ask(site.name, question("list by index"), TIMES, || found(&missions, &list)).await?,
        ask(site.name, question("list by reading all"), SCANS, || found(&missions, &scan)).await?,
        ask(site.name, question("lookup"), TIMES, async || {
            manager.lookup_by_entity_id(&asked.entity_id).await.map(|_| 1)
        })
        .await?,
        ask(site.name, question("children"), TIMES, async || {
            manager.children(&site_of).await.map(|it| it.len())
        })
        .await?,
    ])
}

pub(super) async fn fill(
    missions: Workflow<Mission>,
    (caller, callers): (u32, u32),
    entities: u32,
) -> Result<(), Failure> {
    for number in (caller..entities).step_by(callers as usize) {
        missions.create(&mission(number)).await.map_err(failure)?;
    }
    Ok(())
}

pub(super) async fn indexed(manager: &Manager) -> Result<(), Failure> {
    let end = Instant::now() + INDEX_MAX;
    while !manager.is_indexed("drone-survey").map_err(failure)? {
        if Instant::now() > end {
            return Err(failure("the index is not there in time"));
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(())
}

async fn found(
    missions: &Workflow<Mission>,
    options: &ListOptions,
) -> waypost_lifecycle::Result<usize> {
    missions.list(options).await.map(|it| it.len())
}

/// Asks again and again, one at a time. An answer without anything in it would prove nothing.
async fn ask<F>(
    store: &'static str,
    question: String,
    times: u32,
    answer: impl Fn() -> F,
) -> Result<Row, Failure>
where
    F: Future<Output = waypost_lifecycle::Result<usize>>,
{
    let (begin, mut latencies, mut n_found) = (Instant::now(), Vec::new(), 0);
    for _ in 0..times {
        let asked = Instant::now();
        n_found = answer().await.map_err(failure)?;
        latencies.push(asked.elapsed());
    }
    if n_found == 0 {
        return Err(failure(format!("{question}: nothing was found")));
    }
    let mut row = Row::new(store, question, latencies, begin.elapsed());
    row.more.push(("found", n_found as f64));
    Ok(row)
}
