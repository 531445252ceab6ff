//! When recent transactions landed.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, PoisonError},
};

use waypost_kernel::{Tenant, Timestamp};

use crate::limits::TRANSACTIONS_REMEMBERED;

/// The latest transactions of this node. Those of an entity are known from the entity; this is for
/// those that wrote something else.
#[derive(Default)]
pub(super) struct Memory(Mutex<Remembered>);

#[derive(Default)]
struct Remembered {
    at: HashMap<(Tenant, String), Timestamp>,
    order: VecDeque<(Tenant, String)>,
}

impl Memory {
    pub(super) fn note(&self, tenant: &Tenant, transaction: &str, at: Timestamp) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let name = (tenant.clone(), transaction.to_owned());
        if kept.order.len() >= TRANSACTIONS_REMEMBERED
            && let Some(oldest) = kept.order.pop_front()
        {
            kept.at.remove(&oldest);
        }
        kept.order.push_back(name.clone());
        kept.at.insert(name, at);
    }

    pub(super) fn at(&self, tenant: &Tenant, transaction: &str) -> Option<Timestamp> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.at.get(&(tenant.clone(), transaction.to_owned())).copied()
    }
}
