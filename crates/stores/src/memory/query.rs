//! What a query finds.

use std::ops::Bound;

use waypost_kernel::{Definition, DefinitionQuery, Facets, Query, Record};

use super::tables::{Tables, definition_key};

impl Tables {
    /// Definitions that match, by name, newest version first.
    pub(super) fn deployed<'a>(
        &'a self,
        query: &'a DefinitionQuery,
    ) -> impl Iterator<Item = &'a Definition> {
        let keyword = query.keyword.as_ref().map(|it| it.to_ascii_lowercase());
        let is_latest = |it: &'a Definition| {
            let after = (Bound::Excluded(definition_key(it)), Bound::Unbounded);
            let next = self.definitions.range(after).next().map(|(_, next)| next);
            let name = |it: &'a Definition| (&it.tenant, it.kind, &it.which.name);
            next.is_none_or(|next| name(next) != name(it))
        };
        let matches = |it: &&'a Definition| {
            let name = &it.which.name;
            it.tenant == query.tenant
                && it.kind == query.kind
                && query.name.as_ref().is_none_or(|wanted| wanted == name)
                && query.version.is_none_or(|version| version == it.which.version)
                && keyword.as_ref().is_none_or(|it| name.to_ascii_lowercase().contains(it))
                && (!query.latest_only || is_latest(it))
        };
        let mut found: Vec<&Definition> = self.definitions.values().filter(matches).collect();
        found.sort_by(|a, b| {
            (&a.which.name, b.which.version).cmp(&(&b.which.name, a.which.version))
        });
        found.into_iter()
    }

    /// Instances that match, newest first, whatever page is asked for.
    pub(super) fn matching<'a>(&'a self, query: &'a Query) -> impl Iterator<Item = &'a Record> {
        self.instances.values().rev().filter(|it| {
            it.key.tenant == query.tenant
                && it.key.kind == query.kind
                && has_facets(&it.facets, query)
                && query.from.is_none_or(|from| it.created_at >= from)
                && query.until.is_none_or(|until| it.created_at < until)
        })
    }
}

fn has_facets(facets: &Facets, query: &Query) -> bool {
    let same = |wanted: &Option<String>, found: Option<&str>| {
        wanted.as_deref().is_none_or(|wanted| Some(wanted) == found)
    };
    let version = facets.definition.as_ref().map(|it| it.version);
    same(&query.definition, facets.definition.as_ref().map(|it| it.name.as_str()))
        && query.version.is_none_or(|wanted| Some(wanted) == version)
        && same(&query.status, Some(&facets.status))
        && same(&query.business_key, facets.business_key.as_deref())
        && same(&query.awaits, facets.awaits.as_deref())
        && query.step.as_ref().is_none_or(|step| facets.steps().any(|it| it == step))
}
