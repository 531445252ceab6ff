//! Drones that survey: missions of a program of its own, which operators look after.

/// The missions of the example are the demo's, too.
#[path = "../../examples/drone_survey/mission.rs"]
mod mission;

use std::{sync::Arc, time::Duration};

use futures_util::StreamExt as _;
use tokio::{task::JoinSet, time::sleep};
use waypost_kernel::Store;
use waypost_lifecycle::{
    Error, Manager, Participant as _, Source, SqlBuckets, WatchEvent, Workflow,
};
use waypost_server::lifecycle::{Gateway, GatewayOptions};

use self::mission::Mission;
use crate::exit::{Exit, Failure};

/// How long until the next mission, and how many are kept. Those before have ended or are given up.
const PAUSE: Duration = Duration::from_secs(15);
const KEPT: u32 = 200;

/// How long a drone takes from one phase to the next.
const PACE: Duration = Duration::from_secs(2);
/// Writes that the bucket remembers of a mission.
const DEPTH: u8 = 16;

/// Every fourth is not charged, and every ninth not enough: they wait for an operator.
fn planned(number: u32) -> Mission {
    let battery = match number {
        it if it % 4 == 2 => 10,
        it if it % 9 == 3 => 20,
        _ => 100,
    };
    Mission {
        entity_id: id(number),
        phase: "planning".to_owned(),
        owner_org_id: format!("org-{}", number % 3),
        battery,
        photos: 0,
    }
}

fn id(number: u32) -> String {
    format!("m-{number:04}")
}

/// The missions, and how operators come to them.
pub(super) struct Survey {
    manager: Manager,
    missions: Workflow<Mission>,
}

impl Survey {
    pub(super) async fn new(store: Arc<dyn Store>) -> Result<Self, Failure> {
        let buckets = SqlBuckets::new(store, "default".into());
        let manager = Manager::builder(buckets).create_buckets(DEPTH).build();
        let missions = manager.register::<Mission>().await;
        let missions = missions.map_err(|error| Failure::new(Exit::Failed, error.to_string()))?;
        Ok(Self { manager, missions })
    }

    pub(super) fn gateway(&self) -> Result<Gateway, Failure> {
        let gateway = Gateway::new(self.manager.dynamic().clone(), GatewayOptions::default());
        gateway.map_err(|error| Failure::new(Exit::Failed, error))
    }

    /// Plans and flies for ever.
    pub(super) async fn run(&self) {
        let planned = async {
            for number in 1.. {
                if let Err(error) = self.plan(number).await {
                    tracing::warn!(%error, "a demo mission could not be planned");
                }
                // Something is in the air soon.
                sleep(if number < 4 { PACE } else { PAUSE }).await;
            }
        };
        tokio::join!(planned, self.fly());
    }

    async fn plan(&self, number: u32) -> Result<(), Error> {
        self.missions.create(&planned(number)).await?;
        match number.checked_sub(KEPT) {
            None | Some(0) => Ok(()),
            Some(old) => self.manager.dynamic().delete(Mission::WORKFLOW, &id(old)).await,
        }
    }

    /// Takes missions further whenever they are seen: because we have moved them, or because an
    /// operator has charged one.
    async fn fly(&self) {
        loop {
            let mut flying = JoinSet::new();
            match self.missions.watch_events().await {
                Ok(mut seen) => {
                    while let Some(event) = seen.next().await {
                        if let WatchEvent::Value(found) = event {
                            flying.spawn(take_further(self.missions.clone(), found.value));
                        }
                        while flying.try_join_next().is_some() {}
                    }
                }
                Err(error) => tracing::warn!(%error, "demo missions could not be watched"),
            }
            sleep(PACE).await;
        }
    }
}

async fn take_further(missions: Workflow<Mission>, seen: Mission) {
    let Some(to) = seen.next() else { return };
    sleep(PACE).await;
    let moved = missions.transition_with(&seen.entity_id, to, Source::Component, "", |mission| {
        // Whoever has changed it meanwhile was seen, too, and is dealt with there.
        if *mission != seen {
            return Err("it has changed".into());
        }
        mission.work();
        Ok(())
    });
    drop(moved.await);
}
