//! A NATS server that can be killed and comes back, and buckets on it for those who wait it out.

use std::{
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use bytes::Bytes;
use waypost_lifecycle::{
    Bucket, BucketError, BucketWatch, Buckets, Entry, Error, NatsBuckets, Retained, RetainedValue,
    Revision,
};
use waypost_testkit::services;

use crate::site::in_time;

/// A server of one's own, with its files in a folder that outlives it.
pub(crate) struct Server {
    program: PathBuf,
    port: u16,
    folder: tempfile::TempDir,
    running: Option<Child>,
}

fn tools() -> PathBuf {
    std::env::current_exe().unwrap().ancestors().nth(3).unwrap().join("tools")
}

impl Server {
    pub(crate) fn start() -> Self {
        let programs = services::nats_programs(None);
        Self::of(programs.or_else(|_| services::nats_programs(Some(&tools()))).unwrap())
    }

    /// The oldest that is worked with.
    pub(crate) fn start_old() -> Self {
        let tools = Some(tools()).filter(|it| it.is_dir()).unwrap_or_else(std::env::temp_dir);
        Self::of(services::fetch_old_nats(&tools).unwrap())
    }

    fn of(programs: PathBuf) -> Self {
        let port = services::lasting_port().unwrap();
        let (program, folder) = (programs.join("nats-server"), tempfile::tempdir().unwrap());
        let mut server = Self { program, port, folder, running: None };
        server.run();
        server
    }

    pub(crate) fn run(&mut self) {
        let running = Command::new(&self.program)
            .args(["-a", "127.0.0.1", "-p", &self.port.to_string(), "-js", "-sd"])
            .arg(self.folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        self.running = Some(running.unwrap());
    }

    /// As a power cut would.
    pub(crate) fn kill(&mut self) {
        if let Some(mut running) = self.running.take() {
            running.kill().unwrap();
            running.wait().unwrap();
        }
    }

    pub(crate) async fn connect(&self) -> async_nats::Client {
        let connecting = async {
            loop {
                let options = async_nats::ConnectOptions::new();
                let options = options.reconnect_delay_callback(|_| Duration::from_millis(20));
                match options.connect(format!("nats://127.0.0.1:{}", self.port)).await {
                    Ok(client) => return client,
                    Err(_) => tokio::task::yield_now().await,
                }
            }
        };
        in_time(connecting).await
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Tries until the server is there.
pub(crate) async fn eventually<T, F>(mut attempt: impl FnMut() -> F) -> T
where
    F: Future<Output = Result<T, Error>>,
{
    loop {
        match attempt().await {
            Ok(done) => return done,
            Err(Error::Store { .. }) => tokio::time::sleep(Duration::from_millis(20)).await,
            Err(error) => panic!("{error}"),
        }
    }
}

/// At which operations the server is killed: while something is prepared, looked at, refused.
const KILLS: [usize; 6] = [2, 3, 5, 9, 23, 61];

/// A server that is killed now and then, while something is asked of it.
struct Mortal {
    server: Mutex<Server>,
    n_operations: AtomicUsize,
}

impl Mortal {
    /// Kills the server at an operation of its choosing, while that is under way.
    async fn during<T>(self: &Arc<Self>, operation: impl Future<Output = T>) -> T {
        let number = self.n_operations.fetch_add(1, Ordering::Relaxed) + 1;
        if !KILLS.contains(&number) {
            return operation.await;
        }
        let mortal = Arc::clone(self);
        let killing = tokio::task::spawn_blocking(move || {
            let mut server = mortal.server.lock().unwrap();
            server.kill();
            server.run();
        });
        let done = operation.await;
        killing.await.unwrap();
        done
    }
}

/// Buckets of a mortal server. Whatever is asked of them waits until the server is back; a write
/// whose answer got lost is looked for.
pub(crate) struct Patient {
    buckets: NatsBuckets,
    mortal: Arc<Mortal>,
}

impl Patient {
    pub(crate) async fn over(server: Server) -> Self {
        let mut context = async_nats::jetstream::new(server.connect().await);
        // What a server took with it is not waited for much longer than it is away.
        context.set_timeout(Duration::from_secs(1));
        let buckets = NatsBuckets::with_context(context);
        let mortal = Mortal { server: Mutex::new(server), n_operations: AtomicUsize::new(0) };
        Self { buckets, mortal: Arc::new(mortal) }
    }

    /// How often the server was killed.
    pub(crate) fn n_kills(&self) -> usize {
        let n_operations = self.mortal.n_operations.load(Ordering::Relaxed);
        KILLS.iter().filter(|it| **it <= n_operations).count()
    }

    fn of(&self, bucket: Arc<dyn Bucket>) -> Arc<dyn Bucket> {
        Arc::new(PatientBucket { bucket, mortal: Arc::clone(&self.mortal) })
    }
}

fn is_passing(error: &BucketError) -> bool {
    matches!(error, BucketError::Unavailable(_) | BucketError::Failed(_))
}

async fn patiently<T, F>(mut attempt: impl FnMut() -> F) -> Result<T, BucketError>
where
    F: Future<Output = Result<T, BucketError>>,
{
    loop {
        match attempt().await {
            Err(error) if is_passing(&error) => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            done => return done,
        }
    }
}

#[async_trait]
impl Buckets for Patient {
    async fn open(&self, name: &str) -> Result<Arc<dyn Bucket>, BucketError> {
        Ok(self.of(patiently(|| self.buckets.open(name)).await?))
    }

    async fn create(&self, name: &str, depth: u8) -> Result<Arc<dyn Bucket>, BucketError> {
        Ok(self.of(patiently(|| self.buckets.create(name, depth)).await?))
    }
}

struct PatientBucket {
    bucket: Arc<dyn Bucket>,
    mortal: Arc<Mortal>,
}

impl PatientBucket {
    /// Writes until it is known whether it is written. Of those who write the same bytes each takes
    /// them for its own.
    async fn write<F>(
        &self,
        key: &str,
        value: &Bytes,
        attempt: impl Fn() -> F,
    ) -> Result<Revision, BucketError>
    where
        F: Future<Output = Result<Revision, BucketError>>,
    {
        let mut is_in_doubt = false;
        loop {
            let done = self.mortal.during(attempt()).await;
            is_in_doubt |= done.as_ref().is_err_and(is_passing);
            if !is_in_doubt || done.is_ok() {
                return done;
            }
            // A write that nobody answered may still land, after it was looked for: then the next
            // attempt is in conflict with it.
            if let Some(landed) = self.landed(key, value).await? {
                return Ok(landed);
            }
            if !done.as_ref().is_err_and(is_passing) {
                return done;
            }
        }
    }

    /// Where in the past of the key the value is.
    async fn landed(&self, key: &str, value: &Bytes) -> Result<Option<Revision>, BucketError> {
        let past = match patiently(|| self.bucket.history(key)).await {
            Err(BucketError::NotFound(_)) => return Ok(None),
            past => past?,
        };
        let ours = RetainedValue::Put(value.clone());
        Ok(past.iter().rfind(|it| it.value == ours).map(|it| it.revision))
    }
}

#[async_trait]
impl Bucket for PatientBucket {
    async fn get(&self, key: &str) -> Result<Option<Entry>, BucketError> {
        patiently(|| self.mortal.during(self.bucket.get(key))).await
    }

    async fn create(&self, key: &str, value: Bytes) -> Result<Revision, BucketError> {
        self.write(key, &value, || self.bucket.create(key, value.clone())).await
    }

    async fn update(
        &self,
        key: &str,
        value: Bytes,
        expected: Revision,
    ) -> Result<Revision, BucketError> {
        self.write(key, &value, || self.bucket.update(key, value.clone(), expected)).await
    }

    async fn delete(&self, key: &str) -> Result<(), BucketError> {
        patiently(|| self.mortal.during(self.bucket.delete(key))).await
    }

    async fn history(&self, key: &str) -> Result<Vec<Retained>, BucketError> {
        patiently(|| self.mortal.during(self.bucket.history(key))).await
    }

    async fn watch(&self) -> Result<BucketWatch, BucketError> {
        patiently(|| self.bucket.watch()).await
    }

    async fn get_many(&self, keys: &[String]) -> Result<Vec<Option<Entry>>, BucketError> {
        patiently(|| self.mortal.during(self.bucket.get_many(keys))).await
    }

    async fn entries(&self) -> Result<Vec<Entry>, BucketError> {
        patiently(|| self.mortal.during(self.bucket.entries())).await
    }
}
