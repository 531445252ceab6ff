//! What stays true whatever happens, on every store.

use std::{collections::BTreeMap, slice};

use futures_util::StreamExt as _;
use serde_json::json;
use waypost_lifecycle::{Error, ListOptions, Manager, Source, Workflow};

use crate::{
    mission::{Mission, in_phase, indexed, mission, survey},
    site::{Site, on_every_store},
};

on_every_store![
    @mortal
    no_write_of_five_at_once_is_lost,
    beyond_five_a_writer_gets_through_or_is_told,
    history_is_a_walk_through_the_table,
    the_second_of_two_moves_is_judged_by_the_phase_after_the_first,
    whatever_is_refused_leaves_value_and_revision_alone,
    counting_at_once_counts_exactly,
    another_manager_sees_everything,
    watches_see_every_write_in_order,
    index_and_bucket_agree,
    only_moves_and_raw_changes_change_the_phase,
];

async fn appended(missions: Workflow<Mission>, name: String) -> Result<(), Error> {
    let change = move |it: &mut Mission| {
        it.log.push(name.clone());
        Ok(())
    };
    missions.update("m-1", change).await.map(drop)
}

async fn no_write_of_five_at_once_is_lost(site: Site) {
    let missions = site.manager().register::<Mission>().await.unwrap();
    missions.create(&mission("m-1")).await.unwrap();
    for round in 0..5 {
        let names: Vec<_> = (0..5).map(|it| format!("{round}-{it}")).collect();
        let writers: Vec<_> = names
            .iter()
            .map(|name| tokio::spawn(appended(missions.clone(), name.clone())))
            .collect();
        for writer in writers {
            writer.await.unwrap().unwrap();
        }
        let mut log = missions.get("m-1").await.unwrap().log;
        log.retain(|it| it.starts_with(&format!("{round}-")));
        log.sort();
        assert_eq!(log, names);
    }
}

async fn beyond_five_a_writer_gets_through_or_is_told(site: Site) {
    let missions = site.manager().register::<Mission>().await.unwrap();
    missions.create(&mission("m-1")).await.unwrap();
    let writers: Vec<_> =
        (0..24).map(|it| tokio::spawn(appended(missions.clone(), format!("w-{it:02}")))).collect();
    let mut through = Vec::new();
    for (index, writer) in writers.into_iter().enumerate() {
        match writer.await.unwrap() {
            Ok(()) => through.push(format!("w-{index:02}")),
            Err(Error::UpdateRetriesExhausted { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    let mut log = missions.get("m-1").await.unwrap().log;
    log.sort();
    assert_eq!(log, through);
}

async fn history_is_a_walk_through_the_table(site: Site) {
    const PHASES: [&str; 6] = ["flying", "capturing", "landing", "completed", "aborted", "failed"];
    let missions = site.manager().register::<Mission>().await.unwrap();
    let table = survey();
    for round in 0..4_u64 {
        let id = format!("m-{round}");
        missions.create(&mission(&id)).await.unwrap();
        // Whoever is late finds a phase that nothing follows.
        let movers = (0..4_u64).map(|mover| {
            let (missions, id) = (missions.clone(), id.clone());
            tokio::spawn(async move {
                let mut chance = Chance(round * 4 + mover);
                for _ in 0..12 {
                    let to = PHASES[chance.below(6)];
                    missions.transition(&id, to, Source::Component, "").await.ok();
                }
                missions.complete(&id, Source::Component).await.ok();
                missions.fail(&id, "late", Source::Component).await.ok();
            })
        });
        for mover in movers.collect::<Vec<_>>() {
            mover.await.unwrap();
        }
        let history = missions.history(&id).await.unwrap();
        for pair in history.windows(2) {
            assert_eq!(pair[0].to, pair[1].from);
            assert!(table.is_valid_transition(&pair[1].from, &pair[1].to), "{pair:?}");
        }
        assert!(history.len() > 1);
        assert_eq!(history.last().unwrap().to, missions.get(&id).await.unwrap().phase);
    }
}

/// The same each time, and without a pattern.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

async fn the_second_of_two_moves_is_judged_by_the_phase_after_the_first(site: Site) {
    let missions = site.manager().register::<Mission>().await.unwrap();
    for round in 0..10 {
        let id = format!("m-{round}");
        missions.create(&in_phase(&id, "flying")).await.unwrap();
        let [first, second] = ["capturing", "landing"].map(|to| {
            let (missions, id) = (missions.clone(), id.clone());
            tokio::spawn(async move { missions.transition(&id, to, Source::Component, "").await })
        });
        let (first, second) = (first.await.unwrap(), second.await.unwrap());
        let phase = missions.get(&id).await.unwrap().phase;
        // From neither of the two phases is there a way to the other.
        match (first, second) {
            (Ok(_), Err(Error::InvalidTransition { .. })) => assert_eq!(phase, "capturing"),
            (Err(Error::InvalidTransition { .. }), Ok(_)) => assert_eq!(phase, "landing"),
            other => panic!("{other:?}"),
        }
    }
}

async fn whatever_is_refused_leaves_value_and_revision_alone(site: Site) {
    let manager = site.manager();
    let missions = manager.register::<Mission>().await.unwrap();
    missions.create(&in_phase("m-1", "flying")).await.unwrap();
    let before = missions.snapshot("m-1").await.unwrap();
    let bad = json!({"owner": "eve", "serial": "x"}).as_object().cloned().unwrap();
    assert!(manager.update_from_operator("drone-survey", "m-1", &bad).await.is_err());
    assert!(missions.transition("m-1", "completed", Source::Rule, "").await.is_err());
    assert!(missions.update("m-1", |_| Err("no".into())).await.is_err());
    assert!(missions.fail("m-1", "why", Source::Rule).await.is_err());
    assert_eq!(missions.snapshot("m-1").await.unwrap(), before);
}

async fn counting_at_once_counts_exactly(site: Site) {
    const CALLERS: u32 = 5;
    const EACH: u32 = 8;
    let buckets = site.buckets.clone();
    // Deep enough that no write is forgotten before it is shown.
    let manager = Manager::builder(buckets).create_buckets(64).build();
    let missions = manager.register::<Mission>().await.unwrap();
    missions.create(&in_phase("m-1", "flying")).await.unwrap();
    let mut watch = missions.watch().await.unwrap();
    // What is there at the beginning may be overwritten before it is shown: it is looked at first.
    assert_eq!(watch.next().await.unwrap().photos, 0);
    let counting: Vec<_> =
        (0..CALLERS).map(|it| tokio::spawn(count(missions.clone(), it, EACH))).collect();
    for photos in 1..=CALLERS * EACH {
        let seen = watch.next().await.unwrap();
        // Each move counts one, and there are two phases: neither is ever seen without the other.
        let phase = if photos % 2 == 0 { "flying" } else { "capturing" };
        assert_eq!((seen.photos, seen.phase.as_str()), (photos, phase));
    }
    for one in counting {
        one.await.unwrap();
    }
    assert_eq!(missions.get("m-1").await.unwrap().photos, CALLERS * EACH);
}

/// Moves to and fro, and counts so often that it happened. Nobody else writes the same value.
async fn count(missions: Workflow<Mission>, caller: u32, times: u32) {
    let note = format!("by {caller}");
    let mut counted = 0;
    while counted < times {
        let is_flying = missions.get("m-1").await.unwrap().phase == "flying";
        let to = if is_flying { "capturing" } else { "flying" };
        let change = |it: &mut Mission| {
            it.photos += 1;
            Ok(())
        };
        match missions.transition_with("m-1", to, Source::Rule, &note, change).await {
            Ok(_) => counted += 1,
            Err(Error::InvalidTransition { .. } | Error::UpdateRetriesExhausted { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

async fn another_manager_sees_everything(site: Site) {
    {
        let missions = site.manager().register::<Mission>().await.unwrap();
        for id in ["a", "b"] {
            missions.create(&mission(id)).await.unwrap();
        }
        missions.transition("a", "flying", Source::Operator, "go").await.unwrap();
    }
    let manager = Manager::builder(site.buckets.clone()).build();
    let missions = manager.register::<Mission>().await.unwrap();
    assert_eq!(missions.get("a").await.unwrap().phase, "flying");
    assert_eq!(missions.list(&ListOptions::default()).await.unwrap().len(), 2);
    assert_eq!(missions.history("a").await.unwrap().last().unwrap().note, "go");
    missions.transition("a", "landing", Source::Operator, "").await.unwrap();
}

async fn watches_see_every_write_in_order(site: Site) {
    const WRITES: u32 = 25;
    let missions = site.manager().register::<Mission>().await.unwrap();
    missions.create(&mission("early")).await.unwrap();
    let mut watches = Vec::new();
    for _ in 0..3 {
        watches.push(missions.watch().await.unwrap());
    }
    let writers: Vec<_> = ["a", "b", "early"]
        .into_iter()
        .map(|id| {
            let missions = missions.clone();
            tokio::spawn(async move {
                missions.create(&mission(id)).await.ok();
                for photos in 1..=WRITES {
                    let change = |it: &mut Mission| {
                        it.photos = photos;
                        Ok(())
                    };
                    missions.update(id, change).await.unwrap();
                }
            })
        })
        .collect();
    for mut watch in watches {
        let mut seen: BTreeMap<String, u32> = BTreeMap::new();
        while seen.len() < 3 || seen.values().any(|it| *it < WRITES) {
            let it = watch.next().await.unwrap();
            let before = seen.insert(it.entity_id.clone(), it.photos);
            let (id, photos) = (it.entity_id, it.photos);
            match before {
                Some(before) => assert_eq!(photos, before + 1, "of {id}"),
                // What was there at the beginning may be overwritten before it is shown.
                None => assert!(photos <= u32::from(id == "early"), "of {id}: {photos}"),
            }
        }
    }
    for writer in writers {
        writer.await.unwrap();
    }
}

/// Creates, moves and deletes a few entities that others have, too, and gives them other parents.
async fn stir(manager: Manager, missions: Workflow<Mission>, seed: u64) {
    let mut chance = Chance(seed);
    for _ in 0..30 {
        let id = format!("m-{}", chance.below(9));
        let owner = format!("o-{}", chance.below(3));
        let mut parent = || Some(format!("m-{}", chance.below(4))).filter(|it| *it != "m-0");
        let parents = [parent(), parent()];
        if chance.below(6) == 0 {
            manager.delete("drone-survey", &id).await.unwrap();
        }
        let [first, second] = parents;
        missions
            .create(&Mission { owner: owner.clone(), parent: first, ..mission(&id) })
            .await
            .ok();
        let to = ["flying", "landing", "aborted"][chance.below(3)];
        let change = |it: &mut Mission| {
            it.owner.clone_from(&owner);
            it.parent.clone_from(&second);
            Ok(())
        };
        missions.transition_with(&id, to, Source::Rule, "", change).await.ok();
    }
}

/// At once, while others write.
async fn own_writes_are_seen(manager: &Manager, missions: &Workflow<Mission>) {
    let mine = ListOptions::default().matching("owner", "o-own");
    for round in 0..5 {
        let id = format!("own-{round}");
        let own = Mission { owner: "o-own".to_owned(), ..mission(&id) };
        missions.create(&own).await.unwrap();
        assert_eq!(missions.list(&mine).await.unwrap(), slice::from_ref(&own));
        missions.transition(&id, "flying", Source::Rule, "").await.unwrap();
        let flying = Mission { phase: "flying".to_owned(), ..own };
        let in_flight = mine.clone().in_phase("flying");
        assert_eq!(missions.list(&in_flight).await.unwrap(), [flying]);
        let planning = mine.clone().in_phase("planning");
        assert_eq!(missions.list(&planning).await.unwrap(), []);
        manager.delete("drone-survey", &id).await.unwrap();
        assert_eq!(missions.list(&mine).await.unwrap(), []);
    }
}

/// What the index tells and reading everything does, too, once the index knows of all writes.
async fn counts_and_children_agree(manager: &Manager, reader: &Manager) {
    let told = async |manager: &Manager| {
        let mut children = Vec::new();
        for parent in ["m-0", "m-1", "m-2", "m-3"] {
            children.push(manager.children(parent).await.unwrap());
        }
        (manager.counts_by_phase("drone-survey").await.unwrap(), children)
    };
    let read = told(reader).await;
    assert!(read.1.iter().any(|it| !it.is_empty()), "nobody has children");
    indexed(manager).await;
    while told(manager).await != read {
        tokio::task::yield_now().await;
        indexed(manager).await;
    }
}

async fn index_and_bucket_agree(site: Site) {
    let reader = Manager::builder(site.buckets.clone()).create_buckets(16).without_index().build();
    reader.register::<Mission>().await.unwrap();
    let (manager, other) = (site.manager(), site.manager());
    let missions = manager.register::<Mission>().await.unwrap();
    let theirs = other.register::<Mission>().await.unwrap();
    indexed(&manager).await;
    indexed(&other).await;
    let sides = [(manager.clone(), missions.clone()), (other, theirs)];
    let writers = (0..4_u64).zip(sides.iter().cycle());
    let writers: Vec<_> = writers
        .map(|(seed, (manager, missions))| {
            tokio::spawn(stir(manager.clone(), missions.clone(), seed))
        })
        .collect();
    own_writes_are_seen(&manager, &missions).await;
    for writer in writers {
        writer.await.unwrap();
    }
    manager.delete("drone-survey", "m-3").await.unwrap();
    let questions = || {
        let all = ListOptions::default();
        let phases =
            ["planning", "flying", "landing", "aborted"].map(|it| all.clone().in_phase(it));
        let owners = ["o-0", "o-1", "o-2"].map(|it| all.clone().matching("owner", it));
        let both = all.clone().in_phase("landing").matching("owner", "o-1").only_active();
        phases.into_iter().chain(owners).chain([both, all.clone().only_active(), all])
    };
    for (manager, missions) in sides {
        for options in questions() {
            indexed(&manager).await;
            // What others wrote comes with the delay of a watch.
            loop {
                let indexed = missions.list(&options).await.unwrap();
                if indexed == missions.list(&options.clone().fresh()).await.unwrap() {
                    break;
                }
                tokio::task::yield_now().await;
            }
        }
        counts_and_children_agree(&manager, &reader).await;
    }
}

async fn only_moves_and_raw_changes_change_the_phase(site: Site) {
    let manager = site.manager();
    let missions = manager.register::<Mission>().await.unwrap();
    missions.create(&in_phase("m-1", "flying")).await.unwrap();
    let patch = json!({"owner": "bob", "photos": 2, "battery": 5}).as_object().cloned().unwrap();
    manager.update_from_operator("drone-survey", "m-1", &patch).await.unwrap();
    for field in ["phase", "entity_id"] {
        let mut patch = serde_json::Map::new();
        patch.insert(field.to_owned(), json!("x"));
        let refused = manager.update_from_operator("drone-survey", "m-1", &patch).await;
        assert!(matches!(refused, Err(Error::FieldNotOperatorWritable { .. })));
    }
    let found = missions.get("m-1").await.unwrap();
    assert_eq!((found.phase.as_str(), found.entity_id.as_str()), ("flying", "m-1"));
    assert_eq!(missions.history("m-1").await.unwrap().len(), 1);
}
