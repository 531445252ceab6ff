//! Programs that may ask for tokens. Those made over the API lie in the store, under the system's
//! tenant because they are looked up before theirs is known, and marked with it.

use serde::{Deserialize, Serialize};
use waypost_kernel::StoreError;

use super::{
    identity::SYSTEM,
    register::{Entry, Register, Shelf},
    vault::Hashed,
};

/// Clients of one tenant.
pub(super) const CLIENTS_MAX: u32 = 1_000;

/// A client as it lies in the store.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Client {
    pub(super) id: String,
    pub(super) tenant: String,
    pub(super) user: String,
    pub(super) roles: Vec<String>,
    pub(super) secret: Hashed,
}

/// All clients.
pub(super) struct Clients {
    register: Register,
    /// From the settings: it is there as long as they name it.
    bootstrap: Option<Client>,
}

impl Clients {
    pub(super) const fn new(register: Register, bootstrap: Option<Client>) -> Self {
        Self { register, bootstrap }
    }

    /// The client of that name, whosever it is.
    pub(super) async fn find(&self, id: &str) -> Result<Option<Client>, StoreError> {
        if let Some(client) = self.configured(id) {
            return Ok(Some(client.clone()));
        }
        Ok(self.stored(id).await?.map(|it| it.value))
    }

    /// The client of that name, if it is the tenant's.
    pub(super) async fn find_of(
        &self,
        tenant: &str,
        id: &str,
    ) -> Result<Option<Entry<Client>>, StoreError> {
        Ok(self.stored(id).await?.filter(|it| it.value.tenant == tenant))
    }

    async fn stored(&self, id: &str) -> Result<Option<Entry<Client>>, StoreError> {
        self.register.find(&shelf(None), id).await
    }

    /// The client of that name, if the settings name it.
    pub(super) fn configured(&self, id: &str) -> Option<&Client> {
        self.bootstrap.as_ref().filter(|it| it.id == id)
    }

    /// All of a tenant, by name.
    pub(super) async fn list(&self, tenant: &str) -> Result<Vec<Client>, StoreError> {
        let found = self.register.list(&shelf(Some(tenant)), CLIENTS_MAX * 2).await?;
        let stored = found.into_iter().map(|it: Entry<Client>| it.value);
        let configured = self.bootstrap.iter().filter(|it| it.tenant == tenant).cloned();
        let mut all: Vec<_> = configured.chain(stored).collect();
        all.sort_by(|one, other| one.id.cmp(&other.id));
        all.dedup_by(|one, other| one.id == other.id);
        Ok(all)
    }

    /// Whether a tenant can have no more.
    pub(super) async fn are_too_many(&self, tenant: &str) -> Result<bool, StoreError> {
        Ok(self.register.count(&shelf(Some(tenant))).await? >= u64::from(CLIENTS_MAX))
    }

    pub(super) async fn keep(&self, entry: &Entry<Client>) -> Result<(), StoreError> {
        let client = &entry.value;
        self.register.keep(&shelf(Some(&client.tenant)), &client.id, entry).await
    }

    pub(super) async fn remove(&self, entry: &Entry<Client>) -> Result<(), StoreError> {
        self.register.forget(&shelf(None), &entry.value.id, entry.version).await
    }
}

fn shelf(tenant: Option<&str>) -> Shelf {
    Shelf { tenant: SYSTEM.into(), category: "client", mark: tenant.map(str::to_owned) }
}
