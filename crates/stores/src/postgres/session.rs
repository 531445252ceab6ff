//! A writer's connection, with everything prepared.

use tokio_postgres::{Client, Statement, error::SqlState};
use waypost_kernel::{StoreError, Timestamp};

use super::{
    dial::Dialer,
    fault::fault,
    lock,
    rows::{signed, unsigned},
    write,
};

/// What a writer or a claim wants from its session. All of it is a matter of speed or of dying in
/// time, so a database that knows no such setting will do as well.
///
/// Rows are only ever found by indexes, and plans made for small tables must not be kept for large
/// ones: hence the nested loops. A node that is frozen in the middle of a transaction must not hold
/// its locks for ever.
pub(super) const WRITING: &[&str] = &[
    "set plan_cache_mode = force_generic_plan",
    "set enable_seqscan = off",
    "set enable_hashjoin = off",
    "set enable_mergejoin = off",
    "set jit = off",
    "set lock_timeout = '2s'",
    "set idle_in_transaction_session_timeout = '10s'",
];

/// What a reader wants from its session.
pub(super) const READING: &[&str] = &[
    "set enable_seqscan = off",
    "set enable_hashjoin = off",
    "set enable_mergejoin = off",
    "set jit = off",
    "set statement_timeout = '30s'",
];

/// How often the plans of a connection are used before they are made anew.
pub(super) const PLAN_USES: usize = 256;

/// Forgets them. A plan that was made for an empty table reads all of it, and would go on doing so
/// when the table has grown, until somebody renews the statistics.
pub(super) const FORGET_PLANS: &str = "discard plans";

/// How often taking a stream is tried while other writers take theirs.
const STREAM_TRIES: usize = 16;

/// A writer's stream of events.
#[derive(Clone, Copy)]
pub(super) struct Stream {
    pub(super) number: i64,
    /// The last position used.
    pub(super) position: u64,
}

/// A connection to write with.
pub(super) struct Session {
    pub(super) client: Client,
    pub(super) statements: Statements,
    stream: Option<Stream>,
    n_uses: usize,
}

impl Session {
    /// A fresh one, and the database's time.
    pub(super) async fn open(dialer: &Dialer) -> Result<(Self, Timestamp), StoreError> {
        let (client, now) = dialer.open().await?;
        arrange(&client, WRITING).await;
        let statements = Statements::prepare(&client).await.map_err(fault)?;
        Ok((Self { client, statements, stream: None, n_uses: 0 }, now))
    }

    /// Sees to it that plans fit the tables as they are.
    pub(super) async fn renew_plans(&mut self) -> Result<(), StoreError> {
        self.n_uses += 1;
        if self.n_uses.is_multiple_of(PLAN_USES) {
            self.client.batch_execute(FORGET_PLANS).await.map_err(fault)?;
        }
        Ok(())
    }

    /// The stream to write to. It belongs to this session: what an earlier one may still be
    /// committing can never turn up in it behind a reader's back.
    pub(super) async fn stream(&mut self) -> Result<Stream, StoreError> {
        match self.stream {
            Some(stream) => Ok(stream),
            None => {
                let stream = take_stream(&self.client).await?;
                Ok(*self.stream.insert(stream))
            }
        }
    }

    /// Takes note of the last position used, whether or not it landed.
    pub(super) fn advance(&mut self, position: u64) {
        if let Some(stream) = &mut self.stream {
            stream.position = position;
        }
    }

    /// Leaves the stream to the next writer.
    pub(super) async fn close(self) {
        let Some(stream) = self.stream else { return };
        let sql = "update streams set position = $2 where stream = $1";
        let position = signed(stream.position);
        // If it fails the number is lost, and there are plenty.
        if let Err(error) = self.client.execute(sql, &[&stream.number, &position]).await {
            tracing::debug!(%error, "a stream stays without a writer");
        }
    }
}

/// Makes the settings that the database knows.
pub(super) async fn arrange(client: &Client, settings: &[&str]) {
    for setting in settings {
        if let Err(error) = client.batch_execute(setting).await {
            tracing::debug!(%error, setting, "the database has no such setting");
        }
    }
}

async fn take_stream(client: &Client) -> Result<Stream, StoreError> {
    let left = "\
        with free as (
            select stream, position from streams where position is not null
            order by stream limit 1 for update skip locked
        )
        update streams s set position = null from free where s.stream = free.stream
        returning s.stream, free.position";
    if let Some(row) = client.query_opt(left, &[]).await.map_err(fault)? {
        let position: i64 = row.try_get(1).map_err(fault)?;
        let number = row.try_get(0).map_err(fault)?;
        return Ok(Stream { number, position: unsigned(position) });
    }
    let fresh = "\
        insert into streams (stream) select coalesce(max(stream), 0) + 1 from streams
        returning stream";
    for _ in 1..STREAM_TRIES {
        match client.query_one(fresh, &[]).await {
            Ok(row) => {
                return Ok(Stream { number: row.try_get(0).map_err(fault)?, position: 0 });
            }
            Err(error) if error.code() == Some(&SqlState::UNIQUE_VIOLATION) => {}
            Err(error) => return Err(fault(error)),
        }
    }
    Err(StoreError::Busy)
}

/// Declares the statements of a writer, each under its name.
macro_rules! statements {
    ($($name:ident = $sql:expr;)*) => {
        /// Prepared once per connection.
        pub(super) struct Statements {
            $(pub(super) $name: Statement,)*
        }

        impl Statements {
            async fn prepare(client: &Client) -> Result<Self, tokio_postgres::Error> {
                Ok(Self { $($name: client.prepare($sql).await?,)* })
            }
        }
    };
}

statements! {
    landing = &lock::landing();
    written = &lock::written();
    read = &lock::read();
    terms = lock::TERMS;
    occupied = lock::OCCUPIED;
    tasks = lock::TASKS;
    timers = lock::TIMERS;
    letters = lock::LETTERS;
    holders = lock::HOLDERS;
    definitions = lock::DEFINITIONS;
    requests = lock::REQUESTS;
    clock = &lock::clock();
    insert_definitions = write::INSERT_DEFINITIONS;
    insert_requests = write::INSERT_REQUESTS;
    erase = write::ERASE;
    keep_versions = write::KEEP_VERSIONS;
    insert_versions = write::INSERT_VERSIONS;
    delete_terms = write::DELETE_TERMS;
    insert_terms = write::INSERT_TERMS;
    insert_instances = write::INSERT_INSTANCES;
    update_instances = write::UPDATE_INSTANCES;
    insert_events = write::INSERT_EVENTS;
    delete_tasks = write::DELETE_TASKS;
    hold_tasks = write::HOLD_TASKS;
    put_tasks = write::PUT_TASKS;
    delete_timers = write::DELETE_TIMERS;
    put_timers = write::PUT_TIMERS;
    delete_letters = write::DELETE_LETTERS;
    update_letters = write::UPDATE_LETTERS;
    insert_letters = write::INSERT_LETTERS;
}
