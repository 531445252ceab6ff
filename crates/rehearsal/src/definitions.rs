//! The definitions a scenario may use, of all faces.

use std::{collections::BTreeMap, sync::Arc};

use serde::Deserialize;
use serde_json::Value;
use waypost_documents::document;
use waypost_kernel::Json;
use waypost_machines::{
    chain::{Plan, Policy},
    entity::{
        judge::is_sound,
        workflow::{Rules, Workflow, import},
    },
    lifecycle::Transitions,
    process::{Graph, Source, expression::Coercion},
};

/// What instances run by.
#[derive(Debug, Default)]
pub struct Definitions {
    processes: BTreeMap<String, Arc<Graph>>,
    chains: BTreeMap<String, BTreeMap<i32, Plan>>,
    workflows: Vec<Workflow>,
    lifecycles: BTreeMap<String, Transitions>,
    policy: Policy,
    coercion: Coercion,
}

/// Described types of lifecycles, as far as they matter here.
#[derive(Deserialize)]
struct Types {
    types: Vec<Type>,
}

#[derive(Deserialize)]
struct Type {
    workflow: String,
    transitions: Transitions,
}

impl Definitions {
    /// Adds the definitions in a JSON document: one, or an array of them. They are recognized by
    /// their members. Returns the names of processes and chains, `workflows`, or the names of
    /// lifecycles.
    ///
    /// # Errors
    /// What is wrong with the first that is no sound definition.
    pub fn add(&mut self, text: &str) -> Result<(), String> {
        let whole = Json::parse(text).map_err(|error| format!("is not JSON: {error}"))?;
        let items: Vec<Json> = whole.read().unwrap_or_else(|_| vec![whole]);
        items.iter().try_for_each(|it| self.add_one(it))
    }

    /// Adds workflows of entities that are there already.
    pub fn add_workflows(&mut self, workflows: Vec<Workflow>) {
        self.workflows.extend(workflows);
    }

    /// Adds a graph that is there already.
    pub fn add_graph(&mut self, graph: Arc<Graph>) {
        self.processes.insert(graph.which.name.clone(), graph);
    }

    /// The latest graph of that name.
    #[must_use]
    pub fn graph(&self, name: &str) -> Option<&Arc<Graph>> {
        self.processes.get(name)
    }

    /// All graphs.
    pub fn graphs(&self) -> impl Iterator<Item = &Graph> {
        self.processes.values().map(|it| &**it)
    }

    /// The plan of that name and version; the latest if none is given.
    #[must_use]
    pub fn plan(&self, name: &str, version: Option<i32>) -> Option<&Plan> {
        let versions = self.chains.get(name)?;
        match version {
            Some(version) => versions.get(&version),
            None => versions.values().next_back(),
        }
    }

    /// All plans.
    pub fn plans(&self) -> impl Iterator<Item = &Plan> {
        self.chains.values().flat_map(BTreeMap::values)
    }

    /// The workflows of entities.
    #[must_use]
    pub fn workflows(&self) -> &[Workflow] {
        &self.workflows
    }

    /// The phases of a type.
    #[must_use]
    pub fn phases(&self, name: &str) -> Option<&Transitions> {
        self.lifecycles.get(name)
    }

    /// All types with phases.
    pub fn lifecycles(&self) -> impl Iterator<Item = (&str, &Transitions)> {
        self.lifecycles.iter().map(|(name, it)| (name.as_str(), it))
    }

    /// What chains run by.
    #[must_use]
    pub const fn policy(&self) -> &Policy {
        &self.policy
    }

    fn add_one(&mut self, item: &Json) -> Result<(), String> {
        let members: Value = item.read().map_err(|error| error.to_string())?;
        let has = |name: &str| members.get(name).is_some();
        match () {
            () if has("workflowType") => self.add_chain(item),
            () if has("steps") && has("id") => self.add_process(item),
            () if has("workflows") => self.import_workflows(item),
            () if has("types") => self.add_types(item),
            () => Err("is not recognized as a definition; a process has id and steps, a chain \
                       workflowType and steps, an import for entities workflows, lifecycles types"
                .to_owned()),
        }
    }

    fn add_process(&mut self, item: &Json) -> Result<(), String> {
        let source = Source::parse(item.as_str())?;
        let version = self.graph(&source.id).map_or(1, |it| it.which.version + 1);
        let graph = Graph::new(&source, version, self.coercion);
        self.add_graph(Arc::new(graph.map_err(|violations| violations.join("; "))?));
        Ok(())
    }

    fn add_chain(&mut self, item: &Json) -> Result<(), String> {
        let plan: Plan =
            item.read().map_err(|error| format!("is not a chain definition: {error}"))?;
        if let Some((place, problem)) = plan.violations().into_iter().next() {
            return Err(format!("{place} {problem}"));
        }
        let versions = self.chains.entry(plan.workflow_type.clone()).or_default();
        versions.insert(plan.workflow_version, plan);
        Ok(())
    }

    fn import_workflows(&mut self, item: &Json) -> Result<(), String> {
        let body = document::Value::parse(item.as_str()).map_err(|error| error.to_string())?;
        let rules = Rules { strict_types: true, is_sound: &is_sound };
        let workflows = import(&self.workflows, &body, &rules);
        self.workflows = workflows.map_err(|refusal| refusal.to_string())?;
        Ok(())
    }

    fn add_types(&mut self, item: &Json) -> Result<(), String> {
        let Types { types } = item.read().map_err(|error| error.to_string())?;
        for Type { workflow, transitions } in types {
            transitions.validate().map_err(|error| format!("{workflow}: {error}"))?;
            self.lifecycles.insert(workflow, transitions);
        }
        Ok(())
    }
}
