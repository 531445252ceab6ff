//! What is asked of a transaction, and what it has done.

use waypost_documents::document::Value;
use waypost_kernel::{DefinitionRef, InstanceId, Version};

use super::Entity;

/// One thing to be done in a transaction.
#[derive(Clone, Debug)]
pub enum Item {
    /// A new entity.
    Create {
        /// Of this model.
        model: DefinitionRef,
        /// Its value.
        value: Value,
    },
    /// Another value, another state, or both.
    Update {
        /// Which entity.
        id: InstanceId,
        /// The value that takes the place of the present one; as it is, if absent.
        value: Option<Value>,
        /// The transition to take; if absent, the entity goes on from where it is.
        transition: Option<String>,
        /// The transaction that must have saved the entity last.
        if_match: Option<String>,
    },
    /// No more of it. Its past stays.
    Delete {
        /// Which entity.
        id: InstanceId,
    },
    /// No more of it, if it is still as it was seen.
    DeleteSeen {
        /// Which entity.
        id: InstanceId,
        /// The version that was seen.
        version: Version,
    },
}

/// What a transaction has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Its id.
    pub transaction: String,
    /// The entities it wrote, in the order of the items.
    pub touched: Vec<Touched>,
    /// What the engine and its members had to say.
    pub warnings: Vec<String>,
}

/// An entity that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touched {
    /// Its id.
    pub id: InstanceId,
    /// Its model.
    pub model: DefinitionRef,
    /// The state it came to rest in.
    pub state: String,
}

impl From<&Entity> for Touched {
    fn from(entity: &Entity) -> Self {
        let Entity { id, model, state, .. } = entity;
        Self { id: id.clone(), model: model.clone(), state: state.clone() }
    }
}
