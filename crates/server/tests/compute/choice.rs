//! Who is asked.

use std::{collections::BTreeMap, time::Duration};

use serde_json::json;
use tokio::task::JoinHandle;
use waypost_engine::entity::Caller;
use waypost_machines::entity::cascade::{Cause, Reply};
use waypost_server::compute::{ComputeLimits, ComputeOptions};

use crate::{
    member::Member,
    world::{Ask, World, caller, failure, processor, timeless, world, world_with},
};

/// Who is asked this. Nobody is left waiting.
async fn asked(world: &World, ask: Ask, members: &mut [Member]) -> String {
    let asking = world.asking(ask);
    let (index, request) = first(members).await;
    members[index].process(&request, json!({}));
    asking.await.unwrap().member.unwrap()
}

/// Who of them is asked first, and what.
async fn first(members: &mut [Member]) -> (usize, String) {
    let waiting = members.iter_mut().map(|it| Box::pin(it.request()));
    let (request, index, _) = futures_util::future::select_all(waiting).await;
    (index, request)
}

#[tokio::test]
async fn a_member_must_have_all_the_tags() {
    let world = world().await;
    let mut members = [world.join(&["a"]).await, world.join(&["c", "b", "a"]).await];
    let both = members[1].id.clone();
    for _ in 0..5 {
        assert_eq!(asked(&world, processor().tagged(&["a", "b"]), &mut members).await, both);
    }
    for tags in [&["a", "x"][..], &["A"], &[" a"], &["a,b"]] {
        let answer = world.ask(&processor().tagged(tags)).await;
        let text = format!("no compute member is connected that has the tags {:?}", tags.join(","));
        assert_eq!(failure(&answer), (Cause::NoMember, text.as_str()));
        assert_eq!(answer.member, None);
    }
}

#[tokio::test]
async fn without_tags_anybody_of_the_tenant_is_asked() {
    let world = world().await;
    let answer = world.ask(&processor()).await;
    assert_eq!(failure(&answer), (Cause::NoMember, "no compute member is connected"));
    let mut members = [world.join(&["a"]).await, world.join(&[]).await];
    let mut seen = [
        asked(&world, processor(), &mut members).await,
        asked(&world, processor(), &mut members).await,
    ];
    seen.sort();
    let mut ids = members.map(|it| it.id);
    ids.sort();
    assert_eq!(seen, ids);
}

#[tokio::test]
async fn nobody_of_another_tenant_is_asked() {
    let world = world().await;
    let mut members = [
        world.join_as(Some("Bearer one ROLE_M2M"), &["a"]).await,
        world.join_as(Some("Bearer two ROLE_M2M"), &["a"]).await,
    ];
    let by = |tenant: &str| Caller { tenant: tenant.into(), ..caller() };
    let ids = members.each_ref().map(|it| it.id.clone());
    for _ in 0..3 {
        assert_eq!(asked(&world, processor().by(by("one")), &mut members).await, ids[0]);
        assert_eq!(asked(&world, processor().by(by("two")), &mut members).await, ids[1]);
    }
    for tenant in ["SYSTEM", "", "three"] {
        let answer = world.ask(&processor().by(by(tenant)).tagged(&["a"])).await;
        assert_eq!(failure(&answer).0, Cause::NoMember);
    }
}

#[tokio::test]
async fn members_take_turns() {
    let world = world().await;
    let mut members = [world.join(&[]).await, world.join(&[]).await, world.join(&[]).await];
    let mut counts = BTreeMap::new();
    for _ in 0..9 {
        *counts.entry(asked(&world, processor(), &mut members).await).or_insert(0) += 1;
    }
    assert_eq!(counts.into_values().collect::<Vec<_>>(), [3, 3, 3]);
}

#[tokio::test]
async fn whoever_has_less_to_do_is_asked() {
    let world = world().await;
    let mut slow = world.join(&[]).await;
    let waiting = [world.asking(processor()), world.asking(processor())];
    let requests = [slow.request().await, slow.request().await];
    let mut members = [slow, world.join(&[]).await];
    let other = members[1].id.clone();
    for _ in 0..5 {
        assert_eq!(asked(&world, processor(), &mut members).await, other);
    }
    // Once it has caught up it is its turn: it was not asked for longest.
    for request in requests {
        members[0].process(&request, json!({}));
    }
    for waiting in waiting {
        waiting.await.unwrap();
    }
    assert_eq!(asked(&world, processor(), &mut members).await, members[0].id);
}

#[tokio::test]
async fn questions_that_come_at_once_are_shared_out() {
    let world = world().await;
    let mut members = [world.join(&[]).await, world.join(&[]).await];
    let waiting: Vec<_> = (0..10).map(|_| world.asking(processor())).collect();
    for member in &mut members {
        for _ in 0..5 {
            let request = member.request().await;
            member.process(&request, json!({}));
        }
    }
    for waiting in waiting {
        let answer = waiting.await.unwrap();
        assert!(matches!(answer.reply, Reply::Processed { .. }), "{answer:?}");
    }
}

#[tokio::test]
async fn whoever_failed_before_is_asked_last() {
    let world = world().await;
    let mut members = [world.join(&[]).await, world.join(&[]).await];
    let [failed, other] = members.each_ref().map(|it| it.id.clone());
    for _ in 0..3 {
        let ask = processor().avoiding(&[&failed]);
        assert_eq!(asked(&world, ask, &mut members).await, other);
    }
    let ask = processor().avoiding(&[&failed, &other]);
    asked(&world, ask, &mut members).await;
    let [failed_member, other_member] = members;
    drop(other_member);
    world.until("waypost_compute_members", 1).await;
    let ask = processor().avoiding(&[&failed]);
    assert_eq!(asked(&world, ask, &mut [failed_member]).await, failed);
}

#[tokio::test]
async fn a_member_with_too_many_questions_is_not_asked() {
    let limits = ComputeLimits { pending_max: 2, ..ComputeLimits::default() };
    let world = world_with(ComputeOptions { limits, ..ComputeOptions::default() }).await;
    let mut member = world.join(&["a"]).await;
    let waiting = [world.asking(processor()), world.asking(processor())];
    let request = member.request().await;
    member.request().await;
    let answer = world.ask(&processor()).await;
    assert_eq!(failure(&answer), (Cause::NoMember, "every compute member is busy"));
    let answer = world.ask(&processor().tagged(&["a"])).await;
    let text = "every compute member that has the tags \"a\" is busy";
    assert_eq!(failure(&answer), (Cause::NoMember, text));
    member.process(&request, json!({}));
    world.until("waypost_compute_pending", 1).await;
    let id = member.id.clone();
    assert_eq!(asked(&world, processor(), &mut [member]).await, id);
    waiting.iter().for_each(JoinHandle::abort);
}

#[tokio::test]
async fn a_member_that_has_been_silent_for_too_long_is_not_asked() {
    // The server looks so rarely that the stream stays.
    let keep_alive_every = Duration::from_secs(3_600);
    let options = ComputeOptions { keep_alive_every, ..ComputeOptions::default() };
    let world = timeless(options).await;
    let member = world.join(&[]).await;
    tokio::time::sleep(Duration::from_secs(31)).await;
    let answer = world.ask(&processor()).await;
    assert_eq!(failure(&answer), (Cause::NoMember, "every compute member is busy"));
    let before = member.id.clone();
    member.send("CalculationMemberKeepAliveEvent", json!({ "id": "k" }));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(asked(&world, processor(), &mut [member]).await, before);
}
