//! Why something about entities cannot be done, in words that say what to do.

use waypost_kernel::{Conflict, DefinitionRef, InstanceId};

use super::{Code, Fault, Refusal};

pub(super) fn no_entity(id: &InstanceId) -> Refusal {
    let refusal = Refusal::new(Code::EntityNotFound, format!("entity id={id} not found"));
    refusal.with("entityId", id.as_str())
}

pub(super) fn no_model(which: &DefinitionRef) -> Refusal {
    let detail = format!("model {}:{} not found", which.name, which.version);
    about(Refusal::new(Code::ModelNotFound, detail), which)
}

/// Somebody who said what they expect was overtaken.
pub(super) fn modified(id: &InstanceId) -> Refusal {
    let detail = format!("entity {id} was saved by another transaction; read it again and retry");
    Refusal::new(Code::EntityModified, detail).with("entityId", id.as_str())
}

/// What was seen of an entity is no longer so.
pub(super) fn overtaken(id: &InstanceId) -> Refusal {
    let detail = format!("entity {id} was changed meanwhile; read it again and retry");
    Refusal::new(Code::Conflict, detail).with("entityId", id.as_str())
}

/// Names the model a refusal is about.
pub(super) fn about(refusal: Refusal, which: &DefinitionRef) -> Refusal {
    refusal.with("entityName", &which.name).with("entityVersion", which.version.to_string())
}

impl Refusal {
    /// Entities are written under models that are locked.
    #[must_use]
    pub fn model_not_locked(which: &DefinitionRef) -> Self {
        let (name, version) = (&which.name, which.version);
        let detail = format!("model {name}:{version} is not locked; lock it to write entities");
        about(Self::new(Code::ModelNotLocked, detail), which)
    }

    /// A model that is locked stays as it is.
    #[must_use]
    pub fn model_locked(which: &DefinitionRef) -> Self {
        let detail = format!("model {}:{} is locked", which.name, which.version);
        about(Self::new(Code::ModelAlreadyLocked, detail), which)
    }

    pub(super) fn model_unlocked(which: &DefinitionRef) -> Self {
        let detail = format!("model {}:{} is not locked", which.name, which.version);
        about(Self::new(Code::ModelAlreadyUnlocked, detail), which)
    }

    pub(super) fn model_has_entities(which: &DefinitionRef) -> Self {
        let (name, version) = (&which.name, which.version);
        let detail = format!("model {name}:{version} has entities; delete them first");
        about(Self::new(Code::ModelHasEntities, detail), which)
    }
}

pub(super) fn inadmissible(refusal: waypost_machines::entity::model::Refusal) -> Refusal {
    use waypost_machines::entity::model::Refusal as Why;
    let code = match refusal {
        Why::PolymorphicSlot(_) => Code::PolymorphicSlot,
        Why::Invalid(_) | Why::Level { .. } | Why::TooLarge(_) => Code::BadRequest,
    };
    Refusal::new(code, refusal.to_string())
}

pub(super) fn at_item(fault: Fault, index: usize) -> Fault {
    match fault {
        Fault::Refused(refusal) => {
            let detail = format!("item {index}: {}", refusal.detail);
            Fault::Refused(Refusal { detail, ..refusal })
        }
        Fault::Failed(error) => Fault::Failed(error),
    }
}

pub(super) fn lost(conflict: &Conflict) -> Refusal {
    Refusal::new(
        Code::Conflict,
        format!("another transaction was faster: {conflict}; read again and retry"),
    )
}
