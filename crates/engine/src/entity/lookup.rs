//! What entities are looked up by, in the words of the store.

use waypost_documents::{document::Value, lookup, predicate::Predicate};
use waypost_kernel::{Lookup, Span, Term};

use super::model::Index;

/// What an entity of this value can be looked up by. Nothing is to be written if its model has no
/// indexes.
pub(super) fn terms(indexes: &[Index], value: &Value) -> Option<Vec<Term>> {
    let of = |index: &Index| {
        let keys = lookup::keys(&index.path, value);
        let path = index.text.clone();
        keys.into_iter().map(move |key| Term { path: path.clone(), key })
    };
    (!indexes.is_empty()).then(|| indexes.iter().flat_map(of).collect())
}

/// Where to look so that all entities are found that match, if an index helps.
pub(super) fn narrowed(indexes: &[Index], predicate: &Predicate) -> Option<Lookup> {
    let paths: Vec<_> = indexes.iter().map(|it| &it.path).collect();
    let (index, ranges) = lookup::ranges(predicate, &paths)?;
    let path = indexes.get(index)?.text.clone();
    let spans = ranges.into_iter().map(|(from, to)| Span { from, to: Some(to) }).collect();
    Some(Lookup { path, spans })
}
