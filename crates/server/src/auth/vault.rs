//! Secrets of clients, kept as hashes. Hashing is slow on purpose, so only so much of it goes on at
//! a time; whoever comes on top of that is told to come back.

use std::{sync::Arc, thread::available_parallelism, time::Duration};

use argon2::{Algorithm, Argon2, Params};
use aws_lc_rs::constant_time::verify_slices_are_equal;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

use super::encoding::{from_hex, hex, random};

/// Who may wait for a hash: at 20 to 50 ms each, the last of them waits a second or two.
const WAITING_MAX: usize = 64;

/// When to come back if there is no room.
pub(super) const COME_BACK_AFTER: Duration = Duration::from_secs(1);

/// Bytes of salt and of the hash.
const SALT: usize = 16;
const HASH: usize = 32;

/// A secret nobody can read, with what it was hashed by.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Hashed {
    algorithm: String,
    memory_kib: u32,
    passes: u32,
    lanes: u32,
    salt: String,
    hash: String,
}

/// Why no hash was made.
#[derive(Debug)]
pub(super) enum Refused {
    /// Too many are waiting.
    Full,
    /// A defect.
    Failed(String),
}

/// Does slow work on threads of its own, a little at a time.
pub(super) struct Vault {
    waiting: Arc<Semaphore>,
    running: Arc<Semaphore>,
    /// What the secret of a client that does not exist is held against.
    nobody: Hashed,
}

impl Vault {
    pub(super) fn new() -> Result<Self, String> {
        let cores = available_parallelism().map_or(1, usize::from);
        let (salt, hash) = (random::<SALT>()?, random::<HASH>()?);
        Ok(Self {
            waiting: Arc::new(Semaphore::new(WAITING_MAX)),
            running: Arc::new(Semaphore::new(cores.div_ceil(2))),
            nobody: Hashed::new(&salt, &hash),
        })
    }

    /// The hash of a secret.
    pub(super) async fn hash(&self, secret: String) -> Result<Hashed, Refused> {
        let made = self.work(move || {
            let salt = random::<SALT>()?;
            let mut hash = [0; HASH];
            digest(&Params::DEFAULT, secret.as_bytes(), &salt, &mut hash)?;
            Ok::<_, String>(Hashed::new(&salt, &hash))
        });
        made.await?.map_err(Refused::Failed)
    }

    /// Whether the secret is the one that was hashed. Takes as long if there is none to compare.
    pub(super) async fn fits(
        &self,
        secret: String,
        hashed: Option<&Hashed>,
    ) -> Result<bool, Refused> {
        let expected = hashed.unwrap_or(&self.nobody).clone();
        let is_known = hashed.is_some();
        let compared = self.work(move || expected.is_of(&secret));
        Ok(compared.await?.map_err(Refused::Failed)? && is_known)
    }

    /// Does something slow.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        task: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refused> {
        let place = Arc::clone(&self.waiting).try_acquire_owned().map_err(|_| Refused::Full)?;
        let turn = Arc::clone(&self.running).acquire_owned().await.map_err(|_| Refused::Full)?;
        // A client that goes away does not stop the work, so the work itself keeps the places.
        let done = tokio::task::spawn_blocking(move || {
            let result = task();
            drop((place, turn));
            result
        });
        done.await.map_err(|error| Refused::Failed(error.to_string()))
    }
}

impl Hashed {
    fn new(salt: &[u8], hash: &[u8]) -> Self {
        let params = Params::DEFAULT;
        Self {
            algorithm: Algorithm::Argon2id.to_string(),
            memory_kib: params.m_cost(),
            passes: params.t_cost(),
            lanes: params.p_cost(),
            salt: hex(salt),
            hash: hex(hash),
        }
    }

    fn is_of(&self, secret: &str) -> Result<bool, String> {
        let read = |text| from_hex(text).ok_or("the hash of a secret cannot be read");
        let (salt, expected) = (read(&self.salt)?, read(&self.hash)?);
        let params = Params::new(self.memory_kib, self.passes, self.lanes, None);
        let mut hash = [0; HASH];
        digest(&params.map_err(|it| it.to_string())?, secret.as_bytes(), &salt, &mut hash)?;
        Ok(verify_slices_are_equal(&hash, &expected).is_ok())
    }
}

fn digest(params: &Params, secret: &[u8], salt: &[u8], hash: &mut [u8]) -> Result<(), String> {
    let argon = Argon2::new(Algorithm::Argon2id, argon2::Version::V0x13, params.clone());
    argon.hash_password_into(secret, salt, hash).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_secret_fits_its_hash() {
        let vault = Vault::new().unwrap();
        let hashed = vault.hash("secret".into()).await.unwrap();
        assert!(!format!("{hashed:?}").contains("secret"));
        assert!(vault.fits("secret".into(), Some(&hashed)).await.unwrap());
        assert!(!vault.fits("Secret".into(), Some(&hashed)).await.unwrap());
        assert!(!vault.fits("secret".into(), None).await.unwrap());
    }

    #[tokio::test]
    async fn whoever_comes_on_top_is_sent_away() {
        let vault = Arc::new(Vault::new().unwrap());
        let (release, released) = std::sync::mpsc::channel::<()>();
        let released = Arc::new(std::sync::Mutex::new(released));
        let begin = || {
            let (vault, released) = (Arc::clone(&vault), Arc::clone(&released));
            tokio::spawn(async move {
                let wait = move || released.lock().unwrap().recv().is_ok();
                vault.work(wait).await.unwrap()
            })
        };
        let inside: Vec<_> = (0..WAITING_MAX).map(|_| begin()).collect();
        while vault.waiting.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        assert!(matches!(vault.work(|| ()).await, Err(Refused::Full)));
        for _ in &inside {
            release.send(()).unwrap();
        }
        for one in inside {
            assert!(one.await.unwrap());
        }
        assert!(vault.work(|| ()).await.is_ok());
    }
}
