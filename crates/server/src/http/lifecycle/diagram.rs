//! Pictures of types, and of where an entity is.

use std::collections::BTreeMap;

use axum::{extract::Request, http::header};
use waypost_diagram::{
    of::lifecycle::{Phases, picture},
    picture::{Mark, Picture},
};
use waypost_lifecycle::WorkflowDef;

use super::{Answer, failure::Denied};
use crate::{http::diagram::Drawing, lifecycle::Gateway};

/// How a picture is wanted.
pub(super) fn wanted(request: &Request) -> Result<Drawing, Denied> {
    let known = request.headers().get(header::IF_NONE_MATCH).cloned();
    Drawing::new(request.uri(), known).map_err(|it| Denied::at_the_edge("diagram", &it))
}

pub(super) async fn draw(
    gateway: &Gateway,
    (of, id): (&str, Option<&str>),
    drawing: Result<Drawing, Denied>,
) -> Answer {
    let denied = |error: &waypost_lifecycle::Error| Denied::of("diagram", error);
    let definition = gateway.lifecycles.get_workflow_definition(of).map_err(|it| denied(&it))?;
    let marks = match id {
        None => BTreeMap::new(),
        Some(id) => {
            let entity = gateway.lifecycles.get(of, id).await.map_err(|it| denied(&it))?;
            let here = Mark { here: 1, ..Mark::default() };
            BTreeMap::from([(entity.phase, here)])
        }
    };
    let drawn = Picture { marks, ..picture(&table(&definition)) };
    drawing?.of(&drawn).map_err(|it| Denied::at_the_edge("diagram", &it))
}

fn table(definition: &WorkflowDef) -> Phases<'_> {
    let table = &definition.transitions;
    let targets = |phase| table.targets(phase).iter().map(String::as_str).collect();
    Phases {
        title: &definition.workflow,
        initial: None,
        phases: table.phases().into_iter().map(|it| (it, targets(it))).collect(),
    }
}
