//! Hints, here and across nodes. One connection per node says what is new and hears what others
//! say. All of it may be lost: it only saves waiting.

use std::{
    collections::BTreeMap,
    future::poll_fn,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use tokio::sync::{Notify, mpsc};
use tokio_postgres::{AsyncMessage, Client, Notification};
use waypost_kernel::{Hint, Kind, Listener, StoreError, Tenant, Timestamp};

use super::{dial::Dialer, fault::fault, lane::Shared};
use crate::hint::Listeners;

/// How long news is gathered before it is sent. Every notice takes a lock of the whole database.
const PAUSE: Duration = Duration::from_millis(100);
/// How long to wait before connecting again.
const RECONNECT: Duration = Duration::from_secs(2);
/// How many kinds of work one notice names. Few enough to fit into the 8000 bytes it may have.
const NOTICE_WORK_MAX: usize = 16;
/// How many kinds of work may wait to be told. What is beyond is found by looking.
const UNTOLD_MAX: usize = 1_024;

/// What is new on this node, for those who listen here and for the other nodes.
#[derive(Default)]
pub(super) struct News {
    listeners: Listeners,
    /// Told whenever something may have been committed, anywhere.
    pub(super) committed: Notify,
    untold: Mutex<Untold>,
    arrived: Notify,
}

/// What other nodes have not been told yet: for each kind of work, from when on there is some.
#[derive(Default)]
struct Untold {
    work: BTreeMap<(Tenant, Kind, String, String), Timestamp>,
    timer: Option<Timestamp>,
    message: bool,
    any: bool,
}

/// A notice as it travels.
#[derive(Default, Serialize, Deserialize)]
struct Notice {
    /// Tenant, kind, family, queue, and from when on in microseconds.
    #[serde(default, rename = "w", skip_serializing_if = "Vec::is_empty")]
    work: Vec<(Tenant, i16, String, String, Timestamp)>,
    #[serde(default, rename = "t", skip_serializing_if = "Option::is_none")]
    timer: Option<Timestamp>,
    #[serde(default, rename = "m", skip_serializing_if = "std::ops::Not::not")]
    message: bool,
}

impl News {
    pub(super) fn listen(&self, listener: Listener) {
        self.listeners.add(listener);
    }

    /// Tells everybody that commits have landed here, and what follows from them.
    pub(super) fn tell(&self, hints: &[Hint]) {
        self.committed.notify_waiters();
        self.listeners.tell(hints);
        let mut untold = self.untold.lock().unwrap_or_else(PoisonError::into_inner);
        hints.iter().for_each(|hint| untold.add(hint));
        untold.any = true;
        drop(untold);
        self.arrived.notify_one();
    }

    /// Tells those who listen here what another node said.
    fn hear(&self, text: &str) {
        self.committed.notify_waiters();
        match serde_json::from_str::<Notice>(text) {
            Ok(notice) => self.listeners.tell(&notice.hints()),
            Err(error) => tracing::debug!(%error, "a notice of another kind of node"),
        }
    }

    fn take(&self) -> Untold {
        std::mem::take(&mut *self.untold.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Untold {
    fn add(&mut self, hint: &Hint) {
        match hint {
            Hint::Work { tenant, kind, family, queue, ready_at } => {
                let name = (tenant.clone(), *kind, family.clone(), queue.clone());
                if self.work.len() < UNTOLD_MAX {
                    let earliest = self.work.entry(name).or_insert(*ready_at);
                    *earliest = (*earliest).min(*ready_at);
                }
            }
            Hint::Timer { due_at } => {
                self.timer = Some(self.timer.map_or(*due_at, |it| it.min(*due_at)));
            }
            Hint::Message => self.message = true,
        }
    }

    fn notices(self) -> Vec<Notice> {
        if !self.any {
            return Vec::new();
        }
        let work: Vec<_> = self
            .work
            .into_iter()
            .map(|((tenant, kind, family, queue), at)| (tenant, kind.code(), family, queue, at))
            .collect();
        let first = Notice { work: Vec::new(), timer: self.timer, message: self.message };
        let mut notices: Vec<Notice> = work
            .chunks(NOTICE_WORK_MAX)
            .map(|work| Notice { work: work.to_vec(), ..Notice::default() })
            .collect();
        match notices.first_mut() {
            Some(notice) => (notice.timer, notice.message) = (first.timer, first.message),
            None => notices.push(first),
        }
        notices
    }
}

impl Notice {
    fn hints(self) -> Vec<Hint> {
        let work = self.work.into_iter().filter_map(|(tenant, kind, family, queue, ready_at)| {
            let kind = Kind::from_code(kind)?;
            Some(Hint::Work { tenant, kind, family, queue, ready_at })
        });
        let timer = self.timer.map(|due_at| Hint::Timer { due_at });
        work.chain(timer).chain(self.message.then_some(Hint::Message)).collect()
    }
}

/// Keeps telling and hearing until it is dropped.
pub(super) async fn run(shared: Arc<Shared>) {
    loop {
        if let Err(error) = converse(&shared.dialer, &shared.news).await {
            tracing::debug!(%error, "no hints from other nodes for now");
        }
        tokio::time::sleep(RECONNECT).await;
    }
}

/// Tells and hears over one connection until it breaks.
async fn converse(dialer: &Dialer, news: &News) -> Result<(), StoreError> {
    let channel = dialer.schema.as_ref().map_or("waypost".to_owned(), |it| format!("waypost_{it}"));
    let (client, mut heard) = connect(dialer).await?;
    client.batch_execute(&format!("listen {channel}")).await.map_err(fault)?;
    let own: i32 = client
        .query_one("select pg_backend_pid()", &[])
        .await
        .and_then(|row| row.try_get(0))
        .map_err(fault)?;
    // Something may have happened while nobody heard.
    news.committed.notify_waiters();
    loop {
        tokio::select! {
            notification = heard.recv() => match notification {
                Some(it) if it.process_id() != own => news.hear(it.payload()),
                Some(_) => {}
                None => return Err(fault_closed()),
            },
            () = news.arrived.notified() => {
                for notice in news.take().notices() {
                    let text = serde_json::to_string(&notice).unwrap_or_default();
                    client.execute("select pg_notify($1, $2)", &[&channel, &text]).await.map_err(fault)?;
                }
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

fn fault_closed() -> StoreError {
    StoreError::Unavailable("the connection to PostgreSQL was lost".to_owned())
}

/// A connection whose notifications come through a channel, which ends with the connection.
async fn connect(
    dialer: &Dialer,
) -> Result<(Client, mpsc::UnboundedReceiver<Notification>), StoreError> {
    let (client, mut connection) = dialer.dial().await?;
    let (sender, heard) = mpsc::unbounded_channel();
    drop(tokio::spawn(async move {
        while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
            if let AsyncMessage::Notification(notification) = message {
                // Whoever listened is gone, and the connection ends with its client.
                drop(sender.send(notification));
            }
        }
    }));
    Ok((client, heard))
}

#[cfg(test)]
mod tests {
    use super::{Hint, Kind, Notice, Timestamp, Untold};

    fn work(queue: &str, at: i64) -> Hint {
        Hint::Work {
            tenant: "t".into(),
            kind: Kind::Chain,
            family: "orders".to_owned(),
            queue: queue.to_owned(),
            ready_at: Timestamp::from_micros(at),
        }
    }

    fn told(hints: &[Hint]) -> Vec<String> {
        let mut untold = Untold { any: true, ..Untold::default() };
        hints.iter().for_each(|hint| untold.add(hint));
        untold.notices().iter().map(|it| serde_json::to_string(it).unwrap()).collect()
    }

    #[test]
    fn many_hints_become_one_notice_with_the_earliest_times() {
        let due = |at| Hint::Timer { due_at: Timestamp::from_micros(at) };
        let hints = [work("a", 7), due(4), work("a", 5), work("b", 9), due(3), Hint::Message];
        let expected = r#"{"w":[["t",3,"orders","a",5],["t",3,"orders","b",9]],"t":3,"m":true}"#;
        assert_eq!(told(&hints), [expected]);
        let notice: Notice = serde_json::from_str(expected).unwrap();
        assert_eq!(notice.hints(), [work("a", 5), work("b", 9), due(3), Hint::Message]);
    }

    #[test]
    fn a_commit_that_makes_no_work_is_still_news_for_watchers() {
        assert_eq!(told(&[]), ["{}"]);
    }

    #[test]
    fn notices_stay_small() {
        let hints: Vec<Hint> = (0..100).map(|n| work(&format!("queue-{n}"), n)).collect();
        let notices = told(&hints);
        assert_eq!(notices.len(), 7);
        assert!(notices.iter().all(|it| it.len() < 8_000));
    }
}
