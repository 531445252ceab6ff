//! Messages that are kept for somebody to fetch. Nothing runs on them and nobody searches them.

use std::collections::BTreeSet;

use waypost_kernel::{Commit, Facets, InstanceId, Json, Key, Kind, Version, Write};

use super::{Code, Entities, Fault, Refusal};
use crate::limits::LETTERS_ERASED;

/// What [`Facets::status`] says of messages.
const LETTER: &str = "letter";

/// A message that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its id.
    pub id: InstanceId,
    /// The transaction that brought it.
    pub transaction: String,
}

impl Entities {
    /// Keeps a message.
    ///
    /// # Errors
    /// When the store cannot take it.
    pub async fn keep_letter(&self, letter: Json) -> Result<Kept, Fault> {
        let now = self.store().now();
        let transaction = self.shared.ids.entity(now).as_str().to_owned();
        let id = self.shared.ids.entity(now);
        let write = Write {
            key: self.letter_key(&id),
            version: Version::ABSENT.next(),
            facets: Facets { status: LETTER.to_owned(), ..Facets::default() },
            state: letter,
            at: now,
            keeps_past: false,
            terms: None,
        };
        self.store().commit(Commit { writes: vec![write], ..Commit::default() }).await?;
        Ok(Kept { id, transaction })
    }

    /// A message.
    ///
    /// # Errors
    /// When there is none.
    pub async fn letter(&self, id: &InstanceId) -> Result<Json, Fault> {
        let found = self.store().load(&[self.letter_key(id)]).await?.pop().flatten();
        found.map(|it| it.state).ok_or_else(|| no_letter(id).into())
    }

    /// No more of a message.
    ///
    /// # Errors
    /// When there is none.
    pub async fn erase_letter(&self, id: &InstanceId) -> Result<(), Fault> {
        let erased = self.erase_letters(std::slice::from_ref(id)).await?;
        if erased.is_empty() { Err(no_letter(id).into()) } else { Ok(()) }
    }

    /// No more of these messages; says which there were, each once.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub async fn erase_letters(&self, ids: &[InstanceId]) -> Result<Vec<InstanceId>, Fault> {
        let (mut asked, mut erased) = (BTreeSet::new(), Vec::new());
        // Whoever names one twice is told once.
        let ids: Vec<&InstanceId> = ids.iter().filter(|it| asked.insert(*it)).collect();
        for ids in ids.chunks(LETTERS_ERASED) {
            let keys: Vec<Key> = ids.iter().map(|it| self.letter_key(it)).collect();
            let found = self.store().load(&keys).await?;
            let keys: Vec<Key> = found.into_iter().flatten().map(|it| it.key).collect();
            if keys.is_empty() {
                continue;
            }
            let is_there = |id: &&InstanceId| keys.contains(&self.letter_key(id));
            erased.extend(ids.iter().copied().filter(is_there).cloned());
            self.store().commit(Commit { erased: keys, ..Commit::default() }).await?;
        }
        Ok(erased)
    }

    fn letter_key(&self, id: &InstanceId) -> Key {
        Key::new(self.caller.tenant.clone(), Kind::Register, format!("letter/{id}").into())
    }
}

fn no_letter(id: &InstanceId) -> Refusal {
    let refusal = Refusal::new(Code::EntityNotFound, format!("message id={id} not found"));
    refusal.with("messageId", id.as_str())
}
