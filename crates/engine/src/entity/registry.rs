//! Transactions that wait for compute members, so that callbacks find them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use super::transaction::Transaction;
use crate::{error::Error, limits::TRANSACTIONS_OPEN_MAX};

/// The transactions of a node that others may join.
#[derive(Default)]
pub(super) struct Registry(Arc<Mutex<HashMap<String, Arc<Transaction>>>>);

/// Takes its transaction out of the registry when it goes.
pub(super) struct Listed {
    registry: Arc<Mutex<HashMap<String, Arc<Transaction>>>>,
    id: String,
}

impl Registry {
    pub(super) fn list(&self, transaction: &Arc<Transaction>) -> Result<Listed, Error> {
        let mut listed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if listed.len() >= TRANSACTIONS_OPEN_MAX {
            return Err(Error::Overloaded { what: "transactions waiting for compute members" });
        }
        listed.insert(transaction.id.clone(), Arc::clone(transaction));
        Ok(Listed { registry: Arc::clone(&self.0), id: transaction.id.clone() })
    }

    pub(super) fn find(&self, id: &str) -> Option<Arc<Transaction>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}
