//! Definitions that are ready to run, kept at hand: they never change.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use waypost_kernel::{Definition, DefinitionRef, StoreError, Tenant};
use waypost_machines::process::{Graph, Source, expression::Coercion};

use crate::{error::Error, limits::GRAPHS_MAX};

/// The graphs of one node.
#[derive(Default)]
pub(crate) struct Graphs {
    coercion: Coercion,
    known: Mutex<HashMap<(Tenant, DefinitionRef), Arc<Graph>>>,
}

impl Graphs {
    pub(crate) fn new(coercion: Coercion) -> Self {
        Self { coercion, known: Mutex::default() }
    }

    pub(super) fn get(&self, tenant: &Tenant, which: &DefinitionRef) -> Option<Arc<Graph>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&(tenant.clone(), which.clone())).map(Arc::clone)
    }

    /// The graph of a stored definition.
    pub(super) fn of(&self, definition: &Definition) -> Result<Arc<Graph>, Error> {
        let Definition { tenant, which, body, .. } = definition;
        if let Some(graph) = self.get(tenant, which) {
            return Ok(graph);
        }
        let corrupt = |problem: String| {
            StoreError::Corrupt(format!("definition {} {}: {problem}", which.name, which.version))
        };
        let source = Source::parse(body.as_str()).map_err(corrupt)?;
        let graph = Graph::new(&source, which.version, self.coercion)
            .map_err(|violations| corrupt(violations.join("; ")))?;
        let graph = Arc::new(graph);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= GRAPHS_MAX {
            known.clear();
        }
        known.insert((tenant.clone(), which.clone()), Arc::clone(&graph));
        Ok(graph)
    }
}
