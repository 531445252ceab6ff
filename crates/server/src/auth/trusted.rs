//! Keys of somebody else, whose word a tenant takes when its clients exchange tokens. Each tenant
//! has its own.

use serde::{Deserialize, Serialize};
use waypost_kernel::{StoreError, Timestamp};

use super::register::{Entry, Register, Shelf};

/// Trusted keys of one tenant.
pub(super) const TRUSTED_MAX: u32 = 100;

/// A trusted key as it lies in the store.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct TrustedKey {
    pub(super) kid: String,
    pub(super) n: String,
    pub(super) e: String,
    pub(super) audience: String,
    pub(super) issuers: Vec<String>,
    pub(super) active: bool,
    pub(super) valid_from: Timestamp,
    pub(super) valid_to: Option<Timestamp>,
}

impl TrustedKey {
    /// Whether its word is taken at that time.
    pub(super) fn is_valid(&self, now: Timestamp) -> bool {
        self.active && self.valid_from <= now && self.valid_to.is_none_or(|it| now < it)
    }

    /// Whether it may sign for that issuer.
    pub(super) fn may_sign_for(&self, issuer: Option<&str>) -> bool {
        self.issuers.is_empty() || issuer.is_some_and(|it| self.issuers.iter().any(|a| a == it))
    }
}

/// All trusted keys.
pub(super) struct TrustedKeys {
    register: Register,
}

impl TrustedKeys {
    pub(super) const fn new(register: Register) -> Self {
        Self { register }
    }

    pub(super) async fn find(
        &self,
        tenant: &str,
        kid: &str,
    ) -> Result<Option<Entry<TrustedKey>>, StoreError> {
        self.register.find(&shelf(tenant), kid).await
    }

    /// All of a tenant, by name.
    pub(super) async fn list(&self, tenant: &str) -> Result<Vec<TrustedKey>, StoreError> {
        let found = self.register.list(&shelf(tenant), TRUSTED_MAX * 2).await?;
        let mut all: Vec<_> = found.into_iter().map(|it: Entry<TrustedKey>| it.value).collect();
        all.sort_by(|one, other| one.kid.cmp(&other.kid));
        Ok(all)
    }

    /// Whether a tenant can have no more.
    pub(super) async fn are_too_many(&self, tenant: &str) -> Result<bool, StoreError> {
        Ok(self.register.count(&shelf(tenant)).await? >= u64::from(TRUSTED_MAX))
    }

    pub(super) async fn keep(
        &self,
        tenant: &str,
        entry: &Entry<TrustedKey>,
    ) -> Result<(), StoreError> {
        self.register.keep(&shelf(tenant), &entry.value.kid, entry).await
    }

    pub(super) async fn remove(
        &self,
        tenant: &str,
        entry: &Entry<TrustedKey>,
    ) -> Result<(), StoreError> {
        self.register.forget(&shelf(tenant), &entry.value.kid, entry.version).await
    }
}

fn shelf(tenant: &str) -> Shelf {
    Shelf { tenant: tenant.into(), category: "trusted-key", mark: None }
}
