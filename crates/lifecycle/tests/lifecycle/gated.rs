//! A NATS server that stops listening to a client whose connection stays up.

use std::sync::Arc;

use futures_util::StreamExt as _;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, copy},
    net::{TcpListener, TcpStream},
    sync::Notify,
};
use waypost_lifecycle::{Bucket, BucketError, BucketEvent, Buckets as _, NatsBuckets, Revision};
use waypost_testkit::services;

use crate::site::in_time;

/// What a client asks for once it is to be shown a bucket, and what it asks then.
const ASKED: [&[u8]; 2] = [b"CONSUMER.CREATE", b"STREAM.INFO"];

/// Passes on what a client says up to where it has asked for all that a subscription needs, and what comes after
/// that once the gate is opened. The server is always heard.
async fn gate(opened: Arc<Notify>) -> async_nats::Client {
    let server = services::nats().unwrap();
    let server = server.trim_start_matches("nats://").to_owned();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("nats://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (client, _) = listener.accept().await.unwrap();
        let server = TcpStream::connect(server).await.unwrap();
        let (mut from_client, mut to_client) = client.into_split();
        let (mut from_server, mut to_server) = server.into_split();
        tokio::spawn(async move { copy(&mut from_server, &mut to_client).await });
        let mut said = vec![0; 64 << 10];
        let mut asked = ASKED.iter().peekable();
        while let Ok(length) = from_client.read(&mut said).await
            && length > 0
        {
            to_server.write_all(&said[..length]).await.unwrap();
            let is_said = |word: &&&[u8]| said[..length].windows(word.len()).any(|it| it == **word);
            if asked.next_if(is_said).is_some() && asked.peek().is_none() {
                opened.notified().await;
            }
        }
    });
    in_time(async_nats::connect(url)).await.unwrap()
}

/// A bucket that remembers one write of a key, with one key.
async fn things(name: &str) -> (String, Arc<dyn Bucket>, Revision) {
    let name = format!("G{}_{name}", std::process::id());
    let client = async_nats::connect(services::nats().unwrap()).await.unwrap();
    let bucket = NatsBuckets::new(client).create(&name, 1).await.unwrap();
    let revision = bucket.create("a", "0".into()).await.unwrap();
    (name, bucket, revision)
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_that_were_forgotten_before_the_beginning_was_shown_are_told_of() {
    let (name, bucket, mut revision) = things("MISSED").await;
    let opened = Arc::new(Notify::new());
    let gated = NatsBuckets::new(gate(Arc::clone(&opened)).await).open(&name).await.unwrap();
    let mut watch = in_time(gated.watch()).await.unwrap();
    for number in 1..=5 {
        revision = bucket.update("a", number.to_string().into(), revision).await.unwrap();
    }
    opened.notify_one();
    let mut missed = 0;
    let (mut shown, mut is_caught_up) = (String::new(), false);
    while shown != "5" || !is_caught_up {
        match in_time(watch.next()).await.unwrap().unwrap() {
            BucketEvent::Put(entry) => shown = String::from_utf8(entry.value.to_vec()).unwrap(),
            BucketEvent::Missed { count } => missed += count,
            BucketEvent::CaughtUp => is_caught_up = true,
            BucketEvent::Deleted { key, .. } => panic!("{key} was not deleted"),
        }
    }
    assert_eq!(missed, 4, "all that were written since, but the last");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_that_is_not_shown_is_not_waited_for_for_ever() {
    let (name, ..) = things("SILENT").await;
    let gated = NatsBuckets::new(gate(Arc::new(Notify::new())).await).open(&name).await.unwrap();
    let entries = in_time(gated.entries()).await;
    assert!(matches!(entries, Err(BucketError::Unavailable(_))), "{entries:?}");
}
