//! Following what happens to the entities of a tenant.

use std::sync::Arc;

use waypost_kernel::{Cursor, Kind, Scope};

use super::Entities;
use crate::{error::Error, watch::Watch};

impl Entities {
    /// The place after everything that has happened so far, to follow entities from.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn head(&self) -> Result<Cursor, Error> {
        Ok(self.store().head(&self.scope()).await?)
    }

    /// Follows all entities of the caller's tenant from `cursor` on.
    #[must_use]
    pub fn watch(&self, cursor: Cursor) -> Watch {
        Watch::new(Arc::clone(&self.shared.store), self.scope(), cursor)
    }

    fn scope(&self) -> Scope {
        Scope { tenant: self.caller.tenant.clone(), kind: Kind::Entity, instance: None }
    }
}
